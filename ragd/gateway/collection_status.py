"""The collections in a status: the vault first, each with its notes and how it is. Pure.

It never reads the disk.
"""

from collections import Counter
from typing import Any

from ragd.folds import State
from ragd.gateway.live_state import LiveState
from ragd.vault.collection_paths import VAULT, collection_of, join_path

UNKNOWN = "unknown"
HELD = "held"
OK = "ok"


def collections_data(state: State, live: LiveState) -> list[dict[str, Any]]:
    """One entry for each collection; `state` is `ok`, `held`, or the reason why it is lost."""
    catalog, health = state.catalog, state.health
    every = {*live.collections, *catalog.collections}  # with those whose notes leave the index
    folders = [join_path(name, "") for name in every]
    waiting = Counter(collection_of(path, every) for path in catalog.waiting)
    found: list[dict[str, Any]] = []
    for name, settings in live.collections.items():
        folder, scanned = join_path(name, ""), catalog.collections.get(name)
        found.append(
            {
                "name": name,
                "path": settings.path,
                "notes": catalog.folders.count(folder),
                "passages": catalog.folders.count_chunks(folder),
                "state": _state(state, live, name),
                "last_sync": scanned.scanned_at if scanned is not None else None,
                "waiting": waiting[name],
                "held": health.held_in(name),
                "watch": health.watches.get(name) if live.is_recorded(state) else None,
                "private": settings.private,
                "context": settings.context,
            }
        )
    vault = {
        "name": VAULT,
        "path": live.vault_path,
        "notes": catalog.documents - sum(map(catalog.folders.count, folders)),
        "passages": catalog.chunks - sum(map(catalog.folders.count_chunks, folders)),
        "state": _vault_state(state, live),
        "last_sync": catalog.vault_scanned_at,
        "waiting": waiting[VAULT],
        "held": health.held_in(VAULT),
        "watch": health.watch if live.is_recorded(state) else None,
        "private": False,
        "context": live.vault_context,
    }
    return [vault, *found]


def _state(state: State, live: LiveState, name: str) -> str:
    lost = state.health.lost_collections.get(name)
    if not live.is_recorded(state) or (lost is None and name not in state.catalog.collections):
        return UNKNOWN
    if lost is not None:
        return lost.reason
    return HELD if state.health.held_in(name) else OK


def _vault_state(state: State, live: LiveState) -> str:
    health = state.health
    if not live.is_recorded(state):
        return UNKNOWN
    if health.is_vault_lost:
        return "not_responding" if health.is_hanging(VAULT) else "missing"
    if "vault" not in health.seen and state.catalog.vault_scanned_at is None:
        return UNKNOWN
    return HELD if health.held_in(VAULT) else OK
