"""`ragctl timeline`: the last days, with each change of health, its cause, jobs and runs."""

import argparse

from ragctl.cli import add_json, at_least
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure
from ragctl.views.past_days import render_past_days
from ragctl.views.render import Ink, emit_bytes
from ragd.errors import EXIT_OK, EXIT_USAGE

EXAMPLES = (
    ("ragctl timeline", "the last seven days"),
    ("ragctl timeline --days 1", "the last 24 hours"),
)


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "--days", type=at_least(1, int), default=7, metavar="N", help="how many days (7; up to 30)"
    )


def run(args: argparse.Namespace) -> int:
    answer = call_daemon(args.home, "GET", f"/v1/timeline?days={args.days}", start=True)
    if args.json:
        emit_bytes(answer.body)
    if answer.envelope.get("data") is None:
        error = answer.envelope.get("error") or {}
        if args.json:
            return EXIT_USAGE
        raise Failure(error.get("message", ""), "See `ragctl timeline --help`.", EXIT_USAGE)
    if not args.json:
        print(render_past_days(answer.data, Ink()))
    return EXIT_OK
