"""Which collections an agent may search."""

import pytest
from msgspec import structs

from ragd.access.permissions import permitted
from ragd.config.schema import (
    AccessMatch,
    AccessRule,
    AccessSettings,
    CollectionSettings,
    Config,
)
from ragd.protocol.asker import OWNER, Asker

ALL = {"vault", "papers", "diary"}


def config(default: str = "allow", *rules: AccessRule) -> Config:
    return Config(
        vault_path="/v",
        collections={
            "papers": CollectionSettings(path="/p"),
            "diary": CollectionSettings(path="/d", private=True),
        },
        access=AccessSettings(default=default, rules=rules),  # type: ignore[arg-type]
    )


def rule(*collections: str, agent: str = "", chat: str = "") -> AccessRule:
    return AccessRule(match=AccessMatch(agent=agent, chat=chat), collections=collections)


def test_the_user_may_search_everything_whatever_the_rules_say() -> None:
    assert permitted(config("deny", rule()), OWNER) == ALL


@pytest.mark.parametrize(("default", "found"), [("allow", ALL), ("deny", set())])
def test_without_a_matching_rule_the_default_decides(default: str, found: set[str]) -> None:
    given = config(default, rule("papers", agent="work"))
    assert permitted(given, Asker("home")) == found


def test_the_first_matching_rule_decides() -> None:
    given = config("deny", rule("papers", agent="work"), rule("*", agent="work"))
    assert permitted(given, Asker("work")) == {"papers"}


def test_an_empty_match_and_a_star_match_every_agent() -> None:
    assert permitted(config("allow", rule("vault")), Asker("any", "group")) == {"vault"}
    assert permitted(config("allow", rule("vault", agent="*")), Asker("any")) == {"vault"}


def test_agent_and_chat_must_both_match() -> None:
    given = config("allow", rule("vault", agent="work", chat="group"))
    assert permitted(given, Asker("work", "group")) == {"vault"}
    assert permitted(given, Asker("work", "direct")) == ALL
    assert permitted(given, Asker("home", "group")) == ALL - {"diary"}, "which is private"


def test_a_rule_for_a_chat_does_not_match_an_unknown_chat() -> None:
    given = config("deny", rule("*", chat="direct"))
    assert permitted(given, Asker("work", "")) == set()
    assert permitted(given, Asker("work", "direct")) == ALL


def test_names_are_compared_without_their_case() -> None:
    """A rule that takes something away must not be missed because of a capital letter."""
    given = config("allow", rule(agent="Work", chat="Group"))
    assert permitted(given, Asker("work", "group")) == set()


def test_a_rule_may_name_a_collection_with_its_at_sign_and_unknown_names_mean_nothing() -> None:
    assert permitted(config("deny", rule("@papers", "gone")), Asker("x")) == {"papers"}


def test_a_star_means_every_collection() -> None:
    assert permitted(config("deny", rule("*")), Asker("x")) == ALL


# What belongs to one agent

SESSIONS = {"sessions/main", "sessions/work", "memory/main"}


def with_agents(default: str = "allow", *rules: AccessRule) -> Config:
    given = config(default, *rules)
    added = {name: CollectionSettings(path=f"/{name}", private=True) for name in SESSIONS}
    return structs.replace(given, collections={**given.collections, **added})


def agents_own(given: Config, asker: Asker) -> set[str]:
    return set(permitted(given, asker)) & SESSIONS


def test_the_user_may_search_what_belongs_to_every_agent() -> None:
    assert agents_own(with_agents("deny"), OWNER) == SESSIONS


@pytest.mark.parametrize("chat", ["direct", ""])
def test_an_agent_may_search_only_its_own(chat: str) -> None:
    assert agents_own(with_agents(), Asker("main", chat)) == {"sessions/main", "memory/main"}
    assert agents_own(with_agents(), Asker("work", chat)) == {"sessions/work"}
    assert agents_own(with_agents(), Asker("other", chat)) == set()
    assert agents_own(with_agents(), Asker("", chat)) == set()


@pytest.mark.parametrize("chat", ["group", "channel", "room", "something-new"])
def test_in_a_chat_with_others_an_agent_may_not_search_even_its_own(chat: str) -> None:
    for given in (
        with_agents(),
        with_agents("deny", rule("*")),
        with_agents("deny", rule("sessions")),
    ):
        assert agents_own(given, Asker("main", chat)) == set()
    assert permitted(with_agents(), Asker("main", chat)) == ALL - {"diary"}, "which is private"


def test_no_rule_gives_an_agent_what_belongs_to_another() -> None:
    given = with_agents("deny", rule("sessions/main", "memory/main", agent="work"))
    assert agents_own(given, Asker("work", "direct")) == set()
    assert agents_own(with_agents("deny", rule("*")), Asker("work")) == {"sessions/work"}


def test_a_rule_names_one_collection_of_an_agent_or_the_whole_group() -> None:
    assert agents_own(with_agents("deny", rule("sessions")), Asker("main")) == {"sessions/main"}
    assert agents_own(with_agents("deny", rule("memory/main")), Asker("main")) == {"memory/main"}
    assert agents_own(with_agents("deny", rule("vault")), Asker("main")) == set()
