"""The routes of the bridge, and who may use them.

The page is the user: a browser gets in with a link that is valid once. An MCP client is an agent:
it has a token, which the daemon checks. Nothing is answered to anyone else, except how to get in.
Under an address that other machines reach, only MCP is offered, never the page. The page has an
address of its own, at which nothing else is offered.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from aiohttp import web

from ragctl.bridge.answers import (
    BridgeRefusal,
    data_response,
    mark_with_headers,
    refusal_response,
)
from ragctl.bridge.daemon_forward import BODY_MAX_BYTES, DaemonForward, read_json
from ragctl.bridge.entry_links import use_code
from ragctl.bridge.http_connection import mark_known
from ragctl.bridge.page_sessions import PageSession, PageSessions, has_csrf
from ragctl.bridge.rate_limits import PAGE, STRANGER, RateLimits
from ragctl.bridge.request_checks import (
    is_navigation,
    require_json,
    require_own_host,
    require_own_origin,
    require_own_origin_if_any,
)
from ragctl.bridge.static_files import StaticFiles
from ragd.paths import Home

COOKIE = "ragd_page"
CSRF_HEADER = "X-Ragd-Csrf"
API = "/api"
MCP = "/mcp"
# Of whatever another program left in the browser while it had this port. Not the cookies: a browser
# would remove those of every other program on this machine, too.
_FORGET = {"Clear-Site-Data": '"cache", "storage"'}
_PUBLIC = {"/enter": "/enter.html", "/enter.js": "/enter.js"}
_STRANGERS = (400, 401, 403, 404, 405, 413, 415, 421)
_MESSAGES = {
    404: "There is no such page.",
    405: "This address does not support this method.",
    413: "The body is over 1 MiB.",
}

Handle = Callable[[web.Request], Awaitable[web.StreamResponse]]


class McpHandler(Protocol):
    """Answers MCP clients."""

    async def handle(self, asked: web.Request) -> web.StreamResponse: ...


class BridgeApp:
    """Answers requests. `hosts`: the names under which MCP is addressed; `page_hosts`: those of the
    page, none where other machines can reach it. `mcp`: None if the package is not installed."""

    def __init__(
        self,
        home: Home,
        hosts: frozenset[str],
        page_hosts: frozenset[str],
        mcp: McpHandler | None,
        limits: RateLimits,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._home = home
        self._hosts = hosts
        self._page_hosts = page_hosts
        self._mcp = mcp
        self._limits = limits
        self._sessions = PageSessions(now)
        self._files = StaticFiles()
        self._forward = DaemonForward(home)
        self.app = web.Application(middlewares=[self._check], client_max_size=BODY_MAX_BYTES)
        self.app.on_response_prepare.append(_add_headers)
        self.app.add_routes([web.route("*", MCP, self._answer_mcp)])
        if page_hosts:
            page = self._at_page_host
            self.app.add_routes(
                [
                    web.post("/enter", page(self._enter)),
                    web.post("/leave", page(self._leave)),
                    web.route("*", API + "/{path:.*}", page(self._call_daemon)),
                    web.get("/{path:.*}", page(self._get_file), allow_head=False),
                ]
            )

    def close(self) -> None:
        """End what runs in threads."""
        self._forward.close()

    @web.middleware
    async def _check(self, request: web.Request, handler: Handle) -> web.StreamResponse:
        try:
            require_own_host(request, self._hosts | self._page_hosts)
            return await handler(request)
        except BridgeRefusal as why:
            refused = why
        except web.HTTPException as why:
            refused = BridgeRefusal(why.status, "INVALID_REQUEST", _MESSAGES.get(why.status))
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception:
            refused = BridgeRefusal(500, "INTERNAL", "Something went wrong inside the bridge.")
        return self._refuse(request, refused)

    def _refuse(self, request: web.Request, refused: BridgeRefusal) -> web.Response:
        """The refusal. Whoever is refused too often is only told to wait, and disconnected: that
        costs us least, and nobody who is let in is counted."""
        if refused.status in _STRANGERS and not self._limits.allows("stranger", STRANGER):
            refused = BridgeRefusal(429, "TOO_MANY_REQUESTS", headers={"Retry-After": "5"})
        response = refusal_response(refused, as_text=is_navigation(request))
        if refused.status == 429:
            response.force_close()
        return response

    def _at_page_host(self, handler: Handle) -> Handle:
        """The handler, for the address of the page alone. Under the other names anyone could have
        left a script in the browser before we ran, so nothing of the page is there."""

        async def answer(request: web.Request) -> web.StreamResponse:
            if require_own_host(request, self._hosts | self._page_hosts) not in self._page_hosts:
                raise BridgeRefusal(
                    421,
                    "SECURITY_VIOLATION",
                    "The page is not at this address.",
                    "Run `ragctl open`. With this address after it, `ragctl open` shows the same "
                    "view.",
                    _FORGET,
                )
            return await handler(request)

        return answer

    # Signing in

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """Exchange a code for a session. The cookie is for the browser, the other secret for the
        page, which keeps it where only its own origin can read it."""
        require_own_origin(request, require_own_host(request, self._page_hosts))
        require_json(request)
        code = (await read_json(request)).get("code")
        if not isinstance(code, str) or not use_code(self._home, code):
            raise BridgeRefusal(
                401,
                "SIGN_IN_NEEDED",
                "This link was used before, or it is older than a minute.",
            )
        made = self._sessions.begin()
        response = data_response({"csrf": made.csrf})
        response.set_cookie(COOKIE, made.cookie, httponly=True, samesite="Strict", path="/")
        return response

    async def _leave(self, request: web.Request) -> web.StreamResponse:
        self._sessions.end(self._require_page(request))
        response = data_response({"signed_out": True})
        response.del_cookie(COOKIE, httponly=True, samesite="Strict", path="/")
        return response

    def _session_of(self, request: web.Request) -> PageSession | None:
        """The session of this browser. Raises BridgeRefusal if it sends too many requests."""
        session = self._sessions.find(request.cookies.get(COOKIE, ""))
        if session is not None and not self._limits.allows(session.cookie, PAGE):
            raise BridgeRefusal(429, "TOO_MANY_REQUESTS", headers={"Retry-After": "1"})
        if session is not None:
            mark_known(request)
        return session

    def _require_page(self, request: web.Request) -> PageSession:
        """Only our page, in a browser that is signed in, can send such a request."""
        require_own_origin(request, require_own_host(request, self._page_hosts))
        session = self._session_of(request)
        if session is None:
            raise BridgeRefusal(401, "SIGN_IN_NEEDED")
        sent = request.headers.getall(CSRF_HEADER, [])
        if len(sent) != 1 or not has_csrf(session, sent[0]):
            raise BridgeRefusal(
                403,
                "SECURITY_VIOLATION",
                f"The header `{CSRF_HEADER}` is missing or wrong.",
                "Run `ragctl open` to sign in again.",
            )
        if request.method != "GET":
            require_json(request)
        return session

    # What the page asks for

    async def _get_file(self, request: web.Request) -> web.StreamResponse:
        path = request.raw_path.partition("?")[0]
        if path in _PUBLIC:
            return self._files.answer(_PUBLIC[path])
        if self._session_of(request) is not None:
            return self._files.answer(path)
        if "." in path.rpartition("/")[2]:
            raise BridgeRefusal(401, "SIGN_IN_NEEDED")
        if not self._limits.allows("stranger", STRANGER):
            raise BridgeRefusal(429, "TOO_MANY_REQUESTS", headers={"Retry-After": "5"})
        response = self._files.answer("/sign-in.html")
        response.set_status(401)
        return response

    async def _call_daemon(self, request: web.Request) -> web.StreamResponse:
        session = self._require_page(request)
        path, _, query = request.raw_path.partition("?")
        return await self._forward.forward(
            request, path.removeprefix(API), query, lambda: self._sessions.is_open(session)
        )

    # What MCP clients ask for

    async def _answer_mcp(self, request: web.Request) -> web.StreamResponse:
        require_own_origin_if_any(request, self._require_mcp_host(request))
        if self._mcp is None:
            raise BridgeRefusal(
                501,
                "INVALID_REQUEST",
                "MCP needs the package `mcp`, which is not installed next to ragd.",
                "Run `pipx inject ragd 'mcp>=2.3,<3'`, then start `ragctl serve` again.",
            )
        return await self._mcp.handle(request)

    def _require_mcp_host(self, request: web.Request) -> str:
        """The name that MCP was addressed under: one that stays the same, not that of the page."""
        named = require_own_host(request, self._hosts | self._page_hosts)
        if named in self._page_hosts:
            raise BridgeRefusal(
                421,
                "SECURITY_VIOLATION",
                "MCP is not at the address of the page.",
                "`ragctl serve --status` shows its address.",
            )
        return named


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    mark_with_headers(response)
