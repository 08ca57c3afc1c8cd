"""Which records of a segment are complete, and what the first incomplete one means."""

import pytest

from ragd.eventlog import segment as scan_module
from ragd.eventlog.frame import (
    FORMAT,
    MIN_READER,
    Record,
    SegmentHeader,
    decode,
    encode,
    encode_header,
)
from ragd.eventlog.segment import Damage, Segment, scan, segment_name, segment_names
from ragd.events import DaemonStopped
from tests.eventlog.drafts import TS, record, write_groups
from tests.eventlog.simulated_disk import SimulatedDisk

NAME = segment_name(1)
HEADER = encode_header(SegmentHeader(FORMAT, MIN_READER, "ragd", 1))
GROUPS = (1, 1, 7, 30, 1, 20, 3, 25, 1, 1, 10)  # a hundred records; d jumps by up to thirty


def hundred_records() -> list[Record]:
    records: list[Record] = []
    for size in GROUPS:
        durable = len(records)
        for i in range(size):
            event = DaemonStopped(reason=f"{durable + i:x}")
            records.append(Record(durable + i + 1, durable, TS, "r", "a", None, event))
    assert len(records) == 100
    return records


RECORDS = hundred_records()
LINES = [HEADER, *map(encode, RECORDS)]
DATA = b"".join(LINES)


def scanned(data: bytes, *, is_last: bool = True) -> Segment:
    return scan(NAME, data, is_last=is_last)


def line_at(offset: int) -> int:
    """Which line a byte belongs to: 0 is the header, k is record k."""
    return DATA.count(b"\n", 0, offset)


def kind_of(line: int) -> str:
    """What damage to this line must be called, told from the records alone."""
    if line == 0:
        return "header"
    return "damaged" if any(r.d >= line for r in RECORDS[line:]) else "torn"


KINDS = [kind_of(line) for line in range(101)]


@pytest.fixture
def quick_decode(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pure function may remember: lines that no flip touched are not decoded anew each time."""
    known = {line[:-1]: decode(line[:-1]) for line in LINES[1:]}
    RECORDS[:] = known.values()  # the same objects, so that comparing them is quick too
    monkeypatch.setattr(scan_module, "decode", lambda line: known.get(line) or decode(line))


def test_a_whole_segment_is_read_whole() -> None:
    found = scanned(DATA)
    assert found.records == RECORDS
    assert (found.damage, found.end, found.size) == (None, len(DATA), len(DATA))
    assert found.next_seq == 101


@pytest.mark.slow
@pytest.mark.usefixtures("quick_decode")
@pytest.mark.parametrize("odd", [0, 1])
@pytest.mark.parametrize("bit", range(8))
def test_no_flipped_bit_goes_unnoticed_and_none_is_called_less_than_it_is(
    bit: int, odd: int
) -> None:
    data = bytearray(DATA)
    for offset in range(odd, len(data), 2):
        data[offset] ^= 1 << bit
        found = scanned(bytes(data))
        data[offset] ^= 1 << bit
        line = line_at(offset)
        where = f"bit {bit} of byte {offset}, line {line}"
        assert found.damage is not None, where
        assert found.damage.kind == KINDS[line], where
        assert found.records == RECORDS[: max(0, line - 1)], where
        assert found.damage.seq == max(1, line), where


@pytest.mark.usefixtures("quick_decode")
def test_in_a_segment_that_is_not_the_last_any_flip_is_damage() -> None:
    data = bytearray(DATA)
    for offset in range(len(HEADER), len(data)):
        data[offset] ^= 1
        found = scanned(bytes(data), is_last=False)
        data[offset] ^= 1
        assert found.damage is not None and found.damage.kind == "damaged", f"byte {offset}"


@pytest.mark.usefixtures("quick_decode")
def test_two_exchanged_records_are_noticed() -> None:
    for k in range(1, 100):
        lines = list(LINES)
        lines[k], lines[k + 1] = lines[k + 1], lines[k]
        found = scanned(b"".join(lines))
        assert found.records == RECORDS[: k - 1], f"record {k}"
        assert found.damage is not None and found.damage.seq == k


@pytest.mark.usefixtures("quick_decode")
def test_a_record_that_is_missing_or_twice_there_is_noticed() -> None:
    for k in range(1, 101):
        without = scanned(b"".join(LINES[:k] + LINES[k + 1 :]))
        twice = scanned(b"".join(LINES[: k + 1] + LINES[k:]))
        assert without.records == RECORDS[: k - 1]
        assert (without.damage is None) == (k == 100)  # a missing last record leaves no trace
        assert twice.records == RECORDS[:k]
        assert twice.damage is not None and twice.damage.seq == k + 1


def test_a_tail_that_was_never_durable_is_torn_though_whole_records_follow() -> None:
    group = [*map(encode, [record(1), record(2, 1), record(3, 1), record(4, 1)])]
    group[1] = bytes(len(group[1]))
    found = scanned(HEADER + b"".join(group))
    assert found.records == [record(1)]
    end = len(HEADER + group[0])
    assert found.damage == Damage("torn", end, 2, 4)
    assert found.end == end


def test_a_bad_record_is_damage_when_a_later_one_says_it_was_durable() -> None:
    group = [*map(encode, [record(1), record(2, 1), record(3, 2)])]
    group[1] = bytes(len(group[1]))
    found = scanned(HEADER + b"".join(group))
    assert found.damage == Damage("damaged", len(HEADER + group[0]), 2, 3)


def test_zeros_and_old_bytes_after_the_end_are_a_torn_tail() -> None:
    for tail in (bytes(1), bytes(4096), b"\n", b"\n" * 100, b"\xff" * 700, LINES[1], LINES[1][:-1]):
        found = scanned(DATA + tail)
        assert found.records == RECORDS
        assert found.damage is not None and found.damage.kind == "torn", tail[:20]


def test_the_header_of_another_segment_is_damage() -> None:
    found = scan(segment_name(2), DATA, is_last=True)
    assert found.records == []
    assert found.damage == Damage("header", 0, 2, 100)


def test_an_empty_segment_is_damage_since_its_header_was_durable_before_its_name() -> None:
    found = scanned(b"")
    assert found.damage is not None and found.damage.kind == "header"


def test_unreadable_bytes_count_as_the_most_records_they_may_have_held() -> None:
    zeroed = DATA[: len(HEADER) + 10] + bytes(len(DATA) - len(HEADER) - 10)
    last = Damage("header", 0, 1, 0)
    for data in (bytes(len(DATA)), b"\n" * len(DATA), zeroed[:5] + bytes(len(zeroed) - 5)):
        found = scanned(data)
        assert found.damage is not None
        last = found.damage
        assert last.last_seq >= 100
    assert last.last_seq <= 2 * 100


def test_damage_at_the_end_as_well_names_a_range_that_reaches_the_last_record() -> None:
    lines = list(LINES)
    for k in (50, 99, 100):
        lines[k] = b"#" * (len(lines[k]) - 1) + b"\n"
    found = scanned(b"".join(lines))
    assert found.damage is not None
    assert (found.damage.kind, found.damage.seq) == ("damaged", 50)
    assert found.damage.last_seq >= 100


def test_only_segments_count_as_segments() -> None:
    disk = SimulatedDisk()
    write_groups(disk, [1])
    for other in ("aside/0000000000000009.ndjson", "9.ndjson", "0000000000000009.ndjson.tmp", "x"):
        disk.put(other, b"")
    assert segment_names(disk) == [NAME]
