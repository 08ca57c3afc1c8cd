"""The backlog of vectors alone: what it waits for, and what it records."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ragd.batch.in_flight import InFlight
from ragd.clock import SystemClock, new_id
from ragd.embed.backlog import Backlog
from ragd.embed.vector_maker import VectorMaker
from ragd.events import BatchStored, IndexActivated, StoredFile
from ragd.state.ledger import Ledger
from ragd.store.open_indexes import OpenIndexes
from ragd.vault.collection_paths import VAULT
from ragd.vault.note_reader import ReadResult
from tests.daemon.virtual_clock import VirtualClock

CUT = "as notes are cut"


class CountedNotes:
    """A vault whose notes have all changed since they were stored; it counts the reads."""

    fingerprint = CUT
    collections = (VAULT,)

    def __init__(self) -> None:
        self.reads: list[list[str]] = []
        self.asked = asyncio.Event()

    def collection_of(self, path: str) -> str:
        return VAULT

    def verify_root(self, collection: str) -> None:
        pass

    def includes(self, path: str) -> bool:
        return True

    def read(
        self,
        collection: str,
        paths: Any,
        known: Any,
        *,
        again: bool = False,
        room: int | None = None,
    ) -> ReadResult:
        self.reads.append(list(paths))
        self.asked.set()
        return ReadResult()


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    """The log of a daemon that was killed while vectors were missing."""
    (tmp_path / "events").mkdir()
    ledger = Ledger(tmp_path / "events", tmp_path / "snapshots", SystemClock(), new_id(), "test")
    writer = asyncio.create_task(ledger.journal.run())
    activated = IndexActivated(
        generation="one", provider="embedded", model="m", dimensions=3, fingerprint=CUT
    )
    lacking = StoredFile("a.md", "0" * 64, 1, 1, 4, 0)
    stored = BatchStored(job_id="", files=[lacking], removed=[], table_version=1)
    await ledger.journal.append("test", activated)
    await ledger.journal.append("test", stored)
    yield ledger
    await ledger.journal.close()
    await writer


class Index:
    """The part of an index that the backlog uses before it reads a note."""

    class identity:
        fingerprint = CUT

        class space:
            identity = "space"
            is_known = True


async def test_the_backlog_waits_for_the_index_to_be_opened(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    serving, notes = OpenIndexes(), CountedNotes()
    unused: Any = Unused()
    clock = SystemClock()
    maker = VectorMaker(ledger, clock, unused, unused, unused)
    fills = InFlight().fills
    backlog = Backlog(ledger, clock, serving, unused, maker, notes, fills)
    passes = counted(backlog, "next_table", monkeypatch)
    working = asyncio.create_task(backlog.run())
    try:
        for _ in range(100):  # a loop that spins takes every turn that there is
            await asyncio.sleep(0)
        assert ledger.state.catalog.backlog == 4
        assert passes() == 1, "looked once, and waits"
        assert notes.reads == []
        serving.replace(Index(), None)  # type: ignore[arg-type]
        await notes.asked.wait()
        assert notes.reads == [["a.md"]]
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


class Unused:
    """A vector maker that must not be called: the index is not open yet."""

    async def keep_only(self, identities: set[str]) -> None:
        assert identities


def counted(actor: Backlog, name: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Counts the calls of a step."""
    taken, step = 0, getattr(actor, name)

    def take() -> Any:
        nonlocal taken
        taken += 1
        return step()

    monkeypatch.setattr(actor, name, take)
    return lambda: taken


# Notes that cannot be worked on for a moment


async def test_a_note_that_could_not_be_read_is_tried_again_after_a_pause(ledger: Ledger) -> None:
    async with at_work(ledger) as (notes, clock, _):
        await notes.asked.wait()
        for pause in (2.0, 4.0, 8.0):
            notes.asked.clear()
            before = len(notes.reads)
            await clock.wait_for_sleepers()
            clock.advance(pause - 0.5)
            await clock.wait_for_sleepers()
            assert len(notes.reads) == before
            clock.advance(0.5)
            await notes.asked.wait()
        assert notes.reads == [["a.md"]] * 4


async def test_a_note_that_was_stored_again_is_worked_on_at_once(ledger: Ledger) -> None:
    async with at_work(ledger) as (notes, clock, backlog):
        await notes.asked.wait()
        await clock.wait_for_sleepers()
        notes.asked.clear()
        same = StoredFile("a.md", "0" * 64, 1, 1, 4, 0)
        backlog.batch_stored(BatchStored(job_id="", files=[same], removed=[], table_version=2))
        await notes.asked.wait()
        assert notes.reads == [["a.md"]] * 2


async def test_a_note_with_other_content_is_worked_on_at_once(ledger: Ledger) -> None:
    async with at_work(ledger) as (notes, clock, backlog):
        await notes.asked.wait()
        await clock.wait_for_sleepers()
        notes.asked.clear()
        changed = StoredFile("a.md", "1" * 64, 1, 1, 4, 0)
        fact = BatchStored(job_id="", files=[changed], removed=[], table_version=2)
        await ledger.journal.append("test", fact)
        backlog.wake()
        await notes.asked.wait()
        assert notes.reads == [["a.md"]] * 2


@asynccontextmanager
async def at_work(ledger: Ledger) -> AsyncIterator[tuple[CountedNotes, VirtualClock, Backlog]]:
    """A backlog with an open index, over a vault whose notes cannot be read as they were stored."""
    serving, notes, clock = OpenIndexes(), CountedNotes(), VirtualClock()
    unused: Any = Unused()
    maker = VectorMaker(ledger, clock, unused, unused, unused)
    backlog = Backlog(ledger, clock, serving, unused, maker, notes, InFlight().fills)
    serving.replace(Index(), None)  # type: ignore[arg-type]
    working = asyncio.create_task(backlog.run())
    try:
        async with asyncio.timeout(60):
            yield notes, clock, backlog
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
