"""Scopes while a collection leaves the index, and the sources of memories."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp.test_utils import make_mocked_request

from ragd.config.contexts import Contexts
from ragd.config.schema import (
    AccessMatch,
    AccessRule,
    AccessSettings,
    CollectionSettings,
    Config,
)
from ragd.errors import RagdError
from ragd.gateway.access_control import AccessControl, asker_of
from ragd.protocol.asker import OWNER, Asker
from ragd.protocol.tool_schemas import SearchRequest

WORK = Asker("work")
CONFIG = Config(
    vault_path="/v",
    collections={"papers": CollectionSettings(path="/p")},
    access=AccessSettings(
        rules=(AccessRule(match=AccessMatch(agent="work"), collections=("vault", "papers")),)
    ),
)


def access(*leaving: str, files: tuple[str, ...] = ()) -> AccessControl:
    settings = SimpleNamespace(current=CONFIG, contexts=Contexts(CONFIG))
    catalog = SimpleNamespace(
        collections=dict.fromkeys(("papers", *leaving)), files=dict.fromkeys(files)
    )
    ledger = SimpleNamespace(state=SimpleNamespace(catalog=catalog))
    return AccessControl(cast(Any, settings), cast(Any, ledger))


def test_a_removed_collection_is_not_part_of_the_vault_while_its_notes_leave() -> None:
    """Without its name in `known`, `@secret/a.md` would count as a note of the vault."""
    now = access("secret")
    for scope in (
        now.scope_of(WORK),
        now.scope_of_search(WORK, SearchRequest(query="x")),
        now.scope_of_note(WORK, "@secret/a.md"),
        now.scope_of_note(WORK, "Secret"),
    ):
        assert not scope.is_everything
        assert not scope.includes("@secret/a.md")
        assert scope.includes("@todo/a.md") and scope.includes("@papers/a.md")
    assert now.scope_of(OWNER).is_everything
    assert access().scope_of(WORK).is_everything


@pytest.mark.parametrize(
    ("source", "permitted"),
    [
        ("Journal/a.md", True),  # also if it is not in the index any more
        ("@papers/gone.md", True),
        ("@secret/a.md", False),  # leaving
        ("@todo/a.md", True),  # a folder of the vault
        ("@removed/a.md", False),  # perhaps of a collection that is gone
    ],
)
def test_a_memory_belongs_to_the_collection_of_its_source(source: str, permitted: bool) -> None:
    now = access("secret", files=("@todo/a.md", "@secret/a.md"))
    permits = now.permits_source(now.scope_of(WORK), WORK)
    assert permits is not None and permits(source) is permitted
    assert now.permits_source(now.scope_of(OWNER), OWNER) is None


def test_a_request_whose_token_was_not_accepted_is_nobodys() -> None:
    """Never the user's own, and its refusal reports no more than one to an agent without a name."""
    request = make_mocked_request("GET", "/v1/status", headers={"X-Ragd-Token": "x"})
    with pytest.raises(RagdError) as refused:
        asker_of(request)
    assert refused.value.code == "TOKEN_REFUSED"
    found = access("old")
    assert found.scope_of_refused(request) == found.scope_of(Asker())
    assert found.scope_of_refused(request) != found.scope_of(OWNER)
