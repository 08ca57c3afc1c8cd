"""`index this folder: never`: puts a folder of the vault on the deny list, for a person who asks.

It is the only part of the daemon that writes config.json. The changed file is checked as a whole,
replaces the old one in one step, and is in force before the answer.
"""

import asyncio
from pathlib import Path
from typing import Any

from ragd.config import load as configuration
from ragd.config.config_lock import config_lock
from ragd.config.denied_folders import deny_entry, with_denied
from ragd.config.live_settings import Settings
from ragd.config.reload import ConfigReload, RecordFact
from ragd.config.validation import read_object
from ragd.errors import ConfigError, RagdError
from ragd.runtime.durable_files import replace_target
from ragd.vault.collection_paths import VAULT, collection_of
from ragd.vault.containment import contained_path


class NeverFolders:
    """Changes the deny list, one request at a time."""

    def __init__(self, settings: Settings, reload: ConfigReload, record: RecordFact) -> None:
        self._settings = settings
        self._reload = reload
        self._record = record
        self._lock = asyncio.Lock()

    def list(self) -> dict[str, Any]:
        """The deny list in force."""
        return {"deny_dirs": [*self._settings.current.indexing.deny_dirs]}

    async def set(self, folder: str, *, never: bool) -> dict[str, Any]:
        """Deny this folder, or permit it again. Raises RagdError for a path that is no folder of
        the vault, and if the configuration cannot be changed; then nothing has changed."""
        path = contained_path(folder)
        if collection_of(path, self._settings.current.collections) != VAULT:
            raise RagdError(
                "INVALID_REQUEST",
                "The field `folder` names a folder of a collection, not of the vault.",
                "Set `deny_dirs` of the collection with `ragctl config`.",
            )
        async with self._lock:
            try:
                await asyncio.to_thread(self._write, path, never)
                await self._reload.reload(self._record, always=True)
            except ConfigError as why:
                raise RagdError("INVALID_REQUEST", why.message, why.suggestion) from None
        return {"folder": path, "entry": deny_entry(path), "never": never, **self.list()}

    def _write(self, path: str, never: bool) -> None:
        with config_lock(self._settings.home):
            self._change(path, never)

    def _change(self, path: str, never: bool) -> None:
        home = self._settings.home
        file = Path(home.config)
        try:
            written = file.read_bytes()
        except OSError:
            raise ConfigError("config.json cannot be read.", "Run `ragctl doctor`.") from None
        data = configuration.to_json(with_denied(read_object(written), path, never=never))
        configuration.parse(data, home.root)
        replace_target(file, data)
