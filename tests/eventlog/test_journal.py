"""The log for actors: after an append, the fact is durable."""

import asyncio
import errno
from typing import Any

import pytest

from ragd import events
from ragd.errors import EXIT_LOG_IO, LogFailed
from ragd.eventlog import codec
from ragd.eventlog import journal as journal_module
from ragd.eventlog.frame import Record, encode
from ragd.eventlog.journal import Journal
from ragd.eventlog.segment import segment_names
from ragd.events import (
    BatchStored,
    ChangesetFormed,
    FileChange,
    FilesChanged,
    FileSkipped,
    StoredFile,
)
from ragd.folds import State, apply
from tests.eventlog.clocks import HandClock
from tests.eventlog.drafts import reopen
from tests.eventlog.faulty_disk import FaultyDisk, Gate
from tests.eventlog.journals import fact, open_journal, running, texts, turns
from tests.eventlog.simulated_disk import SimulatedDisk


def append_soon(journal: Journal, *names: str | int) -> "list[asyncio.Task[Record]]":
    return [asyncio.create_task(journal.append("a", fact(name))) for name in names]


async def outcomes(tasks: "list[asyncio.Task[Record]]") -> list[Any]:
    return await asyncio.gather(*tasks, return_exceptions=True)


# Group commit


async def test_what_waits_while_one_group_is_written_is_the_next_group() -> None:
    disk = FaultyDisk()
    journal = open_journal(disk)
    async with running(journal):
        gate = Gate(disk, "sync")
        first = append_soon(journal, "first")
        await gate.reached()
        rest = append_soon(journal, *range(100))
        await turns()
        gate.open()
        records = await asyncio.gather(*first, *rest)
    assert [r.seq for r in records] == list(range(1, 102))
    assert [r.d for r in records] == [0] + [1] * 100
    assert disk.counts["sync"] == disk.counts["write"] == 2


async def test_many_appends_cost_few_syncs_and_keep_their_order() -> None:
    disk = SimulatedDisk()
    journal = open_journal(disk)
    async with running(journal):
        records = await asyncio.gather(*append_soon(journal, *range(1_000)))
    assert disk.syncs < 20
    assert [r.seq for r in records] == list(range(1, 1_001))
    assert texts(reopen(disk)[0]) == [str(i) for i in range(1_000)]


async def test_a_group_is_bounded_in_records_and_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "GROUP_MAX_RECORDS", 10)
    monkeypatch.setattr(journal_module, "GROUP_MAX_BYTES", 20_000)
    disk = FaultyDisk()
    journal = open_journal(disk)
    large = [str(i).ljust(6_000, ".") for i in range(9)]
    async with running(journal):
        records = await asyncio.gather(*append_soon(journal, *range(35), *large))
    groups = [[r for r in records if r.d == d] for d in sorted({r.d for r in records})]
    assert sum(map(len, groups)) == 44
    assert max(map(len, groups)) == 10
    assert all(sum(len(encode(r)) for r in group) <= 20_000 for group in groups)
    assert disk.counts["sync"] == len(groups)


async def test_an_idle_journal_writes_a_fact_at_once_and_syncs_nothing_otherwise() -> None:
    disk, clock = SimulatedDisk(), HandClock()
    journal = open_journal(disk, clock=clock)
    async with running(journal):
        await turns()
        assert disk.syncs == 0
        record = await journal.append("actor", fact(), cause=None)
        assert (record.seq, record.actor, disk.syncs) == (1, "actor", 1)
    assert clock.naps == 0  # no timer


async def test_a_record_says_who_when_and_why() -> None:
    journal = open_journal(SimulatedDisk())
    async with running(journal):
        first = await journal.append("watcher", fact())
        second = await journal.append("batcher", fact(), cause=first.seq)
    assert (second.actor, second.cause, second.run) == ("batcher", 1, "run")
    assert first.ts < second.ts


async def test_when_an_append_returns_every_fold_has_seen_it() -> None:
    state = State()
    journal = open_journal(SimulatedDisk(), lambda record: apply(state, record))

    async def actor(name: str) -> None:
        for i in range(50):
            record = await journal.append(name, FileSkipped(path=f"{name}/{i}", reason="r"))
            assert f"{name}/{i}" in state.catalog.skipped
            assert state.seq >= record.seq
            assert journal.durable >= record.seq

    async with running(journal):
        await asyncio.gather(*(actor(f"actor {i}") for i in range(8)))
    assert state.seq == 400


async def test_folds_see_records_in_order_and_only_durable_ones() -> None:
    disk = SimulatedDisk()
    seen: list[int] = []

    def look(record: Record) -> None:
        seen.append(record.seq)
        name = segment_names(disk)[-1]
        inode = disk.durable_files[name]
        assert encode(record) in bytes(inode.platter[: inode.size])

    journal = open_journal(disk, look, segment_max_bytes=2_000)
    async with running(journal):
        await asyncio.gather(*append_soon(journal, *range(60)))
    assert seen == list(range(1, 61))


# Facts in parts


async def test_a_fact_with_twenty_thousand_paths_goes_in_in_parts_and_is_folded_whole() -> None:
    disk, state = SimulatedDisk(), State()
    journal = open_journal(disk, lambda record: apply(state, record))
    paths = [f"Projekte/Größe {i:05d}/a rather long name of a note {i}.md" for i in range(20_000)]
    event = FilesChanged(changes=[FileChange(path, "modified") for path in paths])
    async with running(journal):
        last = await journal.append_parts("watcher", event)
        assert list(state.catalog.waiting) == paths
    records = reopen(disk)[0]
    assert len(records) > 20
    assert last == records[-1] and last.event.last  # type: ignore[union-attr]
    assert max(len(encode(r)) for r in records) <= events.PART_MAX_BYTES + 512
    parts = [r.event for r in records if isinstance(r.event, FilesChanged)]
    assert codec.merge(parts) == event
    again = State()
    for record in records:
        apply(again, record)
    assert again == state


async def test_a_small_fact_has_one_part() -> None:
    journal = open_journal(SimulatedDisk())
    event = FilesChanged(changes=[FileChange("a.md", "added")])
    async with running(journal):
        assert (await journal.append_parts("watcher", event)).event == event
        empty = FilesChanged(changes=[])
        assert (await journal.append_parts("watcher", empty)).event == empty


async def test_parts_stay_together_while_other_appends_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Even where the queue is full, or the same actor records two such facts at once."""
    monkeypatch.setattr(journal_module, "WAITING_MAX", 4)
    disk, state = SimulatedDisk(), State()
    journal = open_journal(disk, lambda record: apply(state, record))

    def batch(name: str, count: int) -> BatchStored:
        files = [StoredFile(f"{name}/{i}.md", "0" * 64, 1, 1, 1) for i in range(count)]
        return BatchStored(job_id="j", files=files, removed=[], table_version=1)

    async with running(journal):
        await asyncio.gather(
            *(journal.append_parts("writer", batch(f"large {i}", 3_000)) for i in range(4)),
            *(journal.append_parts("writer", batch(f"small {i}", 1)) for i in range(40)),
            *append_soon(journal, *range(40)),
        )
    assert state.catalog.documents == 4 * 3_000 + 40
    assert state.parts.open == {}
    stored = [r.event for r in reopen(disk)[0] if isinstance(r.event, BatchStored)]
    assert all(
        part.part == 0 or stored[i - 1].part == part.part - 1 for i, part in enumerate(stored)
    )


async def test_a_cancelled_append_of_a_fact_in_parts_withdraws_all_parts() -> None:
    disk = FaultyDisk()
    journal = open_journal(disk)
    event = ChangesetFormed(job_id="j", upserts=[f"{i}".ljust(400) for i in range(500)], deletes=[])
    async with running(journal):
        gate = Gate(disk, "sync")
        first = append_soon(journal, "first")
        await gate.reached()
        parts = asyncio.create_task(journal.append_parts("batcher", event))
        await turns()
        parts.cancel()
        await turns()
        gate.open()
        await asyncio.gather(*first, *append_soon(journal, "last"))
    assert texts(reopen(disk)[0]) == ["first", "last"]
    assert len(reopen(disk)[0]) == 2


async def test_a_fact_that_is_too_large_is_refused_to_its_author_alone() -> None:
    disk = SimulatedDisk()
    journal = open_journal(disk)
    async with running(journal):
        with pytest.raises(ValueError, match="file_skipped is too large"):
            await journal.append("a", fact("x" * 66_000))
        with pytest.raises(UnicodeEncodeError):
            await journal.append("a", fact("\udcff"))
        assert (await journal.append("a", fact())).seq == 1


# Ending


async def test_closing_writes_what_waits_and_refuses_what_comes_later() -> None:
    disk = FaultyDisk()
    journal = open_journal(disk)
    async with running(journal) as writer:
        gate = Gate(disk, "sync")
        waiting = append_soon(journal, *range(10))
        await gate.reached()
        waiting += append_soon(journal, *range(10, 600))
        await turns()
        closing = asyncio.create_task(journal.close())
        await turns()
        with pytest.raises(LogFailed, match="closed"):
            await journal.append("a", fact("late"))
        gate.open()
        await closing
        await writer
        records = await asyncio.gather(*waiting)
    assert [r.seq for r in records] == list(range(1, 601))
    assert len(reopen(disk)[0]) == 600


async def test_closing_a_full_queue_loses_no_append(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "WAITING_MAX", 3)
    disk = FaultyDisk()
    journal = open_journal(disk)
    async with running(journal) as writer:
        gate = Gate(disk, "sync")
        first = append_soon(journal, "first")
        await gate.reached()
        queued = append_soon(journal, *range(20))  # three in the queue, one at the door
        await turns()
        closing = asyncio.create_task(journal.close())
        await turns()
        gate.open()
        await closing
        await writer
        found = await outcomes(first + queued)
    written = [r for r in found if isinstance(r, Record)]
    refused = [r for r in found if isinstance(r, LogFailed)]
    assert len(written) + len(refused) == 21  # every caller got an answer
    assert [encode(r) for r in reopen(disk)[0]] == [encode(r) for r in written]


async def test_cancelling_the_writer_fails_all_waiting_appends() -> None:
    disk = FaultyDisk()
    journal = open_journal(disk)
    async with running(journal) as writer:
        gate = Gate(disk, "sync")
        being_written = append_soon(journal, "being written")
        await gate.reached()
        queued = append_soon(journal, *range(10))
        await turns()
        writer.cancel()
        gate.open()
        with pytest.raises(asyncio.CancelledError):
            await writer
        for found in await outcomes(being_written + queued):
            assert isinstance(found, LogFailed)
        with pytest.raises(LogFailed):
            await journal.append("a", fact())
    assert texts(reopen(disk)[0]) == ["being written"]  # begun, so finished, before the file closed


async def test_cancelling_the_writer_while_the_disk_is_full_fails_all_waiting_appends() -> None:
    disk, clock = FaultyDisk(), HandClock()
    journal = open_journal(disk, clock=clock)
    async with running(journal) as writer:
        disk.full()
        waiting = append_soon(journal, "a")
        await clock.someone_sleeps()
        waiting += append_soon(journal, "b", "c")
        await turns()
        writer.cancel()
        for found in await outcomes(waiting):
            assert isinstance(found, LogFailed)


async def test_no_append_keeps_waiting_at_a_full_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "WAITING_MAX", 2)
    disk = FaultyDisk()
    journal = open_journal(disk)
    async with running(journal):
        gate = Gate(disk, "sync")
        disk.faults["sync", 1] = errno.EIO
        waiting = append_soon(journal, *range(30))
        await gate.reached()
        await turns()
        gate.open()
        for found in await outcomes(waiting):
            assert isinstance(found, LogFailed)


async def test_a_fold_that_raises_ends_the_journal_and_all_waiting_appends() -> None:
    def broken(record: Record) -> None:
        raise ZeroDivisionError

    journal = open_journal(SimulatedDisk(), broken)
    writer = asyncio.create_task(journal.run())
    waiting = append_soon(journal, *range(3))
    for found in await outcomes(waiting):
        assert isinstance(found, LogFailed)
    with pytest.raises(ZeroDivisionError):
        await writer


# A full disk


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
async def test_a_full_disk_keeps_the_group_and_writes_it_when_there_is_room(number: int) -> None:
    disk, clock = FaultyDisk(), HandClock()
    journal = open_journal(disk, clock=clock)
    async with running(journal):
        await journal.append("a", fact("before"))
        before = {name: disk.read(name) for name in disk.names()}
        disk.full(number)
        waiting = append_soon(journal, *range(5))
        await clock.someone_sleeps()
        since = journal.full_since
        assert since is not None
        assert {name: disk.read(name) for name in disk.names()} == before  # the half is taken back
        waiting += append_soon(journal, *range(5, 9))
        clock.wake()
        await clock.someone_sleeps()
        assert journal.full_since == since  # still the same fullness
        assert journal.durable == 1
        disk.roomy()
        clock.wake()
        records = await asyncio.gather(*waiting)
        assert journal.full_since is None
    assert [r.seq for r in records] == list(range(2, 11))
    assert texts(reopen(disk)[0]) == ["before", *map(str, range(9))]


async def test_fullness_changed_returns_when_the_disk_is_full_and_when_it_has_room() -> None:
    disk, clock = FaultyDisk(), HandClock()
    journal = open_journal(disk, clock=clock)
    async with running(journal):
        became_full = asyncio.create_task(journal.fullness_changed())
        await turns()
        disk.full()
        waiting = append_soon(journal, "a")
        await became_full
        assert journal.full_since is not None
        has_room = asyncio.create_task(journal.fullness_changed())
        await clock.someone_sleeps()
        disk.roomy()
        clock.wake()
        await has_room
        await asyncio.gather(*waiting)


async def test_a_full_disk_at_the_beginning_of_a_segment_is_waited_out_too() -> None:
    disk, clock = FaultyDisk(), HandClock()
    journal = open_journal(disk, clock=clock, segment_max_bytes=300)
    async with running(journal):
        await journal.append("a", fact("before"))
        disk.always = {"create": errno.ENOSPC}
        waiting = append_soon(journal, "after")
        await clock.someone_sleeps()
        assert journal.full_since is not None
        disk.roomy()
        clock.wake()
        assert (await waiting[0]).seq == 2
    assert len(segment_names(disk)) == 2
    assert texts(reopen(disk)[0]) == ["before", "after"]


async def test_an_append_cancelled_on_a_full_disk_withdraws_its_fact() -> None:
    disk, clock = FaultyDisk(), HandClock()
    journal = open_journal(disk, clock=clock)
    async with running(journal):
        disk.full()
        waiting = append_soon(journal, "stays", "gives up", "stays too")
        await clock.someone_sleeps()
        waiting += append_soon(journal, "gives up in the queue", "stays in the queue")
        await turns()
        for quitter in (waiting[1], waiting[3]):
            quitter.cancel()
        await turns()
        disk.roomy()
        clock.wake()
        found = await outcomes(waiting)
    assert [isinstance(r, asyncio.CancelledError) for r in found] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert [r.seq for r in found if isinstance(r, Record)] == [1, 2, 3]
    assert texts(reopen(disk)[0]) == ["stays", "stays too", "stays in the queue"]


async def test_a_time_out_on_a_full_disk_withdraws_the_fact() -> None:
    disk, clock = FaultyDisk(), HandClock()
    journal = open_journal(disk, clock=clock)
    async with running(journal):
        deadline = asyncio.timeout(None)

        async def impatient() -> None:
            async with deadline:
                await journal.append("a", fact("nobody waits for this"))

        disk.full()
        waiting = asyncio.create_task(impatient())
        await clock.someone_sleeps()
        deadline.reschedule(0)
        with pytest.raises(TimeoutError):
            await waiting
        disk.roomy()
        clock.wake()
        assert (await journal.append("a", fact("next"))).seq == 1
        assert journal.full_since is None
    assert texts(reopen(disk)[0]) == ["next"]


# A failing disk


@pytest.mark.parametrize("nth", range(1, 21))
async def test_a_failed_sync_ends_everything_and_costs_nothing_acknowledged(nth: int) -> None:
    disk = FaultyDisk()
    journal = open_journal(disk, segment_max_bytes=1_000)
    disk.faults["sync", nth] = errno.EIO
    acknowledged: list[Record] = []
    async with running(journal) as writer:
        with pytest.raises(LogFailed, match="EIO") as failed:
            for i in range(30):
                acknowledged.append(await journal.append("a", fact(i)))
        assert len(acknowledged) == nth - 1
        assert failed.value.exit_code == EXIT_LOG_IO
        with pytest.raises(LogFailed, match="EIO"):
            await writer
        touched = list(disk.calls)
        assert touched[-1][0] == "sync"
        for _ in range(3):
            with pytest.raises(LogFailed, match="EIO"):
                await journal.append("a", fact("later"))
        assert disk.calls == touched  # that handle sees no write and no sync again
        assert journal.durable == nth - 1
    disk.under.lose_power()
    records, found = reopen(disk.under)
    assert records[: nth - 1] == acknowledged
    assert not any(isinstance(i, events.SegmentQuarantined) for i in found.incidents)


async def test_a_failed_sync_fails_its_whole_group_and_all_that_waits() -> None:
    disk = FaultyDisk()
    journal = open_journal(disk)
    async with running(journal) as writer:
        disk.faults["sync", 2] = errno.EIO
        gate = Gate(disk, "sync")
        first = append_soon(journal, "first")
        await gate.reached()
        group = append_soon(journal, *range(300))  # one group and a part of the next
        await turns()
        gate.open()
        assert (await first[0]).seq == 1
        for found in await outcomes(group):
            assert isinstance(found, LogFailed) and "EIO" in found.message
        with pytest.raises(LogFailed):
            await writer


async def test_an_error_on_writing_ends_the_journal_with_exit_74() -> None:
    disk = FaultyDisk()
    journal = open_journal(disk)
    async with running(journal) as writer:
        await journal.append("a", fact("before"))
        disk.faults["write", 2] = errno.EIO
        with pytest.raises(LogFailed, match="EIO") as failed:
            await journal.append("a", fact("after"))
        assert failed.value.exit_code == EXIT_LOG_IO
        with pytest.raises(LogFailed):
            await writer
    assert texts(reopen(disk)[0]) == ["before"]
