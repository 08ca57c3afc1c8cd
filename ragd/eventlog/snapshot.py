"""Folded state on disk, so that a start need not read the whole log. Losing it costs a rescan.

A snapshot is one sealed line (checksum, JSON) in a file named by the last seq it covers. It never
covers a record that was not durable, and knows nothing of what the state means.

The one right before the oldest segment is the anchor: with it, the state can be told at every
record that is left.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from ragd.eventlog.disk import TEMPORARY, RealDisk
from ragd.eventlog.frame import NotARecord, seal, unseal
from ragd.eventlog.segment import first_seq_of, segment_names
from ragd.runtime.crash_points import crashpoint
from ragd.runtime.durable_files import is_disk_full, make_directory, replace_file, sync_directory

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


class Header(Struct, frozen=True):
    """Which snapshot it is, without its state."""

    folds: int
    seq: int


_decoder = msgspec.json.Decoder(Snapshot)
_header_decoder = msgspec.json.Decoder(Header)
_STATE = b',"state":'  # the last field, so everything before it is the header


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


def read_header(path: Path) -> Header | None:
    """What a whole snapshot says before its state, or None if it is not whole.

    To decode the state of a large vault would hold the interpreter, and with it the event loop.
    """
    try:
        head, found, _ = unseal(path.read_bytes().removesuffix(b"\n")).partition(_STATE)
        return _header_decoder.decode(head + b"}") if found else None
    except (OSError, NotARecord, msgspec.DecodeError, UnicodeDecodeError):
        return None


def newest_first(folder: Path, folds: int) -> Iterator[Snapshot]:
    """The whole snapshots whose state has this shape."""
    for path in reversed(snapshot_files(folder)):
        snapshot = read_snapshot(path)
        if snapshot is not None and snapshot.folds == folds:
            yield snapshot


def write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    """Write it atomically and durably."""
    make_directory(folder)
    crashpoint("snapshot.before_write")
    path = folder / f"{snapshot.seq:016d}{SUFFIX}"
    replace_file(path, seal(msgspec.json.encode(snapshot)))
    crashpoint("snapshot.after_write")


def clear_half_written(folder: Path) -> None:
    """Remove what a run that died left behind. Only while nobody writes snapshots here."""
    if folder.is_dir():
        for path in folder.iterdir():
            if path.suffix == TEMPORARY:
                path.unlink()


def forget_old_snapshots(folder: Path, oldest: int, folds: int) -> None:
    """Keep the newest two, and the one from which a log that begins at `oldest` is told."""
    files = snapshot_files(folder)[:-KEPT]
    beginning = _beginning(files, oldest, folds)
    for old in files:
        if old != beginning:
            old.unlink()
            crashpoint("snapshot.after_forget")
    sync_directory(folder)


def _beginning(files: Sequence[Path], oldest: int, folds: int) -> Path | None:
    """The anchor. Where damage has prevented one, the oldest of use: it will lead to the next."""
    if oldest == 1:
        return None  # the log tells everything by itself
    for path in files:
        if int(path.stem) >= oldest - 1:
            header = read_header(path)
            if header is not None and header.folds == folds:
                return path
    return None


Tell = Callable[[int], Snapshot | None]


def drop_old_segments(events: Path, snapshots: Path, now: float, tell: Tell) -> list[str]:
    """Remove segments that the newest two snapshots cover and that are too old or too many.

    A snapshot that is not whole, or of another shape than the newest, stands for nothing. Before
    the first segment goes, the anchor is there: `tell` gives the state after a seq, if it can.
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
            _write_anchor(snapshots, tell(before))
    for name in old:
        disk.rename(name, "")
        crashpoint("retention.after_drop")
    return old


def _past_retention(events: Path, names: Sequence[str], covered: int, now: float) -> list[str]:
    """The oldest of these segments, as many as have to go."""
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
    """Without one (a segment is damaged, there is no room) segments go all the same.

    Then the state can be told from the oldest snapshot on, and from the next anchor when retention
    has come as far as that. A shorter reach is better than a disk that fills up, and better than
    a state told across a hole as if there were none.
    """
    if anchor is None:
        return
    try:
        write_snapshot(folder, anchor)
    except OSError as why:
        if not is_disk_full(why):
            raise
