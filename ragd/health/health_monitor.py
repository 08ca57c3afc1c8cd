"""Looks at what the daemon depends on and records what it finds, only when the answer changes.

It judges nothing: what a lost dependency means is the health fold's business.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple, Protocol, get_args

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
from ragd.runtime.exception_location import location_of
from ragd.runtime.wait_for_event import wait_until_set
from ragd.state.ledger import Ledger
from ragd.store.index_damage import IndexDamage

NAME = "health_monitor"
PROBE_WITHIN_S = 20.0
PAUSE_LOOK_S = 10.0
_LOOKING = "look"


class Found(Protocol):
    """An error code, since when it holds, and sizes of vectors that differ."""

    @property
    def code(self) -> str: ...

    @property
    def since(self) -> str | None: ...

    @property
    def configured(self) -> int: ...

    @property
    def made(self) -> int: ...


Ask = Callable[[], Awaitable[str | Found | None]]


class Probe(NamedTuple):
    """How to look: `ask` answers with an error code, or None if all is well. `overdue` is the
    code when it does not answer at all; None: then nothing is known, and nothing is said.
    `quiet`: that all is well is told only after it was not. `closely`: how to look at once when
    searches have waited in vain."""

    ask: Ask
    overdue: str | None
    quiet: bool = False
    closely: Ask | None = None


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
        self._index_damage = IndexDamage(ledger, partial(ledger.journal.append, NAME))
        # Set while a probe is to look closely, and at once.
        self._doubted = {name: asyncio.Event() for name, probe in probes.items() if probe.closely}

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._audit())
            group.create_task(self._heed_searches())
            group.create_task(self._watch_the_disk())
            group.create_task(self._watch_the_pause())
            for dependency, probe in self._probes.items():
                group.create_task(self._watch(dependency, probe))

    async def _heed_searches(self) -> None:
        """Searches waited twice in a row for a vector that did not come: look at once. They may
        only have been unlucky, so that alone is not a loss."""
        failed = {tag_of_type(EmbeddingFailed)}
        async for record in self._ledger.journal.follow(self._ledger.state.seq, failed):
            if isinstance(record.event, EmbeddingFailed) and record.event.code == "TIMEOUT":
                for doubted in self._doubted.values():
                    doubted.set()

    async def _watch(self, dependency: Dependency, probe: Probe) -> None:
        doubted = self._doubted.get(dependency, asyncio.Event())
        while True:
            before = self._known(dependency)
            ask = probe.closely if probe.closely and doubted.is_set() else probe.ask
            doubted.clear()
            try:
                async with asyncio.timeout(PROBE_WITHIN_S):
                    found = await ask()
            except TimeoutError:
                log.warning("a probe took too long", dependency=dependency)
                if probe.overdue is not None:
                    await self._report(dependency, probe.overdue)
            except Exception as why:  # nothing is known, and nothing is said
                log.error(
                    "a probe failed",
                    dependency=dependency,
                    exception=type(why).__name__,
                    location=location_of(why),
                )
            else:
                if self._known(dependency) != before:
                    continue  # somebody has found out since: the answer may be of before
                await self._report(dependency, found)
            await wait_until_set(doubted, self._clock, self._settings.current.health.probe_s)

    def _known(self, dependency: Dependency) -> LostDependency | None:
        return self._ledger.state.health.lost.get(dependency)

    async def _report(self, dependency: Dependency, found: str | Found | None) -> None:
        """Record what is found, if it is news."""
        health = self._ledger.state.health
        known = self._known(dependency)
        told = dependency in health.seen or self._probes[dependency].quiet
        lost = _loss(dependency, found)
        if told and _same(known, lost):
            return
        log.info("dependency", dependency=dependency, code=lost.code if lost else None)
        if dependency == "index" and lost is not None:
            await self._index_damage.record_probe(lost.code)
            return
        fact = lost if lost is not None else DependencyRecovered(dependency=dependency)
        await self._ledger.journal.append(NAME, fact)

    async def _watch_the_disk(self) -> None:
        """A full disk cannot be recorded while it is full: the first fact waits until it is over.

        And because it waits, the log goes on trying even when nobody else has anything to say.
        """
        journal = self._ledger.journal
        while True:
            if journal.full_since is None:
                await journal.fullness_changed()
                continue
            lost = DependencyLost(dependency="disk", code="DISK_FULL", since=journal.full_since)
            record = await journal.append(NAME, lost)
            await journal.append(NAME, DependencyRecovered(dependency="disk"), cause=record.seq)

    async def _watch_the_pause(self) -> None:
        """Say when its time is over. The clock is asked often: a machine that slept, or whose clock
        was set forward, does not count the seconds for us. A clock that is set back makes no pause
        longer: the seconds that were left when we first saw it count as well."""
        journal, paused = self._ledger.journal, {tag_of_type(SyncPaused)}
        seen, ends = "", 0.0  # a pause by its end, and that end by the clock that nobody can set
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
                await self._clock.sleep(min(left, PAUSE_LOOK_S))
            else:
                await journal.append(NAME, SyncResumed(reason="elapsed"))

    async def _audit(self) -> None:
        while True:
            verdict = await self._ledger.next_verdict()
            changed = HealthChanged(
                before=verdict.before, after=verdict.after, reasons=verdict.reasons
            )
            log.info("health", before=verdict.before, after=verdict.after, reasons=verdict.reasons)
            await self._ledger.journal.append(NAME, changed, cause=verdict.seq)
            self._ledger.verdict_recorded()


def _loss(dependency: Dependency, found: str | Found | None) -> DependencyLost | None:
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


class Look:
    """A look that may hang (a dead mount), in a thread that nobody has to wait for.

    While one hangs, no second is begun: whoever asks again waits for the same answer.
    """

    def __init__(self, look: Callable[[], str | None]) -> None:
        self._look = look
        self._answer: asyncio.Future[str | None] | None = None

    async def __call__(self) -> str | None:
        if self._answer is None or self._answer.done():
            self._answer = asyncio.get_running_loop().create_future()
            arguments = (self._look, self._answer)
            threading.Thread(target=_look, args=arguments, name=_LOOKING, daemon=True).start()
        return await asyncio.shield(self._answer)


def _look(look: Callable[[], str | None], answer: "asyncio.Future[str | None]") -> None:
    loop = answer.get_loop()
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants to know any more
        try:
            loop.call_soon_threadsafe(answer.set_result, look())
        except Exception as why:
            loop.call_soon_threadsafe(answer.set_exception, why)


def end_looks(within_s: float) -> None:
    """Wait for looks that are still at work, for so long; one that hangs is left to its fate."""
    deadline = time.monotonic() + within_s
    for thread in threading.enumerate():
        if thread.name == _LOOKING:
            thread.join(max(0.0, deadline - time.monotonic()))
