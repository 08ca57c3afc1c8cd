"""The embedded models: vectors from worker processes that run only while they are needed.

There are two lanes, each with a process of its own: a question never waits for the passages of the
backlog. A worker starts with the first text, ends after a time without any, and is killed if it
does not answer. A model never runs in the daemon's own process, and no worker outlives the daemon.
"""

import asyncio
import importlib.util
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from ragd.config.schema import EmbeddingSettings
from ragd.embed.providers.embedder_port import (
    BatchPace,
    Vector,
    VectorSpace,
)
from ragd.embed.providers.request_queue import RequestQueue, TextRefused, TimedVectors
from ragd.embed.providers.worker_process import WorkerProcess, worker_error
from ragd.embed.unit_vectors import UnitBits, vector_of, with_units
from ragd.embed.worker import (
    BULK,
    ENGLISH,
    SHIPPED,
    EmbedFailed,
    EmbedRequest,
    ShippedModel,
    Vectors,
)

IDLE_S = EmbeddingSettings().worker_idle_s
BULK_IDLE_S = 30.0
TURN_S = 0.5
FIRST_BATCH = 8
LARGEST_BATCH = 64
FIRST_QUESTION_BATCH = 2
LARGEST_QUESTION_BATCH = 16
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
        idle_s: Callable[[], float] = lambda: IDLE_S,
        command: Sequence[str] = COMMAND,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        model: ShippedModel = ENGLISH,
    ) -> None:
        self._space = space_of(model)
        self._unit_bits = model.unit_bits
        self._question_worker = WorkerProcess((*command, model.name), idle_s)
        self._bulk_worker = WorkerProcess((*command, BULK, model.name), lambda: BULK_IDLE_S)
        send_question = partial(self._embed_batch, self._question_worker)
        send_bulk = partial(self._embed_batch, self._bulk_worker)
        question_pace = BatchPace(QUESTION_TURN_S, FIRST_QUESTION_BATCH, LARGEST_QUESTION_BATCH)
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
        self, worker: WorkerProcess, texts: Sequence[str], allowance_s: float
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
                raise worker_error("transient", "reported an internal error")


def _with_units(vectors: list[Vector], units: Sequence[bytes], bits: UnitBits) -> list[Vector]:
    """Each vector with the units of its text, if the model makes any."""
    if not units:
        return vectors
    try:
        return [with_units(vector, own, bits) for vector, own in zip(vectors, units, strict=True)]
    except ValueError:
        raise worker_error("transient", "reported an internal error") from None
