"""`ragctl events`: the facts in the log, and new ones as they are recorded."""

import argparse
import json
import time
from collections.abc import Iterator
from typing import Any

from ragctl.cli import add_json, at_least
from ragctl.daemon.start import call_daemon
from ragctl.daemon.wait import stream_facts_after
from ragctl.failure import Disconnected, NotRunning, UsageError
from ragctl.views.render import Ink, clean, emit_bytes, format_fields, local_time
from ragd.errors import EXIT_OK
from ragd.paths import Home

EXAMPLES = (
    ("ragctl events -f", "the last few facts, then each new one"),
    ("ragctl events -f --type job_finished", "the last jobs that finished, then each new one"),
    ("ragctl events --health", "every change of health, and what caused it"),
    ("ragctl events --after -100 --json | jq .event", "the last hundred, for a program"),
)
FOLLOW_FROM = 10
_RESUME_S = (0.1, 2.0)
_TROUBLE = ("failed", "lost", "crashed", "quarantined", "cut", "unavailable", "held", "refused")


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("-f", "--follow", action="store_true", help="keep showing new facts")
    parser.add_argument(
        "--type",
        action="append",
        default=[],
        metavar="T",
        help="only facts of this type (repeatable)",
    )
    parser.add_argument(
        "--health", action="store_true", help="every change of health, with the fact that caused it"
    )
    parser.add_argument(
        "--after",
        type=int,
        metavar="SEQ",
        help="start after this seq; a negative number counts from the end "
        f"(default: all that are kept; with -f the last {FOLLOW_FROM})",
    )
    parser.add_argument(
        "--limit", type=at_least(1, int), metavar="N", help="stop after this many facts"
    )


def run(args: argparse.Namespace) -> int:
    if args.health and args.type:
        raise UsageError("--health cannot be combined with --type.", "See `ragctl events --help`.")
    log = call_daemon(args.home, "GET", "/v1/status", start=True).data["log"]
    if args.health:
        from ragctl.views.health_events import show_health_events

        return show_health_events(args, log["seq"], log["oldest_seq"])
    after = start_seq(args, log["seq"], log["oldest_seq"])
    ink = Ink()
    left = args.limit
    if args.follow:
        lines = follow_facts(args.home, after, args.type)
    else:
        lines = read_facts(args.home, after, args.type, follow=False)
    for line in lines:
        if args.json:
            emit_bytes(line)
        else:
            print(format_fact(json.loads(line), ink), flush=args.follow)
        left = left and left - 1
        if left == 0:
            break
    return EXIT_OK


def follow_facts(home: Home, after: int, types: list[str]) -> Iterator[bytes]:
    """Every fact after `after`, until the daemon stops. It reconnects after a lost connection."""
    pause, longest = _RESUME_S
    while True:
        try:
            for line in read_facts(home, after, types, follow=True):
                after = json.loads(line)["seq"]
                pause = _RESUME_S[0]
                yield line
        except Disconnected:
            pass  # too slow for the daemon, or it is stopping: the next request shows which
        except NotRunning:
            raise NotRunning(
                "The daemon stopped, so there are no new facts.", "Start it with `ragctl start`."
            ) from None
        time.sleep(pause)
        pause = min(pause * 2, longest)


def start_seq(args: argparse.Namespace, newest: int, oldest: int) -> int:
    """The seq of the fact before the first one to show."""
    after = args.after
    if after is None:
        after = -FOLLOW_FROM if args.follow else oldest - 1
    return int(after if after >= 0 else max(oldest - 1, newest + after, 0))


def read_facts(home: Home, after: int, types: list[str], *, follow: bool) -> Iterator[bytes]:
    lines = stream_facts_after(home, after, types, follow=follow)
    try:
        while (line := lines.read_line()) is not None:
            yield line
    finally:
        lines.close()


def format_fact(record: dict[str, Any], ink: Ink) -> str:
    """One fact on one line."""
    event = record.get("event", {})
    kind = clean(event.get("type", "?"))
    trouble = kind.endswith(_TROUBLE) or event.get("outcome") == "failed"
    return " ".join(
        [
            ink.paint(local_time(record.get("ts", "")), "dim"),
            ink.paint(f"{record.get('seq', 0):>7}", "dim"),
            f"{clean(record.get('actor', '')):<14}",
            ink.paint(f"{kind:<20}", *(("red",) if trouble else ("bold",))),
            format_fields({k: v for k, v in event.items() if k != "type" and v is not None}),
        ]
    ).rstrip()
