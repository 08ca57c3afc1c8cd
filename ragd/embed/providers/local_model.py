"""The embedded models: vectors from worker processes that run only while they are needed.

There are two lanes, each with a process of its own: a question never waits for the passages of the
backlog. A worker starts with the first text, ends after a time without any, and is killed if it
does not answer. A model never runs in the daemon's own process, and no worker outlives the daemon.
"""

import asyncio
import contextlib
import importlib.util
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from ragd.embed.providers.embedder_port import (
    DETAILS,
    BatchPace,
    EmbeddingError,
    Kind,
    Vector,
    VectorSpace,
)
from ragd.embed.providers.request_queue import RequestQueue, TextRefused, TimedVectors
from ragd.embed.unit_vectors import UnitBits, vector_of, with_units
from ragd.embed.worker import (
    BULK,
    ENGLISH,
    MAX_FRAME_BYTES,
    SHIPPED,
    EmbedFailed,
    EmbedRequest,
    Ready,
    Reply,
    ShippedModel,
    Unavailable,
    Vectors,
    decode_reply,
    frame,
)
from ragd.runtime import subprocesses
from ragd.runtime.frames import HEADER, body_length

IDLE_S = 3600.0  # of the worker for questions
BULK_IDLE_S = 10.0
START_WITHIN_S = 60.0
END_WITHIN_S = 5.0
TURN_S = 0.5
FIRST_BATCH = 8
LARGEST_BATCH = 64
QUESTION_TURN_S = 0.05  # a saved note keeps the next question waiting for so long
MOST_URGENT = 8  # texts of a saved note; the vectors of more are made by the other worker
COMMAND = (sys.executable, "-P", "-m", "ragd.embed.worker")


def space_of(model: ShippedModel) -> VectorSpace:
    """The vector space of a model that comes with ragd."""
    return VectorSpace("embedded", model.name, model.digest, model.dimensions, window=model.window)


SPACE = space_of(ENGLISH)
_BY_IDENTITY = {space_of(model).identity: model for model in SHIPPED.values()}


def model_of(space: VectorSpace) -> ShippedModel | None:
    """The model whose vectors are of this space; None if this version does not have it."""
    return _BY_IDENTITY.get(space.identity)


def unavailable(model: ShippedModel = ENGLISH) -> str | None:
    """Why this model cannot run here, by a quick check; None if it probably can."""
    if model.needs_onnxruntime and importlib.util.find_spec("onnxruntime") is None:
        return "onnxruntime is not installed here"
    if importlib.util.find_spec(model.package) is None:
        return "the model's weights are not installed here"
    return None


class EmbeddedEmbedder:
    """Vectors from an embedded model. Each lane sends one request at a time."""

    def __init__(
        self,
        idle_s: float | None = None,
        command: Sequence[str] = COMMAND,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        model: ShippedModel = ENGLISH,
    ) -> None:
        self._space = space_of(model)
        self._unit_bits = model.unit_bits
        self._question_worker = _Worker(
            (*command, model.name), lambda: IDLE_S if idle_s is None else idle_s
        )
        self._bulk_worker = _Worker((*command, BULK, model.name), lambda: BULK_IDLE_S)
        send_question = partial(self._embed_batch, self._question_worker)
        send_bulk = partial(self._embed_batch, self._bulk_worker)
        question_pace = BatchPace(QUESTION_TURN_S, 1, MOST_URGENT)
        bulk_pace = BatchPace(TURN_S, FIRST_BATCH, LARGEST_BATCH)
        self._questions = RequestQueue(send_question, self._space, question_pace, sleep)
        self._bulk = RequestQueue(send_bulk, self._space, bulk_pace, sleep)

    @property
    def space(self) -> VectorSpace:
        return self._space

    @property
    def worker_pid(self) -> int | None:
        """The process id of the worker for questions while it runs."""
        return self._question_worker.pid

    @property
    def worker_pids(self) -> list[int]:
        """The process ids of all workers that run."""
        pids = (self._question_worker.pid, self._bulk_worker.pid)
        return [pid for pid in pids if pid is not None]

    @property
    def is_busy(self) -> bool:
        """Whether a request to a worker is under way."""
        return self._questions.is_busy or self._bulk.is_busy

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [vector_of(made) for made in await self._questions.embed(texts)]

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[Vector]:
        lane = self._questions if urgent and len(texts) <= MOST_URGENT else self._bulk
        return await lane.embed(texts)

    async def embed_query(self, text: str) -> Vector:
        return await self._questions.embed_query(text)

    async def close(self) -> None:
        for queue in (self._questions, self._bulk):
            await queue.close()
        for worker in (self._question_worker, self._bulk_worker):
            await worker.close()

    async def _embed_batch(
        self, worker: "_Worker", texts: Sequence[str], allowance_s: float
    ) -> TimedVectors:
        reply, took_s = await worker.request(EmbedRequest(list(texts)), allowance_s)
        size = self._space.dimensions * 4
        match reply:
            case Vectors(data, units) if len(data) == len(texts) * size:
                vectors = [data[at : at + size] for at in range(0, len(data), size)]
                return TimedVectors(_with_units(vectors, units, self._unit_bits), took_s)
            case EmbedFailed("not_a_number"):
                raise TextRefused("not_a_number")
            case _:
                raise _error("transient", "reported an internal error")


class _Worker:
    """The worker process, and requests to it, one at a time."""

    def __init__(self, command: Sequence[str], idle_s: Callable[[], float]) -> None:
        self._command = command
        self._idle_s = idle_s
        self._process: Process | None = None
        self._one_at_a_time = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
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
                raise _error("transient", "took too long") from None
            except (OSError, EOFError, ValueError):
                await self._kill()
                raise _error("transient", "the worker ended unexpectedly") from None
            except BaseException:
                await self._kill()
                raise
            self._set_idle_timer(self._idle_s())
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
            raise _error("unreachable", "the worker cannot be started") from None
        async with asyncio.timeout(START_WITHIN_S):
            reply = await self._read_reply(self._process)
        match reply:
            case Ready():
                return
            case Unavailable(detail) if detail in DETAILS:
                raise _error("unreachable", detail)
            case _:
                raise _error("unreachable", "the worker cannot be started")

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

    def _set_idle_timer(self, end_after_s: float | None = None) -> None:
        """End the worker after this time. Without a time, only cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if end_after_s is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(end_after_s, self._start_ending)

    def _start_ending(self) -> None:
        self._ending = asyncio.get_running_loop().create_task(self._end_idle(self._timer))

    async def _end_idle(self, timer: asyncio.TimerHandle | None) -> None:
        async with self._one_at_a_time:
            if self._timer is timer:  # no request came in between
                await self._end()

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


def _with_units(vectors: list[Vector], units: Sequence[bytes], bits: UnitBits) -> list[Vector]:
    """Each vector with the units of its text, if the model makes any."""
    if not units:
        return vectors
    try:
        return [with_units(vector, own, bits) for vector, own in zip(vectors, units, strict=True)]
    except ValueError:
        raise _error("transient", "reported an internal error") from None


def _environment() -> dict[str, str]:
    """The worker's environment: it imports our package, and uses little memory."""
    return subprocesses.environment(
        ORT_DISABLE_TELEMETRY="1",  # otherwise onnxruntime sends telemetry
        MALLOC_ARENA_MAX="2",
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
    )


def _error(kind: Kind, detail: str) -> EmbeddingError:
    return EmbeddingError("EMBEDDER_UNAVAILABLE", kind, detail)
