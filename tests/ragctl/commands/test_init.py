"""`ragctl init`: writes the first configuration."""

import io
import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.notes.documents.kinds import default_patterns
from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl


@pytest.fixture
def fresh(home: Home) -> Path:
    """A home that does not exist yet."""
    os.unlink(home.config)
    os.rmdir(home.root)
    return Path(home.root)


@pytest.fixture
def obsidian(short: Path) -> Path:
    """Obsidian's list: two vaults that exist, one that is missing."""
    folder = short / "user/.config/obsidian"
    folder.mkdir(parents=True)
    (short / "older").mkdir()
    (short / "opened").mkdir()
    vaults = {
        "a": {"path": str(short / "older"), "ts": 1},
        "b": {"path": str(short / "gone"), "ts": 9},
        "c": {"path": str(short / "opened"), "ts": 0, "open": True},
    }
    file = folder / "obsidian.json"
    file.write_text(json.dumps({"vaults": vaults}))
    return file


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A user at a terminal who types this."""

    def type_in(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", Terminal(text))
        monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True, raising=False)
        monkeypatch.setenv("NO_COLOR", "1")

    return type_in


def test_a_named_vault_makes_a_private_configuration(
    ragctl: Ragctl, fresh: Path, short: Path
) -> None:
    result = ragctl("init", str(short / "vault"))
    assert result.code == 0 and result.err == ""
    assert "Next: `ragctl index`" in result.out
    file = fresh / "config.json"
    written = json.loads(file.read_text())
    patterns = {"file_patterns": list(default_patterns())}
    assert written == {"vault_path": str(short / "vault"), "indexing": patterns}
    assert "PDFs" in result.out
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o700
    assert ragctl("config", "validate").code == 0


def test_the_next_step_names_the_home_that_was_named(
    ragctl: Ragctl, fresh: Path, short: Path
) -> None:
    other = short / "my home"
    result = ragctl("init", str(short / "vault"), "--home", str(other))
    assert f"Next: `ragctl --home '{other}' index` starts" in result.out
    (short / "new").mkdir()
    again = ragctl("--home", str(other), "init", str(short / "new"))
    assert f"`ragctl --home '{other}' config set vault_path {short}/new`" in again.err


def test_a_relative_vault_starts_at_the_current_folder(
    ragctl: Ragctl, fresh: Path, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(short)
    assert ragctl("init", "vault", "--json").json["vault"] == str(short / "vault")


def test_an_existing_configuration_is_not_overwritten(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    (short / "o t").mkdir()
    before = Path(home.config).read_bytes()
    result = ragctl("init", str(short / "o t"))
    assert result.code == 1 and result.out == ""
    assert f"ragctl config set vault_path '{short / 'o t'}'" in result.err
    assert Path(home.config).read_bytes() == before


def test_force_keeps_the_previous_configuration(ragctl: Ragctl, home: Home, short: Path) -> None:
    (short / "other").mkdir()
    before = Path(home.config).read_bytes()
    assert ragctl("init", str(short / "other"), "--force").code == 0
    assert Path(f"{home.config}.bak").read_bytes() == before
    assert json.loads(Path(home.config).read_text())["vault_path"] == str(short / "other")


def test_the_same_vault_again_changes_nothing(ragctl: Ragctl, home: Home, short: Path) -> None:
    before = os.stat(home.config).st_ino
    result = ragctl("init", str(short / "vault"))
    assert result.code == 0 and "already names" in result.out
    assert os.stat(home.config).st_ino == before


@pytest.mark.parametrize(
    ("given", "sentence"),
    [("missing", "does not exist"), ("vault/note.md", "is not a folder")],
)
def test_a_path_that_is_not_a_folder_is_refused(
    ragctl: Ragctl, fresh: Path, short: Path, given: str, sentence: str
) -> None:
    result = ragctl("init", str(short / given))
    assert result.code == 1 and sentence in result.err and "ragctl init" in result.err
    assert not fresh.exists()


def test_a_home_inside_the_vault_is_refused(ragctl: Ragctl, fresh: Path, short: Path) -> None:
    result = ragctl("init", str(short))
    assert result.code == 78 and "is inside the vault" in result.err
    assert not fresh.exists()


def test_an_unusual_vault_gets_a_hint_and_is_accepted(
    ragctl: Ragctl, fresh: Path, short: Path
) -> None:
    (short / "bare").mkdir()
    result = ragctl("init", str(short / "bare"))
    assert result.code == 0
    assert "no .obsidian folder" in result.err and "no .md files" in result.err


def test_template_folders_that_are_left_out_are_named_with_their_notes(
    ragctl: Ragctl, fresh: Path, short: Path
) -> None:
    vault = short / "Notes"
    for path in ("a.md", "Templates/day.md", "Templates/deep/week.MD", "Templates/picture.png"):
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text("x")
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian" / "templates.json").write_text('{"folder": "/Templates/"}')
    result = ragctl("init", str(vault))
    assert "The template folder Templates (2 notes) is not indexed." in result.err
    assert "ragctl config set indexing.templates index" in result.err
    assert ragctl("config", "set", "indexing.templates", "index").code == 0
    assert "templates" not in ragctl("init", str(vault)).err


def test_a_running_daemon_reloads(
    ragctl: Ragctl, home: Home, fake: FakeDaemon, short: Path
) -> None:
    (short / "other").mkdir()
    fake.reload_answer = (200, {"applied": [], "needs_restart": ["vault_path"]})
    assert (
        "Takes effect after a restart: vault_path."
        in ragctl("init", str(short / "other"), "--force").err
    )


def test_without_a_terminal_known_vaults_are_listed(
    ragctl: Ragctl, obsidian: Path, short: Path
) -> None:
    result = ragctl("init")
    assert result.code == 2
    assert result.lines == [
        str(short / "opened"),
        str(short / "older"),
        f"{short / 'gone'}  (missing)",
    ]
    assert "Run `ragctl init` with one of these folders." in result.err
    assert [v["exists"] for v in ragctl("init", "--json").json["vaults"]] == [True, True, False]


@pytest.mark.parametrize("content", ["", "[]", '{"vaults": [1]}', '{"vaults": {"a": {"path": 1}}}'])
def test_an_unreadable_list_counts_as_empty(ragctl: Ragctl, obsidian: Path, content: str) -> None:
    obsidian.write_text(content)
    result = ragctl("init")
    assert result.code == 2 and "Obsidian has no vaults" in result.err


def test_flatpak_and_snap_keep_lists_of_their_own(
    ragctl: Ragctl, obsidian: Path, short: Path
) -> None:
    user = short / "user"
    for place in (".var/app/md.obsidian.Obsidian/config", "snap/obsidian/current/.config"):
        folder = user / place / "obsidian"
        folder.mkdir(parents=True)
        listed = {"vaults": {"x": {"path": f"/{place}", "ts": 1}}}
        (folder / "obsidian.json").write_text(json.dumps(listed))
    assert len(ragctl("init", "--json").json["vaults"]) == 5


def test_at_a_terminal_one_is_chosen_by_number(
    ragctl: Ragctl, typed: Callable[[str], None], fresh: Path, obsidian: Path, short: Path
) -> None:
    typed("7\nwhat\n2\n")
    result = ragctl("init")
    assert result.code == 0
    assert f"  1  {short / 'opened'}  (open in Obsidian)" in result.err
    assert result.err.count("Type a number from 1 to 2.") == 2
    assert json.loads((fresh / "config.json").read_text())["vault_path"] == str(short / "older")


def test_nothing_chosen_is_nothing_written(
    ragctl: Ragctl, typed: Callable[[str], None], fresh: Path, obsidian: Path
) -> None:
    typed("")
    result = ragctl("init")
    assert result.code == 2 and "No vault was chosen" in result.err
    assert not fresh.exists()
