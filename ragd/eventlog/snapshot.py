"""Folded state on disk, so that a start need not read the whole log. Losing it costs a rescan.

A snapshot is one sealed line (checksum, JSON) in a file named by the last seq it covers. It never
covers a record that was not durable, and knows nothing of what the state means.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from ragd.crashpoints import crashpoint
from ragd.durable import make_directory, replace_file, sync_directory
from ragd.eventlog.disk import TEMPORARY, RealDisk
from ragd.eventlog.frame import NotARecord, seal, unseal
from ragd.eventlog.scan import first_seq_of, segment_names

EVERY_RECORDS = 10_000
KEPT = 2
RETENTION_DAYS = 30
RETENTION_BYTES = 128 * 1024 * 1024
SUFFIX = ".json"


class Snapshot(Struct, frozen=True):
    """Everything the folds knew after record `seq`; `folds` is the version of their shape."""

    folds: int
    seq: int
    ts: str
    created_by: str
    state: Raw


_decoder = msgspec.json.Decoder(Snapshot)


def snapshot_files(folder: Path) -> list[Path]:
    """The snapshots there are, oldest first."""
    if not folder.is_dir():
        return []
    found = (p for p in folder.iterdir() if p.suffix == SUFFIX and p.stem.isdecimal())
    return sorted(p for p in found if len(p.stem) == 16)


def read_snapshot(path: Path) -> Snapshot | None:
    """The snapshot, or None if it is not whole."""
    try:
        return _decoder.decode(unseal(path.read_bytes().removesuffix(b"\n")))
    except (OSError, NotARecord, msgspec.DecodeError, UnicodeDecodeError):
        return None


def newest_first(folder: Path, folds: int) -> Iterator[Snapshot]:
    """The whole snapshots whose state has this shape."""
    for path in reversed(snapshot_files(folder)):
        snapshot = read_snapshot(path)
        if snapshot is not None and snapshot.folds == folds:
            yield snapshot


def write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    """Write it atomically; then forget all but the last two."""
    make_directory(folder)
    crashpoint("snapshot.before_write")
    path = folder / f"{snapshot.seq:016d}{SUFFIX}"
    replace_file(path, seal(msgspec.json.encode(snapshot)))
    crashpoint("snapshot.after_write")
    half_written = [p for p in folder.iterdir() if p.suffix == TEMPORARY]  # by a run that died
    for old in [*snapshot_files(folder)[:-KEPT], *half_written]:
        old.unlink()
    sync_directory(folder)


def drop_old_segments(events: Path, snapshots: Path, now: float) -> list[str]:
    """Remove segments that both kept snapshots cover and that are too old or too many.

    A snapshot that is not whole, or of another shape than the newest, stands for nothing.
    """
    whole = [s for s in map(read_snapshot, snapshot_files(snapshots)) if s is not None]
    kept = [s for s in whole if s.folds == whole[-1].folds]
    if len(kept) < KEPT:
        return []
    covered = kept[0].seq
    disk = RealDisk(events)
    names = segment_names(disk)
    facts = {name: (events / name).stat() for name in names}
    total = sum(f.st_size for f in facts.values())
    dropped: list[str] = []
    for name, following in pairwise(names):
        if first_seq_of(following) > covered + 1:
            break
        aged = now - facts[name].st_mtime > RETENTION_DAYS * 86_400
        if not aged and total <= RETENTION_BYTES:
            break
        disk.rename(name, "")
        crashpoint("retention.after_drop")
        total -= facts[name].st_size
        dropped.append(name)
    return dropped
