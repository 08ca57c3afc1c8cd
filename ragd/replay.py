"""Time travel: the state at any moment within retention, from the files of a log alone.

It changes nothing and needs no daemon, so it works on a log copied from another machine, and on
one that a daemon is writing.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct, field

from ragd.clock import iso
from ragd.eventlog.disk import RealDisk
from ragd.eventlog.follow import TooOld
from ragd.eventlog.frame import Record
from ragd.eventlog.recovery import read_log
from ragd.eventlog.scan import first_seq_of, segment_names
from ragd.eventlog.snapshot import newest_snapshot, read_snapshot, snapshot_files
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
    # A moment in time says nothing about seqs, so every record that is left is looked at. Where
    # the log no longer begins at 1, its oldest snapshot stands for what is gone.
    limit = until if at is None and not from_scratch else None
    if at is not None or from_scratch:
        limit = 0 if oldest == 1 else _oldest_snapshot(snapshots)
    found = newest_snapshot(snapshots, FOLDS_VERSION, limit)
    result = Replayed(decode_state(found.state) if found is not None else State())
    result.from_snapshot = result.state.seq
    if oldest > result.state.seq + 1 or (until is not None and until < result.state.seq):
        raise TooOld(oldest)
    for segment in read_log(disk, result.state.seq):
        if segment.damage is not None:
            result.damage.append(f"{segment.name}: {segment.damage.kind} at {segment.damage.seq}")
            if segment.damage.kind != "torn":
                continue  # as recovery does: a damaged segment says nothing
        for record in segment.records:
            if record.seq <= result.state.seq:
                continue
            if (until is not None and record.seq > until) or (at is not None and record.ts > at):
                result.end = False
                return result
            apply(result.state, record)
            result.records += 1
            if on_record is not None:
                on_record(record, result.state)
    return result


def _oldest_snapshot(snapshots: Path) -> int:
    return next((int(p.stem) for p in snapshot_files(snapshots) if read_snapshot(p)), 0)


def verify(events: Path, snapshots: Path, sync_result: Path) -> list[str]:
    """Where the folds differ from what is on disk: a sentence each, none if all is well."""
    differences: list[str] = []
    wanted: dict[int, bytes] = {}
    for path in snapshot_files(snapshots):
        snapshot = read_snapshot(path)
        if snapshot is None:
            differences.append(f"snapshot {path.name}: damaged")
        elif snapshot.folds == FOLDS_VERSION:
            wanted[snapshot.seq] = encode_state(decode_state(snapshot.state))

    def compare(record: Record, state: State) -> None:
        expected = wanted.get(record.seq)
        if expected is not None:
            differences.extend(
                f"snapshot {record.seq}: {line}"
                for line in _differing(expected, encode_state(state))
            )

    result = replay(events, snapshots, from_scratch=True, on_record=compare)
    differences.extend(f"log: {damage}" for damage in result.damage)
    differences.extend(_differing_file(sync_result, result.state.sync_result))
    return differences


def _differing_file(path: Path, result: SyncResult) -> list[str]:
    expected = msgspec.json.encode(result)
    try:
        found = msgspec.json.encode(msgspec.json.decode(path.read_bytes(), type=SyncResult))
    except FileNotFoundError:
        return [] if result == SyncResult() else ["sync-result.json: missing"]
    except (OSError, msgspec.DecodeError) as why:
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
