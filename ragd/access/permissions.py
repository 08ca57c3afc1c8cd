"""Which collections an asker may search, by the access rules of the configuration. Pure."""

from collections.abc import Iterable

from ragd.config.schema import AccessMatch, Config
from ragd.protocol.asker import Asker, comparable
from ragd.vault.collection_paths import VAULT

ALL = "*"


def permitted(config: Config, asker: Asker) -> frozenset[str]:
    """The names of the collections. The user may search all; for an agent the first rule that
    matches decides, else the default."""
    known = {VAULT, *config.collections}
    if asker.is_owner:
        return frozenset(known)
    for rule in config.access.rules:
        if _matches(rule.match, asker):
            return frozenset(_named(rule.collections, known))
    return frozenset(known if config.access.default == "allow" else ())


def _matches(match: AccessMatch, asker: Asker) -> bool:
    return _fits(match.agent, asker.agent) and _fits(match.chat, asker.chat)


def _fits(wanted: str, actual: str) -> bool:
    name = comparable(wanted)
    return name in ("", ALL) or name == actual


def _named(names: Iterable[str], known: set[str]) -> set[str]:
    wanted = {name.strip().removeprefix("@") for name in names}
    return known if ALL in wanted else known & wanted
