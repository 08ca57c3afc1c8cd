"""Runs all checks at once, each in a thread with its own time-out: one that hangs delays no other.

It does not know what the checks do.
"""

import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ragctl.doctor.checks import Finding, fail
from ragd.paths import Home

WITHIN_S = 10.0


class Check(NamedTuple):
    """A check, and how long it may take."""

    run: Callable[[Home], Finding]
    within_s: float = WITHIN_S


_Done = queue.SimpleQueue[tuple[str, Finding]]


def run_checks(home: Home, checks: Mapping[str, Check]) -> dict[str, Finding]:
    """Run all checks in parallel; a check that takes too long has failed."""
    done: _Done = queue.SimpleQueue()
    began = time.monotonic()
    for name, check in checks.items():
        # Daemon threads: a check that hangs on a dead network drive must not hold up the exit.
        threading.Thread(target=_run_check, args=(name, check, home, done), daemon=True).start()
    found: dict[str, Finding] = {}
    while len(found) < len(checks):
        pending = {name: check for name, check in checks.items() if name not in found}
        next_end = began + min(check.within_s for check in pending.values())
        try:
            name, finding = done.get(timeout=max(0.0, next_end - time.monotonic()))
            found.setdefault(name, finding)  # a check that timed out stays failed
        except queue.Empty:
            found |= {
                n: _timed_out(c) for n, c in pending.items() if began + c.within_s <= next_end
            }
    return {name: found[name] for name in checks}


def _timed_out(check: Check) -> Finding:
    return fail(
        f"no answer within {check.within_s:g} s", "Is it on a network drive that does not answer?"
    )


def _run_check(name: str, check: Check, home: Home, done: _Done) -> None:
    try:
        finding = check.run(home)
    except PermissionError as why:
        where = str(why.filename)
        finding = fail(f"{where}: {why.strerror}", "Check its owner and its mode.", where)
    except Exception as why:  # any error becomes the check's finding
        error = str(why)
        finding = fail(
            f"the check itself failed ({type(why).__name__}: {error})", "Report this.", error
        )
    done.put((name, finding))
