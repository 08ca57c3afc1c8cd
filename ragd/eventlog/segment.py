"""Reading segments: which records are whole, and what to make of the first that is not.

It never changes anything on disk. Recovery, replay and followers all read through here, so they
agree on what the log says.
"""

from typing import Literal

from msgspec import Struct

from ragd.errors import LogUnreadable
from ragd.eventlog.disk import Disk
from ragd.eventlog.frame import READER, Header, NotARecord, Record, decode, decode_header

SUFFIX = ".ndjson"
RECORD_MIN_BYTES = 80  # fewer do not hold an envelope
_RECORD_BEGINS = b' {"seq":'  # behind its checksum; inside a record the quotes would be escaped


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
    """The first place where a segment stops making sense.

    `torn`: nothing from here on was ever acknowledged. `damaged`: a later record proves that it
    had been durable. `header`: the segment's first line, which is durable before it has a name.
    """

    kind: Literal["torn", "damaged", "header"]
    offset: int
    seq: int
    last_seq: int  # the highest that may have been in there; of a torn tail, the highest whole one


class Segment(Struct):
    """What one segment says."""

    name: str
    records: list[Record]
    end: int  # offset behind the last good record
    size: int
    damage: Damage | None = None

    @property
    def next_seq(self) -> int:
        return self.records[-1].seq + 1 if self.records else first_seq_of(self.name)


def scan(name: str, data: bytes, *, is_last: bool) -> Segment:
    """Read one segment. In any but the last one a bad record cannot be a torn tail."""
    first = first_seq_of(name)
    newline = data.find(b"\n")
    header = _header(data[:newline]) if newline >= 0 else None
    if header is None or header.first != first:
        damage = Damage("header", 0, first, _read_behind(data).last_seq(first))
        return Segment(name, [], 0, len(data), damage)
    if header.min_reader > READER:
        raise LogUnreadable(
            f"The event log was written by a newer version ({header.created_by}).",
            "Install that version of ragd, or a later one.",
        )
    records, end = _good_prefix(data, newline + 1, first)
    segment = Segment(name, records, end, len(data))
    if end < len(data) or not is_last:
        segment.damage = _judge(data, end, segment.next_seq, is_last)
    return segment


def _header(line: bytes) -> Header | None:
    try:
        return decode_header(line)
    except NotARecord:
        return None


def _good_prefix(data: bytes, start: int, expected: int) -> tuple[list[Record], int]:
    """The records from `start` up to the first line that is not the next record."""
    records: list[Record] = []
    end = start
    keep = records.append
    lines = data[start:].split(b"\n")
    lines.pop()  # what follows the last newline: nothing, or a torn line
    try:
        for line in lines:
            record = decode(line)
            if record.seq != expected:
                break
            keep(record)
            expected += 1
            end += len(line) + 1
    except NotARecord:
        pass
    return records, end


class _Behind(Struct):
    """What can still be read behind the first bad byte."""

    whole: list[Record]
    rest: int  # bytes behind the last of these

    def last_seq(self, seq: int) -> int:
        """The highest seq that may have been in here, where `seq` was to come first.

        Too high only widens the range that is named as lost; too low would use a seq twice.
        """
        last = max((r.seq for r in self.whole), default=seq - 1)
        return max(seq, last + self.rest // RECORD_MIN_BYTES)


def _read_behind(data: bytes) -> _Behind:
    behind = _Behind([], len(data))
    left = len(data)
    for line in data.split(b"\n"):
        left -= len(line) + 1
        record = _record_in(line)
        if record is not None:
            behind.whole.append(record)
            behind.rest = max(0, left)
    return behind


def _record_in(line: bytes) -> Record | None:
    """The record that a line ends with: the damage may have eaten the newline before it."""
    for start in (0, line.rfind(_RECORD_BEGINS) - 8):
        try:
            return decode(line[start:] if start > 0 else line)
        except NotARecord:
            continue
    return None


def _judge(data: bytes, offset: int, seq: int, is_last: bool) -> Damage | None:
    """Torn or damaged? It was durable if any whole record behind it says so with its `d`."""
    bad = data[offset:]
    behind = _read_behind(bad)
    if not any(r.d >= seq for r in behind.whole):
        if is_last:
            return Damage("torn", offset, seq, max((r.seq for r in behind.whole), default=seq - 1))
        if not bad:
            return None  # whether records are missing here, the next segment's name tells
        # A segment is synced before the next is made, so bad bytes in it were good once.
    return Damage("damaged", offset, seq, behind.last_seq(seq))
