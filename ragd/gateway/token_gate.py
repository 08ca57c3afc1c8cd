"""Requests with a token: finds out who it stands for, before the request is handled, and records
each use before the answer is sent.

Every route passes through it. A token that is not accepted gets nothing, not even the access of a
request without one. It never records what was asked.
"""

from http import HTTPStatus
from urllib.parse import unquote

import msgspec
from aiohttp import web

from ragd.access.tokens import SECRET_MAX_CHARS, AccessToken, asker_of_token
from ragd.errors import RagdError
from ragd.events import TokenUsed, UseOutcome
from ragd.gateway.access_control import TOKEN_ASKER
from ragd.gateway.fact_recorder import FactRecorder
from ragd.gateway.http_server import Handler, http_status
from ragd.gateway.token_store import TokenStore
from ragd.protocol.asker import (
    AGENT_HEADER,
    ASSISTANT_HEADER,
    CHAT_HEADER,
    SESSION_HEADER,
    TOKEN_HEADER,
    read_session,
)
from ragd.protocol.tool_schemas import TOOLS

# The names under which uses of paths that are not tools are recorded. What has no name here shows
# nothing of the user: the list of tools, and the token itself.
_USES = {
    "/v1/status": "status",
    "/v1/collections": "collections",
    "/v1/coverage": "coverage",
    "/v1/notes": "notes",
    "/v1/notes/recent": "recent",
    "/v1/memories": "memories",
}
_NOT_RECORDED = ("/v1/tools", "/v1/token")
_OTHER = "other"


class TokenGate:
    """Wraps the handlers of the routes."""

    def __init__(self, store: TokenStore, facts: FactRecorder) -> None:
        self._store = store
        self._facts = facts

    def guarded(self, route: web.RouteDef) -> web.RouteDef:
        """The route, for requests with and without a token."""
        handler: Handler = route.handler

        async def handle(request: web.Request) -> web.StreamResponse:
            sent = request.headers.getall(TOKEN_HEADER, [])
            if not sent:
                return await handler(request)
            token = await self._accept(request, sent)
            request[TOKEN_ASKER] = asker_of_token(
                token, read_session(request.headers.get(SESSION_HEADER))
            )
            return await self._answer(request, handler, token)

        return web.RouteDef(route.method, route.path, handle, route.kwargs)

    async def _accept(self, request: web.Request, sent: list[str]) -> AccessToken:
        others = (AGENT_HEADER, CHAT_HEADER, ASSISTANT_HEADER)
        if len(sent) > 1 or any(name in request.headers for name in others):
            raise RagdError("INVALID_REQUEST", "A request with a token cannot name an agent, too.")
        secret = unquote(sent[0])
        token = await self._store.find(secret) if len(secret) <= SECRET_MAX_CHARS else None
        if token is None:
            raise RagdError("TOKEN_REFUSED")
        return token

    async def _answer(
        self, request: web.Request, handler: Handler, token: AccessToken
    ) -> web.StreamResponse:
        """A use that cannot be recorded is refused. A token that was revoked while the answer was
        made does not get it."""
        try:
            response = await handler(request)
        except RagdError as why:
            await self._record(request, token, http_status(why))
            raise
        except web.HTTPException as why:
            await self._record(request, token, why.status)
            raise
        body = response.body if isinstance(response, web.Response) else b""
        await self._record(
            request, token, response.status, body if isinstance(body, bytes) else b""
        )
        if not await self._store.is_valid(token):
            raise RagdError("TOKEN_REFUSED")
        return response

    async def _record(
        self, request: web.Request, token: AccessToken, status: int, body: bytes = b""
    ) -> None:
        if request.path in _NOT_RECORDED:
            return
        used = TokenUsed(client=token.name, tool=_name_of(request), outcome=_outcome(status, body))
        await self._facts.record(used)


class _AnswerCode(msgspec.Struct):
    code: str = ""


class _AnswerOutline(msgspec.Struct):
    """What is read of an answer to say how it ended."""

    error: _AnswerCode | None = None


_decode_outline = msgspec.json.Decoder(_AnswerOutline).decode


def _outcome(status: int, body: bytes) -> UseOutcome:
    if status in (HTTPStatus.INTERNAL_SERVER_ERROR, 503, 504):
        return "failed"
    if status >= HTTPStatus.BAD_REQUEST:
        return "refused"
    try:
        outline = _decode_outline(body)
    except msgspec.MsgspecError:
        return "answered"
    is_withheld = outline.error is not None and outline.error.code == "SENSITIVE_FILTERED"
    return "withheld" if is_withheld else "answered"


def _name_of(request: web.Request) -> str:
    """A name from a closed list: the path may contain anything."""
    tool = request.match_info.get("tool", "")
    if tool:
        return tool if tool in TOOLS else _OTHER
    return _USES.get(request.path, _OTHER)
