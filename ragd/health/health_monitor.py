"""The actor that probes the daemon's dependencies, and records a result when it changes.

`DependencyLost` raises a health reason, `DependencyRecovered` clears it. The table `REASONS` in
`ragd.folds.health_reasons` lists which facts do that. It never judges health itself.
"""

import asyncio
from functools import partial
from typing import get_args

import structlog

from ragd.clock import Clock, seconds_between
from ragd.config.live_settings import Settings
from ragd.events import (
    Dependency,
    DependencyLost,
    DependencyRecovered,
    EmbeddingFailed,
    HealthChanged,
    SyncPaused,
    SyncResumed,
    tag_of_type,
)
from ragd.folds.health_reasons import LostDependency
from ragd.health.collection_probes import CollectionProbes
from ragd.health.dependency_probe import DependencyProbe, DependencyProbes, ProbeFinding
from ragd.runtime.exception_location import location_of
from ragd.runtime.wait_for_event import wait_until_set
from ragd.state.ledger import Ledger
from ragd.store.index_damage import IndexDamage

NAME = "health_monitor"
PROBE_WITHIN_S = 20.0
PAUSE_CHECK_S = 10.0


log = structlog.get_logger(NAME)


class HealthMonitor:
    """Probes on a schedule, and records every change of health."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        probes: DependencyProbes,
        collections: CollectionProbes | None = None,
    ) -> None:
        assert set(probes) <= set(get_args(Dependency))
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._probes = probes
        self._collections = collections
        self._index_damage = IndexDamage(ledger, partial(ledger.journal.append, NAME))
        # Set to make a probe check closely, and at once.
        self._doubted = {
            name: asyncio.Event() for name, probe in probes.items() if probe.check_closely
        }

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._record_health())
            group.create_task(self._follow_failed_searches())
            group.create_task(self._watch_disk())
            group.create_task(self._end_pause_in_time())
            if self._collections is not None:
                group.create_task(self._collections.run())
            for dependency, probe in self._probes.items():
                group.create_task(self._probe_regularly(dependency, probe))

    async def _follow_failed_searches(self) -> None:
        """Probe closely when two searches in a row got no vector in time. That alone is not a
        loss: the provider may only have been busy."""
        failed = {tag_of_type(EmbeddingFailed)}
        async for record in self._ledger.journal.follow(self._ledger.state.seq, failed):
            if isinstance(record.event, EmbeddingFailed) and record.event.code == "TIMEOUT":
                for doubted in self._doubted.values():
                    doubted.set()

    async def _probe_regularly(self, dependency: Dependency, probe: DependencyProbe) -> None:
        doubted = self._doubted.get(dependency, asyncio.Event())
        while True:
            before = self._known(dependency)
            closely = probe.check_closely if doubted.is_set() else None
            doubted.clear()
            try:
                async with asyncio.timeout(PROBE_WITHIN_S):
                    found = await (closely or probe.check)()
            except TimeoutError:
                log.warning("a probe took too long", dependency=dependency)
                if probe.overdue is not None:
                    await self._report(dependency, probe.overdue)
            except Exception as why:  # a probe that could not run does not change health
                log.error(
                    "a probe failed",
                    dependency=dependency,
                    exception=type(why).__name__,
                    location=location_of(why),
                )
            else:
                if self._known(dependency) != before:
                    continue  # another actor recorded a result meanwhile: this one may be older
                await self._report(dependency, found)
            await wait_until_set(doubted, self._clock, self._settings.current.health.probe_s)

    def _known(self, dependency: Dependency) -> LostDependency | None:
        return self._ledger.state.health.lost.get(dependency)

    async def _report(self, dependency: Dependency, found: str | ProbeFinding | None) -> None:
        """Record the result if it differs from the last one."""
        health = self._ledger.state.health
        known = self._known(dependency)
        is_recorded = dependency in health.seen or self._probes[dependency].quiet
        lost = _loss(dependency, found)
        if is_recorded and _same(known, lost):
            return
        log.info("dependency", dependency=dependency, code=lost.code if lost else None)
        if dependency == "index" and lost is not None:
            await self._index_damage.record_probe(lost.code)
            return
        fact = lost if lost is not None else DependencyRecovered(dependency=dependency)
        await self._ledger.journal.append(NAME, fact)

    async def _watch_disk(self) -> None:
        """Record a full disk. The first fact waits until the disk has room; because it waits, the
        log keeps trying to write even if no other actor appends.
        """
        journal = self._ledger.journal
        while True:
            if journal.full_since is None:
                await journal.fullness_changed()
                continue
            lost = DependencyLost(dependency="disk", code="DISK_FULL", since=journal.full_since)
            record = await journal.append(NAME, lost)
            await journal.append(NAME, DependencyRecovered(dependency="disk"), cause=record.seq)

    async def _end_pause_in_time(self) -> None:
        """Record the end of a pause. The clock is read often, because a machine that slept, or
        whose clock was set forward, skips seconds. A clock that is set back does not make a pause
        longer: the seconds left when the pause was first seen count too."""
        journal, paused = self._ledger.journal, {tag_of_type(SyncPaused)}
        seen, ends = "", 0.0  # the end of the pause, by the wall clock and by the monotonic clock
        while True:
            until = self._ledger.state.pause.until
            if until is None:
                seen = ""
                async for _ in journal.follow(self._ledger.state.seq, paused):
                    break
                else:
                    return  # the log is closed
                continue
            left = seconds_between(self._clock.now(), until)
            if until != seen:
                seen, ends = until, self._clock.monotonic() + left
            left = min(left, ends - self._clock.monotonic())
            if left > 0:
                await self._clock.sleep(min(left, PAUSE_CHECK_S))
            else:
                await journal.append(NAME, SyncResumed(reason="elapsed"))

    async def _record_health(self) -> None:
        while True:
            change = await self._ledger.next_health_change()
            changed = HealthChanged(
                before=change.before, after=change.after, reasons=change.reasons
            )
            log.info("health", before=change.before, after=change.after, reasons=change.reasons)
            await self._ledger.journal.append(NAME, changed, cause=change.seq)
            self._ledger.health_change_recorded()


def _loss(dependency: Dependency, found: str | ProbeFinding | None) -> DependencyLost | None:
    if found is None or isinstance(found, str):
        return DependencyLost(dependency=dependency, code=found) if found else None
    return DependencyLost(
        dependency=dependency,
        code=found.code,
        since=found.since,
        configured=found.configured,
        made=found.made,
    )


def _same(known: LostDependency | None, lost: DependencyLost | None) -> bool:
    if known is None or lost is None:
        return known is None and lost is None
    return (known.code, known.configured, known.made) == (lost.code, lost.configured, lost.made)
