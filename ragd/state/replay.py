"""Replays a log: the state after any record within retention, from the files alone.

It changes nothing and needs no daemon, so it works on a log copied from another machine, and on a
log that a daemon is writing.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from ragd.clock import iso
from ragd.eventlog.disk import Disk, RealDisk
from ragd.eventlog.follow import TooOld
from ragd.eventlog.frame import Record
from ragd.eventlog.recovery import read_log, segments_after
from ragd.eventlog.segment import (
    Segment,
    first_seq_of,
    open_segment,
    segment_name,
    segment_names,
)
from ragd.eventlog.snapshot import read_snapshot, snapshot_files, snapshots_newest_first
from ragd.folds import FOLDS_VERSION, State, apply, decode_state
from ragd.folds.sync_result import SyncResult
from ragd.runtime.garbage_collection import collector_paused


class Replayed(Struct):
    """The state at one moment, how it was reached, and the damage found in the log's files."""

    state: State
    records: int = 0
    from_snapshot: int = 0
    end: bool = True  # the log has no later record
    damage: list[str] = field(default_factory=list)


def parse_time(text: str) -> str:
    """A time as people write it (ISO 8601; local time unless it has an offset)."""
    return iso(datetime.fromisoformat(text).astimezone(UTC))


def states_newest_first(snapshots: Path) -> Iterator[State]:
    """The states in the usable snapshots, newest first."""
    for snapshot in snapshots_newest_first(snapshots, FOLDS_VERSION):
        try:
            yield decode_state(snapshot.state)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # the checksum is right, but the content is not a state


@collector_paused()
def replay(
    events: Path,
    snapshots: Path,
    *,
    until: int | None = None,
    at: str | None = None,
    from_scratch: bool = False,
    on_record: Callable[[Record, State], None] | None = None,
) -> Replayed:
    """Fold the log up to a seq or a time. Raises TooOld if retention has removed that."""
    disk = RealDisk(events)
    names = segment_names(disk)
    oldest = first_seq_of(names[0]) if names else 1

    def begin() -> Replayed:
        # The seq at a given time is not known, so every record that is left is read.
        is_whole = at is not None or from_scratch
        state = _earliest(snapshots, oldest) if is_whole else _latest(snapshots, until)
        if oldest > state.seq + 1 or _is_before(state, until, at):
            raise TooOld(_first_replayable(snapshots, oldest))
        return Replayed(state, from_snapshot=state.seq)

    result = begin()
    if on_record is not None or not _fold_undamaged(disk, result, until, at):
        result = begin()
        _fold_segments(disk, result, until, at, on_record)
    return result


def _fold_undamaged(disk: Disk, result: Replayed, until: int | None, at: str | None) -> bool:
    """Fold the records while they are read: quicker, and no segment has to fit into memory.

    False if any record is damaged or missing. Then the result must not be used: of a damaged
    segment no record counts, and some may have been folded.
    """
    expected = result.state.seq + 1
    for name in segments_after(disk, result.state.seq):
        data = disk.read(name)
        blocks = open_segment(name, data)
        if blocks is None or first_seq_of(name) > expected:
            return False
        for records in blocks:
            if result.end:
                _fold(records, result, until, at, None)
        if blocks.end < len(data):
            return False
        if not result.end:
            break
        expected = blocks.next_seq
    return True


def _fold_segments(
    disk: Disk,
    result: Replayed,
    until: int | None,
    at: str | None,
    on_record: Callable[[Record, State], None] | None,
) -> None:
    """Fold the records of each segment that is known to be whole, and describe the damage."""
    expected = result.state.seq + 1
    for segment in read_log(disk, result.state.seq):
        result.damage.extend(_describe_damage(segment, expected))
        if segment.damage is not None and segment.damage.kind != "torn":
            expected = segment.damage.last_seq + 1
            continue  # as recovery does: a damaged segment is skipped
        expected = max(expected, segment.next_seq)
        _fold(segment.records, result, until, at, on_record)
        if not result.end:
            break


def _fold(
    records: Sequence[Record],
    result: Replayed,
    until: int | None,
    at: str | None,
    on_record: Callable[[Record, State], None] | None,
) -> None:
    """Fold these records, up to a seq or a time. If one is after that, it is not the end."""
    state = result.state
    later = [record for record in records if record.seq > state.seq]
    wanted = later if until is None and at is None else _up_to(later, until, at)
    for record in wanted:
        apply(state, record)
        if on_record is not None:
            on_record(record, state)
    result.records += len(wanted)
    result.end = len(wanted) == len(later)


def _up_to(records: Sequence[Record], until: int | None, at: str | None) -> Sequence[Record]:
    """Those before the first one that is after this seq or this time."""
    for place, record in enumerate(records):
        if (until is not None and record.seq > until) or (at is not None and record.ts > at):
            return records[:place]
    return records


@collector_paused()
def state_at(events: Path, snapshots: Path, seq: int) -> State | None:
    """The state right after `seq`, or None if any record on the way there is missing or damaged."""
    state = _latest(snapshots, seq)
    segments = read_log(RealDisk(events), state.seq)
    records = (r for segment in segments for r in segment.records if r.seq > state.seq)
    while state.seq < seq:  # reads no later segment: the daemon may be writing it
        record = next(records, None)
        if record is None or record.seq != state.seq + 1:
            return None
        apply(state, record)
    return state


def _latest(snapshots: Path, until: int | None) -> State:
    known = states_newest_first(snapshots)
    return next((s for s in known if until is None or s.seq <= until), State())


def _earliest(snapshots: Path, oldest: int) -> State:
    """If the log no longer begins at 1, the anchor replaces what is gone."""
    if oldest == 1:
        return State()
    states = _replayable_states(snapshots, oldest)
    return min(states, key=lambda state: state.seq, default=State())


def _is_before(state: State, until: int | None, at: str | None) -> bool:
    """Whether the wanted seq or time is before this state."""
    if until is not None and until < state.seq:
        return True
    return at is not None and state.last_ts is not None and at < state.last_ts


def _first_replayable(snapshots: Path, oldest: int) -> int:
    """The first seq whose state can still be replayed."""
    return min((s.seq for s in _replayable_states(snapshots, oldest)), default=oldest)


def _replayable_states(snapshots: Path, oldest: int) -> Iterator[State]:
    """The states in snapshots after which no record is missing in a log that begins at `oldest`."""
    return (state for state in states_newest_first(snapshots) if state.seq >= oldest - 1)


def _describe_damage(segment: Segment, expected: int) -> list[str]:
    """What is wrong with a segment, if record `expected` should come next."""
    found: list[str] = []
    start = first_seq_of(segment.name)
    if start > expected:
        found.append(f"{segment_name(expected)}: missing, up to {start - 1}")
    if segment.damage is not None:
        found.append(f"{segment.name}: {segment.damage.kind} at {segment.damage.seq}")
    return found


def verify(events: Path, snapshots: Path, sync_result: Path) -> list[str]:
    """The differences between the replayed state and the files on disk, a sentence each."""
    wanted, differences = _read_snapshots(snapshots)

    def compare(record: Record, state: State) -> None:
        expected = wanted.get(record.seq)
        if expected is not None:
            differences.extend(
                f"snapshot {record.seq}: {line}" for line in _compare_state("", expected, state)
            )

    result = replay(events, snapshots, from_scratch=True, on_record=compare)
    end = result.state.seq
    differences.extend(f"snapshot {seq}: the log ends at {end}" for seq in wanted if seq > end)
    differences.extend(f"log: {damage}" for damage in result.damage)
    differences.extend(_file_differences(sync_result, result.state.sync_result))
    return differences


def _read_snapshots(snapshots: Path) -> tuple[dict[int, Any], list[str]]:
    """The state in each snapshot, by seq, and a sentence for each snapshot that is damaged."""
    found: dict[int, Any] = {}
    damaged: list[str] = []
    for path in snapshot_files(snapshots):
        snapshot = read_snapshot(path)
        if snapshot is not None and snapshot.folds != FOLDS_VERSION:
            continue
        try:
            encoded = snapshot.state if snapshot else b""
            decode_state(encoded)
            found[int(path.stem)] = msgspec.json.decode(encoded)
        except (msgspec.DecodeError, UnicodeDecodeError):
            damaged.append(f"snapshot {path.name}: damaged")
    return found, damaged


def _compare_state(where: str, found: Any, folded: Any) -> list[str]:
    """The keys at which a snapshot differs. A snapshot of another version may have more fields or
    fewer: only those that both have are compared."""
    pairs: Sequence[tuple[object, Any, Any]]
    if isinstance(found, list) and isinstance(folded, list) and len(found) == len(folded):
        pairs = list(zip(range(len(found)), found, folded, strict=True))
    elif not isinstance(found, dict) or not isinstance(folded, Struct | dict):
        return _compare(where, found, msgspec.to_builtins(folded, order="deterministic"))
    elif isinstance(folded, dict):
        pairs = [(key, found.get(key), folded.get(key)) for key in sorted(found | folded)]
    else:
        names = [name for name in folded.__struct_fields__ if name in found]
        pairs = [(name, found[name], getattr(folded, name)) for name in names]
    deeper = (_compare_state(f"{where}.{key}".lstrip("."), *pair) for key, *pair in pairs)
    return [line for lines in deeper for line in lines]


def _file_differences(path: Path, result: SyncResult) -> list[str]:
    expected = msgspec.json.encode(result)
    try:
        found = msgspec.json.encode(msgspec.json.decode(path.read_bytes(), type=SyncResult))
    except FileNotFoundError:
        return [] if result == SyncResult() else ["sync-result.json: missing"]
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as why:
        return [f"sync-result.json: {why}"]
    return [f"sync-result.json: {line}" for line in _differences(found, expected)]


def _differences(found: bytes, folded: bytes) -> list[str]:
    """The keys, dotted, at which two JSON objects differ."""
    return list(_compare("", msgspec.json.decode(found), msgspec.json.decode(folded)))


def _compare(where: str, found: object, folded: object) -> list[str]:
    if found == folded:
        return []
    if isinstance(found, dict) and isinstance(folded, dict):
        keys = sorted(found.keys() | folded.keys())
        deeper = (_compare(f"{where}.{k}".lstrip("."), found.get(k), folded.get(k)) for k in keys)
        return [line for lines in deeper for line in lines]
    return [f"{where}: on disk {_short(found)}, folded {_short(folded)}"]


def _short(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 80 else text[:77] + "..."
