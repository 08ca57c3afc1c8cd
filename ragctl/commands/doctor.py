"""`ragctl doctor`: every check at once, each in a thread, so that one that hangs holds up none."""

import argparse
import queue
import threading
import time
from collections.abc import Callable

from ragctl.checks import Finding, daemon, fail, home, log, vault
from ragctl.cli import add_json
from ragctl.render import Ink, clean, counted, emit_json
from ragd.errors import EXIT_FAILED, EXIT_OK
from ragd.paths import Home

EXAMPLES = (
    ("ragctl doctor", "what is wrong here, and what to do about it"),
    ("ragctl doctor --json | jq '.checks[] | select(.verdict != \"ok\")'", "for a program"),
)
WITHIN_S = 20.0
CHECKS: dict[str, Callable[[Home], Finding]] = {
    "python": home.python,
    "config": home.config,
    "home": home.permissions,
    "disk space": home.space,
    "lock": daemon.lock,
    "socket": daemon.socket,
    "log": log.integrity,
    "snapshots": log.snapshots,
    "clock": log.clock,
    "vault": vault.reachable,
    "inotify": vault.inotify,
}
_SIGNS = {"ok": ("✓", "green"), "warn": ("▲", "yellow"), "fail": ("✗", "red")}


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    found = examine(args.home, CHECKS, WITHIN_S)
    failed = any(finding.verdict == "fail" for finding in found.values())
    if args.json:
        checks = [{"name": name, **finding._asdict()} for name, finding in found.items()]
        emit_json({"ok": not failed, "checks": checks})
    else:
        print(describe(found, Ink()))
    return EXIT_FAILED if failed else EXIT_OK


def examine(
    place: Home, checks: dict[str, Callable[[Home], Finding]], within: float
) -> dict[str, Finding]:
    """Run all checks side by side; one that does not come back in time has failed."""
    done: queue.SimpleQueue[tuple[str, Finding]] = queue.SimpleQueue()
    for name, check in checks.items():
        # Daemon threads: a check that hangs on a dead network drive must not hold up the exit.
        threading.Thread(target=_run, args=(name, check, place, done), daemon=True).start()
    deadline = time.monotonic() + within
    found: dict[str, Finding] = {}
    while len(found) < len(checks):
        try:
            name, finding = done.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            break
        found[name] = finding
    late = fail(f"no answer within {within:g} s", "Is it on a network drive that does not answer?")
    return {name: found.get(name, late) for name in checks}


def _run(
    name: str,
    check: Callable[[Home], Finding],
    place: Home,
    done: "queue.SimpleQueue[tuple[str, Finding]]",
) -> None:
    try:
        finding = check(place)
    except PermissionError as why:
        finding = fail(f"{why.filename}: {why.strerror}", "Look at its owner and its mode.")
    except Exception as why:  # the edge of a check: what went wrong is its finding
        finding = fail(f"the check itself failed ({type(why).__name__}: {why})", "Report this.")
    done.put((name, finding))


def describe(found: dict[str, Finding], ink: Ink) -> str:
    """A line for each check, and the fix below it where one is needed."""
    width = max(len(name) for name in found)
    lines: list[str] = []
    for name, finding in found.items():
        sign, colour = _SIGNS[finding.verdict]
        said = [ink.wrap(clean(line), width + 6) for line in finding.message.splitlines()]
        text = f"\n{'':{width + 6}}".join(said)
        lines.append(f"  {ink.paint(ink.sign(sign), colour)} {name:<{width}}  {text}")
        if finding.fix:
            fix = ink.wrap(clean(finding.fix), width + 8)
            lines.append(f"{'':{width + 6}}{ink.paint(ink.sign('→'), 'cyan')} {fix}")
    failed = sum(finding.verdict == "fail" for finding in found.values())
    warned = sum(finding.verdict == "warn" for finding in found.values())
    if failed:
        verdict = ink.paint(counted(failed, "check") + " failed.", "red", "bold")
    elif warned:
        verdict = ink.paint(f"Nothing failed; {counted(warned, 'warning')}.", "yellow")
    else:
        verdict = ink.paint("All is well.", "green")
    return "\n".join([*lines, "", verdict])
