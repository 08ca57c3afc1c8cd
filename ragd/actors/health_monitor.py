"""Looks at what the daemon depends on and records what it finds, only when the answer changes.

It judges nothing: what a lost dependency means is the health fold's business.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple, get_args

import structlog

from ragd.clock import Clock
from ragd.events import Dependency, DependencyLost, DependencyRecovered, HealthChanged
from ragd.ledger import Ledger
from ragd.settings import Settings

NAME = "health_monitor"
PROBE_WITHIN_S = 20.0


class Probe(NamedTuple):
    """How to look: `ask` answers with an error code, or None if all is well. `overdue` is the
    code when it does not answer at all; None: then nothing is known, and nothing is said."""

    ask: Callable[[], Awaitable[str | None]]
    overdue: str | None


Probes = dict[Dependency, Probe]

log = structlog.get_logger(NAME)


class HealthMonitor:
    """Probes on a schedule, and an audit line for every change of health."""

    def __init__(self, ledger: Ledger, clock: Clock, settings: Settings, probes: Probes) -> None:
        assert set(probes) <= set(get_args(Dependency))
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._probes = probes

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._audit())
            group.create_task(self._watch_the_disk())
            for dependency, probe in self._probes.items():
                group.create_task(self._watch(dependency, probe))

    async def _watch(self, dependency: Dependency, probe: Probe) -> None:
        while True:
            try:
                async with asyncio.timeout(PROBE_WITHIN_S):
                    await self._report(dependency, await probe.ask())
            except TimeoutError:
                log.warning("a probe took too long", dependency=dependency)
                if probe.overdue is not None:
                    await self._report(dependency, probe.overdue)
            await self._clock.sleep(self._settings.current.health.probe_s)

    async def _report(self, dependency: Dependency, code: str | None) -> None:
        health = self._ledger.state.health
        known = health.lost.get(dependency)
        if dependency in health.seen and (known.code if known is not None else None) == code:
            return
        journal = self._ledger.journal
        log.info("dependency", dependency=dependency, code=code)
        if code is not None:
            await journal.append(NAME, DependencyLost(dependency=dependency, code=code))
        else:
            await journal.append(NAME, DependencyRecovered(dependency=dependency))

    async def _watch_the_disk(self) -> None:
        """A full disk cannot be recorded while it is full: it is recorded when it is over."""
        journal = self._ledger.journal
        full_since: str | None = None
        while True:
            if journal.full_since is not None:
                full_since = journal.full_since
            elif full_since is not None:
                lost = DependencyLost(dependency="disk", code="DISK_FULL", since=full_since)
                record = await journal.append(NAME, lost)
                recovered = DependencyRecovered(dependency="disk")
                await journal.append(NAME, recovered, cause=record.seq)
                full_since = None
            await journal.fullness_changed()

    async def _audit(self) -> None:
        while True:
            verdict = await self._ledger.next_verdict()
            changed = HealthChanged(
                before=verdict.before, after=verdict.after, reasons=verdict.reasons
            )
            log.info("health", before=verdict.before, after=verdict.after, reasons=verdict.reasons)
            await self._ledger.journal.append(NAME, changed, cause=verdict.seq)
            self._ledger.verdict_recorded()


def vault_answer(root: Path) -> str | None:
    """The vault's root is there and can be listed."""
    try:
        with os.scandir(root) as entries:
            next(entries, None)
    except OSError:
        return "VAULT_NOT_FOUND"
    return None
