"""Every check at once, each in a thread and each with its own time: one that hangs holds up none.

It knows nothing of what is checked.
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
    """A look, and how long it may take."""

    look: Callable[[Home], Finding]
    within_s: float = WITHIN_S


_Done = queue.SimpleQueue[tuple[str, Finding]]


def examine(place: Home, checks: Mapping[str, Check]) -> dict[str, Finding]:
    """Run all checks side by side; one that does not come back in its time has failed."""
    done: _Done = queue.SimpleQueue()
    began = time.monotonic()
    for name, check in checks.items():
        # Daemon threads: a check that hangs on a dead network drive must not hold up the exit.
        threading.Thread(target=_run, args=(name, check, place, done), daemon=True).start()
    found: dict[str, Finding] = {}
    while len(found) < len(checks):
        pending = {name: check for name, check in checks.items() if name not in found}
        next_end = began + min(check.within_s for check in pending.values())
        try:
            name, finding = done.get(timeout=max(0.0, next_end - time.monotonic()))
            found.setdefault(name, finding)  # one that was given up stays so
        except queue.Empty:
            found |= {n: _late(c) for n, c in pending.items() if began + c.within_s <= next_end}
    return {name: found[name] for name in checks}


def _late(check: Check) -> Finding:
    return fail(
        f"no answer within {check.within_s:g} s", "Is it on a network drive that does not answer?"
    )


def _run(name: str, check: Check, place: Home, done: _Done) -> None:
    try:
        finding = check.look(place)
    except PermissionError as why:
        where = str(why.filename)
        finding = fail(f"{where}: {why.strerror}", "Look at its owner and its mode.", where)
    except Exception as why:  # the edge of a check: what went wrong is its finding
        words = str(why)
        finding = fail(
            f"the check itself failed ({type(why).__name__}: {words})", "Report this.", words
        )
    done.put((name, finding))
