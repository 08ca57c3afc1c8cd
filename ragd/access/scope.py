"""The scope of a request: the collections that its answer is made from. Pure.

It never reveals a collection that the asker may not search: the error for one is the same as for a
collection that does not exist, and only permitted names are suggested.
"""

from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import Struct

from ragd.access.permissions import permitted
from ragd.close_match import closest
from ragd.config.schema import Config
from ragd.errors import RagdError
from ragd.protocol.asker import Asker
from ragd.vault.collection_paths import VAULT, collection_of, group_of, names_in_group

Permits = Callable[[str], bool]  # whether the note or the folder at this path may be shown


class Scope(Struct, frozen=True):
    """The collections in scope, of those that are known. `known` does not have the vault."""

    names: frozenset[str]
    known: frozenset[str]

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return VAULT in self.names and self.names >= self.known

    def includes(self, path: str) -> bool:
        """Whether the note or the folder at this path belongs to a collection in scope."""
        if self.is_everything:
            return True
        if group := names_in_group(path, self.known):  # the folder of a group
            return not group.isdisjoint(self.names)
        return collection_of(path, self.known) in self.names

    def within(self, paths: Iterable[str]) -> list[str]:
        """Those of these paths that are in scope."""
        return [path for path in paths if self.includes(path)]


EVERYTHING = Scope(frozenset({VAULT}), frozenset())
"""The scope of the user in a home with a single vault."""


def default_scope(config: Config, asker: Asker) -> Scope:
    """What a request covers that names no collection: all permitted ones that are not private."""
    names = permitted(config, asker)
    return _scope(config, names - private_names(config))


def full_scope(config: Config, asker: Asker) -> Scope:
    """All that the asker may search, with private collections."""
    return _scope(config, permitted(config, asker))


def requested_scope(config: Config, asker: Asker, wanted: Sequence[str]) -> Scope:
    """Exactly the collections with these names; `sessions` names all of that group. Raises
    RagdError for a name that is unknown, or that this asker may not search."""
    allowed = permitted(config, asker)
    found: frozenset[str] = frozenset()
    for name in map(collection_name, wanted):
        found |= names_in_group(f"@{name}", allowed) or {known_name("collections", name, allowed)}
    return _scope(config, found)


def without(scope: Scope, names: Collection[str]) -> Scope:
    """The scope without these collections."""
    unwanted = frozenset(map(collection_name, names))
    left = (name for name in scope.names if group_of(name) not in unwanted)
    return Scope(frozenset(left) - unwanted, scope.known)


def scope_with_paths(config: Config, asker: Asker, scope: Scope, paths: Iterable[str]) -> Scope:
    """The scope, with the collections that these paths name, as far as the asker may search them.

    A path such as `@diary/2024` names its collection, so a private one is searched, too.
    """
    allowed = permitted(config, asker)
    folders = [path.strip("/") for path in paths]
    named = {collection_of(folder, config.collections) for folder in folders} - {VAULT}
    named = named.union(*(names_in_group(folder, allowed) for folder in folders))
    return Scope(scope.names | (named & allowed), scope.known)


def private_names(config: Config) -> frozenset[str]:
    """The collections that are searched only when they are named."""
    return frozenset(name for name, one in config.collections.items() if one.private)


def collection_name(typed: str) -> str:
    """The name of a collection as the configuration spells it: `@Papers` is `papers`."""
    return typed.strip().removeprefix("@").strip("/").casefold()


def _scope(config: Config, names: frozenset[str]) -> Scope:
    return Scope(names, frozenset(config.collections))


def known_name(field: str, name: str, allowed: Collection[str]) -> str:
    """The name that this field of a request gives, if it is allowed. Raises RagdError."""
    if name in allowed:
        return name
    near = closest(name, sorted(allowed))
    raise RagdError(
        "UNKNOWN_COLLECTION",
        f"The field `{field}` names a collection that does not exist.",
        f"Did you mean `{near}`?" if near else None,
    )
