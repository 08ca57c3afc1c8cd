"""`ragctl context`: words about folders, kept in the configuration."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragd.config.contexts import Contexts
from ragd.config.load import read
from ragd.config.schema import CONTEXT_MAX
from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl


@pytest.fixture
def papers(home: Home, short: Path) -> Path:
    """A collection next to the vault, in the configuration."""
    folder = short / "papers"
    (folder / "2024").mkdir(parents=True)
    config = json.loads(Path(home.config).read_text())
    (Path(config["vault_path"]) / "Journal").mkdir()
    config["collections"] = {"papers": {"path": str(folder)}}
    Path(home.config).write_text(json.dumps(config))
    return folder


def settings(home: Home) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(home.config).read_text())
    return found


def test_a_context_is_set_listed_and_removed(ragctl: Ragctl, home: Home, papers: Path) -> None:
    done = ragctl("context", "set", "Journal/", "My diary  since", "2019")
    assert (done.code, done.out, done.err) == (0, "Journal: My diary since 2019\n", "")
    assert settings(home)["contexts"] == {"Journal": "My diary since 2019"}
    assert ragctl("context", "list").out == "Journal\n  My diary since 2019\n"
    listed = [{"path": "Journal", "context": "My diary since 2019"}]
    assert ragctl("context", "list", "--json").json == {"contexts": listed}
    assert ragctl("context", "unset", "journal").code == 0
    assert "contexts" not in settings(home)
    assert ragctl("context", "unset", "Journal").code == 6
    assert "There are no contexts" in ragctl("context", "list").err


def test_the_context_of_a_collection_is_one_of_its_own_settings(
    ragctl: Ragctl, home: Home, papers: Path
) -> None:
    assert ragctl("context", "set", "@papers", "About ice").code == 0
    assert settings(home)["collections"]["papers"]["context"] == "About ice"
    assert "contexts" not in settings(home)
    assert ragctl("context", "set", "@papers/2024", "The new ones").code == 0
    assert settings(home)["contexts"] == {"@papers/2024": "The new ones"}
    assert "@papers\n  About ice" in ragctl("context", "list").out
    assert ragctl("context", "unset", "@papers").code == 0
    assert settings(home)["collections"]["papers"] == {"path": str(papers)}


@pytest.mark.parametrize("typed", ["/", ".", "@vault"])
def test_the_vault_itself_has_one_too(ragctl: Ragctl, home: Home, papers: Path, typed: str) -> None:
    assert ragctl("context", "set", typed, "All of mine").out == "/: All of mine\n"
    assert settings(home)["contexts"] == {"/": "All of mine"}


def test_absolute_paths_are_those_of_the_vault_or_of_a_collection(
    ragctl: Ragctl, home: Home, papers: Path
) -> None:
    vault = settings(home)["vault_path"]
    assert ragctl("context", "set", f"{vault}/Journal", "a").out == "Journal: a\n"
    assert ragctl("context", "set", str(papers / "2024"), "b").out == "@papers/2024: b\n"
    assert ragctl("context", "set", str(papers), "c").out == "@papers: c\n"
    assert ragctl("context", "set", vault, "d").out == "/: d\n"
    refused = ragctl("context", "set", "/nowhere/else", "e")
    assert refused.code == 2 and "neither the vault nor a collection" in refused.err


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("set", "@papres", "x"), "Did you mean `@papers`?"),
        (("set", "../x", "x"), "is not a path in the vault"),
        (("set", "Journal"), "Usage: `ragctl context set PATH WORDS`."),
        (("set", "Journal", "x" * (CONTEXT_MAX + 1)), f"1 to {CONTEXT_MAX} characters"),
        (("set", "Journal", "\u202e"), "1 to"),
        (("unset",), "Usage"),
        (("list", "Journal"), "Usage"),
    ],
)
def test_what_cannot_be_set_is_explained(
    ragctl: Ragctl, home: Home, papers: Path, typed: tuple[str, ...], said: str
) -> None:
    before = settings(home)
    result = ragctl("context", *typed)
    assert result.code == 2 and said in result.err
    assert settings(home) == before


def test_a_folder_of_the_vault_may_begin_with_an_at_sign(
    ragctl: Ragctl, home: Home, papers: Path
) -> None:
    (Path(settings(home)["vault_path"]) / "@todo").mkdir()
    assert ragctl("context", "set", "@todo", "x").out == "@todo: x\n"
    assert settings(home)["contexts"] == {"@todo": "x"}


def test_a_folder_that_does_not_exist_yet_is_mentioned(
    ragctl: Ragctl, home: Home, papers: Path
) -> None:
    done = ragctl("context", "set", "Later", "x")
    assert done.code == 0 and "There is no Later yet" in done.err


def test_the_name_of_a_collection_without_its_sign_is_noticed(
    ragctl: Ragctl, home: Home, papers: Path
) -> None:
    assert "`@papers`" in ragctl("context", "set", "papers", "x").err


def test_a_running_daemon_uses_it_at_once(
    ragctl: Ragctl, home: Home, papers: Path, fake: FakeDaemon
) -> None:
    fake.reload_answer = (200, {"applied": ["contexts"], "needs_restart": []})
    assert "In effect now: contexts." in ragctl("context", "set", "Journal", "x").err
    assert "POST /v1/reload" in fake.requests
    fake.reload_answer = (400, {"message": "No."})
    assert ragctl("context", "set", "Journal", "y", "--json").code == 78


def test_an_agents_conversations_can_have_a_context(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    (short / "agents" / "main" / "sessions").mkdir(parents=True)
    for key, value in (("path", str(short / "agents")), ("enabled", "true")):
        assert ragctl("config", "set", f"sessions.{key}", value).code == 0
    assert ragctl("context", "set", "@sessions/main", "Our talks").code == 0
    written = json.loads(Path(home.config).read_text())
    assert written["contexts"] == {"@sessions/main": "Our talks"}
    assert Contexts(read(home)).of_collection("sessions/main") == "Our talks"
    assert ragctl("context", "set", "@sessions/other", "Talks").code == 2
