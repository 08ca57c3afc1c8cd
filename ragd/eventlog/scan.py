"""Reading segments: which records are whole, and what to make of the first that is not.

It never changes anything on disk. Recovery, replay and followers all read through here, so they
agree on what the log says.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from ragd.errors import LogUnreadable
from ragd.eventlog.disk import Disk
from ragd.eventlog.frame import READER, Header, NotARecord, Record, decode, decode_header

SUFFIX = ".ndjson"


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
    last_seq: int  # the highest seq of any whole record behind the damage, or seq - 1


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
        found = [r.seq for r in _whole_records(data)]
        damage = Damage("header", 0, first, max(found, default=first - 1))
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


def _whole_records(data: bytes) -> Iterator[Record]:
    for line in data.split(b"\n"):
        try:
            yield decode(line)
        except NotARecord:
            continue


def _judge(data: bytes, offset: int, seq: int, is_last: bool) -> Damage | None:
    """Torn or damaged? It was durable if any whole record behind it says so with its `d`."""
    behind = list(_whole_records(data[offset:]))
    last = max((r.seq for r in behind), default=seq - 1)
    if any(r.d >= seq for r in behind):
        return Damage("damaged", offset, seq, max(last, seq))
    if is_last:
        return Damage("torn", offset, seq, last)
    if offset == len(data):
        return None  # whether records are missing here, the next segment's name tells
    # A segment is synced before the next is made, so bad bytes in it were good once. They hold
    # no record that was durable only if the next segment goes on at this very seq.
    return Damage("damaged", offset, seq, max(last, seq))
