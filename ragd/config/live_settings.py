"""The configuration in force. A reload replaces it while the daemon runs.

It never watches the file: `config_reader` does.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from ragd.config import load as configuration
from ragd.config.contexts import Contexts
from ragd.config.implicit_collections import without_implicit_collections
from ragd.config.index_collections import add_collections_of_index
from ragd.config.keys import changed_keys, needs_restart
from ragd.config.load import Config
from ragd.config.replaced_collections import replaced_collections, without_replaced
from ragd.objects.address import is_object_address
from ragd.paths import Home
from ragd.vault.collection_paths import VAULT, group_of, split_path


class ReloadResult(Struct, frozen=True):
    """What a reload changed: the keys in force now, and the keys that wait for a restart."""

    applied: list[str]
    needs_restart: list[str]


class Settings:
    """The configuration for all actors. Each reads `current` when it needs a value; a reload
    replaces the whole frozen object, so that threads always see one version."""

    def __init__(self, home: Home, current: Config) -> None:
        self.home = home
        self.current = current
        self.waiting: list[str] = []  # keys whose new values wait for a restart
        self.refused: str | None = None  # why the current file is not in force
        self._contexts = (current, Contexts(current))
        self._of_index: frozenset[str] = frozenset()  # a reader's collections
        self._read_stored_roots: Callable[[], Mapping[str, str]] = dict
        self._stored_roots: Mapping[str, str] = {}
        self._replaced: frozenset[str] = frozenset()
        self._when_replaced: list[Callable[[], None]] = []

    def when_replaced(self, call: Callable[[], None]) -> None:
        """Call this after each reload. A follower of the log can see ConfigReloaded before
        `current` has changed."""
        self._when_replaced.append(call)

    def replace(self, config: Config, waiting: list[str]) -> None:
        """On the event loop. `waiting`: keys whose new values wait for a restart."""
        self.current = config
        self.waiting = waiting
        self.refused = None
        for call in self._when_replaced:
            call()

    def add_collections_of_index(self, names: Iterable[str]) -> None:
        """A reader has found these collections in the index."""
        self._of_index |= frozenset(names)
        self.current = add_collections_of_index(self.current, self._of_index)

    def hold_back_replaced(self, stored_roots: Callable[[], Mapping[str, str]]) -> None:
        """From now on, a collection whose notes in the index came from another folder is not in
        force. `stored_roots`: these folders, see `replaced_collections`."""
        self._read_stored_roots = stored_roots
        self.look_at_stored_notes()
        self._replaced = replaced_collections(self.current, self._stored_roots)
        self.current = without_replaced(self.current, self._stored_roots)

    def look_at_stored_notes(self) -> None:
        """Before `read_again`, which may run in a thread."""
        self._stored_roots = self._read_stored_roots() if not self.is_reader else {}

    @property
    def can_use_more(self) -> bool:
        """Whether the old notes of a collection that is not in force have left the index."""
        return bool(self._replaced) and not self._replaced <= self._read_stored_roots().keys()

    @property
    def vault(self) -> Path:
        return Path(self.current.vault_path)

    @property
    def vectors(self) -> Path:
        """The index's folder; of an index in an object store, where it would be."""
        path = self.current.vector_store.path
        return Path(self.home.vectors if not path or is_object_address(path) else path)

    @property
    def index_address(self) -> str:
        """The index's folder, or its address in an object store."""
        return self.current.vector_store.path or self.home.vectors

    @property
    def is_reader(self) -> bool:
        """Whether this daemon only reads an index that another machine writes."""
        return self.current.role == "reader"

    @property
    def contexts(self) -> Contexts:
        """The contexts of the configuration in force."""
        config, contexts = self._contexts
        if config is not self.current:
            config, contexts = self._contexts = (self.current, Contexts(self.current))
        return contexts

    def folder_and_file(self, path: str) -> tuple[str, str]:
        """The name of the folder that a note is in, as Obsidian names a vault, and the path in it.
        What belongs to an agent is in no vault, and a reader has none: then the name is empty."""
        name, inner = split_path(path, self.current.collections)
        if group_of(name) or self.is_reader:
            return "", inner
        root = self.current.vault_path if name == VAULT else self.current.collections[name].path
        return _name_of(root), inner

    def read_again(self) -> tuple[Config, ReloadResult]:
        """Read the file: the configuration to put in force, and what that would change.

        Keys that need a restart keep their values. Raises ConfigError. It changes nothing.
        """
        written = add_collections_of_index(configuration.read(self.home), self._of_index)
        self._replaced = replaced_collections(written, self._stored_roots)
        fresh = without_replaced(written, self._stored_roots)
        # Folders that are in use were checked before, and may hang now. The others are all checked:
        # no note leaves the index for a file that is refused.
        if not _folders(written) <= _folders(self.current):
            configuration.check_folders(written, self.home.root)
        waiting = needs_restart(self.current, fresh)
        in_force = msgspec.structs.replace(
            fresh,
            vault_path=self.current.vault_path,
            role=self.current.role,
            vector_store=self.current.vector_store,
            log=self.current.log,
            embedding=msgspec.structs.replace(
                self.current.embedding,
                language=fresh.embedding.language,
                worker_idle_s=fresh.embedding.worker_idle_s,
            ),
        )
        return in_force, ReloadResult(changed_keys(self.current, in_force), waiting)


def _folders(config: Config) -> set[tuple[str, str]]:
    """Every folder that the configuration names, and what it is used for."""
    collections = without_implicit_collections(config).collections.values()
    roots = {("collection", one.path) for one in collections}
    return roots | {("vault", config.vault_path), ("index", config.vector_store.path)}


@lru_cache(256)
def _name_of(folder: str) -> str:
    return Path(folder).name
