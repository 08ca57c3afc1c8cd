"""Opening a log after whatever happened to it: read, repair, never silently.

A torn tail is kept beside and cut. A damaged segment is moved aside whole. Both leave an incident
that the daemon must record; until it has, the kept file's name says `pending`, so that a crash
between repair and record cannot hide it. Acknowledged records are never cut.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from ragd.crashpoints import crashpoint
from ragd.eventlog.disk import TEMPORARY, Disk
from ragd.eventlog.frame import Record
from ragd.eventlog.scan import Segment, first_seq_of, scan, segment_name, segment_names
from ragd.events import SegmentQuarantined, TailCut

ASIDE = "aside/"
PENDING = ".pending"
KEPT_TAILS_MAX = 10

Incident = TailCut | SegmentQuarantined


class Position(Struct, frozen=True):
    """Where the log ends: the open segment (empty: none yet), its size, and the next seq."""

    segment: str
    size: int
    next_seq: int


class Recovered(Struct):
    """The end of the log, and what had to be repaired on the way there."""

    position: Position
    incidents: list[Incident]


def read_log(disk: Disk, after: int) -> Iterator[Segment]:
    """The segments that hold records behind `after`, each scanned, nothing changed."""
    names = segment_names(disk)
    for i, name in enumerate(names):
        is_last = i == len(names) - 1
        if not is_last and first_seq_of(names[i + 1]) <= after + 1:
            continue
        yield scan(name, disk.read(name), is_last=is_last)


def recover(disk: Disk, after: int, apply: Callable[[Record], None]) -> Recovered:
    """Give every record behind `after` to `apply`, in order, and leave the log fit to append to."""
    for name in disk.names():
        if name.endswith(TEMPORARY):
            disk.rename(name, "")
    incidents = _unrecorded(disk)
    position = Position("", 0, after + 1)
    for segment in read_log(disk, after):
        start = first_seq_of(segment.name)
        if start > position.next_seq:
            incidents.append(_missing(position.next_seq, start - 1))
        damage = segment.damage
        if damage is not None and damage.kind != "torn":
            incidents.append(_move_aside(disk, segment))
            position = Position("", 0, max(position.next_seq, damage.last_seq + 1))
            continue
        for record in segment.records:
            if record.seq > after:
                apply(record)
        if damage is not None:
            incidents.append(_cut_tail(disk, segment))
        if segment.next_seq < position.next_seq:  # a snapshot knows of records that are gone
            incidents.append(_missing(segment.next_seq, position.next_seq - 1))
            position = Position("", 0, position.next_seq)
        else:
            position = Position(segment.name, segment.end, segment.next_seq)
    if position.segment:
        _settle(disk, position)
    return Recovered(position, incidents)


def _settle(disk: Disk, position: Position) -> None:
    """A killed writer's last records may be in the page cache only: make them durable."""
    file = disk.append_to(position.segment)
    try:
        file.sync()
    finally:
        file.close()


def _missing(first: int, last: int) -> SegmentQuarantined:
    return SegmentQuarantined(
        segment=segment_name(first), first_seq=first, last_seq=last, reason="missing"
    )


def _move_aside(disk: Disk, segment: Segment) -> SegmentQuarantined:
    assert segment.damage is not None and segment.damage.kind != "torn"
    first, last = first_seq_of(segment.name), segment.damage.last_seq
    reason = segment.damage.kind
    kept = f"{ASIDE}{segment.name}.{last:016d}.{reason}"
    disk.rename(segment.name, kept + PENDING)
    crashpoint("recovery.after_aside")
    return SegmentQuarantined(
        segment=segment.name, first_seq=first, last_seq=last, reason=reason, kept_as=kept
    )


def _cut_tail(disk: Disk, segment: Segment) -> TailCut:
    cut = segment.size - segment.end
    kept = f"{ASIDE}{segment.name}.{segment.end:016d}.tail"
    disk.create(kept + PENDING, disk.read(segment.name, segment.end))
    crashpoint("recovery.after_keep")
    file = disk.append_to(segment.name)
    try:
        file.truncate(segment.end)
        file.sync()
    finally:
        file.close()
    crashpoint("recovery.after_cut")
    return TailCut(segment=segment.name, offset=segment.end, size_bytes=cut, kept_as=kept)


def _unrecorded(disk: Disk) -> list[Incident]:
    """Repairs of an earlier start that ended before it could record them."""
    incidents: list[Incident] = []
    for name in disk.names():
        if not name.endswith(PENDING):
            continue
        kept = name.removesuffix(PENDING)
        segment, number, kind = kept.removeprefix(ASIDE).rsplit(".", 2)
        if kind == "tail":
            size = len(disk.read(name))
            incidents.append(
                TailCut(segment=segment, offset=int(number), size_bytes=size, kept_as=kept)
            )
        else:
            incidents.append(
                SegmentQuarantined(
                    segment=segment,
                    first_seq=first_seq_of(segment),
                    last_seq=int(number),
                    reason="header" if kind == "header" else "damaged",
                    kept_as=kept,
                )
            )
    return incidents


def mark_recorded(disk: Disk, incidents: list[Incident]) -> None:
    """The incidents are in the log now: their files need no reminder, and old tails may go."""
    names = set(disk.names())
    for incident in incidents:
        if incident.kept_as and incident.kept_as + PENDING in names:
            disk.rename(incident.kept_as + PENDING, incident.kept_as)
    tails = sorted(n for n in disk.names() if n.startswith(ASIDE) and n.endswith(".tail"))
    for name in tails[:-KEPT_TAILS_MAX]:
        disk.rename(name, "")
