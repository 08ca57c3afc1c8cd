"""The collections that an answer is made from."""

import pytest

from ragd.access.scope import EVERYTHING, Scope, default_scope, full_scope, requested_scope
from ragd.access.search_scope import search_scope
from ragd.config.schema import (
    AccessMatch,
    AccessRule,
    AccessSettings,
    CollectionSettings,
    Config,
)
from ragd.errors import RagdError
from ragd.protocol.asker import OWNER, Asker
from ragd.protocol.tool_schemas import SearchRequest

WORK = Asker("work", "direct")
CONFIG = Config(
    vault_path="/v",
    collections={
        "papers": CollectionSettings(path="/p"),
        "diary": CollectionSettings(path="/d", private=True),
        "secret": CollectionSettings(path="/s"),
    },
    access=AccessSettings(
        rules=(
            AccessRule(match=AccessMatch(agent="work"), collections=("vault", "papers", "diary")),
            AccessRule(match=AccessMatch(agent="nobody"), collections=()),
            AccessRule(match=AccessMatch(agent="writer"), collections=("diary",)),
        )
    ),
)


def searched(asker: Asker, query: str = "x", **fields: list[str]) -> set[str]:
    request = SearchRequest(query=query, **fields)  # type: ignore[arg-type]
    return set(search_scope(CONFIG, asker, request).names)


def refusal(asker: Asker, query: str = "x", **fields: list[str]) -> RagdError:
    with pytest.raises(RagdError) as why:
        searched(asker, query, **fields)
    return why.value


def test_without_names_everything_permitted_that_is_not_private_is_searched() -> None:
    assert searched(OWNER) == {"vault", "papers", "secret"}
    assert searched(WORK) == {"vault", "papers"}


def test_with_names_exactly_those_are_searched() -> None:
    assert searched(OWNER, collections=["diary"]) == {"diary"}
    assert searched(WORK, collections=["@Papers", "vault"]) == {"papers", "vault"}


def test_the_question_may_name_collections() -> None:
    assert searched(WORK, "collection:papers lasers") == {"papers"}
    assert searched(WORK, "lasers -collection:papers") == {"vault"}
    assert searched(WORK, "collection:papers x", collections=["diary"]) == {"diary"}


def test_a_folder_of_a_private_collection_names_it() -> None:
    assert searched(WORK, directory_filter=["@diary/2024"]) == {"vault", "papers", "diary"}
    assert searched(WORK, "folder:@diary rain") == {"vault", "papers", "diary"}
    assert searched(WORK, "rain -folder:@diary") == {"vault", "papers"}


def test_a_folder_of_a_forbidden_collection_names_nothing() -> None:
    assert searched(WORK, directory_filter=["@secret/plans"]) == {"vault", "papers"}


@pytest.mark.parametrize("query", ["x", "collection:{} x", "x -collection:{}"])
def test_a_forbidden_name_is_refused_with_the_words_for_an_unknown_one(query: str) -> None:
    fields = {} if "{}" in query else {"collections": ["secret"]}
    other = {} if "{}" in query else {"collections": ["zzzzzz"]}
    forbidden = refusal(WORK, query.format("secret"), **fields)
    unknown = refusal(WORK, query.format("zzzzzz"), **other)
    assert forbidden.code == unknown.code == "UNKNOWN_COLLECTION"
    assert (forbidden.message, forbidden.suggestion) == (unknown.message, unknown.suggestion)


def test_only_permitted_names_are_suggested() -> None:
    assert refusal(OWNER, collections=["secrets"]).suggestion == "Did you mean `secret`?"
    assert "secret" not in refusal(WORK, collections=["secrets"]).suggestion
    assert refusal(WORK, collections=["paper"]).suggestion == "Did you mean `papers`?"


def test_an_agent_without_any_collection_is_refused() -> None:
    assert refusal(Asker("nobody")).code == "SECURITY_VIOLATION"


def test_an_agent_with_private_collections_alone_must_name_one() -> None:
    assert refusal(Asker("writer")).code == "INVALID_REQUEST"
    assert searched(Asker("writer"), collections=["diary"]) == {"diary"}
    assert refusal(WORK, "-collection:vault -collection:papers x").code == "INVALID_REQUEST"


def test_a_scope_knows_the_collection_of_a_path() -> None:
    scope = requested_scope(CONFIG, WORK, ["vault"])
    assert scope.includes("Journal/a.md")
    assert scope.includes("@other/a.md")  # a folder of the vault
    assert not scope.includes("@secret/a.md")
    assert not scope.includes("@secret")
    assert scope.within(["a.md", "@papers/b.md"]) == ["a.md"]


def test_everything_leaves_nothing_out() -> None:
    assert EVERYTHING.is_everything and EVERYTHING.includes("@any/thing.md")
    assert full_scope(CONFIG, OWNER).is_everything
    assert not default_scope(CONFIG, OWNER).is_everything  # the diary is private
    assert not Scope(frozenset({"papers"}), frozenset({"papers"})).is_everything


# What belongs to one agent

MAIN = Asker("main", "direct")
AGENTS = Config(
    vault_path="/v",
    collections={
        name: CollectionSettings(path=f"/{name}", private=name.startswith("sessions"))
        for name in ("papers", "sessions/main", "sessions/work", "memory/main")
    },
)


def in_scope(asker: Asker, query: str = "x", **fields: list[str]) -> set[str]:
    request = SearchRequest(query=query, **fields)  # type: ignore[arg-type]
    return set(search_scope(AGENTS, asker, request).names)


def test_a_group_names_all_that_the_asker_may_search() -> None:
    assert in_scope(OWNER, collections=["sessions"]) == {"sessions/main", "sessions/work"}
    assert in_scope(MAIN, collections=["sessions"]) == {"sessions/main"}
    assert in_scope(MAIN, collections=["@Sessions/Main"]) == {"sessions/main"}
    assert in_scope(MAIN, "collection:sessions x") == {"sessions/main"}
    assert in_scope(MAIN, collections=["sessions", "papers"]) == {"sessions/main", "papers"}


def test_a_group_is_left_out_as_a_whole() -> None:
    assert in_scope(OWNER) == {"vault", "papers", "memory/main"}
    assert in_scope(OWNER, "x -collection:memory") == {"vault", "papers"}
    without_main = in_scope(OWNER, "collection:sessions -collection:sessions/main x")
    assert without_main == {"sessions/work"}


def test_a_folder_names_a_collection_of_an_agent_or_the_group() -> None:
    assert "sessions/main" in in_scope(MAIN, directory_filter=["@sessions/main"])
    assert in_scope(OWNER, directory_filter=["@sessions/"]) >= {"sessions/main", "sessions/work"}
    others = in_scope(MAIN, directory_filter=["@sessions", "@sessions/work", "@sessions/work/a"])
    assert "sessions/work" not in others


@pytest.mark.parametrize("name", ["sessions", "sessions/main", "sessions/work", "sessions/none"])
def test_what_belongs_to_another_agent_is_refused_like_an_unknown_name(name: str) -> None:
    for asker in (Asker("guest", "direct"), Asker("main", "group")):
        with pytest.raises(RagdError) as why:
            in_scope(asker, collections=[name])
        assert why.value.code == "UNKNOWN_COLLECTION"
        assert "sessions/" not in f"{why.value.message} {why.value.suggestion}"


def test_the_folder_of_a_group_is_in_scope_with_one_of_its_collections() -> None:
    assert full_scope(AGENTS, MAIN).includes("@sessions")
    assert not full_scope(AGENTS, Asker("guest")).includes("@sessions")
    assert full_scope(CONFIG, WORK).includes("@sessions"), "here it is a folder of the vault"
