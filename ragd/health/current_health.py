"""The current health: from the folds, plus what cannot be recorded yet. Pure.

It never judges a dependency itself: the table of reasons is in `ragd.folds.health_reasons`.
"""

from msgspec import Struct

from ragd.access.scope import Scope
from ragd.errors import HEALTHY, SEVERITY, UNAVAILABLE, worse
from ragd.folds import State
from ragd.folds.health_reasons import forced_state
from ragd.vault.collection_paths import VAULT

ABOUT_THE_VAULT = ("VAULT_NOT_FOUND", "VAULT_NOT_RESPONDING")


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


def scoped_health(health: CurrentHealth, scope: Scope) -> CurrentHealth:
    """The health without what concerns only collections that are not in scope. What makes the
    whole daemon unavailable concerns everybody."""
    if VAULT in scope.names:
        return health
    kept = [
        reason
        for reason in health.reasons
        if reason.code not in ABOUT_THE_VAULT or reason.state == UNAVAILABLE
    ]
    worst = HEALTHY
    for reason in kept:
        worst = worse(worst, reason.state)
    return CurrentHealth(worst, tuple(kept))
