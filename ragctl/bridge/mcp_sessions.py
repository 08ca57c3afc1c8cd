"""The MCP sessions of each token. A token that begins more than its share ends its own oldest one.

Many clients never say good-bye, and a session lives for minutes after that. Without a share, one
token could hold all sessions, and nobody else could begin one, even after it was revoked.
"""

from typing import Any

from ragctl.bridge.asgi import AsgiApp, Message, Receive, Send

SESSIONS_OF_TOKEN = 8
_HEADER = b"mcp-session-id"


class TokenSessions:
    """Passes requests on to the application, and notes the sessions that it begins. `owner_key`:
    the field of the scope that says whose request it is."""

    def __init__(self, app: AsgiApp, owner_key: str) -> None:
        self._app = app
        self._owner_key = owner_key
        self._of: dict[str, list[bytes]] = {}  # by owner; the one that was used last is the last

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        sessions = self._of.setdefault(scope[self._owner_key], [])
        used = _session_in(scope["headers"])
        if used is None:
            while len(sessions) >= SESSIONS_OF_TOKEN:
                await self._end(sessions.pop(0), scope)
        elif used in sessions:
            sessions.remove(used)
            sessions.append(used)

        async def note(message: Message) -> None:
            if used is None and message["type"] == "http.response.start":
                began = _session_in(message.get("headers", []))
                if began is not None and message["status"] < 400:
                    sessions.append(began)
            await send(message)

        await self._app(scope, receive, note)

    async def _end(self, session: bytes, scope: Message) -> None:
        """As its client would. If it has ended already, nothing happens."""
        version = [pair for pair in scope["headers"] if pair[0] == b"mcp-protocol-version"]
        ending = {**scope, "method": "DELETE", "headers": [(_HEADER, session), *version]}

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            """Nobody asked."""

        await self._app(ending, receive, send)


def _session_in(headers: Any) -> bytes | None:
    return next((bytes(value) for name, value in headers if name.lower() == _HEADER), None)
