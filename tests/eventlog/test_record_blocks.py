"""Records are decoded in blocks, for speed. Here is what that must equal: one line at a time."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragd.eventlog import segment
from ragd.eventlog.frame import (
    FORMAT,
    MIN_READER,
    NotARecord,
    Record,
    SegmentHeader,
    add_checksum,
    decode,
    decode_block,
    encode,
    encode_header,
)
from ragd.eventlog.segment import open_segment, scan, segment_name
from ragd.events import RECORD_MAX_BYTES, Unknown
from tests.eventlog.drafts import record

NAME = segment_name(1)
HEADER = encode_header(SegmentHeader(FORMAT, MIN_READER, "ragd", 1))
COUNT = 60
LINES = [encode(record(seq, seq - 1)) for seq in range(1, COUNT + 1)]


@pytest.fixture(autouse=True, params=[1, 700, 1 << 20])
def block_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block is one line, a few, or all."""
    monkeypatch.setattr(segment, "BLOCK_BYTES", request.param)


def read_plainly(data: bytes) -> tuple[list[Record], int]:
    """The next records after the header, and the offset after them."""
    records: list[Record] = []
    end = len(HEADER)
    for line in data[end:].splitlines(keepends=True):
        try:
            found = decode(line[:-1])
        except NotARecord:
            break
        if not line.endswith(b"\n") or found.seq != len(records) + 1:
            break
        records.append(found)
        end += len(line)
    return records, end


def with_event(seq: int, event: bytes) -> bytes:
    """A record with this fact, as another version could have written it."""
    ts = b"2026-01-02T03:04:05.678901Z"
    return add_checksum(
        b'{"seq":%d,"d":%d,"ts":"%b","run":"run","actor":"a","cause":null,"event":%b}'
        % (seq, seq - 1, ts, event)
    )


OTHERS = [
    b'{"type":"from_the_future","path":"x"}',
    b'{"type":"file_skipped","path":"a.md","reason":"test","v":2}',
    b'{"type":"file_skipped","path":"a.md","reason":"test","v":1}',
    b'{"type":"file_skipped","path":"\\"v\\":2","reason":"test"}',
    b'{"type":"file_skipped","path":7,"reason":"test"}',
    b'{"type":"file_skipped","path":"a.md"',
    b'{"type":"file_skipped","path":"' + b"x" * RECORD_MAX_BYTES + b'","reason":"test"}',
]


@pytest.mark.parametrize("event", OTHERS)
@pytest.mark.parametrize("seq", [1, 30, COUNT])
def test_a_fact_that_is_not_plain_is_read_as_it_is_alone(seq: int, event: bytes) -> None:
    lines = [HEADER, *LINES]
    lines[seq] = with_event(seq, event)
    data = b"".join(lines)
    found = scan(NAME, data, is_last=True)
    assert (found.records, found.end) == read_plainly(data)


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 2**32), st.sampled_from(["flip", "cut", "drop", "twice", "swap", "merge"]))
def test_the_first_bad_line_is_found_wherever_it_is(seed: int, how: str) -> None:
    data = spoil(random.Random(seed), how)
    found = scan(NAME, data, is_last=True)
    assert (found.records, found.end) == read_plainly(data)
    assert len(found.records) < COUNT or data.startswith(b"".join([HEADER, *LINES]))


def test_a_last_line_without_its_newline_is_not_a_record() -> None:
    data = b"".join([HEADER, *LINES])
    for last in (b"", b"x"):
        found = scan(NAME, data[:-1] + last, is_last=True)
        assert len(found.records) == COUNT - 1


def spoil(rng: random.Random, how: str) -> bytes:
    """The segment with one line that is not the next record."""
    lines, place = list(LINES), rng.randrange(COUNT)
    if how == "flip":
        line = bytearray(lines[place])
        line[rng.randrange(len(line))] ^= 1 << rng.randrange(8)
        lines[place] = bytes(line)
    elif how == "cut":
        lines[place:] = [lines[place][: rng.randrange(len(lines[place]))]]
    elif how == "drop":
        del lines[place]
    elif how == "twice":
        lines.insert(place, lines[place])
    elif how == "swap":
        other = rng.randrange(COUNT)
        lines[place], lines[other] = lines[other], lines[place]
    else:
        lines[place] = lines[place][:-1]
    return b"".join([HEADER, *lines])


def test_a_block_tells_what_is_read_so_far() -> None:
    blocks = open_segment(NAME, b"".join([HEADER, *LINES]))
    assert blocks is not None and (blocks.end, blocks.next_seq) == (len(HEADER), 1)
    for records in blocks:
        assert records[-1].seq + 1 == blocks.next_seq
        assert blocks.end == len(b"".join([HEADER, *LINES[: blocks.next_seq - 1]]))
    assert blocks.next_seq == COUNT + 1


def test_a_segment_with_a_bad_header_has_no_blocks() -> None:
    assert open_segment(NAME, HEADER[:-1] + b"x" + LINES[0]) is None
    assert open_segment(segment_name(2), HEADER + LINES[0]) is None


def test_a_block_with_a_fact_of_an_unknown_type_is_left_to_be_decoded_line_by_line() -> None:
    unknown = with_event(2, OTHERS[0])
    assert decode_block([LINES[0], unknown]) is None
    assert isinstance(decode(unknown[:-1]).event, Unknown)
