"""`ragctl pause`: pauses automatic indexing for a while. The pause ends automatically."""

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
    ("ragctl pause 2h", "pause for two hours; without a duration, for one"),
    ("ragctl pause --until 18:00", "pause until a time; also '2026-11-16 18:00'"),
    ("ragctl pause resume", "end the pause now, and catch up"),
)
RESUME = "resume"
DEFAULT_S = 3600


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = (
        f"{parser.description}\n\n"
        "Meanwhile changes are noticed but not indexed; searches mark notes that changed.\n"
        "`ragctl sync`, `index` and `reindex` still work, and do not end the pause."
    )
    parser.add_argument(
        "duration", metavar="DURATION", nargs="?", help="30m, 2h, 1h30m, 1d (1h); or: resume"
    )
    parser.add_argument("--until", metavar="TIME", help="a time of day, or a date and time")


def run(args: argparse.Namespace) -> int:
    if args.until is not None and args.duration is not None:
        raise UsageError("Give a duration or --until, not both.", "See `ragctl pause --help`.")
    if args.duration == RESUME:
        return _resume(args.home, args.json)
    seconds = _pause_seconds(args.duration, args.until)
    if seconds > PAUSE_MAX_S:
        raise UsageError(
            "A pause is at most 30 days long.", "`ragctl stop` stops the daemon for good."
        )
    answer = call_daemon(args.home, "POST", "/v1/pause", {"seconds": seconds}, start=True)
    message = f"Syncing is paused {format_until(answer.data['paused']['until'])}."
    return _print_answer(answer, f"{message} `ragctl pause resume` ends it.", args.json)


def _resume(home: Home, as_json: bool) -> int:
    answer = call_daemon(home, "POST", "/v1/resume", {}, start=True)
    if answer.data["was_paused"]:
        message = "Syncing has resumed: changes during the pause are being indexed."
    else:
        message = "Syncing was not paused."
    return _print_answer(answer, message, as_json)


def _pause_seconds(duration: str | None, until: str | None) -> int:
    if duration is None and until is None:
        return DEFAULT_S
    from datetime import UTC, datetime

    from ragctl.arguments.durations import parse_duration, seconds_until

    if until is not None:
        return seconds_until(until, datetime.now(UTC))
    return parse_duration(str(duration))


def _print_answer(answer: Answer, message: str, as_json: bool) -> int:
    if as_json:
        emit_bytes(answer.body)
    else:
        print_text(message)
    return EXIT_OK
