"""Keeps the actors running: a crash is recorded, then the actor restarts. Too many end the daemon.

It never hides a crash, and never retries after the log has failed.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

import structlog

from ragd.clock import Clock
from ragd.errors import LogFailed
from ragd.eventlog.journal import Journal
from ragd.events import ActorCrashed
from ragd.runtime.backoff import backoff_s
from ragd.runtime.exception_location import innermost, location_of

CRASHES_MAX = 5
CRASHES_WITHIN_S = 60.0
BACKOFF_FIRST_S = 0.1
BACKOFF_MAX_S = 10.0

Actor = Callable[[], Awaitable[None]]
log = structlog.get_logger("supervisor")


class TooManyCrashes(Exception):
    """Five crashes in a minute: a restart does not fix the problem."""

    def __init__(self, actor: str, exception: str, location: str) -> None:
        super().__init__(
            f"Actors crashed {CRASHES_MAX} times within a minute, the last one being {actor} "
            f"({exception} at {location}). `ragctl logs` shows details."
        )


class Supervisor:
    """Runs actors until it is cancelled."""

    def __init__(self, journal: Journal, clock: Clock, actors: Mapping[str, Actor]) -> None:
        self._journal = journal
        self._clock = clock
        self._actors = actors
        self._recent: deque[float] = deque(maxlen=CRASHES_MAX)
        self.states: dict[str, Literal["running", "restarting"]] = dict.fromkeys(actors, "running")
        self._ended: set[str] = set()

    def is_complete(self) -> bool:
        """Whether every actor runs or is about to restart; False if one has returned."""
        return not self._ended

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for name, actor in self._actors.items():
                group.create_task(self._keep_running(name, actor), name=name)

    async def _keep_running(self, name: str, actor: Actor) -> None:
        failures = 0
        while True:
            started = self._clock.monotonic()
            try:
                await actor()
                self._ended.add(name)
                return  # the log is closed, so it had no more to do
            except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
                raise
            except BaseException as failure:  # a panic in a Rust library is not an Exception
                why = innermost(failure)
                if isinstance(why, LogFailed):
                    raise why from None
                self.states[name] = "restarting"
                await self._record_crash(name, why)
            ran_long = self._clock.monotonic() - started > CRASHES_WITHIN_S
            failures = 1 if ran_long else failures + 1
            await self._clock.sleep(backoff_s(failures, BACKOFF_FIRST_S, BACKOFF_MAX_S))
            self.states[name] = "running"

    async def _record_crash(self, name: str, why: BaseException) -> None:
        exception, location = type(why).__name__, location_of(why)
        log.error("actor crashed", actor=name, exception=exception, location=location)
        await self._journal.append(
            "daemon", ActorCrashed(name=name, exception=exception, location=location)
        )
        now = self._clock.monotonic()
        self._recent.append(now)
        if len(self._recent) == CRASHES_MAX and now - self._recent[0] < CRASHES_WITHIN_S:
            raise TooManyCrashes(name, exception, location) from None
