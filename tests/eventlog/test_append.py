"""Appending: groups, segments, full disks and failing disks."""

import errno

import pytest

from ragd.errors import EXIT_LOG_IO, LogFailed
from ragd.eventlog.append import DiskFull
from ragd.eventlog.frame import RecordTooLarge
from ragd.eventlog.segment import scan, segment_name, segment_names
from tests.eventlog.drafts import appender, draft, reopen, write_groups
from tests.eventlog.faulty_disk import FaultyDisk
from tests.eventlog.simulated_disk import SimulatedDisk

ONE = segment_name(1)


def test_a_group_is_one_write_and_one_sync_and_says_what_was_durable_before_it() -> None:
    disk = FaultyDisk()
    log = appender(disk)
    log.commit([draft("a")])
    disk.calls.clear()
    records = log.commit([draft("b"), draft("c"), draft("d")])
    assert disk.calls == [("write", 1), ("sync", 1)]
    assert [(r.seq, r.d) for r in records] == [(2, 1), (3, 1), (4, 1)]
    assert log.durable == 4


def test_a_new_segment_begins_when_the_next_group_would_not_fit() -> None:
    disk = SimulatedDisk()
    written = write_groups(disk, [2] * 20, segment_max_bytes=1_000)
    names = segment_names(disk)
    assert len(names) > 5
    found = [scan(name, disk.read(name), is_last=False) for name in names]
    assert [r for segment in found for r in segment.records] == written
    assert all(segment.damage is None and segment.size <= 1_000 for segment in found)
    assert [segment.name for segment in found] == [
        segment_name(segment.records[0].seq) for segment in found
    ]


def test_a_group_over_the_segment_size_gets_a_segment_of_its_own() -> None:
    disk = SimulatedDisk()
    written = write_groups(disk, [1, 40, 1], segment_max_bytes=1_000)
    assert segment_names(disk) == [segment_name(n) for n in (1, 2, 42)]
    assert reopen(disk)[0] == written


def test_an_old_segment_is_let_go_only_when_the_new_one_is_there() -> None:
    disk = FaultyDisk()
    log = appender(disk, segment_max_bytes=400)
    log.commit([draft("a")])
    disk.full()
    with pytest.raises(DiskFull):
        log.commit([draft("b" * 400)])
    disk.roomy()
    log.commit([draft("c")])
    assert reopen(disk.under)[0][-1].event == draft("c").event


def test_a_fact_that_is_too_large_leaves_no_trace() -> None:
    disk = SimulatedDisk()
    log = appender(disk)
    log.commit([draft("a")])
    before = disk.read(ONE)
    with pytest.raises(RecordTooLarge):
        log.commit([draft("b"), draft("c" * 70_000)])
    assert disk.read(ONE) == before
    assert log.commit([draft("d")])[0].seq == 2


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_short_write_on_a_full_disk_is_taken_back_durably(number: int) -> None:
    disk = FaultyDisk()
    log = appender(disk)
    log.commit([draft("a")])
    before = disk.read(ONE)
    disk.full(number)
    for _ in range(3):
        disk.calls.clear()
        with pytest.raises(DiskFull):
            log.commit([draft("b"), draft("c")])
        assert disk.calls == [("write", 1), ("truncate", 1), ("sync", 1)]
        assert disk.read(ONE) == before
    disk.roomy()
    records = log.commit([draft("b"), draft("c")])
    assert [r.seq for r in records] == [2, 3]
    disk.under.lose_power()
    assert [r.seq for r in reopen(disk.under)[0]] == [1, 2, 3]


def test_withdrawn_records_do_not_come_back_in_front_of_the_next_segment() -> None:
    """A short write holds whole records; were it taken back in the page cache only, a power cut
    after the next segment was begun would bring them back, with seqs that are used by then."""
    for seed in range(50):
        disk = FaultyDisk()
        disk.under.rng.seed(seed)
        log = appender(disk, segment_max_bytes=3_000)
        log.commit([draft("a")])
        disk.faults["write", 2] = errno.ENOSPC
        with pytest.raises(DiskFull):
            log.commit([draft(f"withdrawn {i}") for i in range(12)])
        written = log.commit([draft(f"{i}".ljust(500)) for i in range(8)])
        assert len(segment_names(disk)) == 2
        disk.under.lose_power()
        records, found = reopen(disk.under)
        assert found.incidents == [], f"seed {seed}"
        assert records[1:] == written, f"seed {seed}"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_at_the_beginning_of_a_segment_can_be_tried_again(number: int) -> None:
    disk = FaultyDisk()
    log = appender(disk, segment_max_bytes=300)
    log.commit([draft("a")])
    disk.full(number)
    for _ in range(3):
        with pytest.raises(DiskFull):
            log.commit([draft("b")])
    disk.always = {"write": number}  # room for a header, and no more
    with pytest.raises(DiskFull):
        log.commit([draft("b")])
    disk.roomy()
    log.commit([draft("b")])
    log.commit([draft("c")])
    records, found = reopen(disk)
    assert [r.seq for r in records] == [1, 2, 3]
    assert found.incidents == []


def test_a_short_write_that_cannot_be_taken_back_ends_the_log() -> None:
    for what in ("truncate", "sync"):
        disk = FaultyDisk()
        log = appender(disk)
        log.commit([draft("a")])
        disk.always = {"write": errno.ENOSPC, what: errno.EIO}
        with pytest.raises(LogFailed, match="EIO"):
            log.commit([draft("b")])
        assert [r.seq for r in reopen(disk.under)[0]] == [1]


@pytest.mark.parametrize("what", ["write", "sync", "create", "open"])
def test_a_failing_disk_ends_the_log_with_exit_74(what: str) -> None:
    disk = FaultyDisk()
    log = appender(disk, segment_max_bytes=300)
    log.commit([draft("a")])
    disk.always = {what: errno.EIO}
    with pytest.raises(LogFailed, match="EIO") as failed:
        log.commit([draft("b")])
    assert failed.value.exit_code == EXIT_LOG_IO == 74


def test_a_handle_on_which_a_sync_failed_is_never_touched_again() -> None:
    disk = FaultyDisk()
    log = appender(disk)
    log.commit([draft("a")])
    disk.always = {"sync": errno.EIO}
    with pytest.raises(LogFailed):
        log.commit([draft("b")])
    disk.roomy()
    disk.calls.clear()
    with pytest.raises(AssertionError):
        log.commit([draft("c")])
    log.close()
    assert disk.calls == []


def test_the_log_goes_on_in_the_segment_where_it_ended() -> None:
    disk = SimulatedDisk()
    first = write_groups(disk, [3])
    found = reopen(disk)[1]
    second = appender(disk, found.position).commit([draft("d")])
    assert segment_names(disk) == [ONE]
    assert reopen(disk)[0] == first + second
    assert second[0].d == 3
