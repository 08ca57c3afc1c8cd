"""How much the backlog reads at once: more from a fast provider, and a bounded number of bytes."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragd.batch.in_flight import InFlight, ReadFile
from ragd.embed import backlog as backlog_module
from ragd.embed.backlog import Backlog
from ragd.embed.embedding_cache import EmbeddingCache
from ragd.embed.fill_pace import LEAST
from ragd.embed.providers.embedder_port import Vector
from ragd.embed.vector_maker import VectorMaker
from ragd.events import BatchEmbedded, BatchStored, StoredFile, tag_of_type
from ragd.notes.model import Note
from ragd.state.ledger import Ledger
from ragd.store.fill_writer import write_fill
from ragd.store.full_disk_retry import FullDiskRetry
from ragd.store.generations import activation_of
from ragd.store.lance import ChunkIndex, FileRows, LanceStore
from ragd.store.open_indexes import OpenIndexes
from ragd.vault.collection_paths import VAULT
from ragd.vault.note_reader import ReadResult
from tests.daemon.virtual_clock import VirtualClock
from tests.eventlog.homes import Home
from tests.patience import PATIENCE_S
from tests.store.lance.drafts import identity, note, vector

NOTE_BYTES = 1_000


class Notes:
    """A vault whose notes are all as they were stored. It counts what is read."""

    collections = (VAULT,)

    def __init__(self, files: Sequence[FileRows], fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self.reads: list[list[str]] = []
        self._files = {file.path: file for file in files}

    def collection_of(self, path: str) -> str:
        return VAULT

    def verify_root(self, collection: str) -> None:
        pass

    def includes(self, path: str) -> bool:
        return True

    def read(
        self,
        collection: str,
        paths: Sequence[str],
        known: Mapping[str, Any],
        *,
        again: bool = False,
        room: int | None = None,
    ) -> ReadResult:
        most = len(paths) if room is None else -(-room // NOTE_BYTES)
        read = [self._files[path] for path in paths[:most]]
        self.reads.append([file.path for file in read])
        files = [ReadFile(one.path, one.sha256, one.mtime_ns, 1, _note(one)) for one in read]
        return ReadResult(files=files, left=list(paths[most:]))


def _note(file: FileRows) -> Note:
    return Note(file.path, file.title, (), (), None, tuple(file.chunks))


class FastProvider:
    """Providers, an embedder and privacy rules: it makes any vector at once."""

    async def keep_only(self, identities: set[str]) -> None:
        pass

    async def embedder_for(self, of: Any) -> "FastProvider":
        return self

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        return [vector(text) for text in texts]

    def may_be_embedded(self, chunk: Any, provider: str) -> bool:
        return True

    def is_external(self, provider: str) -> bool:
        return False


class AtWork:
    """A backlog, and a store that writes what it makes."""

    def __init__(self, ledger: Ledger, index: ChunkIndex, cache: EmbeddingCache) -> None:
        self.ledger = ledger
        self.index = index
        self.cache = cache

    @contextlib.asynccontextmanager
    async def run(self, files: Sequence[FileRows]) -> AsyncIterator[Notes]:
        notes = Notes(files, self.index.identity.fingerprint)
        await self.ledger.journal.append("test", activation_of(self.index))
        version = await self.index.replace(files)
        rows = [StoredFile(one.path, one.sha256, 1, 1, len(one.chunks), 0) for one in files]
        stored = BatchStored(job_id="", files=rows, removed=[], table_version=version)
        await self.ledger.journal.append_parts("test", stored)
        clock, indexes, provider, flight = VirtualClock(), OpenIndexes(), FastProvider(), InFlight()
        maker = VectorMaker(self.ledger, clock, provider, self.cache, provider)  # type: ignore[arg-type]
        backlog = Backlog(
            self.ledger,
            clock,
            indexes,
            provider,  # type: ignore[arg-type]
            maker,
            notes,
            flight.fills,
        )
        indexes.replace(self.index, None)
        storing = asyncio.create_task(self._store(flight))
        working = asyncio.create_task(backlog.run())
        try:
            yield notes
        finally:
            for task in (working, storing):
                task.cancel()
            await asyncio.gather(working, storing, return_exceptions=True)

    async def _store(self, flight: InFlight) -> None:
        retry = FullDiskRetry(self.ledger, VirtualClock())
        types = {tag_of_type(BatchEmbedded)}
        async for record in self.ledger.journal.follow(self.ledger.state.seq, types):
            assert isinstance(record.event, BatchEmbedded)
            fill = flight.fills.get(record.event.batch_id)
            assert fill is not None
            await write_fill(self.index, fill, self.ledger, retry)
            flight.fills.drop(fill.batch_id)

    async def until_filled(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            async for _ in self.ledger.journal.follow(0):
                if self.ledger.state.catalog.documents and not self.ledger.state.catalog.backlog:
                    return


@pytest.fixture
async def at_work(tmp_path: Path) -> AsyncIterator[AtWork]:
    (tmp_path / "home").mkdir()
    store, cache = LanceStore(tmp_path / "index"), EmbeddingCache(tmp_path / "cache.sqlite")
    index = await store.create(identity())
    async with Home(tmp_path / "home").ledger() as ledger:
        yield AtWork(ledger, index, cache)
    index.close()
    store.close()
    await cache.close()


async def test_a_fast_provider_gets_a_larger_second_fill(at_work: AtWork) -> None:
    files = [note(f"{number}.md", f"text {number}") for number in range(4 * LEAST)]
    async with at_work.run(files) as notes:
        await at_work.until_filled()
    assert [len(read) for read in notes.reads] == [LEAST, 2 * LEAST, LEAST]


async def test_of_long_notes_fewer_are_read_at_once_and_none_waits(
    at_work: AtWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog_module, "FILL_BYTES", 10 * NOTE_BYTES)
    files = [note(f"{number}.md", f"text {number}") for number in range(35)]
    async with at_work.run(files) as notes:
        await at_work.until_filled()
    assert [len(read) for read in notes.reads] == [10, 10, 10, 5]
