"""Health for one asker: without what concerns only collections that are not in scope. Pure.

What makes the whole daemon unavailable concerns everybody.
"""

from collections.abc import Callable, Mapping

from msgspec import structs

from ragd.access.scope import Scope
from ragd.errors import HEALTHY, UNAVAILABLE, worse
from ragd.folds import State
from ragd.health.current_health import CurrentHealth
from ragd.vault.collection_paths import VAULT

Concerns = Callable[[State, Scope], bool]


def _about_the_vault(state: State, scope: Scope) -> bool:
    return VAULT in scope.names


def _lost(state: State, scope: Scope) -> bool:
    return not scope.names.isdisjoint(state.health.lost_collections)


def _held(state: State, scope: Scope) -> bool:
    return any(state.health.held_in(name) for name in scope.names)


def _unwatched(state: State, scope: Scope) -> bool:
    is_vault = state.health.watch_lost and VAULT in scope.names
    return is_vault or not scope.names.isdisjoint(state.health.unwatched)


def _stale(state: State, scope: Scope) -> bool:
    return "scan" in state.health.lost or any(map(scope.includes, state.catalog.waiting))


def _without_vectors(state: State, scope: Scope) -> bool:
    return any(map(scope.includes, state.catalog.lacking))


# Reasons that may be about some collections only. The others are about the daemon as a whole.
_CONCERNS: Mapping[str, Concerns] = {
    "VAULT_NOT_FOUND": _about_the_vault,
    "VAULT_NOT_RESPONDING": _about_the_vault,
    "COLLECTION_NOT_FOUND": _lost,
    "DELETIONS_HELD": _held,
    "WATCH_LOST": _unwatched,
    "INDEX_STALE": _stale,
    "VECTORS_PENDING": _without_vectors,
}


def scoped_health(health: CurrentHealth, state: State, scope: Scope) -> CurrentHealth:
    """The reasons that concern this scope, and the state that follows from them."""
    if scope.is_everything:
        return health
    kept = []
    for reason in health.reasons:
        concerns = _CONCERNS.get(reason.code)
        if concerns is None or reason.state == UNAVAILABLE or concerns(state, scope):
            kept.append(reason)
    worst = HEALTHY
    for reason in kept:
        worst = worse(worst, reason.state)
    return CurrentHealth(worst, tuple(kept))


def visible_state(state: State, scope: Scope) -> State:
    """The state for the messages about health: it names only collections in scope."""
    if scope.is_everything:
        return state
    health = state.health
    lost = {name: one for name, one in health.lost_collections.items() if name in scope.names}
    held = {name: count for name, count in health.held.items() if name in scope.names}
    return structs.replace(state, health=structs.replace(health, lost_collections=lost, held=held))
