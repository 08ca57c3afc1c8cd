"""Forwards requests of the page to the daemon's socket, as the user's own, and sends its answers.

Only requests on the list are forwarded. It adds nothing to them and interprets no answer. It never
starts the daemon: a page that stays open must not undo `ragctl stop`.
"""

import asyncio
import functools
import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from aiohttp import web

from ragctl.bridge.answers import BridgeRefusal
from ragctl.daemon.client import Answer, Stream, stream
from ragctl.daemon.kept_connections import KeptConnections
from ragctl.failure import Failure, NotRunning, TimedOut
from ragd.paths import Home

BODY_MAX_BYTES = 1024 * 1024
BODY_WITHIN_S = 10.0
ANSWER_WITHIN_S = 30.0
LINE_WITHIN_S = 10.0
ANSWER_READ_WITHIN_S = 30.0
STREAMS_MAX = 16
_THREADS = 16

# No dots, no percent signs: a path cannot be read in two ways. The daemon's reads change nothing.
_READS = re.compile(r"/v1/[a-z0-9_-]+(?:/[A-Za-z0-9_-]+)*")
_CHANGES = {
    "POST": re.compile(
        r"/v1/(?:jobs|jobs/[A-Za-z0-9]+/cancel|pause|resume|approvals/[A-Za-z0-9]+|explain"
        r"|tools/[a-z_]+)"
    ),
    "DELETE": re.compile(r"/v1/memories/(?:[A-Za-z0-9_~-]|%[0-9A-F]{2})+"),
}
_STREAMS = re.compile(r"/v1/(?:events|jobs/[A-Za-z0-9]+)")
_QUERY = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*")

_Result = TypeVar("_Result")


class DaemonForward:
    """Sends requests in threads of its own, so that a slow one does not delay the others."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._kept = KeptConnections(home)
        self._threads = ThreadPoolExecutor(_THREADS, "forward")
        self._open_streams = 0

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._kept.close()

    async def forward(
        self, asked: web.Request, path: str, query: str, is_signed_in: Callable[[], bool]
    ) -> web.StreamResponse:
        """The daemon's answer to a request for this path. Raises BridgeRefusal if it is not on the
        list, or the daemon does not answer. A stream ends before its next line when the browser is
        not signed in any more."""
        require_listed(asked.method, path, query)
        target = f"{path}?{query}" if query else path
        if asked.method == "GET" and _follows(query):
            if not _STREAMS.fullmatch(path):
                raise _not_listed()
            return await self._send_stream(asked, target, is_signed_in)
        body = None if asked.method in ("GET", "DELETE") else await read_json(asked)
        call = functools.partial(
            self._kept.request, asked.method, target, body, timeout=ANSWER_WITHIN_S
        )
        return _response(await self._in_thread(call))

    async def _send_stream(
        self, asked: web.Request, target: str, is_signed_in: Callable[[], bool]
    ) -> web.StreamResponse:
        if self._open_streams >= STREAMS_MAX:
            raise BridgeRefusal(429, "TOO_MANY_REQUESTS", "Too many pages follow the daemon.")
        self._open_streams += 1
        try:
            opened = await self._in_thread(functools.partial(stream, self._home, target))
            if isinstance(opened, Answer):
                return _response(opened)
            try:
                return await self._send_lines(asked, opened, is_signed_in)
            finally:
                opened.close()
        finally:
            self._open_streams -= 1

    async def _send_lines(
        self, asked: web.Request, lines: Stream, is_signed_in: Callable[[], bool]
    ) -> web.StreamResponse:
        response = web.StreamResponse()
        response.content_type = "application/x-ndjson"
        await response.prepare(asked)
        while True:
            await _wait_for_data(lines)
            try:
                line = await self._in_thread(functools.partial(lines.read_line, LINE_WITHIN_S))
            except BridgeRefusal:  # the daemon stopped; the page sees the end and connects again
                return response
            if line is None or not is_signed_in():
                return response
            await write_in_time(response, line + b"\n")

    async def _in_thread(self, call: Callable[[], _Result]) -> _Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except NotRunning:
            raise BridgeRefusal(503, "NOT_RUNNING") from None
        except TimedOut as why:
            raise BridgeRefusal(504, "TIMEOUT", why.message, why.suggestion) from None
        except Failure as why:
            raise BridgeRefusal(502, "INTERNAL", why.message, why.suggestion) from None


def require_listed(method: str, path: str, query: str) -> None:
    """Raises BridgeRefusal for a request that the page has no use for."""
    pattern = _READS if method == "GET" else _CHANGES.get(method)
    if pattern is None or not pattern.fullmatch(path) or not _QUERY.fullmatch(query):
        raise _not_listed()


def _not_listed() -> BridgeRefusal:
    return BridgeRefusal(
        404, "INVALID_REQUEST", "The page has no such call.", "docs/page.md lists the calls."
    )


def _follows(query: str) -> bool:
    """Whether the daemon is asked for a stream. Raises BridgeRefusal for another spelling of it: an
    answer that does not end would keep a thread."""
    fields = parse_qsl(query, keep_blank_values=True)
    asked = [value for name, value in fields if name == "follow"]
    if asked in ([], ["0"]):
        return False
    if asked != ["1"] or "follow=1" not in query.split("&"):
        raise _not_listed()
    return True


async def read_body(asked: web.Request) -> bytes:
    """The body, if it is small enough and arrives in time."""
    if (asked.content_length or 0) > BODY_MAX_BYTES:
        raise web.HTTPRequestEntityTooLarge(BODY_MAX_BYTES)
    try:
        async with asyncio.timeout(BODY_WITHIN_S):
            return await asked.read()
    except TimeoutError:
        raise BridgeRefusal(408, "TIMEOUT", "The request's body did not arrive in time.") from None
    except web.RequestPayloadError:
        raise BridgeRefusal(400, "INVALID_REQUEST", "The body is not valid HTTP.") from None


async def read_json(asked: web.Request) -> dict[str, Any]:
    """The body, if it is a JSON object."""
    body = await read_body(asked)
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BridgeRefusal(400, "INVALID_REQUEST", "The body is not a JSON object.")
    return found


async def write_in_time(response: web.StreamResponse, data: bytes) -> None:
    """Send a part of an answer. A client that does not read it is disconnected."""
    try:
        async with asyncio.timeout(ANSWER_READ_WITHIN_S):
            await response.write(data)
    except TimeoutError:
        raise ConnectionError from None


async def _wait_for_data(lines: Stream) -> None:
    """Returns when a line can be read without a long wait. No thread waits meanwhile."""
    if lines.is_ready(0):
        return
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    handle = lines.fileno()
    loop.add_reader(handle, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(handle)


def _response(answer: Answer) -> web.Response:
    return web.Response(
        body=answer.body, status=answer.status, content_type="application/json", charset="utf-8"
    )
