"""Snapshots of the folded state, so that a start does not read the whole log; and retention.

A snapshot is one line with a checksum, in a file named by the last seq it covers. It never covers a
record that was not durable, and this module does not know what the state means.

The snapshot right before the oldest segment is the anchor: from it, the state can be replayed at
every record that is left.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from ragd.eventlog.disk import TEMPORARY, RealDisk
from ragd.eventlog.frame import NotARecord, add_checksum, check_checksum
from ragd.eventlog.segment import first_seq_of, segment_names
from ragd.runtime.crash_points import crashpoint
from ragd.runtime.durable_files import is_disk_full, make_directory, replace_file, sync_directory

EVERY_RECORDS = 10_000
EVERY_BYTES = 4 * 1024 * 1024  # of records; a first index makes few, but large ones
KEPT = 2
RETENTION_DAYS = 30
RETENTION_BYTES = 128 * 1024 * 1024
SUFFIX = ".json"


class Snapshot(Struct, frozen=True):
    """The folded state after record `seq`; `folds` is the version of the state's format."""

    folds: int
    seq: int
    ts: str
    created_by: str
    state: Raw


class SnapshotHeader(Struct, frozen=True):
    """A snapshot without its state."""

    folds: int
    seq: int


_decoder = msgspec.json.Decoder(Snapshot)
_header_decoder = msgspec.json.Decoder(SnapshotHeader)
_STATE = b',"state":'  # the last field, so everything before it is the header


def snapshot_files(folder: Path) -> list[Path]:
    """All snapshot files, oldest first."""
    if not folder.is_dir():
        return []
    found = (p for p in folder.iterdir() if p.suffix == SUFFIX and p.stem.isdecimal())
    return sorted(p for p in found if len(p.stem) == 16)


def newest_size(folder: Path) -> int:
    """The size of the newest snapshot; 0 without one."""
    try:
        return max((path.stat().st_size for path in snapshot_files(folder)[-1:]), default=0)
    except OSError:
        return 0


def read_snapshot(path: Path) -> Snapshot | None:
    """The snapshot, or None if it is not whole."""
    try:
        return _decoder.decode(check_checksum(path.read_bytes().removesuffix(b"\n")))
    except (OSError, NotARecord, msgspec.DecodeError, UnicodeDecodeError):
        return None


def read_header(path: Path) -> SnapshotHeader | None:
    """The header of a snapshot, or None if the snapshot is not whole.

    Decoding the state of a large vault would hold the GIL, and so block the event loop.
    """
    try:
        head, found, _ = check_checksum(path.read_bytes().removesuffix(b"\n")).partition(_STATE)
        return _header_decoder.decode(head + b"}") if found else None
    except (OSError, NotARecord, msgspec.DecodeError, UnicodeDecodeError):
        return None


def snapshots_newest_first(folder: Path, folds: int) -> Iterator[Snapshot]:
    """The whole snapshots whose state has this format."""
    for path in reversed(snapshot_files(folder)):
        snapshot = read_snapshot(path)
        if snapshot is not None and snapshot.folds == folds:
            yield snapshot


def write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    """Write it atomically and durably."""
    make_directory(folder)
    crashpoint("snapshot.before_write")
    path = folder / f"{snapshot.seq:016d}{SUFFIX}"
    replace_file(path, add_checksum(msgspec.json.encode(snapshot)))
    crashpoint("snapshot.after_write")


def remove_half_written(folder: Path) -> None:
    """Remove the temporary files of a run that crashed. Call it before snapshots are written."""
    if folder.is_dir():
        for path in folder.iterdir():
            if path.suffix == TEMPORARY:
                path.unlink()


def remove_old_snapshots(folder: Path, oldest: int, folds: int) -> None:
    """Keep the newest two, and the one from which a log that begins at `oldest` is replayed."""
    files = snapshot_files(folder)[:-KEPT]
    first = _anchor(files, oldest, folds)
    for old in files:
        if old != first:
            old.unlink()
            crashpoint("snapshot.after_forget")
    sync_directory(folder)


def _anchor(files: Sequence[Path], oldest: int, folds: int) -> Path | None:
    """The anchor; if damage has prevented one, the oldest usable snapshot."""
    if oldest == 1:
        return None  # the log is complete
    for path in files:
        if int(path.stem) >= oldest - 1:
            header = read_header(path)
            if header is not None and header.folds == folds:
                return path
    return None


FoldUpTo = Callable[[int], Snapshot | None]


def drop_old_segments(events: Path, snapshots: Path, now: float, fold_up_to: FoldUpTo) -> list[str]:
    """Remove segments that the newest two snapshots cover and that are too old or too large.

    A snapshot that is not whole, or has another format than the newest, does not count. Before the
    first segment is removed, the anchor is written: `fold_up_to` returns the state after a seq, or
    None if it cannot.
    """
    whole = [s for s in map(read_header, snapshot_files(snapshots)) if s is not None]
    known = [s.seq for s in whole if s.folds == whole[-1].folds]
    if len(known) < KEPT:
        return []
    disk = RealDisk(events)
    names = segment_names(disk)
    old = _past_retention(events, names, known[-KEPT], now)
    if old:
        before = first_seq_of(names[len(old)]) - 1
        if before not in known:
            _write_anchor(snapshots, fold_up_to(before))
    for name in old:
        disk.rename(name, "")
        crashpoint("retention.after_drop")
    return old


def _past_retention(events: Path, names: Sequence[str], covered: int, now: float) -> list[str]:
    """The oldest of these segments that must be removed."""
    facts = {name: (events / name).stat() for name in names}
    total = sum(f.st_size for f in facts.values())
    old: list[str] = []
    for name, following in pairwise(names):
        if first_seq_of(following) > covered + 1:
            break
        aged = now - facts[name].st_mtime > RETENTION_DAYS * 86_400
        if not aged and total <= RETENTION_BYTES:
            break
        total -= facts[name].st_size
        old.append(name)
    return old


def _write_anchor(folder: Path, anchor: Snapshot | None) -> None:
    """Segments are removed even without an anchor (a segment is damaged, or the disk is full).

    Then replay reaches back to the oldest snapshot, and later to the next anchor. A shorter reach
    is better than a full disk, and better than a state that ignores a gap.
    """
    if anchor is None:
        return
    try:
        write_snapshot(folder, anchor)
    except OSError as why:
        if not is_disk_full(why):
            raise
