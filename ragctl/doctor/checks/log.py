"""The event log on disk: its segments, its snapshots and its clock. It only reads."""

import os
import time
from pathlib import Path

from ragctl.daemon.lockfile import holder
from ragctl.doctor.checks import Finding, fail, ok, warn
from ragctl.views.render import counted, format_duration, local_time, unix_seconds
from ragd.errors import LogUnreadable
from ragd.eventlog.disk import RealDisk
from ragd.eventlog.follow import TooOld
from ragd.eventlog.segment import segment_names
from ragd.eventlog.snapshot import read_snapshot, snapshot_files
from ragd.paths import Home
from ragd.state.replay import replay

CLOCK_SLACK_S = 5.0
_NOT_BEFORE = "2025-01-01T00:00:00Z"


def integrity(home: Home) -> Finding:
    """Check each record of each segment: its checksum, its seq and its position."""
    events = Path(home.events)
    segments = segment_names(RealDisk(events))
    if not segments:
        return ok("no log yet")
    try:
        found = replay(events, Path(home.snapshots), from_scratch=True)
    except LogUnreadable as why:
        return fail(why.message, why.suggestion)
    except TooOld as why:
        return fail(
            f"the log's beginning is gone (it starts at {why.oldest}) and no snapshot covers it",
            "Run `ragctl start`, then `ragctl index`, which reads the whole vault again.",
        )
    damage = found.damage
    if holder(home) is not None:
        damage = [d for d in damage if ": torn at" not in d]  # a record that is being written
    if damage:
        more = f" (and {len(damage) - 1} more)" if len(damage) > 1 else ""
        return _judge(damage[0] + more, all(": torn at" in d for d in damage))
    kept = _count_set_aside(home)
    if kept:
        return warn(
            f"{counted(kept, 'damaged part')} set aside earlier in {home.events}/aside",
            "Nothing to do; keep it for a bug report, or delete it.",
        )
    facts = counted(found.state.seq, "fact")
    return ok(f"{facts} in {counted(len(segments), 'segment')}, all intact")


def _judge(damage: str, only_torn: bool) -> Finding:
    if only_torn:
        return warn(damage, "Nothing to do: this is from a kill, and the next start cuts it off.")
    return fail(damage, "Run `ragctl start`: it sets the damaged part aside; then `ragctl index`.")


def _count_set_aside(home: Home) -> int:
    """How many damaged segments a start set aside. Cut tails are normal and not counted."""
    folder = Path(home.events) / "aside"
    if not folder.is_dir():
        return 0
    return sum(".tail" not in path.suffixes for path in folder.iterdir())


def snapshots(home: Home) -> Finding:
    files = snapshot_files(Path(home.snapshots))
    damaged = [path for path in files if read_snapshot(path) is None]
    if damaged:
        return warn(
            f"{damaged[0]} is damaged",
            "Delete it: the log has all the data, and ragd will write a new snapshot.",
        )
    if not files:
        return ok("none yet; one is written every 10,000 facts")
    return ok(f"{counted(len(files), 'snapshot')}, the newest at fact {int(files[-1].stem)}")


def clock(home: Home) -> Finding:
    """The log's newest time must not be in the future, nor the clock before the project began."""
    now = time.time()
    if now < (unix_seconds(_NOT_BEFORE) or 0):
        date = time.strftime("%Y-%m-%d", time.localtime(now))
        return fail(f"this machine's clock says {date}", "Set its clock.")
    newest = _newest_ts(home)
    at = unix_seconds(newest) if newest else None
    if newest and at is not None and at > now + CLOCK_SLACK_S:
        return warn(
            f"the log's newest fact is {format_duration(at - now)} in the future "
            f"({local_time(newest)})",
            "Set this machine's clock; ages and `replay --at` are wrong until it catches up.",
        )
    return ok("this machine's clock is not behind the log's")


def _newest_ts(home: Home) -> str | None:
    """The time of the last record, from the end of the last segment with a record."""
    from ragd.eventlog.frame import NotARecord, decode

    disk = RealDisk(Path(home.events))
    for name in reversed(segment_names(disk)):
        size = os.path.getsize(os.path.join(home.events, name))
        lines = disk.read(name, max(0, size - 256 * 1024)).split(b"\n")
        for line in reversed(lines):
            try:
                return decode(line).ts
            except NotARecord:
                continue
    return None
