"""The configuration in force, which may be read again while the daemon runs."""

from pathlib import Path

import msgspec
from msgspec import Struct

from ragd.config import load as configuration
from ragd.config.keys import changed_keys, needs_restart
from ragd.config.load import Config
from ragd.paths import Home


class Reloaded(Struct, frozen=True):
    """What a reload changed: keys in force now, and keys that wait for a restart."""

    applied: list[str]
    needs_restart: list[str]


class Settings:
    """Everybody who needs the configuration reads `current` when they need it."""

    def __init__(self, home: Home, current: Config) -> None:
        self.home = home
        self.current = current
        self.waiting: list[str] = []  # keys whose new values wait for a restart
        self.refused: str | None = None  # why what the file says now is not in force

    @property
    def vault(self) -> Path:
        return Path(self.current.vault_path)

    @property
    def vectors(self) -> Path:
        return Path(self.current.vector_store.path or self.home.vectors)

    def read_again(self) -> tuple[Config, Reloaded]:
        """What the file says now: the configuration to put in force, and what that would change.

        What takes effect only at a restart stays as it is. Raises ConfigError; changes nothing.
        """
        fresh = configuration.read(self.home)
        if _places(fresh) != _places(self.current):  # else they were checked, and may hang now
            configuration.check_places(fresh, self.home.root)
        waiting = needs_restart(self.current, fresh)
        in_force = msgspec.structs.replace(
            fresh,
            vault_path=self.current.vault_path,
            vector_store=self.current.vector_store,
            embedding=msgspec.structs.replace(
                self.current.embedding, language=fresh.embedding.language
            ),
        )
        return in_force, Reloaded(changed_keys(self.current, in_force), waiting)


def _places(config: Config) -> tuple[str, str]:
    return config.vault_path, config.vector_store.path
