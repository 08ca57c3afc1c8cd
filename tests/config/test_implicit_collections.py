"""The collections that ragd adds itself: one for each agent that has a folder."""

import json
from pathlib import Path

import pytest

from ragd.config.implicit_collections import (
    MOST_AGENTS,
    add_implicit_collections,
    agent_folders,
    without_implicit_collections,
)
from ragd.config.load import Config, check_folders, parse, read, read_written
from ragd.paths import Home
from ragd.vault.reading_rules import roots_of, rules_of
from tests.vault.host_database import HostDatabase


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home(str(tmp_path / "home"))


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    for name in ("main", "Work"):
        (tmp_path / "agents" / name / "sessions").mkdir(parents=True)
    return tmp_path / "agents"


def configured(home: Home, agents: Path, enabled: bool = True) -> Config:
    vault = Path(home.root).parent / "vault"
    vault.mkdir(exist_ok=True)
    written = {
        "vault_path": str(vault),
        "collections": {"papers": {"path": str(vault.parent / "papers")}},
        "sessions": {"enabled": enabled, "path": str(agents)},
    }
    Path(home.config).write_text(json.dumps(written))
    return read(home)


def test_each_agent_with_a_folder_has_a_collection(home: Home, agents: Path) -> None:
    config = configured(home, agents)
    assert list(config.collections) == ["papers", "sessions/main", "sessions/work"]
    work = config.collections["sessions/work"]
    assert (work.path, work.private) == (str(agents / "Work" / "sessions"), True)


def test_it_is_off_unless_it_is_switched_on(home: Home, agents: Path) -> None:
    assert list(configured(home, agents, enabled=False).collections) == ["papers"]
    assert not parse(b'{"vault_path": "/v"}', "/").sessions.enabled


def test_the_configuration_as_it_is_written_has_none(home: Home, agents: Path) -> None:
    config = configured(home, agents)
    assert without_implicit_collections(config) == read_written(home)
    assert list(read_written(home).collections) == ["papers"]


def test_an_agents_folder_is_not_refused_for_its_place(home: Home) -> None:
    inside = Path(home.root) / "agents"
    (inside / "main" / "sessions").mkdir(parents=True)
    config = configured(home, inside)
    assert "sessions/main" in config.collections
    check_folders(config, home.root)


def test_a_parent_that_cannot_be_listed_has_no_agents(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert agent_folders(str(tmp_path / "missing"), "sessions") == {}
    assert agent_folders(str(tmp_path / "file"), "sessions") == {}


def test_only_folders_with_a_usable_name_are_agents(tmp_path: Path) -> None:
    for name in ("main", ".hidden", "bad\nname", "back\\slash", " Spaced ", "empty"):
        (tmp_path / name / "sessions").mkdir(parents=True)
    (tmp_path / "empty" / "sessions").rmdir()
    (tmp_path / "note.md").write_text("")
    found = agent_folders(str(tmp_path), "sessions")
    assert found == {
        "main": str(tmp_path / "main" / "sessions"),
        "spaced": str(tmp_path / " Spaced " / "sessions"),
    }
    assert agent_folders(str(tmp_path), "")["empty"] == str(tmp_path / "empty")


def test_a_database_with_sessions_counts_before_the_folder_for_files(tmp_path: Path) -> None:
    for name in ("new", "both"):
        HostDatabase(tmp_path, name).close()
    for name in ("both", "old", "files"):
        (tmp_path / name / "sessions").mkdir(parents=True)
    old = HostDatabase(tmp_path, "old")
    old.execute("PRAGMA user_version = 2")  # of a version that wrote files
    old.close()
    just_created = tmp_path / "created" / "agent"
    just_created.mkdir(parents=True)
    (just_created / "openclaw-agent.sqlite").touch()
    assert agent_folders(str(tmp_path), "sessions") == {
        "both": str(tmp_path / "both" / "agent" / "openclaw-agent.sqlite"),
        "created": str(just_created / "openclaw-agent.sqlite"),
        "files": str(tmp_path / "files" / "sessions"),
        "new": str(tmp_path / "new" / "agent" / "openclaw-agent.sqlite"),
        "old": str(tmp_path / "old" / "sessions"),
    }


def test_of_two_spellings_the_one_in_lower_case_counts(tmp_path: Path) -> None:
    for name in ("MAIN", "Main", "main", "WORK", "Work"):
        (tmp_path / name).mkdir(exist_ok=True)
    found = agent_folders(str(tmp_path), "")
    assert sorted(found) == ["main", "work"]
    assert Path(found["main"]).samefile(tmp_path / "main")
    assert Path(found["work"]).samefile(tmp_path / "WORK")


def test_there_are_only_so_many_agents(tmp_path: Path) -> None:
    for number in range(MOST_AGENTS + 5):
        (tmp_path / f"a{number:03}").mkdir()
    assert list(agent_folders(str(tmp_path), "")) == [f"a{n:03}" for n in range(MOST_AGENTS)]


def test_an_agents_collection_may_be_empty_and_keeps_the_vaults_paths_apart(
    home: Home, agents: Path
) -> None:
    config = configured(home, agents)
    assert rules_of(config, "sessions/main").may_be_empty
    assert not rules_of(config, "papers").may_be_empty
    assert set(rules_of(config, "vault").taken) >= {"@sessions", "@sessions/main", "@papers"}
    assert roots_of(config)["sessions/main"] == str(agents / "main" / "sessions")


def test_a_second_look_changes_nothing_unless_the_folders_do(home: Home, agents: Path) -> None:
    config = configured(home, agents)
    again = add_implicit_collections(without_implicit_collections(config), home)
    assert again.collections == config.collections
    (agents / "new" / "sessions").mkdir(parents=True)
    assert "sessions/new" in read(home).collections
