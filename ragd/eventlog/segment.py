"""Reads segments: which records are whole, and whether the first bad one is torn or damaged.

It never changes anything on disk. Recovery and replay both read through here, so they agree on
what the log contains.
"""

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
    decode_header,
    decoder_for,
)

SUFFIX = ".ndjson"
_NEWLINE = ord("\n")
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
    newline = data.find(b"\n")
    header = _header(data[:newline]) if newline >= 0 else None
    if header is None or header.first != first:
        damage = Damage("header", 0, first, _read_rest(data).last_seq(first))
        return Segment(name, [], 0, len(data), damage)
    if header.min_reader > READER:
        raise LogUnreadable(
            f"The event log was written by a newer version ({header.created_by}).",
            "Install that version of ragd, or a later one.",
        )
    records, end = _whole_records(data, first)
    segment = Segment(name, records, end, len(data))
    if end < len(data) or not is_last:
        segment.damage = classify_damage(data, end, segment.next_seq, is_last)
    return segment


def _header(line: bytes) -> SegmentHeader | None:
    try:
        return decode_header(line)
    except NotARecord:
        return None


def _whole_records(data: bytes, expected: int) -> tuple[list[Record], int]:
    """The records after the header, up to the first line that is not the next record, and the
    offset of that line."""
    records: list[Record] = []
    keep = records.append
    lines = BytesIO(data)  # one at a time: a list of all would need as much memory again
    end = len(lines.readline())
    decode = decoder_for(data)
    try:
        for line in lines:
            if line[-1] != _NEWLINE:
                break  # torn
            record = decode(line)
            if record.seq != expected:
                break
            keep(record)
            expected += 1
            end += len(line)
    except NotARecord:
        pass
    return records, end


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
