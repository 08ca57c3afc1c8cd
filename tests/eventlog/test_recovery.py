"""Opening a log after crashes and damage."""

import errno

import pytest

from ragd.errors import EXIT_LOG_IO, LogFailed, LogUnreadable
from ragd.eventlog.frame import READER, Record, SegmentHeader, encode, encode_header
from ragd.eventlog.recovery import KEPT_TAILS_MAX, Position
from ragd.eventlog.segment import segment_name, segment_names
from ragd.events import SegmentQuarantined, TailCut
from tests.eventlog.drafts import appender, draft, record_incidents, reopen, write_groups
from tests.eventlog.faulty_disk import FaultyDisk
from tests.eventlog.simulated_disk import Crash, SimulatedDisk

ONE = segment_name(1)


def seqs(records: list[Record]) -> list[int]:
    return [r.seq for r in records]


def tails(disk: SimulatedDisk) -> list[str]:
    return [name for name in disk.names() if name.endswith((".tail", ".tail.pending"))]


def dies_at_start(disk: SimulatedDisk, steps: int, power: bool) -> bool:
    """Start a log that dies after so many steps, if it takes that many. Then start it again."""
    died = False
    disk.crash_after(steps)
    try:
        _, found = reopen(disk)
        record_incidents(disk, found)
    except Crash:
        died = True
        if power:
            disk.lose_power()
        else:
            disk.restart()
    disk.crash_after(None)
    _, found = reopen(disk)
    if found.incidents:
        record_incidents(disk, found)
    return died


def flip(disk: SimulatedDisk, name: str, seq: int) -> None:
    """Damage one record on the platter."""
    data = bytearray(disk.read(name))
    at = data.index(b'{"seq":%d,' % seq) + 20
    data[at] ^= 0x10
    disk.put(name, bytes(data))


# Torn tails


@pytest.mark.parametrize("groups", [(4, 1, 1, 1), (4, 3), (4, 1, 2), (4, 2, 1)])
def test_a_log_cut_at_any_byte_of_its_last_three_records_gives_the_whole_ones(
    groups: tuple[int, ...],
) -> None:
    whole = SimulatedDisk()
    written = write_groups(whole, groups)
    data = whole.read(ONE)
    start = data.index(encode(written[4]))
    ends = [data.index(line) + len(line) for line in map(encode, written)]
    for cut in range(start, len(data) + 1):
        disk = SimulatedDisk()
        disk.put(ONE, data[:cut])
        records, found = reopen(disk)
        kept = sum(end <= cut for end in ends)
        torn = cut not in (start, *ends)
        assert records == written[:kept], f"cut at {cut}"
        assert found.position == Position(ONE, ends[kept - 1], kept + 1)
        assert disk.read(ONE) == data[: ends[kept - 1]]
        assert len(found.incidents) == torn
        if torn:
            check_that_the_cut_is_recorded_once(disk, data[ends[kept - 1] : cut], kept)
        else:
            assert tails(disk) == []
        assert seqs(reopen(disk)[0]) == list(range(1, kept + torn + 1))


def check_that_the_cut_is_recorded_once(disk: SimulatedDisk, cut: bytes, kept: int) -> None:
    _, again = reopen(disk)  # as after a crash: not recorded yet, so still to be recorded
    (incident,) = again.incidents
    assert isinstance(incident, TailCut)
    assert incident.size_bytes == len(cut)
    assert disk.read(incident.kept_as + ".pending") == cut
    (recorded,) = record_incidents(disk, again)
    assert (recorded.seq, recorded.event) == (kept + 1, incident)
    assert tails(disk) == [incident.kept_as]
    assert disk.read(incident.kept_as) == cut
    records, last = reopen(disk)
    assert last.incidents == []
    assert [r.event for r in records if isinstance(r.event, TailCut)] == [incident]


def test_appending_continues_after_a_cut_without_a_gap() -> None:
    disk = SimulatedDisk()
    write_groups(disk, [5])
    disk.put(ONE, disk.read(ONE)[:-3])
    _, found = reopen(disk)
    log = appender(disk, found.position)
    log.commit([draft("a"), draft("b")])
    log.close()
    records, again = reopen(disk)
    assert seqs(records) == [1, 2, 3, 4, 5, 6]
    assert again.position.next_seq == 7


@pytest.mark.parametrize("power", [True, False])
def test_a_start_that_dies_at_any_step_of_a_repair_leaves_the_next_one_the_same_work(
    power: bool,
) -> None:
    died = 0
    for steps in range(1, 40):
        disk = SimulatedDisk()
        written = write_groups(disk, [3, 2])
        tail = encode(written[4])
        disk.put(ONE, disk.read(ONE)[:-5])
        died += dies_at_start(disk, steps, power)
        records, last = reopen(disk)
        assert last.incidents == [], f"step {steps}"
        assert records[:4] == written[:4]
        cuts = [r.event for r in records if isinstance(r.event, TailCut)]
        kept = {cut.kept_as: disk.read(cut.kept_as) for cut in cuts}
        assert len(kept) == len(cuts), f"step {steps}: recorded twice"
        assert list(kept.values()).count(tail[:-5]) == 1, f"step {steps}"
        assert tails(disk) == sorted(kept)
    assert 10 < died < 39


def test_bytes_cut_at_the_same_place_do_not_replace_those_kept_before() -> None:
    disk = SimulatedDisk()
    write_groups(disk, [3])
    disk.put(ONE, disk.read(ONE) + b"first tail")
    reopen(disk)
    disk.put(ONE, disk.read(ONE) + b"second tail")  # the record of the first cut was torn as well
    _, found = reopen(disk)
    assert [disk.read(name) for name in tails(disk)] == [b"first tail", b"second tail"]
    assert len(found.incidents) == 2
    record_incidents(disk, found)
    assert reopen(disk)[1].incidents == []


def test_a_crash_between_recording_a_repair_and_saying_so_does_not_record_it_twice() -> None:
    disk = SimulatedDisk()
    write_groups(disk, [3])
    disk.put(ONE, disk.read(ONE) + b"tail")
    _, found = reopen(disk)
    log = appender(disk, found.position)
    log.commit([draft(event=incident) for incident in found.incidents])
    log.close()
    records, again = reopen(disk)  # its kept file is still called pending
    assert again.incidents == []
    assert seqs(records) == [1, 2, 3, 4]
    assert [name.endswith(".tail") for name in tails(disk)] == [True]
    assert reopen(disk, after=4)[1].incidents == []


def test_only_the_last_few_tails_are_kept() -> None:
    disk = SimulatedDisk()
    write_groups(disk, [1])
    for i in range(KEPT_TAILS_MAX + 5):
        disk.put(ONE, disk.read(ONE) + b"tail %d" % i)
        record_incidents(disk, reopen(disk)[1])
    assert len(tails(disk)) == KEPT_TAILS_MAX
    assert disk.read(tails(disk)[-1]) == b"tail %d" % (KEPT_TAILS_MAX + 4)


def test_records_that_a_start_returns_survive_a_power_cut_even_if_they_were_not_synced() -> None:
    disk = SimulatedDisk()
    write_groups(disk, [2])
    disk.files[ONE].put(
        len(disk.read(ONE)), encode(Record(3, 2, "t", "r", "a", None, draft().event))
    )
    records, _ = reopen(disk)
    disk.lose_power()
    assert seqs(records) == [1, 2, 3]
    assert reopen(disk)[0] == records


def test_what_a_failed_sync_left_in_the_page_cache_is_written_again() -> None:
    for seed in range(20):
        disk = SimulatedDisk()
        disk.rng.seed(seed)
        log = appender(disk)
        log.commit([draft("a")])
        disk.failing = 1.0
        with pytest.raises(LogFailed):
            log.commit([draft(f"{i}".ljust(300)) for i in range(9)])
        disk.failing = 0.0
        records, found = reopen(disk)
        log = appender(disk, found.position)
        log.commit([draft("z")])
        disk.lose_power()
        after, again = reopen(disk)
        assert after[: len(records)] == records, f"seed {seed}"
        assert again.incidents == [], f"seed {seed}"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_with_no_room_for_the_last_group_a_second_time_can_still_be_opened(
    number: int,
) -> None:
    disk = FaultyDisk()
    written = write_groups(disk, [2, 3])
    disk.always = {"rewrite": number}
    assert reopen(disk)[0] == written
    disk.always = {"rewrite": errno.EIO}
    with pytest.raises(LogFailed):
        reopen(disk)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_torn_tail_is_cut_on_a_disk_that_has_no_room_to_keep_its_bytes(number: int) -> None:
    disk = FaultyDisk()
    written = write_groups(disk, [2, 3])
    whole = disk.read(ONE)
    disk.under.put(ONE, whole + b"tail")
    disk.faults = {("create", disk.counts["create"] + 1): number}  # a name still finds its place
    records, found = reopen(disk)
    (cut,) = found.incidents
    assert isinstance(cut, TailCut)
    assert records == written
    assert disk.read(ONE) == whole
    assert (cut.offset, cut.size_bytes) == (len(whole), 4)
    assert disk.read(cut.kept_as + ".pending") == b"", "a reminder that a record is owed"
    _, again = reopen(disk)  # this start died before it could record anything
    assert [(i.kept_as, i.offset) for i in again.incidents if isinstance(i, TailCut)] == [
        (cut.kept_as, len(whole))
    ]
    record_incidents(disk, again)
    records, last = reopen(disk)
    assert last.incidents == []
    assert [r.event.kept_as for r in records if isinstance(r.event, TailCut)] == [cut.kept_as]


def test_a_torn_tail_is_not_cut_where_keeping_it_fails_for_another_reason() -> None:
    disk = FaultyDisk()
    write_groups(disk, [2])
    torn = disk.read(ONE) + b"tail"
    disk.under.put(ONE, torn)
    disk.always = {"create": errno.EIO}
    with pytest.raises(LogFailed):
        reopen(disk)
    assert disk.read(ONE) == torn


def test_only_the_last_group_is_written_again_by_a_start() -> None:
    disk = FaultyDisk()
    written = write_groups(disk, [2, 3, 4])
    before = disk.read(ONE)
    disk.calls.clear()
    _, found = reopen(disk)
    assert disk.calls == [("open", 0), ("rewrite", 2), ("sync", 2)]
    assert disk.read(ONE) == before
    start = before.index(encode(written[5]))
    assert disk.rewrites == [(start, before[start:])]
    assert found.position.size == len(before)


def test_half_made_files_are_removed() -> None:
    disk = SimulatedDisk()
    write_groups(disk, [2])
    disk.put(segment_name(3) + ".tmp", b"half a hea")
    disk.put("aside/x.tail.pending.tmp", b"half a tail")
    assert reopen(disk)[1].incidents == []
    assert disk.names() == [ONE]


# Damage


def three_segments() -> tuple[SimulatedDisk, list[Record], list[str]]:
    """Thirty records, ten in each segment."""
    disk = SimulatedDisk()
    written = write_groups(disk, [5] * 6, segment_max_bytes=2_000)
    names = segment_names(disk)
    assert names == [segment_name(n) for n in (1, 11, 21)]
    return disk, written, names


def test_damage_in_a_middle_segment_moves_it_aside_and_keeps_the_others() -> None:
    for seq in range(11, 21):
        disk, written, names = three_segments()
        flip(disk, names[1], seq)
        damaged = disk.read(names[1])
        records, found = reopen(disk)
        assert records == written[:10] + written[20:]
        (incident,) = found.incidents
        assert isinstance(incident, SegmentQuarantined)
        assert (incident.first_seq, incident.last_seq) == (11, 20)
        assert (incident.segment, incident.reason) == (names[1], "damaged")
        assert disk.read(incident.kept_as + ".pending") == damaged
        assert segment_names(disk) == [names[0], names[2]]
        assert found.position.next_seq == 31


def test_damage_in_the_last_segment_starts_a_new_one_after_all_known_seqs() -> None:
    for seq in range(21, 26):
        disk, written, names = three_segments()
        flip(disk, names[2], seq)
        records, found = reopen(disk)
        assert records == written[:20]
        (incident,) = found.incidents
        assert isinstance(incident, SegmentQuarantined)
        assert (incident.first_seq, incident.last_seq) == (21, 30)
        assert found.position == Position("", 0, 31)
        (recorded,) = record_incidents(disk, found)
        assert recorded.seq == 31
        assert segment_names(disk) == [*names[:2], segment_name(31)]


def test_damage_to_the_last_group_looks_like_a_torn_tail() -> None:
    disk, written, names = three_segments()
    flip(disk, names[2], 28)
    records, found = reopen(disk)
    assert records == written[:27]
    assert [type(incident) for incident in found.incidents] == [TailCut]


@pytest.mark.parametrize("segment", [0, 1, 2])
def test_a_damaged_header_moves_the_segment_aside(segment: int) -> None:
    disk, written, names = three_segments()
    disk.put(names[segment], b"X" + disk.read(names[segment])[1:])
    records, found = reopen(disk)
    assert records == written[: segment * 10] + written[segment * 10 + 10 :]
    (incident,) = found.incidents
    assert isinstance(incident, SegmentQuarantined)
    first = segment * 10 + 1
    assert (incident.first_seq, incident.last_seq) == (first, first + 9)
    assert incident.reason == "header"
    assert found.position.next_seq == 31


def test_seqs_of_a_segment_that_is_all_zeros_are_not_used_again() -> None:
    disk, _, names = three_segments()
    disk.put(names[2], bytes(len(disk.read(names[2]))))
    _, found = reopen(disk)
    assert found.position.next_seq > 30


def test_a_quarantine_that_was_not_recorded_is_recorded_by_the_next_start_and_only_once() -> None:
    for segment, damaged in ((1, 13), (2, 23)):
        disk, _, names = three_segments()
        flip(disk, names[segment], damaged)
        _, first = reopen(disk)
        _, second = reopen(disk)  # the first start died before it could record anything
        assert second.incidents == first.incidents
        assert second.position.next_seq == first.position.next_seq == 31
        record_incidents(disk, second)
        records, third = reopen(disk)
        assert third.incidents == []
        told = [r.event for r in records if isinstance(r.event, SegmentQuarantined)]
        assert told == first.incidents
        assert seqs(records)[-1] == 31


@pytest.mark.parametrize("power", [True, False])
@pytest.mark.parametrize(("segment", "damaged"), [(0, 3), (1, 13), (2, 23)])
def test_a_start_that_dies_at_any_step_of_a_quarantine_never_uses_a_seq_twice(
    segment: int, damaged: int, power: bool
) -> None:
    died = 0
    for steps in range(1, 30):
        disk, written, names = three_segments()
        flip(disk, names[segment], damaged)
        died += dies_at_start(disk, steps, power)
        records, last = reopen(disk)
        assert last.incidents == [], f"step {steps}"
        told = [r for r in records if isinstance(r.event, SegmentQuarantined)]
        assert len(told) == 1 and told[0].seq >= 31, f"step {steps}: {told}"
        assert len(set(seqs(records))) == len(records)
        others = [r for r in records if r.seq <= 30]
        assert others == written[: segment * 10] + written[segment * 10 + 10 :]
    assert 5 < died < 29


def test_adjacent_damaged_segments_are_each_reported_once() -> None:
    disk, written, names = three_segments()
    flip(disk, names[0], 3)
    flip(disk, names[1], 13)
    reopen(disk)
    _, found = reopen(disk)
    assert [i.segment for i in found.incidents] == names[:2]
    record_incidents(disk, found)
    records, again = reopen(disk)
    assert again.incidents == []
    assert records[:10] == written[20:]


def test_a_missing_middle_segment_is_reported_once() -> None:
    disk, written, names = three_segments()
    disk.remove(names[1])
    records, found = reopen(disk)
    assert records == written[:10] + written[20:]
    missing = SegmentQuarantined(segment=names[1], first_seq=11, last_seq=20, reason="missing")
    assert found.incidents == [missing]
    assert record_incidents(disk, found)[0].seq == 31
    assert reopen(disk)[1].incidents == []


def test_a_segment_that_lost_its_end_is_reported_once() -> None:
    disk, written, names = three_segments()
    data = disk.read(names[1])
    disk.put(names[1], data[: data.index(encode(written[16]))])
    records, found = reopen(disk)
    assert records == written[:16] + written[20:]
    missing = SegmentQuarantined(
        segment=segment_name(17), first_seq=17, last_seq=20, reason="missing"
    )
    assert found.incidents == [missing]
    record_incidents(disk, found)
    assert reopen(disk)[1].incidents == []


def test_a_missing_beginning_is_reported_if_no_snapshot_covers_it() -> None:
    disk, written, names = three_segments()
    disk.remove(names[0])
    assert reopen(disk, after=10)[0] == written[10:]
    assert reopen(disk, after=10)[1].incidents == []
    records, found = reopen(disk)
    assert records == written[10:]
    missing = SegmentQuarantined(segment=names[0], first_seq=1, last_seq=10, reason="missing")
    assert found.incidents == [missing]


# Snapshots


def test_only_records_after_the_snapshot_are_read() -> None:
    for after in range(31):
        disk, written, _ = three_segments()
        assert reopen(disk, after)[0] == written[after:]


def test_damage_that_a_snapshot_covers_does_not_disturb_a_start() -> None:
    disk, written, names = three_segments()
    flip(disk, names[0], 3)
    records, found = reopen(disk, after=10)
    assert (records, found.incidents) == (written[10:], [])


def test_a_snapshot_inside_a_damaged_segment_keeps_what_it_knows() -> None:
    disk, _, names = three_segments()
    flip(disk, names[2], 23)
    records, found = reopen(disk, after=27)
    assert records == []
    assert [type(i) for i in found.incidents] == [SegmentQuarantined]
    assert found.position == Position("", 0, 31)
    assert reopen(disk, after=27)[1] == found


@pytest.mark.parametrize("after", [31, 40])
def test_a_snapshot_ahead_of_the_log_is_reported_and_its_seqs_are_not_used_again(
    after: int,
) -> None:
    disk, _, _ = three_segments()
    records, found = reopen(disk, after)
    assert records == []
    missing = SegmentQuarantined(
        segment=segment_name(31), first_seq=31, last_seq=after, reason="missing"
    )
    assert found.incidents == [missing]
    assert found.position == Position("", 0, after + 1)
    record_incidents(disk, found)
    assert reopen(disk, after)[1].incidents == []
    assert reopen(disk, 0)[1].incidents == []  # the gap is recorded in the log


def test_what_lies_before_a_gap_is_made_durable_too() -> None:
    disk, _, names = three_segments()
    unsynced = encode(Record(31, 30, "t", "r", "a", None, draft().event))
    disk.files[names[2]].put(len(disk.read(names[2])), unsynced)
    records, found = reopen(disk, after=40)
    assert (records, found.position) == ([], Position("", 0, 41))
    record_incidents(disk, found)  # in a new segment: the old one is no longer the last
    disk.lose_power()
    records, again = reopen(disk)
    assert again.incidents == []
    assert seqs(records) == [*range(1, 32), 41]


def test_a_segment_that_repeats_records_adds_nothing() -> None:
    disk, written, names = three_segments()
    longer = disk.read(names[0]) + b"".join(map(encode, written[10:14]))
    disk.put(names[0], longer)
    assert reopen(disk)[0] == written


def test_a_snapshot_without_any_log_is_reported() -> None:
    disk = SimulatedDisk()
    _, found = reopen(disk, after=40)
    assert [(i.first_seq, i.last_seq) for i in found.incidents] == [(1, 40)]  # type: ignore[union-attr]
    assert found.position == Position("", 0, 41)
    record_incidents(disk, found)
    assert reopen(disk, after=40)[1].incidents == []


def test_a_log_that_never_was_begins_at_one() -> None:
    disk = SimulatedDisk()
    records, found = reopen(disk)
    assert (records, found.incidents, found.position) == ([], [], Position("", 0, 1))
    assert disk.names() == []


# Refusals


def test_a_newer_log_is_refused_and_nothing_is_touched() -> None:
    disk, _, _ = three_segments()
    newer = encode_header(SegmentHeader(2, READER + 1, "ragd 9", 31))
    disk.put(segment_name(31), newer + b"whatever format two looks like")
    before = {name: disk.read(name) for name in disk.names()}
    with pytest.raises(LogUnreadable) as refused:
        reopen(disk)
    assert refused.value.exit_code == 78
    assert {name: disk.read(name) for name in disk.names()} == before


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
def test_a_disk_that_fails_a_repair_ends_the_start_with_a_sentence(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SimulatedDisk()
    write_groups(disk, [3])
    torn = disk.read(ONE)[:-3]
    disk.put(ONE, torn)

    def fail(name: str, data: bytes) -> None:
        raise OSError(number, "simulated")

    monkeypatch.setattr(disk, "create", fail)
    with pytest.raises(LogFailed, match=errno.errorcode[number]) as failed:
        reopen(disk)
    assert failed.value.exit_code == EXIT_LOG_IO == 74
    assert disk.read(ONE) == torn  # what could not be kept was not cut
