"""One worker process of an embedded model: its start, requests to it, and its end.

It starts with the first request and ends after a time without any, or earlier if the machine lacks
memory. It is killed if it does not answer, and never outlives the daemon. It knows no text.
"""

import asyncio
import contextlib
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence

from ragd.embed.providers.embedder_port import DETAILS, EmbeddingError, Kind
from ragd.embed.worker import (
    MAX_FRAME_BYTES,
    EmbedRequest,
    Ready,
    Reply,
    Unavailable,
    decode_reply,
    frame,
)
from ragd.runtime import subprocesses
from ragd.runtime.frames import HEADER, body_length
from ragd.runtime.free_memory import is_memory_short

START_WITHIN_S = 60.0
END_WITHIN_S = 5.0
CHECK_S = 60.0  # how often an idle worker is checked


class WorkerProcess:
    """One worker process, and requests to it, one at a time."""

    def __init__(self, command: Sequence[str], idle_s: Callable[[], float]) -> None:
        self._command = command
        self._idle_s = idle_s
        self._process: Process | None = None
        self._one_at_a_time = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._used_at = 0.0  # by the loop's clock: when the last request ended
        self._ending: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def request(self, request: EmbedRequest, within_s: float) -> tuple[Reply, float]:
        """The worker's reply, and the seconds it took. Starts the worker if it does not run."""
        async with self._one_at_a_time:
            self._set_idle_timer()
            try:
                if self._process is None or self._process.returncode is not None:
                    await self._kill()
                    await self._start()
                started = time.monotonic()
                async with asyncio.timeout(within_s):
                    reply = await self._send(request)
            except TimeoutError:
                await self._kill()
                raise worker_error("transient", "took too long") from None
            except (OSError, EOFError, ValueError):
                await self._kill()
                raise worker_error("transient", "the worker ended unexpectedly") from None
            except BaseException:
                await self._kill()
                raise
            self._used_at = asyncio.get_running_loop().time()
            self._set_idle_timer(min(self._idle_s(), CHECK_S))
            return reply, time.monotonic() - started

    async def close(self) -> None:
        """End the worker."""
        self._set_idle_timer()
        if self._ending is not None:
            await self._ending
        await self._end()

    async def _start(self) -> None:
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                env=_environment(),
                start_new_session=True,  # Ctrl-C in the terminal must not stop the worker
            )
        except OSError:
            raise worker_error("unreachable", "the worker cannot be started") from None
        async with asyncio.timeout(START_WITHIN_S):
            reply = await self._read_reply(self._process)
        match reply:
            case Ready():
                return
            case Unavailable(detail) if detail in DETAILS:
                raise worker_error("unreachable", detail)
            case _:
                raise worker_error("unreachable", "the worker cannot be started")

    async def _send(self, request: EmbedRequest) -> Reply:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(frame(request))
        await self._process.stdin.drain()
        return await self._read_reply(self._process)

    async def _read_reply(self, process: Process) -> Reply:
        assert process.stdout is not None
        header = await process.stdout.readexactly(HEADER.size)
        length = body_length(header, MAX_FRAME_BYTES)
        return decode_reply(await process.stdout.readexactly(length))

    def _set_idle_timer(self, after_s: float | None = None) -> None:
        """Check after this time whether to end the worker. None: only cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if after_s is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(after_s, self._start_ending)

    def _start_ending(self) -> None:
        self._ending = asyncio.get_running_loop().create_task(self._end_idle(self._timer))

    async def _end_idle(self, timer: asyncio.TimerHandle | None) -> None:
        async with self._one_at_a_time:
            if self._timer is not timer:
                return  # a request came in between
            left = self._used_at + self._idle_s() - asyncio.get_running_loop().time()
            if left <= 0 or is_memory_short():
                await self._end()
            else:
                self._set_idle_timer(min(left, CHECK_S))

    async def _end(self) -> None:
        """Let the worker exit, and kill it if it does not."""
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(END_WITHIN_S):
                await process.wait()
        except TimeoutError:
            await self._kill()
        self._process = None

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


def _environment() -> dict[str, str]:
    """The worker's environment: it imports our package, and uses little memory."""
    return subprocesses.environment(
        ORT_DISABLE_TELEMETRY="1",  # otherwise onnxruntime sends telemetry
        MALLOC_ARENA_MAX="2",
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
    )


def worker_error(kind: Kind, detail: str) -> EmbeddingError:
    return EmbeddingError("EMBEDDER_UNAVAILABLE", kind, detail)
