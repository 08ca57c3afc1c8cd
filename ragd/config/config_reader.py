"""Takes over what a person changes in config.json by hand, as a reload that is asked for does."""

import asyncio
from pathlib import Path

import structlog

from ragd.clock import Clock
from ragd.config.reload import Reloading
from ragd.errors import ConfigError
from ragd.eventlog.journal import Journal
from ragd.events import Fact

NAME = "config_reader"
LOOK_EVERY_S = 2.0
RECORD_WITHIN_S = 1.0

Facts = tuple[int, int, int]

log = structlog.get_logger(NAME)


class ConfigReader:
    """Looks at the file now and then: it is small, and no watch of its folder could be lost."""

    def __init__(self, clock: Clock, path: Path, reloading: Reloading, journal: Journal) -> None:
        self._clock = clock
        self._path = path
        self._reloading = reloading
        self._journal = journal
        self._read: Facts | None = None  # what was taken over; the start read it without us

    async def run(self) -> None:
        """Whenever it is another one, and has been left alone for a moment."""
        before = self._facts()
        while True:
            await self._clock.sleep(LOOK_EVERY_S)
            now = self._facts()
            if now == before != self._read and await self._take_over():
                self._read = now
            before = now

    async def _take_over(self) -> bool:
        """False if that could not be recorded in time: a client's reload must not wait for us."""
        try:
            await self._reloading.reload(self._record, always=False)
        except ConfigError:
            log.warning("the configuration is refused; the former one stays in force")
        except TimeoutError:
            log.warning("the configuration could not be recorded yet")
            return False
        return True

    async def _record(self, fact: Fact) -> None:
        async with asyncio.timeout(RECORD_WITHIN_S):
            await self._journal.append(NAME, fact)

    def _facts(self) -> Facts | None:
        try:
            facts = self._path.stat()
        except OSError:
            return None
        return facts.st_mtime_ns, facts.st_size, facts.st_ino
