"""`ragctl pause`: nothing is indexed for a while, unless somebody asks; it ends by itself."""

import argparse

from ragctl.cli import add_json
from ragctl.daemon.client import Answer
from ragctl.daemon.start import call_daemon
from ragctl.failure import UsageError
from ragctl.views.render import emit_bytes, format_until, print_text
from ragd.errors import EXIT_OK
from ragd.paths import Home
from ragd.protocol.limits import PAUSE_MAX_S

EXAMPLES = (
    ("ragctl pause 2h", "index nothing for two hours; without a length, for one"),
    ("ragctl pause --until 18:00", "up to a time; also '2026-11-16 18:00'"),
    ("ragctl pause resume", "go on now, and catch up"),
)
RESUME = "resume"
DEFAULT_S = 3600


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = (
        f"{parser.description}\n\n"
        "Saves are noticed meanwhile, not indexed; searches mark notes that changed.\n"
        "`ragctl sync`, `index` and `reindex` work all the same, and do not end the pause."
    )
    parser.add_argument(
        "length", metavar="LENGTH", nargs="?", help="30m, 2h, 1h30m, 1d (1h); or: resume"
    )
    parser.add_argument("--until", metavar="TIME", help="up to this time of day, or moment")


def run(args: argparse.Namespace) -> int:
    if args.until is not None and args.length is not None:
        raise UsageError("It is either a length or --until.", "See `ragctl pause --help`.")
    if args.length == RESUME:
        return _resume(args.home, args.json)
    seconds = _seconds(args.length, args.until)
    if seconds > PAUSE_MAX_S:
        raise UsageError(
            "A pause is at most 30 days long.", "`ragctl stop` stops the daemon for good."
        )
    answer = call_daemon(args.home, "POST", "/v1/pause", {"seconds": seconds}, start=True)
    said = f"Syncing is paused {format_until(answer.data['paused']['until'])}."
    return _tell(answer, f"{said} `ragctl pause resume` ends it.", args.json)


def _resume(home: Home, as_json: bool) -> int:
    answer = call_daemon(home, "POST", "/v1/resume", {}, start=True)
    if answer.data["was_paused"]:
        said = "Syncing goes on: what changed meanwhile is being indexed."
    else:
        said = "Syncing was not paused."
    return _tell(answer, said, as_json)


def _seconds(length: str | None, until: str | None) -> int:
    if length is None and until is None:
        return DEFAULT_S
    from datetime import UTC, datetime

    from ragctl.arguments.durations import seconds_in, seconds_until

    if until is not None:
        return seconds_until(until, datetime.now(UTC))
    return seconds_in(str(length))


def _tell(answer: Answer, said: str, as_json: bool) -> int:
    if as_json:
        emit_bytes(answer.body)
    else:
        print_text(said)
    return EXIT_OK
