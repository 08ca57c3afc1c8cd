"""Opens a log after a crash or damage: reads it, repairs it, and reports every repair.

A torn tail is copied to `aside/` and cut off. A damaged segment is moved there. Each is an incident
that the daemon must record; until then the kept file's name ends in `.pending`, so that a crash
between repair and record cannot hide it. It never cuts an acknowledged record.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import count, zip_longest

from msgspec import Struct
from msgspec.structs import replace

from ragd.eventlog.disk import TEMPORARY, Disk, log_failed
from ragd.eventlog.frame import Record, decode
from ragd.eventlog.segment import Segment, first_seq_of, scan, segment_name, segment_names
from ragd.events import SegmentQuarantined, TailCut
from ragd.runtime.crash_points import crashpoint
from ragd.runtime.durable_files import is_disk_full

ASIDE = "aside/"
PENDING = ".pending"
KEPT_TAILS_MAX = 10

Incident = TailCut | SegmentQuarantined
Range = tuple[int, int]  # of seqs, both included


class Position(Struct, frozen=True):
    """Where the log ends: the open segment (empty: none yet), its size, and the next seq."""

    segment: str
    size: int
    next_seq: int


class Recovered(Struct):
    """The end of the log, and the repairs that are not recorded yet."""

    position: Position
    incidents: list[Incident]
    replayed_bytes: int = 0  # of the records that were given to `apply`; about


def read_log(disk: Disk, after: int) -> Iterator[Segment]:
    """The segments with records after `after`, each scanned. It changes nothing on disk.

    A segment loses its records when the next one is asked for: two would take twice the memory.
    """
    names = segments_after(disk, after)
    for name, following in zip_longest(names, names[1:]):
        segment = scan(name, disk.read(name), is_last=following is None)
        if segment.damage is not None and following is not None:
            segment.damage = replace(segment.damage, last_seq=first_seq_of(following) - 1)
        yield segment
        segment.records = []


def segments_after(disk: Disk, after: int) -> list[str]:
    """The segments that may have records after `after`, in order."""
    names = segment_names(disk)
    covered = sum(first_seq_of(name) <= after + 1 for name in names[1:])
    return names[covered:]


def recover(disk: Disk, after: int, apply: Callable[[Record], None]) -> Recovered:
    """Give every record after `after` to `apply`, in order, and make the log ready for appends."""
    try:
        return _Recovery(disk, after, apply).run()
    except OSError as why:
        raise log_failed(why) from why


class _Recovery:
    """One opening of a log, from its first segment to its last."""

    def __init__(self, disk: Disk, after: int, apply: Callable[[Record], None]) -> None:
        self._disk = disk
        self._after = after
        self._apply = apply
        self._position = Position("", 0, after + 1)
        self._last_good = ""
        self._replayed_bytes = 0
        self._repairs: list[Incident] = []
        self._gaps: list[Range] = []
        self._recorded: list[Incident] = []

    def run(self) -> Recovered:
        for name in self._disk.names():
            if name.endswith(TEMPORARY):
                self._disk.rename(name, "")
        self._repairs = unrecorded_incidents(self._disk)
        if self._after and not segment_names(self._disk) and not _ranges(self._repairs):
            self._gaps.append((1, self._after))  # there is a snapshot, but no log
        for segment in read_log(self._disk, self._after):
            self._recover_segment(segment)
        self._skip_lost_seqs()
        if self._last_good:
            _rewrite_last_group(self._disk, self._last_good)
        return Recovered(self._position, self._incidents(), self._replayed_bytes)

    def _recover_segment(self, segment: Segment) -> None:
        start, expected = first_seq_of(segment.name), self._position.next_seq
        if start > expected:
            self._gaps.append((expected, start - 1))
        damage = segment.damage
        if damage is not None and damage.kind != "torn":
            self._add_repair(_move_aside(self._disk, segment))
            self._position = Position("", 0, max(expected, damage.last_seq + 1))
            return
        if segment.records:
            applied = min(len(segment.records), segment.next_seq - expected)
            self._replayed_bytes += segment.end * max(0, applied) // len(segment.records)
        for record in segment.records:
            if record.seq >= expected:
                self._apply(record)
                if isinstance(record.event, Incident):
                    self._recorded.append(record.event)
        if damage is not None:
            self._add_repair(_cut_tail(self._disk, segment))
        self._last_good = segment.name
        if segment.next_seq < expected:  # the snapshot covers records that are gone
            self._gaps.append((segment.next_seq, expected - 1))
            self._position = Position("", 0, expected)
        else:
            self._position = Position(segment.name, segment.end, segment.next_seq)

    def _add_repair(self, incident: Incident) -> None:
        if incident not in self._repairs:  # an earlier start may have made the same repair
            self._repairs.append(incident)

    def _skip_lost_seqs(self) -> None:
        """Continue after the seqs of segments that an earlier start moved aside."""
        last = max((last for _, last in _ranges(self._repairs)), default=0)
        if last >= self._position.next_seq:
            self._position = Position("", 0, last + 1)

    def _incidents(self) -> list[Incident]:
        """The repairs and gaps that the log does not have yet."""
        kept = {incident.kept_as for incident in self._recorded if incident.kept_as}
        mark_recorded(self._disk, [i for i in self._repairs if i.kept_as in kept])
        known = _ranges([*self._repairs, *self._recorded])
        found = [i for i in self._repairs if i.kept_as not in kept]
        for gap in self._gaps:
            first, last = _uncovered(gap, known)
            if first <= last:
                found.append(_missing(first, last))
        return found


def _ranges(incidents: Sequence[Incident]) -> list[Range]:
    """The seqs that are known to be lost."""
    lost = (i for i in incidents if isinstance(i, SegmentQuarantined))
    return sorted((i.first_seq, i.last_seq) for i in lost)


def _uncovered(gap: Range, known: Sequence[Range]) -> Range:
    """The gap without the records at its start that a known range already covers."""
    first, last = gap
    for known_first, known_last in known:
        if known_first <= first <= known_last:
            first = known_last + 1
    return first, last


def _rewrite_last_group(disk: Disk, name: str) -> None:
    """Make the last group durable, however its writer ended.

    After a kill it may be only in the page cache. After a failed sync the page cache treats it as
    written, and only a second write brings it to the disk.
    """
    data = disk.read(name)
    offset = _unproven_offset(data)
    file = disk.append_to(name)
    try:
        try:
            file.rewrite(offset, data[offset:])
        except OSError as why:
            if not is_disk_full(why):  # a copy-on-write file system may have no room
                raise
        crashpoint("recovery.after_rewrite")
        file.sync()
    finally:
        file.close()


def _unproven_offset(data: bytes) -> int:
    """The offset of the first record that no later record proves durable."""
    end = data.rfind(b"\n", 0, -1) + 1
    if end == 0:
        return len(data)  # only a header, which was durable before the file was renamed
    last = decode(data[end:-1])
    for _ in range(last.seq - last.d - 1):
        end = data.rfind(b"\n", 0, max(0, end - 1)) + 1
    return end


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
    kept = _keep_tail(disk, segment)
    crashpoint("recovery.after_keep")
    file = disk.append_to(segment.name)
    try:
        file.truncate(segment.end)
        file.sync()
    finally:
        file.close()
    crashpoint("recovery.after_cut")
    return TailCut(segment=segment.name, offset=segment.end, size_bytes=cut, kept_as=kept)


def _keep_tail(disk: Disk, segment: Segment) -> str:
    """Copy the tail to `aside/` under a new name, unless a start that crashed here has done so."""
    tail = disk.read(segment.name, segment.end)
    names = disk.names()
    for number in count(1):
        kept = f"{ASIDE}{segment.name}.{segment.end:016d}-{number}.tail"
        if kept + PENDING in names:
            if disk.read(kept + PENDING) == tail:
                break
        elif kept not in names:
            _create(disk, kept + PENDING, tail)
            break
    return kept


def _create(disk: Disk, name: str, tail: bytes) -> None:
    """On a full disk write an empty file: these bytes were never acknowledged."""
    try:
        disk.create(name, tail)
    except OSError as why:
        if not is_disk_full(why):
            raise
        disk.create(name, b"")


def unrecorded_incidents(disk: Disk) -> list[Incident]:
    """Repairs of an earlier start that crashed before it recorded them."""
    incidents: list[Incident] = []
    for name in disk.names():
        if not name.endswith(PENDING):
            continue
        kept = name.removesuffix(PENDING)
        segment, number, kind = kept.removeprefix(ASIDE).rsplit(".", 2)
        if kind == "tail":
            offset = int(number.partition("-")[0])
            size = len(disk.read(name))
            incidents.append(TailCut(segment=segment, offset=offset, size_bytes=size, kept_as=kept))
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


def mark_recorded(disk: Disk, incidents: Sequence[Incident]) -> None:
    """The incidents are in the log now: rename their files, and remove old tails."""
    names = set(disk.names())
    for incident in incidents:
        if incident.kept_as and incident.kept_as + PENDING in names:
            disk.rename(incident.kept_as + PENDING, incident.kept_as)
            crashpoint("recovery.after_mark")
    tails = sorted(n for n in disk.names() if n.startswith(ASIDE) and n.endswith(".tail"))
    for name in tails[:-KEPT_TAILS_MAX]:
        disk.rename(name, "")
