"""`ragctl status`: shows the daemon's health once or live, or as an exit code."""

import argparse
import sys
from typing import Any

from ragctl.cli import add_json
from ragctl.daemon.start import call_daemon
from ragctl.failure import UsageError
from ragctl.views.render import Ink, emit_bytes, print_text
from ragctl.views.status_report import render_status
from ragd.errors import (
    DEGRADED,
    EXIT_DEGRADED,
    EXIT_OK,
    EXIT_UNAVAILABLE,
    HEALTHY,
    UNAVAILABLE,
)

EXAMPLES = (
    ("ragctl status", "health in words; starts the daemon if it is down"),
    ("ragctl status --watch", "the same, updated live; q ends it"),
    ("ragctl status --check --no-start", "for scripts: exit 0, 5 degraded, 4 unavailable, 3 down"),
)
EXIT_CODES = {HEALTHY: EXIT_OK, DEGRADED: EXIT_DEGRADED, UNAVAILABLE: EXIT_UNAVAILABLE}
SETTLES_S = 5


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--check", action="store_true", help="exit 5 when degraded, 4 when unavailable"
    )
    mode.add_argument("--watch", action="store_true", help="show it live, until q or Ctrl-C")
    parser.add_argument(
        "--no-start", action="store_true", help="do not start the daemon; exit 3 when it is down"
    )


def run(args: argparse.Namespace) -> int:
    if args.watch:
        _require_terminal(args.json)
    answer = call_daemon(args.home, "GET", "/v1/status", start=not args.no_start)
    if _has_just_started(answer.data):
        from ragctl.daemon.wait import wait_until

        # The first probes are still running, so health is not known yet.
        answer = wait_until(args.home, answer, lambda data: not _has_just_started(data), SETTLES_S)
    if args.watch:
        from ragctl.views.live_status import watch_status

        return watch_status(args.home, answer)
    data = answer.data
    if args.json:
        emit_bytes(answer.body)
    else:
        print_text(render_status(data, Ink()))
    return (
        EXIT_CODES.get(data.get("plugin_health", ""), EXIT_UNAVAILABLE) if args.check else EXIT_OK
    )


def _require_terminal(as_json: bool) -> None:
    """Raises UsageError where --watch cannot draw."""
    instead = "Use `ragctl wait`, or `ragctl events -f --health`."
    if as_json:
        raise UsageError("--watch cannot be combined with --json.", instead)
    if not Ink().has_ansi or sys.platform == "win32":
        raise UsageError("--watch needs a terminal that can move the cursor.", instead)


def _has_just_started(data: dict[str, Any]) -> bool:
    young = data.get("uptime_s", SETTLES_S) < SETTLES_S
    return young and any(r["code"] == "STARTING" for r in data.get("reasons", []))
