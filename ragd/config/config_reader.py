"""The actor that applies an edited config.json, as `POST /v1/reload` does.

It also looks for folders of new agents, and for those that are gone: the configuration in force has
a collection for each. It never writes the file.
"""

import asyncio
from pathlib import Path

import structlog

from ragd.clock import Clock
from ragd.config.implicit_collections import (
    add_implicit_collections,
    agent_groups,
    without_implicit_collections,
)
from ragd.config.live_settings import Settings
from ragd.config.reload import ConfigReload
from ragd.config.schema import CollectionSettings
from ragd.errors import ConfigError
from ragd.eventlog.journal import Journal
from ragd.events import Fact
from ragd.vault.threads import CHECK, VaultNotResponding

NAME = "config_reader"
CHECK_EVERY_S = 2.0
RECORD_WITHIN_S = 1.0

FileStamp = tuple[int, int, int]  # time, size, inode

log = structlog.get_logger(NAME)


class ConfigReader:
    """Polls the file: it is small, and polling cannot lose a change as a file watch can."""

    def __init__(
        self, clock: Clock, settings: Settings, reload: ConfigReload, journal: Journal
    ) -> None:
        self._clock = clock
        self._settings = settings
        self._path = Path(settings.home.config)
        self._reload = reload
        self._journal = journal
        self._applied: FileStamp | None = None  # None: as the daemon read it at its start

    async def run(self) -> None:
        """Apply the file when it has changed and was then left alone for one interval."""
        before = self._stamp()
        while True:
            await self._clock.sleep(CHECK_EVERY_S)
            now = self._stamp()
            if now == before != self._applied:
                if await self._apply():
                    self._applied = now
            elif self._settings.can_use_more or await self._have_agents_changed():
                await self._apply()
            before = now

    async def _apply(self) -> bool:
        """False if it could not be recorded in time: a client's reload must not wait for it."""
        try:
            await self._reload.reload(self._record, always=False)
        except ConfigError:
            log.warning("the configuration is refused; the previous one stays in force")
        except TimeoutError:
            log.warning("the configuration could not be recorded yet")
            return False
        return True

    async def _have_agents_changed(self) -> bool:
        """Whether other agents have folders now than the configuration in force has collections."""
        current = self._settings.current
        if self._settings.refused is not None or not agent_groups(current, self._settings.home):
            return False
        try:
            # A lane of its own: while this folder hangs, a reload must be able to switch it off.
            now = await CHECK.of("agents").run(self._collections_now)
        except VaultNotResponding:
            return False
        return self._settings.current is current and now != current.collections

    def _collections_now(self) -> dict[str, CollectionSettings]:
        """In a thread: it lists folders."""
        written = without_implicit_collections(self._settings.current)
        return add_implicit_collections(written, self._settings.home).collections

    async def _record(self, fact: Fact) -> None:
        async with asyncio.timeout(RECORD_WITHIN_S):
            await self._journal.append(NAME, fact)

    def _stamp(self) -> FileStamp | None:
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino
