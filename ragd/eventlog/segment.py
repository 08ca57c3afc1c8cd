"""Reads segments: which records are whole, and whether the first bad one is torn or damaged.

It never changes anything on disk. Recovery and replay both read through here, so they agree on
what the log contains.
"""

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import Literal

from msgspec import Struct

from ragd.errors import LogUnreadable
from ragd.eventlog.disk import Disk
from ragd.eventlog.frame import (
    READER,
    NotARecord,
    Record,
    SegmentHeader,
    decode,
    decode_block,
    decode_header,
    name_versions,
)

SUFFIX = ".ndjson"
BLOCK_BYTES = 64 * 1024  # of lines that are decoded together; they stay in the processor's cache
RECORD_MIN_BYTES = 80  # no record is shorter
_RECORD_BEGINS = b' {"seq":'  # after its checksum; inside a record the quotes would be escaped


def segment_name(first_seq: int) -> str:
    """The file that begins with this record."""
    return f"{first_seq:016d}{SUFFIX}"


def first_seq_of(name: str) -> int:
    """The record that this file begins with."""
    return int(name[:16])


def segment_names(disk: Disk) -> list[str]:
    """All segments in order."""
    return sorted(
        name
        for name in disk.names()
        if len(name) == 16 + len(SUFFIX) and name.endswith(SUFFIX) and name[:16].isdecimal()
    )


class Damage(Struct, frozen=True):
    """The first bad line of a segment.

    `torn`: nothing from here on was ever acknowledged. `damaged`: a later record proves that it
    had been durable. `header`: the segment's first line, which is durable before it has a name.
    """

    kind: Literal["torn", "damaged", "header"]
    offset: int
    seq: int
    last_seq: int  # the highest that may have been there; for a torn tail, the highest whole one


class Segment(Struct):
    """The content of one segment."""

    name: str
    records: list[Record]
    end: int  # offset after the last good record
    size: int
    damage: Damage | None = None

    @property
    def next_seq(self) -> int:
        return self.records[-1].seq + 1 if self.records else first_seq_of(self.name)


def scan(name: str, data: bytes, *, is_last: bool) -> Segment:
    """Read one segment. Only in the last one can a bad record be a torn tail."""
    first = first_seq_of(name)
    blocks = open_segment(name, data)
    if blocks is None:
        damage = Damage("header", 0, first, _read_rest(data).last_seq(first))
        return Segment(name, [], 0, len(data), damage)
    records: list[Record] = []
    for block in blocks:
        records += block
    segment = Segment(name, records, blocks.end, len(data))
    if blocks.end < len(data) or not is_last:
        segment.damage = classify_damage(data, blocks.end, segment.next_seq, is_last)
    return segment


def open_segment(name: str, data: bytes) -> "RecordBlocks | None":
    """The records of a segment; None if its header is damaged."""
    first = first_seq_of(name)
    newline = data.find(b"\n")
    header = _header(data[:newline]) if newline >= 0 else None
    if header is None or header.first != first:
        return None
    if header.min_reader > READER:
        raise LogUnreadable(
            f"The event log was written by a newer version ({header.created_by}).",
            "Install that version of ragd, or a later one.",
        )
    return RecordBlocks(data, newline + 1, first)


def _header(line: bytes) -> SegmentHeader | None:
    try:
        return decode_header(line)
    except NotARecord:
        return None


class RecordBlocks:
    """The records of a segment, a block at a time, up to the first line that is not the next
    record. `end` is the offset after those so far, `next_seq` the record expected there."""

    def __init__(self, data: bytes, start: int, first_seq: int) -> None:
        self.end = start
        self.next_seq = first_seq
        self._lines = BytesIO(data)  # a list of all lines would need as much memory again
        self._lines.seek(start)
        self._are_versioned = name_versions(data)

    def __iter__(self) -> Iterator[list[Record]]:
        while lines := self._lines.readlines(BLOCK_BYTES):
            records = None if self._are_versioned else _next_block(lines, self.next_seq)
            if records is None:
                records = _next_lines(lines, self.next_seq)
            self.next_seq += len(records)
            self.end += sum(map(len, lines[: len(records)]))
            yield records
            if len(records) < len(lines):
                break


def _next_block(lines: Sequence[bytes], expected: int) -> list[Record] | None:
    """The records in these lines if all are plain and in order; None if one has to be looked at."""
    records = decode_block(lines)
    if records is None:
        return None
    seqs = [record.seq for record in records]
    return records if seqs == list(range(expected, expected + len(seqs))) else None


def _next_lines(lines: Iterable[bytes], expected: int) -> list[Record]:
    """The records in these lines, up to the first line that is not the next record."""
    records: list[Record] = []
    for line in lines:
        if not line.endswith(b"\n"):
            break  # torn
        try:
            record = decode(line[:-1])
        except NotARecord:
            break
        if record.seq != expected + len(records):
            break
        records.append(record)
    return records


class _RestOfSegment(Struct):
    """What can still be read after the first bad byte."""

    whole: list[Record]
    rest: int  # bytes after the last of these

    def last_seq(self, seq: int) -> int:
        """The highest seq that may have been here, if `seq` was the first.

        Too high only widens the range that is reported as lost; too low would use a seq twice.
        """
        last = max((r.seq for r in self.whole), default=seq - 1)
        return max(seq, last + self.rest // RECORD_MIN_BYTES)


def _read_rest(data: bytes) -> _RestOfSegment:
    readable = _RestOfSegment([], len(data))
    left = len(data)
    for line in data.split(b"\n"):
        left -= len(line) + 1
        record = _record_in(line)
        if record is not None:
            readable.whole.append(record)
            readable.rest = max(0, left)
    return readable


def _record_in(line: bytes) -> Record | None:
    """The record at the end of a line: damage may have removed the newline before it."""
    for start in (0, line.rfind(_RECORD_BEGINS) - 8):
        try:
            return decode(line[start:] if start > 0 else line)
        except NotARecord:
            continue
    return None


def classify_damage(data: bytes, offset: int, seq: int, is_last: bool) -> Damage | None:
    """Torn or damaged? The record was durable if the `d` of a later whole record says so."""
    bad = data[offset:]
    readable = _read_rest(bad)
    if not any(r.d >= seq for r in readable.whole):
        if is_last:
            return Damage(
                "torn", offset, seq, max((r.seq for r in readable.whole), default=seq - 1)
            )
        if not bad:
            return None  # the next segment's name shows whether records are missing
        # A segment is synced before the next one is made, so bad bytes in it were good once.
    return Damage("damaged", offset, seq, readable.last_seq(seq))
