"""What the holder of a token may search, and how a token is found."""

import pytest

from ragd.access.permissions import permitted
from ragd.access.tokens import (
    AccessToken,
    asker_of_token,
    digest_of,
    find_token,
    is_expired,
    may_use,
)
from ragd.config.schema import (
    AccessMatch,
    AccessRule,
    AccessSettings,
    CollectionSettings,
    Config,
)

CONFIG = Config(
    vault_path="/v",
    collections={
        "papers": CollectionSettings(path="/p"),
        "diary": CollectionSettings(path="/d", private=True),
        "memory/main": CollectionSettings(path="/m"),
        "memory/token-phone": CollectionSettings(path="/t"),
    },
)


def token(name: str = "phone", **limits: object) -> AccessToken:
    fields: dict[str, object] = {"created": "2026-01-01", "expires": None, "collections": None}
    fields |= {"read_only": False, "sensitive": False} | limits
    return AccessToken(name=name, digest=digest_of(name), **fields)  # type: ignore[arg-type]


def names(one: AccessToken, config: Config = CONFIG) -> set[str]:
    return set(permitted(config, asker_of_token(one, "")))


def test_without_names_it_may_search_what_is_not_private_and_its_own_memory() -> None:
    assert names(token()) == {"vault", "papers", "memory/token-phone"}


def test_a_token_called_like_an_agent_is_not_that_agent() -> None:
    assert "memory/main" not in names(token("main"))
    assert "memory/main" not in names(token("main", collections=("memory/main", "memory")))


def test_names_are_the_most_that_it_may_search() -> None:
    assert names(token(collections=("papers",))) == {"papers"}
    assert names(token(collections=("diary", "gone"))) == {"diary"}
    assert names(token(collections=())) == set()


def test_access_rules_hold_for_a_token_too() -> None:
    rule = AccessRule(match=AccessMatch(agent="token-phone"), collections=("papers",))
    config = Config(
        vault_path="/v",
        collections=CONFIG.collections,
        access=AccessSettings(default="deny", rules=(rule,)),
    )
    assert names(token(), config) == {"papers"}
    assert names(token(collections=("vault",)), config) == set()
    assert names(token("other", collections=("papers",)), config) == set()


def test_a_token_is_found_by_its_whole_secret() -> None:
    tokens = [token("a"), token("b")]
    assert find_token(tokens, "b") is tokens[1]
    for wrong in ("", "c", "bb", tokens[1].digest, "\udcff", "b" * 100_000):
        assert find_token(tokens, wrong) is None


def test_it_expires_at_its_time() -> None:
    one = token(expires="2026-01-02T00:00:00.000000Z")
    assert not is_expired(one, "2026-01-01T23:59:59.999999Z")
    assert is_expired(one, "2026-01-02T00:00:00.000000Z")
    assert not is_expired(token(), "9999-01-01T00:00:00.000000Z")


@pytest.mark.parametrize(("permission", "read_only"), [("vault:read", True), ("x:write", False)])
def test_a_read_only_token_may_use_what_only_reads(permission: str, read_only: bool) -> None:
    assert may_use(asker_of_token(token(read_only=True), ""), (permission,)) is read_only
    assert may_use(asker_of_token(token(), ""), (permission,))
