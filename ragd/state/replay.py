"""Time travel: the state at any moment within retention, from the files of a log alone.

It changes nothing and needs no daemon, so it works on a log copied from another machine, and on
one that a daemon is writing.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct, field

from ragd.clock import iso
from ragd.eventlog.disk import RealDisk
from ragd.eventlog.follow import TooOld
from ragd.eventlog.frame import Record
from ragd.eventlog.recovery import read_log
from ragd.eventlog.segment import Segment, first_seq_of, segment_name, segment_names
from ragd.eventlog.snapshot import read_snapshot, snapshot_files, snapshots_newest_first
from ragd.folds import FOLDS_VERSION, State, apply, decode_state, encode_state
from ragd.folds.sync_result import SyncResult


class Replayed(Struct):
    """The state at one moment, how it was reached, and what the log's files had to say for it."""

    state: State
    records: int = 0
    from_snapshot: int = 0
    end: bool = True  # the log holds nothing behind this moment
    damage: list[str] = field(default_factory=list)


def parse_time(text: str) -> str:
    """A moment as people write it (ISO 8601; local time unless it says otherwise)."""
    return iso(datetime.fromisoformat(text).astimezone(UTC))


def states(snapshots: Path) -> Iterator[State]:
    """What the usable snapshots hold, newest first."""
    for snapshot in snapshots_newest_first(snapshots, FOLDS_VERSION):
        try:
            yield decode_state(snapshot.state)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # whole, but not ours


def replay(
    events: Path,
    snapshots: Path,
    *,
    until: int | None = None,
    at: str | None = None,
    from_scratch: bool = False,
    on_record: Callable[[Record, State], None] | None = None,
) -> Replayed:
    """Fold the log up to a seq or a moment. Raises TooOld where retention has let go of it."""
    disk = RealDisk(events)
    names = segment_names(disk)
    oldest = first_seq_of(names[0]) if names else 1
    # A moment in time says nothing about seqs, so every record that is left is looked at.
    if at is not None or from_scratch:
        result = Replayed(_earliest(snapshots, oldest))
    else:
        result = Replayed(_latest(snapshots, until))
    state = result.state
    result.from_snapshot = state.seq
    if oldest > state.seq + 1 or _is_before(state, until, at):
        raise TooOld(_reach(snapshots, oldest))
    expected = state.seq + 1
    for segment in read_log(disk, state.seq):
        result.damage.extend(_complaints(segment, expected))
        if segment.damage is not None and segment.damage.kind != "torn":
            expected = segment.damage.last_seq + 1
            continue  # as recovery does: a damaged segment says nothing
        expected = max(expected, segment.next_seq)
        for record in segment.records:
            if record.seq <= state.seq:
                continue
            if (until is not None and record.seq > until) or (at is not None and record.ts > at):
                result.end = False
                return result
            apply(state, record)
            result.records += 1
            if on_record is not None:
                on_record(record, state)
    return result


def state_at(events: Path, snapshots: Path, seq: int) -> State | None:
    """The state right after `seq`, or None if any record on the way there is missing or damaged."""
    state = _latest(snapshots, seq)
    segments = read_log(RealDisk(events), state.seq)
    records = (r for segment in segments for r in segment.records if r.seq > state.seq)
    while state.seq < seq:  # reads no segment behind `seq`: that may be the one being written
        record = next(records, None)
        if record is None or record.seq != state.seq + 1:
            return None
        apply(state, record)
    return state


def _latest(snapshots: Path, until: int | None) -> State:
    known = states(snapshots)
    return next((s for s in known if until is None or s.seq <= until), State())


def _earliest(snapshots: Path, oldest: int) -> State:
    """Where the log no longer begins at 1, the anchor stands for what is gone."""
    if oldest == 1:
        return State()
    return min(_reaching(snapshots, oldest), key=lambda state: state.seq, default=State())


def _is_before(state: State, until: int | None, at: str | None) -> bool:
    """Whether the moment asked for lies before this state."""
    if until is not None and until < state.seq:
        return True
    return at is not None and state.last_ts is not None and at < state.last_ts


def _reach(snapshots: Path, oldest: int) -> int:
    """The first seq whose state can still be told."""
    return min((s.seq for s in _reaching(snapshots, oldest)), default=oldest)


def _reaching(snapshots: Path, oldest: int) -> Iterator[State]:
    """What snapshots hold, of those between which and a log from `oldest` on nothing is missing."""
    return (state for state in states(snapshots) if state.seq >= oldest - 1)


def _complaints(segment: Segment, expected: int) -> list[str]:
    """What is wrong with a segment, where record `expected` was to come next."""
    found: list[str] = []
    start = first_seq_of(segment.name)
    if start > expected:
        found.append(f"{segment_name(expected)}: missing, up to {start - 1}")
    if segment.damage is not None:
        found.append(f"{segment.name}: {segment.damage.kind} at {segment.damage.seq}")
    return found


def verify(events: Path, snapshots: Path, sync_result: Path) -> list[str]:
    """Where the folds differ from what is on disk: a sentence each, none if all is well."""
    wanted, differences = _held(snapshots)

    def compare(record: Record, state: State) -> None:
        expected = wanted.get(record.seq)
        if expected is not None:
            differences.extend(
                f"snapshot {record.seq}: {line}"
                for line in _differing(expected, encode_state(state))
            )

    result = replay(events, snapshots, from_scratch=True, on_record=compare)
    end = result.state.seq
    differences.extend(f"snapshot {seq}: the log ends at {end}" for seq in wanted if seq > end)
    differences.extend(f"log: {damage}" for damage in result.damage)
    differences.extend(_differing_file(sync_result, result.state.sync_result))
    return differences


def _held(snapshots: Path) -> tuple[dict[int, bytes], list[str]]:
    """The state in each snapshot, by seq, and a sentence for each snapshot that is damaged."""
    held: dict[int, bytes] = {}
    damaged: list[str] = []
    for path in snapshot_files(snapshots):
        snapshot = read_snapshot(path)
        if snapshot is not None and snapshot.folds != FOLDS_VERSION:
            continue
        try:
            held[int(path.stem)] = encode_state(decode_state(snapshot.state if snapshot else b""))
        except (msgspec.DecodeError, UnicodeDecodeError):
            damaged.append(f"snapshot {path.name}: damaged")
    return held, damaged


def _differing_file(path: Path, result: SyncResult) -> list[str]:
    expected = msgspec.json.encode(result)
    try:
        found = msgspec.json.encode(msgspec.json.decode(path.read_bytes(), type=SyncResult))
    except FileNotFoundError:
        return [] if result == SyncResult() else ["sync-result.json: missing"]
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as why:
        return [f"sync-result.json: {why}"]
    return [f"sync-result.json: {line}" for line in _differing(found, expected)]


def _differing(found: bytes, folded: bytes) -> list[str]:
    """The keys, dotted, at which two JSON objects differ."""
    return list(_walk("", msgspec.json.decode(found), msgspec.json.decode(folded)))


def _walk(where: str, found: object, folded: object) -> list[str]:
    if found == folded:
        return []
    if isinstance(found, dict) and isinstance(folded, dict):
        keys = sorted(found.keys() | folded.keys())
        deeper = (_walk(f"{where}.{k}".lstrip("."), found.get(k), folded.get(k)) for k in keys)
        return [line for lines in deeper for line in lines]
    return [f"{where}: on disk {_short(found)}, folded {_short(folded)}"]


def _short(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 80 else text[:77] + "..."
