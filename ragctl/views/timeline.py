"""The history of health: each change with its cause, as JSON and as text.

It reads nothing: `events` gets the changes from the daemon, `replay` from the log files.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ragctl.views.render import Ink, clean, format_fields, local_time
from ragd.errors import DEGRADED, HEALTHY

_INDENT = 21  # the width of a timestamp and two spaces


class TimelineChange(NamedTuple):
    """Fact `seq` changed the health. `cause` is that fact; None if it is past retention."""

    seq: int
    ts: str
    before: str
    after: str
    reasons: list[str]  # that hold after this change, the worst first
    cause: dict[str, Any] | None

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


def cause_fields(record: dict[str, Any]) -> dict[str, Any]:
    """The fields to show of the fact that caused a change."""
    return {name: record[name] for name in ("seq", "ts", "actor", "event")}


def render_changes(
    changes: Iterable[TimelineChange], ink: Ink, reasons_before: list[str] | None = None
) -> Iterator[str]:
    """Each change in a few lines. `reasons_before`: before the first change; None if unknown."""
    for change in changes:
        if reasons_before is None and change.before == HEALTHY:
            reasons_before = []
        yield _render_change(change, reasons_before, ink)
        reasons_before = change.reasons


def _render_change(change: TimelineChange, reasons_before: list[str] | None, ink: Ink) -> str:
    moment = ink.paint(local_time(change.ts), "dim")
    transition = f"{_state(change.before, ink)} {ink.sign('→')} {_state(change.after, ink)}"
    if change.before == change.after:
        transition = f"{_state(change.after, ink)}, as before"
    lines = [f"{moment}  {transition}"]
    if reasons_before is None:
        lines += [f"{'':{_INDENT}}{clean(code)}" for code in change.reasons]
    else:
        raised = [code for code in change.reasons if code not in reasons_before]
        passed = [code for code in reasons_before if code not in change.reasons]
        lines += [f"{'':{_INDENT}}{ink.paint('+', 'red')} {clean(code)}" for code in raised]
        lines += [f"{'':{_INDENT}}{ink.paint('-', 'green')} {clean(code)}" for code in passed]
    because = ink.wrap(_format_cause(change), _INDENT)
    lines += [f"{'':{_INDENT}}{ink.paint(line.strip(), 'dim')}" for line in because.split("\n")]
    return "\n".join(lines)


def _state(state: str, ink: Ink) -> str:
    colour = {HEALTHY: "green", DEGRADED: "yellow"}.get(state, "red")
    sign = {HEALTHY: "●", DEGRADED: "▲"}.get(state, "✗")
    return ink.paint(f"{ink.sign(sign)} {clean(state)}", colour)


def _format_cause(change: TimelineChange) -> str:
    cause = change.cause
    if cause is None:
        return f"by fact {change.seq}, which is past retention"
    event = {k: v for k, v in cause["event"].items() if v not in (None, "", [])}
    fields = format_fields(event, leave_out=("type",))
    return f"by fact {change.seq}: {clean(cause['actor'])} {clean(event['type'])} {fields}".rstrip()
