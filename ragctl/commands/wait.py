"""`ragctl wait`: comes back when the daemon is as asked. It waits for facts, not for time.

Exit codes: 0 it is so; 75 it was not so in time; 3 the daemon went away meanwhile. With
`--timeout 0` it looks once and says how things are: 4 unavailable, 5 degraded, 75 busy.
"""

import argparse
import time
from typing import Any

from ragctl.cli import add_json, at_least, one_of
from ragctl.daemon.start import call_daemon
from ragctl.daemon.wait import wait_until
from ragctl.views.render import clean, counted, emit_json, format_until, print_notice
from ragd.errors import (
    DEGRADED,
    EXIT_DEGRADED,
    EXIT_OK,
    EXIT_TIMEOUT,
    EXIT_UNAVAILABLE,
    HEALTHY,
    UNAVAILABLE,
    WITHOUT_VECTORS,
)

EXAMPLES = (
    ("ragctl wait --for healthy --timeout 300", "wait up to five minutes"),
    ("ragctl wait --for idle && ragctl stop", "stop when all work is done"),
)
GOALS = ("healthy", "degraded", "idle")


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "--for",
        dest="goal",
        type=one_of(*GOALS),
        default="healthy",
        metavar="STATE",
        help="healthy (default); degraded: it can serve, perhaps with limits; "
        "idle: no job, no note waiting, no vector to come",
    )
    parser.add_argument(
        "--timeout",
        type=at_least(0, float),
        default=60.0,
        metavar="S",
        help="seconds to wait (60); 0 looks once and exits 4 unavailable, 5 degraded, 75 busy",
    )


def run(args: argparse.Namespace) -> int:
    began = time.monotonic()
    answer = call_daemon(args.home, "GET", "/v1/status", start=True)
    data = wait_until(args.home, answer, lambda d: reached(args.goal, d), args.timeout).data
    met = reached(args.goal, data)
    if args.json:
        emit_json(
            {
                "goal": args.goal,
                "reached": met,
                "plugin_health": data["plugin_health"],
                "reasons": [reason["code"] for reason in data["reasons"]],
                "active_job": data["active_job"],
                "unindexed_files": data["unindexed_files"],
                "waited_ms": round((time.monotonic() - began) * 1000),
            }
        )
    if met:
        return EXIT_OK
    if not args.json:
        print_notice(_why_not(args.goal, data, args.timeout))
    return _glance(args.goal, data) if args.timeout == 0 else EXIT_TIMEOUT


def reached(goal: str, data: dict[str, Any]) -> bool:
    """Whether the daemon is as asked."""
    if goal == "idle":  # who has not looked around yet cannot know whether there is work
        busy = data["active_job"] or data["unindexed_files"] or _is_starting(data)
        return not (busy or _makes_vectors(data))
    health = data["plugin_health"]
    return bool(health == HEALTHY or (goal == DEGRADED and health == DEGRADED))


def _makes_vectors(data: dict[str, Any]) -> bool:
    """Whether vectors are still to come, and nothing keeps them from coming."""
    prevented = any(reason["code"] in WITHOUT_VECTORS for reason in data["reasons"])
    return bool(data.get("chunks_pending")) and not (prevented or data.get("paused"))


def _is_starting(data: dict[str, Any]) -> bool:
    return any(reason["code"] == "STARTING" for reason in data["reasons"])


def _glance(goal: str, data: dict[str, Any]) -> int:
    """What one look says; nobody waited, so it is no time-out."""
    if goal == "idle":
        return EXIT_TIMEOUT
    return EXIT_UNAVAILABLE if data["plugin_health"] == UNAVAILABLE else EXIT_DEGRADED


def _why_not(goal: str, data: dict[str, Any], timeout: float) -> str:
    within = f" after {timeout:g} s" if timeout else ""
    if goal == "idle":
        job = data["active_job"]
        busy = f"a {clean(job['mode'])} job runs" if job else "no job runs"
        if _is_starting(data):
            busy = "the daemon is starting"
        elif _makes_vectors(data):
            busy += f", {counted(data['chunks_pending'], 'vector')} to come"
        waiting = counted(data["unindexed_files"], "file")
        if data.get("paused"):
            busy += f", syncing is paused {format_until(data['paused']['until'])}"
        return f"Not idle{within}: {busy}, {waiting} waiting.\nSee `ragctl status`."
    lines = [f"Still {clean(data['plugin_health'])}{within}."]
    lines += [f"{r['code']}: {r['message']}\n{r['suggestion']}" for r in data["reasons"]]
    return "\n".join(lines)
