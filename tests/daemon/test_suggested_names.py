"""A refusal suggests no name to an agent that is withheld from it; with a real daemon."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from ragctl.daemon.client import request
from ragd.protocol.asker import asker_headers
from tests.daemon.searches import TOOL, Vault, serve_text

FOLDER, NOTE = "I owe Bo 70 dollars", "My depression in March.md"
MAIN = asker_headers("main", "direct")
NOTES = {f"{FOLDER}/d.md": "Four.\n", NOTE: "A note.\n", "Recipes/Soup.md": "Leeks.\n"}


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_text(NOTES, security={"sensitive": "block"}) as vault:
        yield vault


def suggestion(vault: Vault, how: str, name: str, headers: dict[str, str] | None) -> str:
    if how == "search":
        body = {"query": "leeks", "directory_filter": [name]}
        answer = request(vault.home, "POST", TOOL, body, headers=headers)
    else:
        path, parameter = ("notes", "path") if how == "note" else ("coverage", "folder")
        query = urlencode({parameter: name})
        answer = request(vault.home, "GET", f"/v1/{path}?{query}", headers=headers)
    assert answer.status in (400, 404)
    return str(answer.envelope["error"]["suggestion"])


@pytest.mark.parametrize(
    ("how", "typed", "name"),
    [
        ("search", "I owe Bo 70 dollar", FOLDER),
        ("coverage", "I owe Bo 70 dollar", FOLDER),
        ("note", "My depresion in March.md", NOTE),
    ],
)
def test_a_withheld_name_is_suggested_to_the_user_only(
    vault: Vault, how: str, typed: str, name: str
) -> None:
    assert suggestion(vault, how, typed, None) == f"Did you mean `{name}`?"
    told = suggestion(vault, how, typed, MAIN)
    assert told and "Did you mean" not in told and name not in told


@pytest.mark.parametrize(
    ("how", "typed", "name"),
    [
        ("search", "Recipies", "Recipes"),
        ("coverage", "Recipies", "Recipes"),
        ("note", "Recipes/Soop.md", "Recipes/Soup.md"),
    ],
)
def test_other_names_are_suggested_to_agents_too(
    vault: Vault, how: str, typed: str, name: str
) -> None:
    assert suggestion(vault, how, typed, MAIN) == f"Did you mean `{name}`?"
