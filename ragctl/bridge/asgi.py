"""Calls an ASGI application (the MCP package has one) for a request of our own server.

The whole body is read before the call. The application gets no header that it did not need: the
token stays here.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from aiohttp import web

from ragctl.bridge.daemon_forward import write_in_time

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Message, Receive, Send], Awaitable[None]]

_NOT_PASSED_ON = ("authorization", "cookie")
_HOP_BY_HOP = (b"connection", b"transfer-encoding", b"keep-alive", b"content-length")


class AsgiCalls:
    """Makes the calls. A client that goes away does not cut a call off: it may just have read all
    that it needs. The application is told, and ends by itself."""

    def __init__(self, app: AsgiApp) -> None:
        self._app = app
        self._open: set[asyncio.Task[None]] = set()

    async def answer(
        self, asked: web.Request, body: bytes, more: dict[str, Any], at_end: Callable[[], None]
    ) -> web.StreamResponse:
        """The application's answer, sent as it comes. `more`: fields of the scope. `at_end` is
        called when the application has ended, which may be after this returns."""
        sending = _Sending(asked)
        call = asyncio.create_task(self._call(_scope(asked) | more, body, sending, at_end))
        self._open.add(call)
        call.add_done_callback(self._open.discard)
        try:
            await asyncio.shield(call)
        except asyncio.CancelledError:
            sending.is_gone.set()
            raise
        return sending.finished()

    async def _call(
        self, scope: Message, body: bytes, sending: "_Sending", at_end: Callable[[], None]
    ) -> None:
        received = False

        async def receive() -> Message:
            nonlocal received
            if not received:
                received = True
                return {"type": "http.request", "body": body, "more_body": False}
            await sending.is_gone.wait()
            return {"type": "http.disconnect"}

        try:
            await self._app(scope, receive, sending.send)
        except Exception:
            if not sending.is_gone.is_set():
                raise  # else nobody waits for the answer
        finally:
            at_end()

    async def close(self) -> None:
        """End what still runs."""
        for call in self._open:
            call.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)


def _scope(asked: web.Request) -> dict[str, Any]:
    path, _, query = asked.raw_path.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode("latin-1", "replace"),
        "query_string": query.encode("latin-1", "replace"),
        "root_path": "",
        "headers": [
            (name.lower(), value)
            for name, value in asked.raw_headers
            if name.lower().decode("latin-1") not in _NOT_PASSED_ON
        ],
        "client": None,
        "server": None,
    }


class _Sending:
    """The answer under way."""

    def __init__(self, asked: web.Request) -> None:
        self._asked = asked
        self._response: web.StreamResponse | None = None
        self.is_gone = asyncio.Event()  # the client went away: what follows is dropped

    async def send(self, message: Message) -> None:
        if self.is_gone.is_set():
            return
        if message["type"] == "http.response.start":
            response = web.StreamResponse(status=message["status"])
            for name, value in message.get("headers", []):
                if name.lower() not in _HOP_BY_HOP:
                    response.headers.add(name.decode("latin-1"), value.decode("latin-1"))
            self._response = response
            await response.prepare(self._asked)
        elif message["type"] == "http.response.body" and self._response is not None:
            if message.get("body"):
                await write_in_time(self._response, message["body"])
            if not message.get("more_body", False):
                await self._response.write_eof()

    def finished(self) -> web.StreamResponse:
        if self._response is None:
            raise ConnectionError  # it ended without an answer
        return self._response
