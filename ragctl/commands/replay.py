"""`ragctl replay`: the state at any past moment, from a log's files alone. It changes nothing.

The log may be this home's, even while a daemon writes it, or a copy from another machine.
"""

import argparse
import os
from pathlib import Path
from typing import NamedTuple

from ragctl.cli import add_json, at_least
from ragctl.daemon.lockfile import holder
from ragctl.failure import Failure, UsageError
from ragctl.views.past_state import render_past_state
from ragctl.views.render import Ink, clean, emit_json, print_notice
from ragd.errors import EXIT_FAILED, EXIT_OK
from ragd.eventlog.disk import RealDisk
from ragd.eventlog.follow import TooOld
from ragd.eventlog.segment import segment_names
from ragd.eventlog.snapshot import snapshot_files
from ragd.paths import Home
from ragd.state.past_state import state_as_json
from ragd.state.replay import Replayed, parse_time, replay, verify

EXAMPLES = (
    ("ragctl replay --at 2026-11-15T14:30", "the state at that time, in this machine's time zone"),
    ("ragctl replay --health", "every change of health, and what caused it"),
    ("ragctl replay --verify", "check whether log and disk agree"),
    ("ragctl replay --from ~/Downloads/their-home", "a log copied from another machine"),
)


class Source(NamedTuple):
    """A log and the files that belong to it."""

    events: Path
    snapshots: Path
    sync_result: Path
    is_home: bool
    running: bool


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    moment = parser.add_mutually_exclusive_group()
    moment.add_argument(
        "--until",
        type=at_least(0, int),
        metavar="SEQ",
        help="the state after the fact with this number",
    )
    moment.add_argument(
        "--at",
        type=_parse_at,
        metavar="TIME",
        help="the state at this time (ISO 8601; local time unless it names a zone)",
    )
    moment.add_argument("--verify", action="store_true", help="check whether log and disk agree")
    parser.add_argument(
        "--health", action="store_true", help="every change of health up to then, with its cause"
    )
    parser.add_argument(
        "--from", dest="source", metavar="DIR", help="another home, or a folder of log segments"
    )


def run(args: argparse.Namespace) -> int:
    source = find_log(args.home, args.source)
    if args.verify and args.health:
        raise UsageError(
            "--health: not allowed with argument --verify.", "See `ragctl replay --help`."
        )
    if args.verify:
        return _verify(source, args.json)
    if args.health:
        return _health(source, args)
    found = _replay(source, args.until, args.at)
    if args.json:
        emit_json(state_as_json(found))
    else:
        print(render_past_state(found, Ink()))
    return EXIT_OK


def find_log(home: Home, given: str | None) -> Source:
    """The log to replay: this home's, another home's, or a folder of segments alone."""
    root = os.path.abspath(os.path.expanduser(given)) if given else home.root
    if not os.path.isdir(root):
        raise Failure(f"There is no folder {root}.", "Give a home, or a folder of log segments.")
    other = Home(root)
    if not os.path.isdir(other.events) and segment_names(RealDisk(Path(root))):
        other = Home(os.path.dirname(root))
        source = Source(Path(root), Path(other.snapshots), Path(other.sync_result), False, False)
    else:
        running = holder(other) is not None
        paths = (Path(other.events), Path(other.snapshots), Path(other.sync_result))
        source = Source(*paths, True, running)
    if not segment_names(RealDisk(source.events)) and not snapshot_files(source.snapshots):
        raise Failure(
            f"There is no event log in {root}.",
            "The daemon writes one as soon as it runs: `ragctl start`.",
        )
    return source


def _replay(source: Source, until: int | None, at: str | None) -> Replayed:
    try:
        return replay(source.events, source.snapshots, until=until, at=at)
    except TooOld as why:
        raise _too_old(why) from None


def _health(source: Source, args: argparse.Namespace) -> int:
    from ragctl.views.health_history import read_health_history
    from ragctl.views.timeline import render_changes

    try:
        history = read_health_history(source.events, source.snapshots, args.until, args.at)
    except TooOld as why:
        raise _too_old(why) from None
    if args.json:
        for change in history.changes:
            emit_json(change.as_json())
    else:
        for words in render_changes(history.changes, Ink(), history.reasons_before):
            print(words)
        if not history.changes:
            print("Health has not changed in this log.")
    for damage in history.damage:
        print_notice(f"Skipped: {damage}")
    return EXIT_OK


def _parse_at(text: str) -> str:
    """The type of the option --at."""
    try:
        return parse_time(text)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time; write it like 2026-11-15, 2026-11-15T14:30 or "
            "2026-11-15T14:30:00Z."
        ) from None


def _too_old(why: TooOld) -> Failure:
    return Failure(
        f"The log does not go back that far: the oldest seq that can be replayed is {why.oldest}.",
        f"Try `ragctl replay --until {why.oldest}`, or a later moment.",
    )


def _verify(source: Source, as_json: bool) -> int:
    try:
        differences = verify(source.events, source.snapshots, source.sync_result)
    except TooOld as why:
        raise _too_old(why) from None
    if not source.is_home and not source.sync_result.exists():
        differences = [d for d in differences if d != "sync-result.json: missing"]
    if as_json:
        equal = not differences
        emit_json({"equal": equal, "differences": differences, "daemon_running": source.running})
    elif not differences:
        print("Log and disk agree.")
    else:
        print("Log and disk differ:")
        print("\n".join(f"  {clean(difference)}" for difference in differences))
    if differences and source.running:
        print_notice(
            "A daemon is running: sync-result.json may be a moment behind the log, and a torn tail "
            "is a fact that is being written. Verify again, or first run `ragctl stop`."
        )
    return EXIT_FAILED if differences else EXIT_OK
