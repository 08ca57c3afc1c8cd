"""Which collections an asker may search, by the access rules of the configuration. Pure.

No rule gives an agent another agent's collections, or its own in a chat with other people.
"""

from collections.abc import Iterable

from ragd.config.schema import AccessMatch, Config
from ragd.protocol.asker import Asker, comparable, is_shared_chat
from ragd.vault.collection_paths import VAULT, agent_of, group_of

ALL = "*"


def is_alone(asker: Asker) -> bool:
    """Whether nobody but the user reads the answers."""
    return asker.is_owner or not is_shared_chat(asker.chat)


def permitted(config: Config, asker: Asker) -> frozenset[str]:
    """The names of the collections. The user may search all; for an agent the first rule that
    matches decides, else the default."""
    known = {VAULT, *config.collections}
    if asker.is_owner:
        return frozenset(known)
    by_rules = _permitted_by_rules(config, asker, known)
    if asker.token:
        by_rules &= _named_by_token(config, asker, known)
    return frozenset(name for name in by_rules if _may_be_shown(config, name, asker))


def _permitted_by_rules(config: Config, asker: Asker, known: set[str]) -> set[str]:
    for rule in config.access.rules:
        if _matches(rule.match, asker):
            return _named(rule.collections, known)
    return known if config.access.default == "allow" else set()


def _named_by_token(config: Config, asker: Asker, known: set[str]) -> set[str]:
    """The limits of a token. A private collection must be named when the token is made."""
    if asker.only_in is None:
        return {name for name in known if name == VAULT or not config.collections[name].private}
    return _named(asker.only_in, known)


def _may_be_shown(config: Config, name: str, asker: Asker) -> bool:
    """An agent's collections are for that agent only. Neither these nor private ones are for the
    others in a chat."""
    if group_of(name):
        return agent_of(name) == asker.agent and is_alone(asker)
    return is_alone(asker) or name == VAULT or not config.collections[name].private


def _matches(match: AccessMatch, asker: Asker) -> bool:
    return _fits(match.agent, asker.agent) and _fits(match.chat, asker.chat)


def _fits(wanted: str, actual: str) -> bool:
    name = comparable(wanted)
    return name in ("", ALL) or name == actual


def _named(names: Iterable[str], known: set[str]) -> set[str]:
    wanted = {name.strip().removeprefix("@") for name in names}
    if ALL in wanted:
        return known
    return {name for name in known if name in wanted or group_of(name) in wanted}
