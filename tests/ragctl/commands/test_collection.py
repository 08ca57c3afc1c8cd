"""`ragctl collection`: further folders, kept in the configuration."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragctl.commands.collection import default_name
from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl


@pytest.fixture
def papers(short: Path) -> Path:
    """A folder of notes beside the vault."""
    folder = short / "My Papers"
    (folder / "2024").mkdir(parents=True)
    for name in ("a.md", "2024/b.md", "2024/c.md"):
        (folder / name).write_text("Ice.\n")
    return folder


def settings(home: Home) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(home.config).read_text())
    return found


def test_a_folder_is_added_with_the_name_of_the_folder(
    ragctl: Ragctl, home: Home, papers: Path
) -> None:
    done = ragctl("collection", "add", str(papers))
    assert (done.code, done.out) == (0, f"@my-papers: {papers}\n")
    assert "reads its 3 notes when it starts" in done.err
    assert settings(home)["collections"] == {"my-papers": {"path": str(papers)}}


def test_everything_that_is_given_is_kept(ragctl: Ragctl, home: Home, papers: Path) -> None:
    more = ("--name", "@papers", "--private", "--context", "About ice", "--allow-dir", "2024")
    masks = ("--mask", "*.pdf", "--mask", "*.md", "--deny-dir", "Drafts")
    assert ragctl("collection", "add", str(papers), *more, *masks).code == 0
    assert settings(home)["collections"]["papers"] == {
        "path": str(papers),
        "patterns": ["*.pdf", "*.md"],
        "deny_dirs": [".obsidian", ".trash", ".git", ".logseq", "Drafts"],
        "allow_dirs": ["2024"],
        "context": "About ice",
        "private": True,
    }


def test_only_the_notes_that_belong_to_it_are_counted(ragctl: Ragctl, papers: Path) -> None:
    added = ragctl("collection", "add", str(papers), "--allow-dir", "2024", "--json")
    assert (added.json["name"], added.json["notes"]) == ("my-papers", 2)


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/x/My Papers", "my-papers"),
        ("/x/Papers (2024)", "papers-2024"),
        ("/x/" + "a" * 60, "a" * 40),
        ("/x/---", ""),
        ("/x/Übungen & Cafés", "ubungen-cafes"),
    ],
)
def test_the_default_name_is_made_valid(folder: str, name: str) -> None:
    assert default_name(folder) == name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--name", "Papers"], "lower case letters"),
        (["--name", "vault"], "ragd uses that name itself"),
        (["--name", "-x-"], "lower case letters"),
    ],
)
def test_a_name_that_is_not_valid_is_refused(
    ragctl: Ragctl, home: Home, papers: Path, arguments: list[str], message: str
) -> None:
    before = settings(home)
    name, value = arguments
    refused = ragctl("collection", "add", str(papers), f"{name}={value}")
    assert refused.code == 2 and message in refused.err
    assert settings(home) == before


def test_a_folder_whose_name_cannot_be_used_needs_a_name(ragctl: Ragctl, short: Path) -> None:
    (short / "書類").mkdir()
    refused = ragctl("collection", "add", str(short / "書類"))
    assert refused.code == 2 and "--name NAME" in refused.err


def test_a_folder_that_does_not_exist_is_refused(ragctl: Ragctl, short: Path) -> None:
    refused = ragctl("collection", "add", str(short / "nowhere"))
    assert refused.code == 1 and "does not exist" in refused.err


def test_a_second_one_of_the_same_name_is_refused(
    ragctl: Ragctl, home: Home, papers: Path, short: Path
) -> None:
    (short / "other").mkdir()
    ragctl("collection", "add", str(papers), "--name", "papers")
    refused = ragctl("collection", "add", str(short / "other"), "--name", "papers")
    assert refused.code == 1 and "already" in refused.err
    assert settings(home)["collections"]["papers"]["path"] == str(papers)


def test_overlapping_folders_are_refused(ragctl: Ragctl, home: Home, papers: Path) -> None:
    before = settings(home)
    vault = Path(before["vault_path"])
    (vault / "Inside").mkdir()
    for root, message in (
        (vault, "same folder as the vault"),
        (vault / "Inside", "inside the vault"),
        (Path(home.root), "inside a folder that ragd writes"),
    ):
        refused = ragctl("collection", "add", str(root), "--name", "x")
        assert refused.code == 78 and message in refused.err
    assert settings(home) == before


def test_a_name_that_a_folder_of_the_vault_has_is_refused(
    ragctl: Ragctl, home: Home, papers: Path
) -> None:
    (Path(settings(home)["vault_path"]) / "@papers").mkdir()
    refused = ragctl("collection", "add", str(papers), "--name", "papers")
    assert refused.code == 1 and "The vault has a folder `@papers`" in refused.err


def test_one_is_removed_with_its_contexts_and_its_place_in_the_access_rules(
    ragctl: Ragctl, home: Home, papers: Path
) -> None:
    ragctl("collection", "add", str(papers), "--name", "papers")
    rules = [{"match": {"agent": "a"}, "collections": ["papers", "vault"]}]
    changed = settings(home) | {
        "contexts": {"@papers/2024": "New", "Journal": "Old", "@papers-2/x": "Other"},
        "access": {"default": "deny", "rules": rules},
    }
    Path(home.config).write_text(json.dumps(changed))
    done = ragctl("collection", "remove", "@papers")
    assert done.code == 0 and "not touched" in done.out
    now = settings(home)
    assert "collections" not in now
    assert now["contexts"] == {"Journal": "Old", "@papers-2/x": "Other"}
    assert now["access"]["rules"][0]["collections"] == ["vault"]
    assert (papers / "a.md").exists()


def test_one_is_renamed_with_its_contexts_and_its_place_in_the_access_rules(
    ragctl: Ragctl, home: Home, papers: Path, short: Path
) -> None:
    (short / "other").mkdir()
    ragctl("collection", "add", str(papers), "--name", "papers", "--private")
    ragctl("collection", "add", str(short / "other"))
    changed = settings(home) | {
        "contexts": {"@papers/2024": "New", "@papers": "All"},
        "access": {"rules": [{"collections": ["papers"]}]},
    }
    Path(home.config).write_text(json.dumps(changed))
    done = ragctl("collection", "rename", "papers", "articles", "--json")
    assert done.json["name"] == "articles" and done.json["old_name"] == "papers"
    now = settings(home)
    assert list(now["collections"]) == ["articles", "other"]
    assert now["collections"]["articles"]["private"] is True
    assert now["contexts"] == {"@articles/2024": "New", "@articles": "All"}
    assert now["access"]["rules"] == [{"collections": ["articles"]}]


def test_an_unknown_name_is_refused_with_the_nearest_one(ragctl: Ragctl, papers: Path) -> None:
    ragctl("collection", "add", str(papers), "--name", "papers")
    for arguments in (("remove", "paper"), ("rename", "papres", "x")):
        refused = ragctl("collection", *arguments)
        assert refused.code == 2 and "Did you mean `papers`?" in refused.err
    assert "already" in ragctl("collection", "rename", "papers", "papers").err


def test_the_vault_itself_is_not_said_to_be_missing(ragctl: Ragctl) -> None:
    for arguments in (("remove", "vault"), ("rename", "vault", "x")):
        refused = ragctl("collection", *arguments)
        assert refused.code == 2 and "cannot be removed or renamed" in refused.err


def test_the_list_has_the_words_about_the_vault(ragctl: Ragctl, papers: Path) -> None:
    ragctl("context", "set", "/", "All of mine")
    listed = ragctl("collection", "list", "--json").json["collections"]
    assert [one["context"] for one in listed] == ["All of mine"]


def test_no_collection_is_named_to_be_removed_that_was_not_added(
    ragctl: Ragctl, home: Home, papers: Path
) -> None:
    vault = settings(home)["vault_path"]
    for folder in (vault, home.root):
        refused = ragctl("collection", "add", folder, "--name", "papers")
        assert refused.code != 0 and "collection remove" not in refused.err
    ragctl("collection", "add", str(papers), "--name", "papers")
    refused = ragctl("collection", "add", str(papers / "2024"), "--name", "ice")
    assert "collection remove papers`" in refused.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("add",),
        ("list", "x"),
        ("remove",),
        ("rename", "a"),
        ("remove", "a", "--private"),
        ("add", "x", "--names"),
    ],
)
def test_what_does_not_belong_to_an_action_is_refused(
    ragctl: Ragctl, arguments: tuple[str, ...]
) -> None:
    assert ragctl("collection", *arguments).code == 2


def test_the_list_without_a_daemon_comes_from_the_configuration(
    ragctl: Ragctl, home: Home, papers: Path
) -> None:
    ragctl("collection", "add", str(papers), "--name", "papers", "--context", "About ice")
    listed = ragctl("collection", "list", "--json").json
    assert listed["running"] is False
    assert [one["name"] for one in listed["collections"]] == ["vault", "papers"]
    shown = ragctl("collection", "list")
    assert f"@papers  {papers}" in shown.out and "About ice" in shown.out
    assert "not running" in shown.err
    assert ragctl("collection", "list", "--names").out == "papers\n"


def test_the_list_shows_what_the_daemon_says(
    ragctl: Ragctl, fake: FakeDaemon, papers: Path
) -> None:
    one: dict[str, Any] = {
        "notes": 3,
        "passages": 7,
        "last_sync": None,
        "waiting": 2,
        "held": 60,
        "watch": None,
    }
    one |= {"path": str(papers), "private": True, "context": ""}
    vault = {**one, "name": "vault", "state": "ok", "held": 0, "waiting": 0, "private": False}
    lost = {**one, "name": "papers", "state": "not_responding"}
    fake.more = {"collections": [vault, lost]}
    shown = ragctl("collection", "list").out
    assert "vault" in shown and "3 notes" in shown and "7 passages" in shown
    assert "does not respond" in shown and "60 deletions held" in shown and "private" in shown


def test_a_running_daemon_applies_it_and_says_how_many_notes_it_reads(
    ragctl: Ragctl, fake: FakeDaemon, papers: Path
) -> None:
    fake.reload_answer = (200, {"applied": ["collections"], "needs_restart": []})
    fake.more = {"index": {"generation": "g"}}
    done = ragctl("collection", "add", str(papers))
    assert done.code == 0
    assert "In effect now: collections." in done.err
    assert "is reading 3 notes" in done.err
    fake.more = {"index": None}
    (papers.parent / "other").mkdir()
    (papers.parent / "other" / "a.md").write_text("a")
    assert "`ragctl index`" in ragctl("collection", "add", str(papers.parent / "other")).err


def test_a_daemon_that_refuses_it_is_an_error(
    ragctl: Ragctl, fake: FakeDaemon, papers: Path
) -> None:
    refusal = {"error": {"code": "X", "message": "No.", "suggestion": "", "recoverable": False}}
    fake.reload_answer = (400, refusal)
    done = ragctl("collection", "add", str(papers))
    assert done.code == 78


def test_deletions_are_accepted_in_all_or_in_some_collections(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    ragctl("sync", "--no-wait", "--accept-deletions")
    ragctl("sync", "--no-wait", "--accept-deletions", "@papers", "vault")
    assert fake.jobs_asked == [
        {"mode": "sync", "accept_deletions": True},
        {"mode": "sync", "accept_deletions": True, "accept_in": ["papers", "vault"]},
    ]


# Collections that ragd adds itself


@pytest.fixture
def agents(ragctl: Ragctl, short: Path) -> Path:
    """The folder of a host with one agent, whose conversations are read."""
    (short / "agents" / "main" / "sessions").mkdir(parents=True)
    for key, value in (("path", str(short / "agents")), ("enabled", "true")):
        assert ragctl("config", "set", f"sessions.{key}", value).code == 0
    return short / "agents"


def test_the_conversations_of_an_agent_are_listed_and_not_written(
    ragctl: Ragctl, home: Home, agents: Path
) -> None:
    listed = ragctl("collection", "list", "--json").json["collections"]
    assert [(one["name"], one["private"]) for one in listed[1:]] == [("sessions/main", True)]
    assert listed[1]["path"] == str(agents / "main" / "sessions")
    assert "collections" not in settings(home)
    assert "sessions/main" not in ragctl("config", "show").out


@pytest.mark.parametrize("name", ["sessions/main", "@sessions/main", "sessions"])
def test_they_cannot_be_removed_or_renamed(ragctl: Ragctl, agents: Path, name: str) -> None:
    for words in (("remove", name), ("rename", name, "talks")):
        refused = ragctl("collection", *words)
        assert refused.code == 2
        assert "sessions.enabled false" in refused.err


def test_their_name_is_taken(ragctl: Ragctl, papers: Path) -> None:
    refused = ragctl("collection", "add", str(papers), "--name", "sessions")
    assert refused.code == 2 and "ragd uses that name itself" in refused.err


def test_an_empty_folder_of_an_agent_is_no_warning(ragctl: Ragctl, agents: Path) -> None:
    found = {one["name"]: one for one in ragctl("doctor", "--json").json["checks"]}
    assert found["collections"]["verdict"] == "ok"
