"""The batches in flight, in memory: their notes and vectors are too large for the log.

Their number is limited by credits: a batch uses one, and frees it when it is stored or given up.
Nothing here is on disk. After a crash the notes are still in the vault, and the log shows what is
left to do.

Actors share these tables. Every payload is frozen, so a batch never changes after it was added.
The vectors that the embedder makes for it are a separate value.
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
    """A note as it was read: its entry for the catalog, and its chunks."""

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
    urgent: bool = False  # just saved by a person: wait a moment for the vectors
    generation: str = ""  # the index that is being built; empty: the one that serves
    moved: int = 0  # how many of `removed` are in `files` with another path


class BatchVectors(Struct, frozen=True):
    """The vectors of one batch. Made with `batch_vectors`."""

    batch_id: str
    space: str  # their vector space
    vectors: Mapping[str, Vector]  # by chunk id


def batch_vectors(batch_id: str, space: str, vectors: Iterable[tuple[str, Vector]]) -> BatchVectors:
    """A read-only copy of these vectors."""
    return BatchVectors(batch_id, space, MappingProxyType(dict(vectors)))


class NoteFill(Struct, frozen=True):
    """One note of a fill: its chunks that get a vector, and how many never get one."""

    path: str
    sha256: str
    chunk_ids: tuple[str, ...]
    barred: int = 0
    withheld: int = 0


class Fill(Struct, frozen=True):
    """Vectors for chunks that are already stored, in the index of one generation."""

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
        self._payloads: dict[str, P] = {}
        self._dropped = asyncio.Event()
        self._free = asyncio.Semaphore(credits)

    async def admit(self, payload: P) -> None:
        """Add a payload, as soon as there is a credit for it."""
        await self._free.acquire()
        self._payloads[payload.batch_id] = payload

    def get(self, batch_id: str) -> P | None:
        return self._payloads.get(batch_id)

    def values(self) -> list[P]:
        """All payloads, in the order in which they were added."""
        return list(self._payloads.values())

    def drop(self, batch_id: str) -> None:
        """The payload was stored or given up: free its credit."""
        if self._payloads.pop(batch_id, None) is not None:
            self._free.release()
            self._dropped.set()
            self._dropped = asyncio.Event()

    async def wait_until_dropped(self, batch_id: str) -> None:
        """Wait until the payload was stored or given up."""
        while batch_id in self._payloads:
            await self._dropped.wait()

    def drop_all(self) -> None:
        """Give up all payloads: the actor that adds them starts over."""
        for batch_id in list(self._payloads):
            self.drop(batch_id)


class InFlight:
    """What the actors of the pipeline share: batches, their vectors, and fills."""

    def __init__(self) -> None:
        self.batches: Payloads[Batch] = Payloads(BATCH_CREDITS)
        self.fills: Payloads[Fill] = Payloads(FILL_CREDITS)
        self.vectors: dict[str, BatchVectors] = {}

    def put_vectors(self, made: BatchVectors) -> None:
        """Add the vectors of a batch, and drop those of batches that are gone."""
        self.vectors[made.batch_id] = made
        self.vectors = {i: v for i, v in self.vectors.items() if self.batches.get(i) is not None}

    def pop_vectors(self, batch_id: str) -> BatchVectors | None:
        """Remove and return the batch's vectors, if they were made."""
        return self.vectors.pop(batch_id, None)
