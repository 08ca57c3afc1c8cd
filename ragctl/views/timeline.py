"""How health went: every change, why, and what it left behind. For programs, and in words.

It asks nobody: `events` has the changes from the daemon, `replay` from the files of the log.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ragctl.views.render import Ink, clean, fields, local
from ragd.errors import DEGRADED, HEALTHY

_INDENT = 21  # a moment and two spaces


class Change(NamedTuple):
    """Fact `seq` changed the health. `cause` is that fact; None where it is past retention."""

    seq: int
    ts: str
    before: str
    after: str
    reasons: list[str]  # that hold from now on, the worst first
    cause: dict[str, Any] | None

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


def cause_of(record: dict[str, Any]) -> dict[str, Any]:
    """What is told of the fact behind a change."""
    return {name: record[name] for name in ("seq", "ts", "actor", "event")}


def in_words(changes: Iterable[Change], ink: Ink, known: list[str] | None = None) -> Iterator[str]:
    """Each change in a few lines. `known`: the reasons before the first, if anybody can say."""
    for change in changes:
        if known is None and change.before == HEALTHY:
            known = []
        yield _described(change, known, ink)
        known = change.reasons


def _described(change: Change, known: list[str] | None, ink: Ink) -> str:
    moment = ink.paint(local(change.ts), "dim")
    way = f"{_state(change.before, ink)} {ink.sign('→')} {_state(change.after, ink)}"
    if change.before == change.after:
        way = f"{_state(change.after, ink)}, as before"
    lines = [f"{moment}  {way}"]
    if known is None:
        lines += [f"{'':{_INDENT}}{clean(code)}" for code in change.reasons]
    else:
        raised = [code for code in change.reasons if code not in known]
        passed = [code for code in known if code not in change.reasons]
        lines += [f"{'':{_INDENT}}{ink.paint('+', 'red')} {clean(code)}" for code in raised]
        lines += [f"{'':{_INDENT}}{ink.paint('-', 'green')} {clean(code)}" for code in passed]
    because = ink.wrap(_because(change), _INDENT)
    lines += [f"{'':{_INDENT}}{ink.paint(line.strip(), 'dim')}" for line in because.split("\n")]
    return "\n".join(lines)


def _state(state: str, ink: Ink) -> str:
    colour = {HEALTHY: "green", DEGRADED: "yellow"}.get(state, "red")
    sign = {HEALTHY: "●", DEGRADED: "▲"}.get(state, "✗")
    return ink.paint(f"{ink.sign(sign)} {clean(state)}", colour)


def _because(change: Change) -> str:
    cause = change.cause
    if cause is None:
        return f"by fact {change.seq}, which is past retention"
    event = {k: v for k, v in cause["event"].items() if v not in (None, "", [])}
    said = fields(event, leave_out=("type",))
    return f"by fact {change.seq}: {clean(cause['actor'])} {clean(event['type'])} {said}".rstrip()
