"""HTTP over a listener, with a limit on everything. Every answer is an envelope.

It never sends a traceback or the client's own bytes back, and no client can block another.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

import structlog
from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from ragd import __version__
from ragd.errors import NO_SUCH_ENDPOINT, RagdError
from ragd.protocol.envelope import Envelope, encode
from ragd.runtime.exception_location import location_of

BODY_MAX_BYTES = 1024 * 1024
BODY_WITHIN_S = 10.0
HEADERS_WITHIN_S = 15.0
ANSWER_READ_WITHIN_S = 30.0
LINGER_S = 2.0  # after an answer to a request whose body is still coming
CLOSED_WITHIN_S = 0.5
CONNECTIONS_MAX = 128

HEADERS = {"Server": "ragd", "X-Ragd-Version": __version__}
STATUS_OF = {
    "INVALID_REQUEST": 400,
    "UNKNOWN_DIRECTORY": 400,
    "UNKNOWN_COLLECTION": 400,
    "SECURITY_VIOLATION": 403,
    "TOKEN_REFUSED": 401,
    "JOB_NOT_FOUND": 404,
    "APPROVAL_NOT_FOUND": 404,
    "TIMEOUT": 504,
    "INTERNAL": 500,
    "DISK_FULL": 503,
}

log = structlog.get_logger("http")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
# The answer to a refused request; None: it is not HTTP.
Refuse = Callable[[RagdError, web.Request | None], Envelope]


class Listener(Protocol):
    """Accepts connections: a Unix socket or a named pipe."""

    address: str

    async def listen(self, factory: Callable[[], asyncio.Protocol]) -> None: ...

    async def close(self) -> None: ...


def json_response(envelope: Envelope, status: int = 200) -> web.Response:
    """The envelope as a response."""
    return web.Response(
        body=encode(envelope),
        status=status,
        content_type="application/json",
        headers=HEADERS,
    )


async def read_body(request: web.Request) -> bytes:
    """The body, if it is small enough and arrives in time."""
    if (request.content_length or 0) > BODY_MAX_BYTES:
        raise web.HTTPRequestEntityTooLarge(BODY_MAX_BYTES)
    try:
        async with asyncio.timeout(BODY_WITHIN_S):
            return await request.read()
    except TimeoutError:
        raise RagdError("TIMEOUT", "The request's body did not arrive in time.") from None
    except web.RequestPayloadError:
        raise RagdError("INVALID_REQUEST", "The request's body is not valid HTTP.", _SEE) from None


class _Connection(RequestHandler):
    """aiohttp's connection, with envelopes for requests that are not HTTP at all."""

    __slots__ = ("_refuse",)

    def __init__(self, server: web.Server, refuse: Refuse) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=HEADERS_WITHIN_S,  # also the deadline for a request's headers
            tcp_keepalive=False,
            access_log=None,  # type: ignore[arg-type]  # aiohttp allows None
            lingering_time=LINGER_S,
            auto_decompress=False,  # a small body must not expand into a large one
        )
        self._refuse = refuse

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if request.writer.output_size > 0:
            raise ConnectionError  # an answer has begun; a second one would be read as part of it
        code = "INVALID_REQUEST" if 400 <= status < 500 else "INTERNAL"
        sentence = "The request is not valid HTTP." if code == "INVALID_REQUEST" else None
        response = json_response(self._refuse(RagdError(code, sentence, _SEE), None), status)
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
            log.info("a client did not read its answer and was disconnected")
            if self.transport is not None:
                self.transport.abort()
            return resp, True

    def log_exception(self, *args: object, **details: object) -> None:
        why = details.get("exc_info")
        if isinstance(why, BaseException):
            log.error(
                "a connection failed", exception=type(why).__name__, location=location_of(why)
            )


class HttpServer:
    """Serves the routes on a listener."""

    def __init__(self, listener: Listener, routes: Iterable[web.RouteDef], refuse: Refuse) -> None:
        self._listener = listener
        self._refuse = refuse
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._app = web.Application(
            middlewares=[self._answer_with_envelope], client_max_size=BODY_MAX_BYTES
        )
        self._app.add_routes(routes)
        self._app.on_response_prepare.append(_mark_answer_begun)
        self._runner = web.AppRunner(self._app, access_log=None, handler_cancellation=True)

    async def start(self) -> None:
        """Start serving."""
        await self._runner.setup()
        await self._listener.listen(self._new_connection)

    @property
    def connection_count(self) -> int:
        """How many connections are open."""
        return len(self._runner.server.connections) if self._runner.server is not None else 0

    async def stop_accepting(self) -> None:
        """Accept no more connections. Open ones stay."""
        await self._listener.close()

    async def stop(self, within_s: float) -> None:
        """Let running requests finish within this time, then close every connection."""
        await self._listener.close()
        server = self._runner.server
        if server is None:
            return
        # First, because after pre_shutdown aiohttp drops the rest of a request's body.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._idle.wait()
        server.pre_shutdown()
        await server.shutdown(CLOSED_WITHIN_S)  # never 0, which means no limit
        await self._runner.cleanup()

    def _new_connection(self) -> asyncio.Protocol:
        server = self._runner.server
        if server is None or len(server.connections) >= CONNECTIONS_MAX:
            return _TooManyConnections()
        return _Connection(server, self._refuse)

    @web.middleware
    async def _answer_with_envelope(
        self, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        self._in_flight += 1
        self._idle.clear()
        try:
            return await handler(request)
        except RagdError as why:
            return json_response(self._refuse(why, request), http_status(why))
        except web.HTTPException as why:
            refused = RagdError("INVALID_REQUEST", _MESSAGES.get(why.status), _SEE)
            return json_response(self._refuse(refused, request), why.status)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as why:
            log.error("a request failed", exception=type(why).__name__, location=location_of(why))
            if request.get(_BEGUN):
                raise ConnectionError from None
            return json_response(self._refuse(RagdError("INTERNAL"), request), 500)
        finally:
            self._in_flight -= 1
            if not self._in_flight:
                self._idle.set()


_BEGUN = web.RequestKey("begun", bool)


async def _mark_answer_begun(request: web.Request, response: web.StreamResponse) -> None:
    request[_BEGUN] = True


_SEE = "docs/protocol.md lists the endpoints."
_MESSAGES = {
    404: NO_SUCH_ENDPOINT,
    405: "The endpoint does not support this method.",
    413: "The body is over 1 MiB.",
}


def http_status(why: RagdError) -> int:
    """The HTTP status of an error, for clients that read only that."""
    if why.code in STATUS_OF:
        return STATUS_OF[why.code]
    return 503 if why.kind.status == "unavailable" else 200


class _TooManyConnections(asyncio.Protocol):
    """Closes a connection that is over the limit."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()
