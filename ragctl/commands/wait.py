"""`ragctl wait`: returns when the daemon is in the requested state. It waits for facts, not time.

Exit codes: 0 the state is reached; 75 it was not reached in time; 3 the daemon stopped meanwhile.
With `--timeout 0` it checks once: 4 unavailable, 5 degraded, 75 busy.
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
        help="healthy (default); degraded: searches work, perhaps with limits; "
        "idle: no job, no note waiting, no vector missing",
    )
    parser.add_argument(
        "--timeout",
        type=at_least(0, float),
        default=60.0,
        metavar="S",
        help="seconds to wait (60); 0 checks once: exit 4 unavailable, 5 degraded, 75 busy",
    )


def run(args: argparse.Namespace) -> int:
    began = time.monotonic()
    answer = call_daemon(args.home, "GET", "/v1/status", start=True)
    data = wait_until(args.home, answer, lambda d: is_reached(args.goal, d), args.timeout).data
    reached = is_reached(args.goal, data)
    if args.json:
        emit_json(
            {
                "goal": args.goal,
                "reached": reached,
                "plugin_health": data["plugin_health"],
                "reasons": [reason["code"] for reason in data["reasons"]],
                "active_job": data["active_job"],
                "unindexed_files": data["unindexed_files"],
                "documents_waiting": data.get("documents_waiting") or {},
                "waited_ms": round((time.monotonic() - began) * 1000),
            }
        )
    if reached:
        return EXIT_OK
    if not args.json:
        print_notice(_explain(args.goal, data, args.timeout))
    return _exit_code(args.goal, data) if args.timeout == 0 else EXIT_TIMEOUT


def is_reached(goal: str, data: dict[str, Any]) -> bool:
    """Whether the daemon is in this state."""
    if goal == "idle":  # while it starts, it has not yet looked for changed notes
        waiting = data["unindexed_files"] or data.get("documents_waiting")
        busy = data["active_job"] or waiting or _is_starting(data) or _unread_collections(data)
        return not (busy or _is_making_vectors(data))
    health = data["plugin_health"]
    return bool(health == HEALTHY or (goal == DEGRADED and health == DEGRADED))


def _is_making_vectors(data: dict[str, Any]) -> bool:
    """Whether vectors are missing, and nothing prevents the daemon from making them."""
    prevented = any(reason["code"] in WITHOUT_VECTORS for reason in data["reasons"])
    return bool(data.get("chunks_pending")) and not (prevented or data.get("paused"))


def _is_starting(data: dict[str, Any]) -> bool:
    return any(reason["code"] == "STARTING" for reason in data["reasons"])


def _unread_collections(data: dict[str, Any]) -> list[str]:
    """The collections that were added, and not looked at yet. A reader looks at none."""
    vault, *others = data.get("collections") or [{"last_sync": None}]
    if vault["last_sync"] is None:
        return []
    return [f"@{one['name']}" for one in others if one["state"] == "unknown"]


def _exit_code(goal: str, data: dict[str, Any]) -> int:
    """The exit code of a single check, which is not a time-out."""
    if goal == "idle":
        return EXIT_TIMEOUT
    return EXIT_UNAVAILABLE if data["plugin_health"] == UNAVAILABLE else EXIT_DEGRADED


def _explain(goal: str, data: dict[str, Any], timeout: float) -> str:
    """Why the state is not reached."""
    within = f" after {timeout:g} s" if timeout else ""
    if goal == "idle":
        job = data["active_job"]
        busy = f"a {clean(job['mode'])} job is running" if job else "no job is running"
        if _is_starting(data):
            busy = "the daemon is starting"
        elif unread := _unread_collections(data):
            busy = f"{', '.join(map(clean, unread))} not read yet"
        elif _is_making_vectors(data):
            busy += f", {counted(data['chunks_pending'], 'vector')} missing"
        files = data["unindexed_files"] + sum((data.get("documents_waiting") or {}).values())
        waiting = counted(files, "file")
        if data.get("paused"):
            busy += f", syncing is paused {format_until(data['paused']['until'])}"
        more = "\nA larger `--timeout` waits longer." if timeout else ""
        return f"Not idle{within}: {busy}, {waiting} waiting.\nSee `ragctl status`.{more}"
    lines = [f"Still {clean(data['plugin_health'])}{within}."]
    lines += [f"{r['code']}: {r['message']}\n{r['suggestion']}" for r in data["reasons"]]
    return "\n".join(lines)
