"""HTTP with limits on everything, over whatever listener it is given; every answer an envelope.

It never lets a traceback or the client's own bytes out, and no client can hold up another.
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
ANSWER_TAKEN_WITHIN_S = 30.0
LINGER_S = 2.0  # after an answer to a request whose body is still coming
CLOSED_WITHIN_S = 0.5
CONNECTIONS_MAX = 128

HEADERS = {"Server": "ragd", "X-Ragd-Version": __version__}
STATUS_OF = {
    "INVALID_REQUEST": 400,
    "UNKNOWN_DIRECTORY": 400,
    "SECURITY_VIOLATION": 403,
    "JOB_NOT_FOUND": 404,
    "TIMEOUT": 504,
    "INTERNAL": 500,
    "DISK_FULL": 503,
}

log = structlog.get_logger("http")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Refuse = Callable[[RagdError], Envelope]


class Listener(Protocol):
    """Where connections come from: a Unix socket or a named pipe."""

    address: str

    async def listen(self, factory: Callable[[], asyncio.Protocol]) -> None: ...

    async def close(self) -> None: ...


def answer(envelope: Envelope, status: int = 200) -> web.Response:
    """The envelope as a response."""
    return web.Response(
        body=encode(envelope),
        status=status,
        content_type="application/json",
        headers=HEADERS,
    )


async def read_body(request: web.Request) -> bytes:
    """The body, if it is small enough and comes in time."""
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
            access_log=None,  # type: ignore[arg-type]  # its own code allows for it
            lingering_time=LINGER_S,
            auto_decompress=False,  # a small body must not unfold into a large one
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
            raise ConnectionError  # an answer has begun: a second one would be read as its rest
        code = "INVALID_REQUEST" if 400 <= status < 500 else "INTERNAL"
        sentence = "The request is not valid HTTP." if code == "INVALID_REQUEST" else None
        response = answer(self._refuse(RagdError(code, sentence, _SEE)), status)
        response.force_close()
        return response

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        if isinstance(resp, web.HTTPException):  # raised before any of our code: an odd Expect
            resp = self.handle_error(request, resp.status)
        try:
            async with asyncio.timeout(ANSWER_TAKEN_WITHIN_S):
                return await super().finish_response(request, resp, start_time)
        except TimeoutError:
            log.info("a client took no answer and was let go")
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
    """The routes behind a listener."""

    def __init__(self, listener: Listener, routes: Iterable[web.RouteDef], refuse: Refuse) -> None:
        self._listener = listener
        self._refuse = refuse
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._app = web.Application(
            middlewares=[self._every_answer_is_an_envelope], client_max_size=BODY_MAX_BYTES
        )
        self._app.add_routes(routes)
        self._app.on_response_prepare.append(_mark_as_begun)
        self._runner = web.AppRunner(self._app, access_log=None, handler_cancellation=True)

    async def start(self) -> None:
        """Begin to serve."""
        await self._runner.setup()
        await self._listener.listen(self._connection)

    async def stop_accepting(self) -> None:
        """Take no more connections; those that are open go on."""
        await self._listener.close()

    async def stop(self, within_s: float) -> None:
        """Let requests in flight finish, for so long; then close every connection."""
        await self._listener.close()
        server = self._runner.server
        if server is None:
            return
        # First, because from here on aiohttp drops what is still to come of a request's body.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._idle.wait()
        server.pre_shutdown()
        await server.shutdown(CLOSED_WITHIN_S)  # never 0, which means for ever
        await self._runner.cleanup()

    def _connection(self) -> asyncio.Protocol:
        server = self._runner.server
        if server is None or len(server.connections) >= CONNECTIONS_MAX:
            return _Busy()
        return _Connection(server, self._refuse)

    @web.middleware
    async def _every_answer_is_an_envelope(
        self, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        self._in_flight += 1
        self._idle.clear()
        try:
            return await handler(request)
        except RagdError as why:
            return answer(self._refuse(why), http_status(why))
        except web.HTTPException as why:
            refused = RagdError("INVALID_REQUEST", _SENTENCES.get(why.status), _SEE)
            return answer(self._refuse(refused), why.status)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as why:
            log.error("a request failed", exception=type(why).__name__, location=location_of(why))
            if request.get(_BEGUN):
                raise ConnectionError from None
            return answer(self._refuse(RagdError("INTERNAL")), 500)
        finally:
            self._in_flight -= 1
            if not self._in_flight:
                self._idle.set()


_BEGUN = web.RequestKey("begun", bool)


async def _mark_as_begun(request: web.Request, response: web.StreamResponse) -> None:
    request[_BEGUN] = True


_SEE = "docs/protocol.md lists what can be asked."
_SENTENCES = {
    404: NO_SUCH_ENDPOINT,
    405: "The endpoint does not take this method.",
    413: "The body is over 1 MiB.",
}


def http_status(why: RagdError) -> int:
    """The HTTP status beside the envelope, for clients that look at nothing else."""
    if why.code in STATUS_OF:
        return STATUS_OF[why.code]
    return 503 if why.kind.status == "unavailable" else 200


class _Busy(asyncio.Protocol):
    """Closes a connection that is one too many."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()
