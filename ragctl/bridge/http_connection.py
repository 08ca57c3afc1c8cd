"""Connections with a limit on everything: their number, headers, bodies and waits.

A request that is not HTTP gets an envelope, never its own bytes or a traceback.
"""

import asyncio

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from ragctl.bridge.answers import BridgeRefusal, refusal_response

CONNECTIONS_MAX = 64
HEADERS_WITHIN_S = 10.0  # also how long a connection may be idle
HEADERS_MAX = 64
LINE_MAX_BYTES = 8 * 1024
LINGER_S = 2.0
ANSWER_READ_WITHIN_S = 30.0


class BridgeConnection(RequestHandler):
    """aiohttp's connection, with our limits. `is_known`: the user or a token has used it."""

    __slots__ = ("is_closing", "is_known")

    def __init__(self, server: web.Server) -> None:
        self.is_known = False
        self.is_closing = False
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=HEADERS_WITHIN_S,
            access_log=None,  # type: ignore[arg-type]  # aiohttp allows None
            max_line_size=LINE_MAX_BYTES,
            max_field_size=LINE_MAX_BYTES,
            max_headers=HEADERS_MAX,
            lingering_time=LINGER_S,
            auto_decompress=False,  # a small body must not expand into a large one
        )

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if request.writer.output_size > 0:
            raise ConnectionError  # an answer has begun; a second one would be read as part of it
        if 400 <= status < 500:
            refused = BridgeRefusal(status, "INVALID_REQUEST", "The request is not valid HTTP.")
        else:
            refused = BridgeRefusal(500, "INTERNAL")
        response = refusal_response(refused)
        response.force_close()
        return response

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        if isinstance(resp, web.HTTPException):  # raised before our code runs: a bad Expect
            resp = self.handle_error(request, resp.status)
        try:
            async with asyncio.timeout(ANSWER_READ_WITHIN_S):
                return await super().finish_response(request, resp, start_time)
        except TimeoutError:
            if self.transport is not None:
                self.transport.abort()
            return resp, True

    def log_exception(self, *args: object, **details: object) -> None:
        """Nothing is logged: a message could contain what was asked."""


class TooManyBridgeConnections(asyncio.Protocol):
    """Closes a connection that is over the limit."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


def connection_factory(runner: web.AppRunner) -> asyncio.Protocol:
    """A new connection. If there are too many, the oldest one of a stranger ends for it: otherwise
    a program of another user could hold all of them, and nobody would get in."""
    server = runner.server
    if server is None:
        return TooManyBridgeConnections()
    every = [one for one in server.connections if isinstance(one, BridgeConnection)]
    opened = [one for one in every if not one.is_closing]
    if len(opened) >= CONNECTIONS_MAX:
        stranger = next((one for one in opened if not one.is_known), None)
        if stranger is None:
            return TooManyBridgeConnections()
        stranger.is_closing = True
        if stranger.transport is not None:
            stranger.transport.abort()
    return BridgeConnection(server)


def mark_known(request: web.Request) -> None:
    """The request was allowed: its connection does not end to make room for another one."""
    if isinstance(request.protocol, BridgeConnection):
        request.protocol.is_known = True
