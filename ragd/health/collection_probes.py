"""Probes each collection besides the vault, and records when one is lost or works again.

Each has its own thread and its own time limit, so one that hangs does not delay the others. It
never judges health itself, and never reads a note.
"""

import asyncio
from functools import partial
from typing import Protocol

import structlog

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.events import DependencyLost, DependencyRecovered, Fact, GoneReason, VaultUnavailable
from ragd.health.probe_thread import ProbeThread
from ragd.runtime.exception_location import location_of
from ragd.state.ledger import Ledger
from ragd.vault.threads import CODE as NOT_RESPONDING

NAME = "health_monitor"
PROBE_WITHIN_S = 20.0
STILL_HANGS_S = 1.0  # for one that did not respond before: the others are not kept waiting

log = structlog.get_logger(NAME)


class RootChecker(Protocol):
    """Checks the root of a collection; called in a thread."""

    def why_gone(self, collection: str) -> GoneReason | None: ...


class CollectionProbes:
    """One probe for each configured collection, on a schedule."""

    def __init__(
        self, ledger: Ledger, clock: Clock, settings: Settings, notes: RootChecker
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._notes = notes
        # By name and root: while a probe hangs, no second thread is started for the same root.
        self._threads: dict[tuple[str, str], ProbeThread] = {}

    async def run(self) -> None:
        """Probe all of them again and again."""
        while True:
            collections = self._settings.current.collections
            roots = [(name, one.path) for name, one in collections.items()]
            self._threads = {
                root: self._threads.get(root) or ProbeThread(partial(self._check, root[0]))
                for root in roots
            }
            await asyncio.gather(*map(self._probe, roots))
            await self._clock.sleep(self._settings.current.health.probe_s)

    def _check(self, name: str) -> str | None:
        """In a thread. A new collection may be empty."""
        reason = self._notes.why_gone(name)
        is_new = reason == "empty" and not self._ledger.state.catalog.count_stored(name)
        return None if is_new else reason

    async def _probe(self, root: tuple[str, str]) -> None:
        name, health = root[0], self._ledger.state.health
        before = health.lost_collections.get(name)
        hangs = before is not None and before.reason == "not_responding"
        try:
            async with asyncio.timeout(STILL_HANGS_S if hangs else PROBE_WITHIN_S):
                reason = await self._threads[root]()
        except TimeoutError:
            log.warning("a probe took too long", collection=name)
            reason = "not_responding"
        except Exception as why:  # a probe that could not run does not change health
            kind = type(why).__name__
            log.error("a probe failed", exception=kind, location=location_of(why))
            return
        if health.lost_collections.get(name) != before:
            return  # another actor recorded a result meanwhile: this one may be older
        if name not in self._settings.current.collections:
            return  # it was removed meanwhile
        if reason == (before.reason if before is not None else None):
            return
        if reason is None and before is not None and before.is_suspect:
            return  # only a scan can tell whether it is the same
        log.info("collection", collection=name, reason=reason)
        await self._ledger.journal.append(NAME, _fact(name, reason))


def _fact(name: str, reason: str | None) -> Fact:
    match reason:
        case None:
            return DependencyRecovered(dependency="vault", collection=name)
        case ("missing" | "empty" | "unreadable" | "moved" | "overlaps") | (
            "locked" | "damaged" | "unknown_format"
        ):
            return VaultUnavailable(reason=reason, collection=name)
        case _:
            return DependencyLost(dependency="vault", code=NOT_RESPONDING, collection=name)
