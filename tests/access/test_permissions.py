"""Which collections an agent may search."""

import pytest

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
    assert permitted(given, Asker("home", "group")) == ALL


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
