"""Following the log: every durable fact, in order, once, at the reader's pace."""

import asyncio
import errno
from collections.abc import AsyncIterator
from random import Random

import pytest

from ragd.errors import LogFailed
from ragd.eventlog import follow as follow_module
from ragd.eventlog import journal as journal_module
from ragd.eventlog.follow import DiskReader, RecentRecords, TooOld
from ragd.eventlog.frame import Record
from ragd.eventlog.journal import Journal
from ragd.eventlog.segment import first_seq_of, segment_name, segment_names
from ragd.events import DaemonStopped, SegmentQuarantined
from tests.eventlog.drafts import old_log, record, record_incidents, reopen, write_groups
from tests.eventlog.faulty_disk import FaultyDisk, Gate
from tests.eventlog.journals import fact, open_journal, running, turns
from tests.eventlog.simulated_disk import SimulatedDisk


@pytest.fixture
def short_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four to eight records in memory, handed out three at a time."""
    monkeypatch.setattr(follow_module, "RECENT_MAX", 4)
    monkeypatch.setattr(journal_module, "FOLLOW_CHUNK", 3)


async def take(stream: AsyncIterator[Record], count: int) -> list[int]:
    return [(await anext(stream)).seq for _ in range(count)]


async def everything(journal: Journal, after: int = 0) -> list[int]:
    return [r.seq async for r in journal.follow(after, wait=False)]


async def append_all(journal: Journal, count: int) -> None:
    await asyncio.gather(*(journal.append("a", fact(i)) for i in range(count)))


def rest_of(reader: DiskReader, until: int) -> list[int]:
    seen: list[int] = []
    while found := reader.read(until):
        seen += [r.seq for r in found]
    return seen


# Reading


@pytest.mark.usefixtures("short_memory")
@pytest.mark.parametrize("seed", range(5))
async def test_followers_see_every_record_once_in_order_through_memory_disk_and_rotation(
    seed: int,
) -> None:
    total = 300
    rng = Random(seed)
    disk = SimulatedDisk()
    journal = open_journal(disk, segment_max_bytes=1_500)

    async def produce(count: int) -> None:
        for i in range(count):
            await journal.append("a", fact(i))

    async def follow(after: int, naps: float) -> list[int]:
        seen = []
        async for found in journal.follow(after):
            seen.append(found.seq)
            if found.seq == total:
                break
            if rng.random() < naps:
                await turns(rng.randint(1, 30))  # so that it sometimes reads late
        return seen

    async with running(journal):
        followers = [(after, naps) for after in (0, 1, 57) for naps in (0.0, 0.2, 0.9)]
        reading = [asyncio.create_task(follow(after, naps)) for after, naps in followers]
        await asyncio.gather(*(produce(total // 4) for _ in range(4)))
        late = asyncio.create_task(follow(0, 0.0))
        for (after, _), seen in zip(followers, await asyncio.gather(*reading), strict=True):
            assert seen == list(range(after + 1, total + 1)), f"seed {seed}, after {after}"
        assert await late == list(range(1, total + 1))
    assert len(segment_names(disk)) > 10


@pytest.mark.usefixtures("short_memory")
async def test_a_reader_goes_from_disk_to_memory_and_back() -> None:
    disk = FaultyDisk()
    journal = open_journal(disk)
    async with running(journal):
        await append_all(journal, 20)
        stream = journal.follow(0)
        assert await take(stream, 20) == list(range(1, 21))  # disk, then memory
        await append_all(journal, 3)
        assert await take(stream, 3) == [21, 22, 23]  # memory
        await append_all(journal, 40)
        assert await take(stream, 40) == list(
            range(24, 64)
        )  # too far back for memory: read from disk
        await stream.aclose()


async def test_without_on_it_ends_where_the_log_ended_when_it_began() -> None:
    journal = open_journal(SimulatedDisk())
    async with running(journal):
        await append_all(journal, 5)
        stream = journal.follow(2, wait=False)
        assert await take(stream, 1) == [3]
        await append_all(journal, 5)
        assert [r.seq async for r in stream] == [4, 5]
        assert await everything(journal, after=10) == []
        assert await everything(journal, after=99) == []


@pytest.mark.usefixtures("short_memory")
async def test_only_the_types_asked_for_come_and_the_others_are_passed_over() -> None:
    journal = open_journal(SimulatedDisk())
    async with running(journal):
        for i in range(30):
            await journal.append("a", DaemonStopped(reason="x") if i % 10 == 4 else fact(i))
        stream = journal.follow(0, {"daemon_stopped"})
        assert await take(stream, 3) == [5, 15, 25]
        waiting = asyncio.ensure_future(anext(stream))
        await append_all(journal, 12)
        await turns()
        assert not waiting.done()
        last = await journal.append("a", DaemonStopped(reason="y"))
        assert await waiting == last
        await stream.aclose()


async def test_a_follower_waits_for_what_comes() -> None:
    journal = open_journal(SimulatedDisk())
    async with running(journal):
        waiting = asyncio.ensure_future(anext(journal.follow(0)))
        ahead = asyncio.ensure_future(anext(journal.follow(2)))
        await turns()
        assert not waiting.done()
        await append_all(journal, 2)
        assert (await waiting).seq == 1
        assert not ahead.done()
        await append_all(journal, 1)
        assert (await ahead).seq == 3


async def test_a_record_is_not_shown_before_it_is_durable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_module, "RECENT_MAX_BYTES", 0)  # so that it must read the disk
    disk = FaultyDisk()
    journal = open_journal(disk)
    async with running(journal):
        await append_all(journal, 1)
        gate = Gate(disk, "sync")
        appending = asyncio.create_task(journal.append("a", fact()))
        await gate.reached()  # written, not synced
        assert len(reopen(disk.under)[0]) == 2
        assert await everything(journal) == [1]
        gate.open()
        await appending
        assert await everything(journal) == [1, 2]


# Memory


def in_memory(recent: RecentRecords, last: int) -> int:
    """How many of the last records it can tell."""
    return sum(recent.after(after, 1) is not None for after in range(last))


@pytest.mark.parametrize("size", [1, 100, 3_000, 65_536])
def test_memory_is_bounded_by_count_and_by_bytes(size: int) -> None:
    recent = RecentRecords()
    held: list[int] = []
    for first in range(1, 8_000, 4):
        recent.extend([record(first + i) for i in range(4)], [size] * 4)
        if first % 100 == 1:
            held.append(in_memory(recent, first + 3))
    most = min(2 * follow_module.RECENT_MAX, follow_module.RECENT_MAX_BYTES // size)
    assert most / 2 < max(held) <= most
    assert most / 2 - 4 <= min(held[len(held) // 2 :])  # it is not emptied to make room


def test_a_group_that_is_too_large_for_memory_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_module, "RECENT_MAX_BYTES", 1_000)
    recent = RecentRecords()
    recent.extend([record(1)], [5_000])
    assert recent.after(0, 1) is None
    recent.extend([record(2), record(3)], [5_000, 300])
    assert recent.after(1, 1) is None
    assert recent.after(2, 1) == [record(3)]


async def test_followers_of_large_records_miss_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_module, "RECENT_MAX_BYTES", 20_000)
    recent = RecentRecords()
    journal = open_journal(SimulatedDisk(), segment_max_bytes=50_000, recent=recent)
    async with running(journal):
        reading = journal.follow(0)
        for i in range(60):
            await journal.append("a", fact("x" * 200 * i))
            assert recent.size_bytes <= 20_000
        assert await take(reading, 60) == list(range(1, 61))
        await reading.aclose()


# Ending


async def test_followers_get_the_last_record_that_closing_writes_and_then_end() -> None:
    disk = FaultyDisk()
    journal = open_journal(disk)

    async def read() -> list[int]:
        return [r.seq async for r in journal.follow(0)]

    async with running(journal):
        reading = asyncio.create_task(read())
        await append_all(journal, 2)
        gate = Gate(disk, "sync")
        last = asyncio.create_task(journal.append("daemon", DaemonStopped(reason="requested")))
        await gate.reached()
        await journal.close()
        await turns()
        late = asyncio.create_task(read())
        await turns()
        gate.open()
        assert (await last).seq == 3
        assert await reading == await late == [1, 2, 3]
        assert await read() == [1, 2, 3]


async def test_followers_end_when_the_disk_fails() -> None:
    disk = FaultyDisk()
    journal = open_journal(disk)

    async def read() -> list[int]:
        return [r.seq async for r in journal.follow(0)]

    async with running(journal):
        await append_all(journal, 2)
        reading = asyncio.create_task(read())
        disk.always = {"sync": errno.EIO}
        with pytest.raises(LogFailed):
            await append_all(journal, 1)
        assert await reading == [1, 2]


# What is no longer there


async def test_records_past_retention_are_refused_by_naming_the_oldest() -> None:
    disk = old_log()
    journal = open_journal(disk)
    disk.remove(segment_name(1))
    async with running(journal):
        for after in range(10):
            with pytest.raises(TooOld, match="begins at 11") as refused:
                await everything(journal, after)
            assert refused.value.oldest == 11
        assert await everything(journal, 10) == list(range(11, 31))
        assert await everything(journal, 17) == list(range(18, 31))


async def test_a_log_with_nothing_left_names_what_will_be_its_first_record() -> None:
    disk = old_log()
    journal = open_journal(disk)
    for name in segment_names(disk):
        disk.remove(name)
    async with running(journal):
        with pytest.raises(TooOld) as refused:
            await everything(journal)
        assert refused.value.oldest == 31


def test_a_reader_whose_segment_is_dropped_gets_the_oldest_seq(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow_module, "READ_BYTES", 700)
    disk = old_log()
    slow, slower = DiskReader(disk, 0), DiskReader(disk, 0)
    assert [r.seq for r in slower.read(30)] == [1, 2, 3]
    while slow.read(30)[-1].seq < 10:
        pass
    disk.remove(segment_name(1))
    assert slow.read(30)[0].seq == 11  # it had all of it
    with pytest.raises(TooOld) as refused:
        slower.read(30)
    assert refused.value.oldest == 11


def test_segments_dropped_between_two_looks_are_not_passed_over_in_silence() -> None:
    disk = old_log()
    reader = DiskReader(disk, 0)
    while reader.read(30)[-1].seq < 10:
        pass
    names = segment_names(disk)
    read = disk.read

    def read_to_the_end_and_drop(name: str, offset: int = 0, length: int = -1) -> bytes:
        data = read(name, offset, length)
        assert data == b"", "it had all of the first segment"
        for gone in names[:2]:
            disk.remove(gone)
        disk.read = read  # type: ignore[method-assign]
        return data

    disk.read = read_to_the_end_and_drop  # type: ignore[method-assign, assignment]
    with pytest.raises(TooOld) as refused:
        reader.read(30)
    assert refused.value.oldest == first_seq_of(names[2])


async def test_following_goes_on_over_a_quarantined_gap() -> None:
    disk = old_log()
    data = bytearray(disk.read(segment_name(11)))
    data[500] ^= 1
    disk.put(segment_name(11), bytes(data))
    record_incidents(disk, reopen(disk)[1])
    journal = open_journal(disk)
    async with running(journal):
        await append_all(journal, 2)
        for after in range(34):
            kept = [*range(1, 11), *range(21, 34)]
            assert await everything(journal, after) == [n for n in kept if n > after]
        told = [r async for r in journal.follow(0, {"segment_quarantined"}, wait=False)]
        assert [type(r.event) for r in told] == [SegmentQuarantined]


async def test_following_waits_after_a_gap_at_the_end_of_the_log() -> None:
    disk = old_log()
    disk.put(segment_name(21), bytes(len(disk.read(segment_name(21)))))
    journal = open_journal(disk)
    gone = journal.durable
    assert gone >= 30
    async with running(journal):
        stream = journal.follow(20)
        waiting = asyncio.ensure_future(anext(stream))
        await turns()
        assert await everything(journal) == list(range(1, 21))
        await append_all(journal, 2)
        assert (await waiting).seq == gone + 1
        assert await take(stream, 1) == [gone + 2]
        await stream.aclose()


@pytest.mark.parametrize("starts", ["while the disk is full", "after there was room"])
async def test_following_waits_when_nothing_is_left_and_the_disk_is_full(starts: str) -> None:
    disk = FaultyDisk(SimulatedDisk())
    write_groups(disk.under, [5])
    (name,) = segment_names(disk)
    disk.under.put(name, bytes(len(disk.read(name))))
    journal = open_journal(disk)
    gone = journal.durable
    assert gone >= 5 and not segment_names(disk)
    disk.full()
    async with running(journal):
        stream = journal.follow(0)
        if starts == "while the disk is full":
            waiting = asyncio.ensure_future(anext(stream))
            await turns()
            assert not waiting.done()
        disk.roomy()
        await append_all(journal, 2)
        if starts == "after there was room":
            waiting = asyncio.ensure_future(anext(stream))
        assert (await waiting).seq == gone + 1
        assert await take(stream, 1) == [gone + 2]
        assert await everything(journal) == [gone + 1, gone + 2]
        await stream.aclose()


def test_memory_never_answers_across_a_gap() -> None:
    recent = RecentRecords()
    recent.extend([record(1), record(2)], [100, 100])
    recent.extend([record(7)], [100])
    assert recent.after(1, 10) is None
    assert recent.after(6, 10) == [record(7)]


def test_a_reader_that_stops_inside_a_gap_skips_nothing_after_it() -> None:
    disk = SimulatedDisk()
    write_groups(disk, [5] * 8, segment_max_bytes=2_000)
    disk.remove(segment_name(11))
    reader = DiskReader(disk, 0)
    assert [r.seq for r in reader.read(15)] == list(range(1, 11))
    assert reader.read(15) == reader.read(20) == []
    assert rest_of(reader, 40) == list(range(21, 41))


def test_a_disk_reader_continues_where_it_was_and_stops_at_until() -> None:
    disk = old_log()
    reader = DiskReader(disk, 3)
    assert [r.seq for r in reader.read(5)] == [4, 5]
    assert reader.read(5) == []
    assert rest_of(reader, 28) == list(range(6, 29))
    assert first_seq_of(reader.segment) == 21


# The log never waits for a reader


@pytest.mark.usefixtures("short_memory")
async def test_a_follower_that_never_reads_does_not_stop_the_writer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(journal_module, "WAITING_MAX", 4)
    journal = open_journal(SimulatedDisk(), segment_max_bytes=3_000)
    async with running(journal):
        await append_all(journal, 1)
        stuck = journal.follow(0)
        assert await take(stuck, 1) == [1]  # and then never again
        keen = journal.follow(0)
        await asyncio.gather(*(append_all(journal, 100) for _ in range(8)))
        assert journal.durable == 801
        assert await take(keen, 801) == list(range(1, 802))
        assert await take(stuck, 800) == list(range(2, 802))  # all still there for it
        await stuck.aclose()
        await keen.aclose()
