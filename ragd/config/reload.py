"""Puts the current config.json in force: parses it, replaces the settings, records it.

Two callers: the actor `config_reader.py`, which checks every two seconds whether the file was
edited, and `POST /v1/reload` of `ragctl config`. A file that is refused changes nothing; the status
gives the reason.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from ragd.config.live_settings import ReloadResult, Settings
from ragd.config.load import Config, fingerprint
from ragd.errors import ConfigError
from ragd.events import ConfigReloaded, Fact
from ragd.vault.threads import CHECK, VaultNotResponding

RecordFact = Callable[[Fact], Awaitable[object]]

log = structlog.get_logger("reloading")


class ConfigReload:
    """Reloads the configuration, one request at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = asyncio.Lock()

    async def reload(self, record: RecordFact, *, always: bool) -> ReloadResult:
        """Raises ConfigError or what `record` raises; then nothing has changed. `always`: record
        the reload even if it changes nothing."""
        settings = self._settings
        async with self._lock:
            settings.look_at_stored_notes()
            try:
                config, reloaded = await self._read_again()
            except ConfigError as why:
                settings.refused = f"{why.message} {why.suggestion}".strip()
                raise
            if always or reloaded.applied or reloaded.needs_restart != settings.waiting:
                provider = config.embedding.provider
                reloaded_fact = ConfigReloaded(
                    config_hash=fingerprint(config),
                    provider=provider,
                    collections=list(config.collections),
                )
                await record(reloaded_fact)
                log.info("configuration reloaded", applied=reloaded.applied)
            settings.replace(config, reloaded.needs_restart)  # not before it is recorded
            return reloaded

    async def _read_again(self) -> tuple[Config, ReloadResult]:
        """Raises ConfigError. It checks new folders, which may hang."""
        try:
            return await CHECK.of("").run(self._settings.read_again)
        except VaultNotResponding:
            raise ConfigError(
                "A new folder of the configuration cannot be checked: a disk or mount does not "
                "respond.",
                "Check your mounts, or set the previous `vault_path` or `collections` again.",
            ) from None
