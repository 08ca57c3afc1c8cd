"""What is too heavy for the log: the notes and vectors of the batches in flight, in memory.

Capped by credits: whoever forms a batch takes one and gets it back when the batch is stored or
given up. Nothing here survives a crash, and nothing needs to: the notes are in the vault, and what
is left to do is a fold of the log.

What one actor hands to another never changes afterwards: every payload is frozen, and what the
embedder adds to a batch is a value of its own.
"""

import asyncio
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from ragd.embed.providers.embedder_port import Vector
from ragd.notes.model import Note

BATCH_CREDITS = 3
FILL_CREDITS = 1


class ReadFile(Struct, frozen=True):
    """A note as it was read: what the catalog will know of it, and its chunks."""

    path: str
    sha256: str
    mtime_ns: int
    size: int
    note: Note
    ctime_ns: int = 0


class Batch(Struct, frozen=True):
    """Notes between the batcher and the store."""

    batch_id: str
    job_id: str
    files: tuple[ReadFile, ...]
    removed: tuple[str, ...]
    final: bool = False  # the last one of its job
    urgent: bool = False  # a person saved these: vectors are worth a short wait
    generation: str = ""  # the index that is built beside; none: the one that serves
    moved: int = 0  # so many of `removed` are in `files` under another path


class BatchVectors(Struct, frozen=True):
    """The vectors of one batch, as the embedder made them. Made with `batch_vectors`."""

    batch_id: str
    space: str  # the vector space that they are of
    vectors: Mapping[str, Vector]  # by chunk id


def batch_vectors(batch_id: str, space: str, vectors: Iterable[tuple[str, Vector]]) -> BatchVectors:
    """These vectors, copied, so that nobody can change them."""
    return BatchVectors(batch_id, space, MappingProxyType(dict(vectors)))


class NoteFill(Struct, frozen=True):
    """One note of a fill: its chunks that get a vector, and how many never will."""

    path: str
    sha256: str
    chunk_ids: tuple[str, ...]
    barred: int = 0
    withheld: int = 0


class Fill(Struct, frozen=True):
    """Vectors for chunks that are stored already, in the index of one generation."""

    batch_id: str
    generation: str
    notes: tuple[NoteFill, ...]
    vectors: Mapping[str, Vector]  # by chunk id


class _Payload(Protocol):
    @property
    def batch_id(self) -> str: ...


P = TypeVar("P", bound=_Payload)


class Payloads(Generic[P]):
    """The payloads in flight, by id."""

    def __init__(self, credits: int) -> None:
        self._held: dict[str, P] = {}
        self._dropped = asyncio.Event()
        self._free = asyncio.Semaphore(credits)

    async def admit(self, payload: P) -> None:
        """Put one in, as soon as there is a credit for it."""
        await self._free.acquire()
        self._held[payload.batch_id] = payload

    def get(self, batch_id: str) -> P | None:
        return self._held.get(batch_id)

    def held(self) -> list[P]:
        """All of them, in the order in which they came."""
        return list(self._held.values())

    def drop(self, batch_id: str) -> None:
        """It is stored or given up: its credit is free again."""
        if self._held.pop(batch_id, None) is not None:
            self._free.release()
            self._dropped.set()
            self._dropped = asyncio.Event()

    async def gone(self, batch_id: str) -> None:
        """Wait until it is stored or given up."""
        while batch_id in self._held:
            await self._dropped.wait()

    def drop_all(self) -> None:
        """Whoever forms the work is starting over."""
        for batch_id in list(self._held):
            self.drop(batch_id)


class InFlight:
    """Both kinds, as the pipeline's actors share them, and the vectors of batches."""

    def __init__(self) -> None:
        self.batches: Payloads[Batch] = Payloads(BATCH_CREDITS)
        self.fills: Payloads[Fill] = Payloads(FILL_CREDITS)
        self._vectors: dict[str, BatchVectors] = {}

    def give_vectors(self, made: BatchVectors) -> None:
        """Lay a batch's vectors beside it. Those of a batch that is gone are dropped."""
        self._vectors[made.batch_id] = made
        self._vectors = {i: v for i, v in self._vectors.items() if self.batches.get(i) is not None}

    def take_vectors(self, batch_id: str) -> BatchVectors | None:
        """The batch's vectors, if they are there by now."""
        return self._vectors.pop(batch_id, None)
