"""Sends lines to clients that follow something, and ends all streams when the daemon stops.

It never waits for a client that does not read: such a connection is closed.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import structlog
from aiohttp import web

from ragd.gateway.http_server import HEADERS

CLIENT_READS_WITHIN_S = 30.0
LAST_LINE_WITHIN_S = 1.0

log = structlog.get_logger("tool_gateway")


class OpenStreams:
    """The streams that clients follow at this moment."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self.is_ending = False

    def __len__(self) -> int:
        return len(self._tasks)

    def end(self) -> None:
        """End every stream, so that the daemon can stop."""
        self.is_ending = True
        for task in self._tasks:
            task.cancel()

    async def send(
        self,
        request: web.Request,
        lines: AsyncIterator[bytes],
        last: Callable[[], bytes] | None = None,
    ) -> web.StreamResponse:
        """Lines as they come, while the client reads them and the daemon runs. `last` makes the
        line that a client gets when the daemon stops first."""
        response = web.StreamResponse(headers=HEADERS)
        response.content_type = "application/x-ndjson"
        await response.prepare(request)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            async for line in lines:
                async with asyncio.timeout(CLIENT_READS_WITHIN_S):
                    await response.write(line)
        except TimeoutError:
            log.info("a follower did not read and was disconnected")
            if request.transport is not None:
                request.transport.abort()
        except asyncio.CancelledError:
            if not self.is_ending:
                raise  # the client went away
            task.uncancel()
            if last is not None:
                await _write_within(response, last(), LAST_LINE_WITHIN_S)
        finally:
            self._tasks.discard(task)
        return response


async def _write_within(response: web.StreamResponse, line: bytes, seconds: float) -> None:
    """Write to a client that may have stopped reading."""
    with contextlib.suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(seconds):
            await response.write(line)
