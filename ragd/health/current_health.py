"""The current health: from the folds, plus what cannot be recorded yet. Pure.

It never judges a dependency itself: the table of reasons is in `ragd.folds.health_reasons`.
"""

from msgspec import Struct

from ragd.errors import HEALTHY, SEVERITY, UNAVAILABLE, worse
from ragd.folds import State
from ragd.folds.health_reasons import forced_state


class CurrentReason(Struct, frozen=True):
    """A reason that holds now, the health state it forces, and since when it holds."""

    code: str
    state: str
    since: str | None


class CurrentHealth(Struct, frozen=True):
    """The health state and its reasons, worst first."""

    state: str
    reasons: tuple[CurrentReason, ...]

    @property
    def codes(self) -> list[str]:
        return [reason.code for reason in self.reasons]

    def since(self, code: str) -> str | None:
        """Since when this reason holds; None if it does not hold."""
        return next((reason.since for reason in self.reasons if reason.code == code), None)


def current_health(
    state: State, run: str, started_at: str, full_since: str | None
) -> CurrentHealth:
    """The health of the current run. A full disk counts although it cannot be recorded."""
    health = state.health
    if state.runs.id == run:
        raised = health.reasons
        found = [
            CurrentReason(code, health.states[code], raised[code].since)
            for code in health.worst_first
        ]
    else:  # the folds still describe the previous run
        found = [CurrentReason("STARTING", UNAVAILABLE, started_at)]
    if full_since is not None and all(reason.code != "DISK_FULL" for reason in found):
        forced = forced_state("DISK_FULL", state.catalog)
        found.append(CurrentReason("DISK_FULL", forced, full_since))
        found.sort(key=lambda reason: (-SEVERITY[reason.state], health.position(reason.code)))
    worst = HEALTHY
    for reason in found:
        worst = worse(worst, reason.state)
    return CurrentHealth(worst, tuple(found))
