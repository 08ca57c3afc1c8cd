"""MCP over streamable HTTP, for clients that cannot start a program. Each one needs a token.

The daemon decides what a token allows, for every call. This checks only that the token is accepted
at all, before anything of the request is looked at. Nothing counts as the user's consent here: a
client elsewhere could accept in the user's name.
"""

import asyncio
import contextlib
import functools
import hashlib
import logging
import re
from collections.abc import AsyncIterator
from typing import Any

from aiohttp import web
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken as McpAccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from ragctl.bridge.answers import BridgeRefusal
from ragctl.bridge.asgi import AsgiCalls
from ragctl.bridge.daemon_forward import read_body
from ragctl.bridge.http_connection import mark_known
from ragctl.bridge.mcp_sessions import TokenSessions
from ragctl.bridge.rate_limits import TOKEN, RateLimits
from ragctl.bridge.request_checks import require_json
from ragctl.daemon.client import request as ask_daemon
from ragctl.failure import Failure, NotRunning
from ragctl.mcp.server import Context, Forwarder, build_server
from ragd.paths import Home
from ragd.protocol.asker import token_headers

SESSIONS_MAX = 256  # of all tokens
SESSION_IDLE_S = 600.0
BODY_MAX_BYTES = 1024 * 1024
CALLS_MAX = 16  # of one token, at the same time
_SECRET = re.compile(r"Bearer (ragd_[A-Za-z0-9_-]{20,120})")
_SECRET_KEY = "ragd.token"  # noqa: S105  (the name of a field)
_OWNER_KEY = "ragd.owner"
_SESSION_HEADER = "mcp-session-id"


class McpRoute:
    """Answers `/mcp`."""

    def __init__(self, home: Home, limits: RateLimits) -> None:
        self._home = home
        self._limits = limits
        self._running: dict[str, int] = {}  # by the digest of the token
        server = build_server(self._forwarder_for)
        self._manager = StreamableHTTPSessionManager(
            server,
            max_sessions=SESSIONS_MAX,
            session_idle_timeout=SESSION_IDLE_S,
            max_request_body_size=BODY_MAX_BYTES,
        )
        self._calls = AsgiCalls(TokenSessions(self._manager.handle_request, _OWNER_KEY))
        for name in ("mcp", "sse_starlette", "starlette"):  # a message could quote a request
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Sessions live during this block, in a task of their own: whoever began it must end it."""
        began: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        ended = asyncio.Event()
        holding = asyncio.create_task(self._hold_sessions(began, ended))
        await asyncio.wait({began, holding}, return_when=asyncio.FIRST_COMPLETED)
        try:
            yield
        finally:
            await self._calls.close()
            ended.set()
            await holding

    async def _hold_sessions(self, began: "asyncio.Future[None]", ended: asyncio.Event) -> None:
        async with self._manager.run():
            began.set_result(None)
            await ended.wait()

    async def handle(self, asked: web.Request) -> web.StreamResponse:
        """One request of a client. Streams that only the server writes to are not offered, so there
        is nothing that outlives a token."""
        secret = _secret_of(asked)
        name = await self._check(secret)
        mark_known(asked)
        digest = hashlib.sha256(secret.encode()).hexdigest()
        if not self._limits.allows(("token", digest), TOKEN):
            raise BridgeRefusal(429, "TOO_MANY_REQUESTS", headers={"Retry-After": "5"})
        if asked.method not in ("POST", "DELETE"):
            raise web.HTTPMethodNotAllowed(asked.method, ("POST", "DELETE"))
        if asked.method == "POST":
            require_json(asked)
        if self._running.get(digest, 0) >= CALLS_MAX:
            raise BridgeRefusal(429, "TOO_MANY_REQUESTS", headers={"Retry-After": "5"})
        body = await read_body(asked)
        user = AuthenticatedUser(
            McpAccessToken(token=digest, client_id=name, scopes=[], subject=digest)
        )
        scope: dict[str, Any] = {"user": user, _SECRET_KEY: secret, _OWNER_KEY: digest}
        self._running[digest] = self._running.get(digest, 0) + 1
        return await self._calls.answer(asked, body, scope, lambda: self._ended(digest))

    def _ended(self, digest: str) -> None:
        self._running[digest] -= 1
        if not self._running[digest]:
            del self._running[digest]

    async def _check(self, secret: str) -> str:
        """The name of the token. Raises BridgeRefusal if the daemon does not accept it."""
        ask = functools.partial(
            ask_daemon, self._home, "GET", "/v1/token", headers=token_headers(secret, "")
        )
        try:
            answer = await asyncio.to_thread(ask)
            if answer.status == 401:
                raise refused_token()
            return str(answer.data["token"]["name"])
        except NotRunning:
            raise BridgeRefusal(503, "NOT_RUNNING") from None
        except Failure as why:
            raise BridgeRefusal(502, "INTERNAL", why.message, why.suggestion) from None

    def _forwarder_for(self, context: Context) -> Forwarder:
        """The calls of this request are made with its own token."""
        asked = context.request
        assert asked is not None
        headers = token_headers(
            asked.scope[_SECRET_KEY], asked.headers.get(_SESSION_HEADER) or "stateless"
        )
        return Forwarder(self._home, headers, is_local=False)


def refused_token() -> BridgeRefusal:
    """The same answer for every token that is not accepted, and for none."""
    return BridgeRefusal(401, "TOKEN_REFUSED", headers={"WWW-Authenticate": "Bearer"})


def _secret_of(asked: web.Request) -> str:
    sent = asked.headers.getall("Authorization", [])
    found = _SECRET.fullmatch(sent[0]) if len(sent) == 1 else None
    if found is None:
        raise refused_token()
    return found[1]
