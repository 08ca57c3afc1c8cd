"""Puts what config.json says now in force. A file that is refused changes nothing, and status says
why."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from ragd.config.live_settings import Reloaded, Settings
from ragd.config.load import Config, fingerprint
from ragd.errors import ConfigError
from ragd.events import ConfigReloaded, Fact
from ragd.vault.threads import CHECK, VaultNotResponding

Record = Callable[[Fact], Awaitable[object]]

log = structlog.get_logger("reloading")


class Reloading:
    """One reload at a time, whoever wants it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._at_work = asyncio.Lock()

    async def reload(self, record: Record, *, always: bool) -> Reloaded:
        """Raises ConfigError, and what `record` does; then nothing has changed. `always`: it is
        recorded though it changes nothing, for whoever asked."""
        settings = self._settings
        async with self._at_work:
            try:
                config, reloaded = await self._read_again()
            except ConfigError as why:
                settings.refused = f"{why.message} {why.suggestion}".strip()
                raise
            if always or reloaded.applied or reloaded.needs_restart != settings.waiting:
                provider = config.embedding.provider
                await record(ConfigReloaded(config_hash=fingerprint(config), provider=provider))
                log.info("configuration reloaded", applied=reloaded.applied)
            settings.current = config  # not before it is recorded
            settings.waiting = reloaded.needs_restart
            settings.refused = None
            return reloaded

    async def _read_again(self) -> tuple[Config, Reloaded]:
        """Raises ConfigError. Another vault is looked at: it may hang."""
        try:
            return await CHECK.run(self._settings.read_again)
        except VaultNotResponding:
            raise ConfigError(
                "The new `vault_path` cannot be checked: its disk or mount does not answer.",
                "Check the mount, or set the previous `vault_path` again.",
            ) from None
