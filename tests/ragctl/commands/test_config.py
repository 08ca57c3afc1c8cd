"""`ragctl config`: the file is always valid and complete."""

import json
import os
import stat
from pathlib import Path

import pytest

from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl


@pytest.fixture
def file(home: Home) -> Path:
    return Path(home.config)


def test_path_prints_where_the_file_is(ragctl: Ragctl, home: Home) -> None:
    assert ragctl("config", "path").out == f"{home.config}\n"
    assert ragctl("config", "path", "--json").json == {"path": home.config, "exists": True}


def test_show_prints_the_file_and_with_defaults_every_setting(ragctl: Ragctl, file: Path) -> None:
    assert ragctl("config", "show").json == json.loads(file.read_text())
    everything = ragctl("config", "show", "--defaults").json
    assert everything["watch"] == {"debounce_s": 2, "collect_s": 5, "quiet_s": 0.5, "rescan_s": 300}


def test_get_prints_one_setting_or_a_section(ragctl: Ragctl, home: Home) -> None:
    vault = os.path.join(os.path.dirname(home.root), "vault")
    assert ragctl("config", "get", "vault_path").out == f"{vault}\n"
    assert ragctl("config", "get", "vault_path", "--json").json == vault
    assert ragctl("config", "get", "watch.rescan_s").out == "300\n"
    assert ragctl("config", "get", "watch").json["collect_s"] == 5


def test_an_unknown_key_gets_a_suggestion(ragctl: Ragctl) -> None:
    for argv in (("get", "watch.rescan"), ("set", "watch.rescan", "3")):
        result = ragctl("config", *argv)
        assert result.code == 78 and "Did you mean `watch.rescan_s`?" in result.err


def test_set_writes_in_one_step_and_keeps_the_mode(ragctl: Ragctl, file: Path) -> None:
    file.chmod(0o640)
    inode = file.stat().st_ino
    result = ragctl("config", "set", "watch.rescan_s", "600")
    assert result.code == 0 and result.out == "watch.rescan_s = 600\n" and result.err == ""
    assert json.loads(file.read_text())["watch"] == {"rescan_s": 600}
    assert stat.S_IMODE(file.stat().st_mode) == 0o640 and file.stat().st_ino != inode
    assert sorted(os.listdir(file.parent)) == ["config.json", "config.lock"]


def test_set_writes_to_the_target_of_a_link(ragctl: Ragctl, file: Path, short: Path) -> None:
    real = short / "dotfiles.json"
    file.rename(real)
    file.symlink_to(real)
    assert ragctl("config", "set", "watch.rescan_s", "600").code == 0
    assert file.is_symlink() and "600" in real.read_text()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("watch.rescan_s", "often"),
        ("indexing.chunk_overlap", "5000"),
        ("embedding.base_url", "http://example.org"),
        ("watch", "{}"),
    ],
)
def test_an_invalid_value_is_not_written(ragctl: Ragctl, file: Path, key: str, value: str) -> None:
    before = file.read_bytes()
    result = ragctl("config", "set", key, value)
    assert result.code == 78 and result.out == "" and f"`{key}" in result.err
    assert file.read_bytes() == before


def test_unset_brings_the_default_back(ragctl: Ragctl, file: Path) -> None:
    before = json.loads(file.read_text())
    ragctl("config", "set", "watch.rescan_s", "600")
    result = ragctl("config", "unset", "watch.rescan_s")
    assert (result.code, result.out) == (0, "watch.rescan_s is 300, the default\n")
    assert json.loads(file.read_text()) == before, "the empty section is gone too"
    ragctl("config", "set", "watch.rescan_s", "600")
    assert ragctl("config", "unset", "watch", "--json").json["value"]["rescan_s"] == 300
    assert json.loads(file.read_text()) == before


def test_a_missing_or_required_key_is_not_unset(ragctl: Ragctl, file: Path) -> None:
    before = file.read_bytes()
    missing = ragctl("config", "unset", "watch.rescan_s")
    assert missing.code == 78 and "`watch.rescan_s` is not in" in missing.err
    needed = ragctl("config", "unset", "vault_path")
    assert needed.code == 78 and "`vault_path`" in needed.err
    assert file.read_bytes() == before


def test_an_invalid_file_can_be_fixed_key_by_key(ragctl: Ragctl, file: Path) -> None:
    tree = json.loads(file.read_text())
    wrong = {"serach": {"stale": "hybrid"}, "watch": {"rescan_s": "often", "debounce": 1}}
    file.write_text(json.dumps(tree | wrong))
    assert "config unset KEY`" in ragctl("status").err
    first = ragctl("config", "unset", "serach")
    assert (first.code, first.out) == (78, "serach was removed\n")
    assert "The change is saved. Still wrong: " in first.err and "serach" not in first.err
    refused = ragctl("config", "set", "watch.rescan_s", "never")
    assert refused.code == 78 and refused.out == "", "no better than before"
    second = ragctl("config", "set", "watch.rescan_s", "600", "--json")
    assert second.code == 78 and "`watch.debounce`" in second.json["error"]["message"]
    assert ragctl("config", "unset", "watch.debounce").code == 0
    assert json.loads(file.read_text()) == tree | {"watch": {"rescan_s": 600}}


@pytest.mark.parametrize(
    ("wrong", "argv"),
    [
        ({"watch": {"rescans_s": 5}}, ("set", "watch.rescan_s", "600")),
        ({"foo": 1, "foobar": 2}, ("unset", "foo")),
        ({"watch": {"rescan_s": 600, "rescan_sx": 1}}, ("unset", "watch.rescan_s")),
    ],
)
def test_a_key_of_nearly_the_same_name_does_not_interfere(
    ragctl: Ragctl, file: Path, wrong: dict[str, object], argv: tuple[str, ...]
) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | wrong))
    result = ragctl("config", *argv)
    assert result.code == 78 and result.out and "The change is saved. Still wrong:" in result.err


def test_a_relative_path_starts_at_the_current_folder(
    ragctl: Ragctl, file: Path, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (short / "other").mkdir()
    monkeypatch.chdir(short)
    ragctl("config", "set", "vault_path", "other")
    assert json.loads(file.read_text())["vault_path"] == str(short / "other")


def test_a_collection_may_be_called_path(
    ragctl: Ragctl, file: Path, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("papers", "maps"):
        (short / name).mkdir()
    monkeypatch.chdir(short)
    whole = json.dumps({"path": str(short / "papers")})
    result = ragctl("config", "set", "collections.path", whole)
    assert (result.code, result.err) == (0, "")
    assert json.loads(file.read_text())["collections"] == {"path": json.loads(whole)}
    ragctl("config", "set", "collections.path.path", "maps")
    assert json.loads(file.read_text())["collections"] == {"path": {"path": str(short / "maps")}}


@pytest.mark.parametrize(
    ("given", "sentence"), [("nope", "does not exist"), ("vault/note.md", "is not a folder")]
)
def test_a_missing_vault_is_not_set(
    ragctl: Ragctl, file: Path, short: Path, given: str, sentence: str
) -> None:
    before = file.read_bytes()
    result = ragctl("config", "set", "vault_path", str(short / given))
    assert result.code == 78 and result.out == ""
    assert f"`vault_path` was not changed: {short / given} {sentence}." in result.err
    assert "`ragctl init`" in result.err and file.read_bytes() == before


def test_the_home_may_not_move_into_the_vault(ragctl: Ragctl, file: Path, short: Path) -> None:
    before = file.read_bytes()
    result = ragctl("config", "set", "vault_path", str(short))
    assert result.code == 78 and "is inside the vault" in result.err
    assert file.read_bytes() == before


def test_a_running_daemon_reloads_and_the_result_is_shown(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.reload_answer = (200, {"applied": ["watch.rescan_s"], "needs_restart": ["vault_path"]})
    result = ragctl("config", "set", "watch.rescan_s", "600")
    assert result.code == 0
    assert "In effect now: watch.rescan_s." in result.err
    assert "Takes effect after a restart: vault_path." in result.err
    told = ragctl("config", "set", "watch.rescan_s", "600", "--json").json
    assert told["daemon"] == {
        "running": True,
        "applied": ["watch.rescan_s"],
        "needs_restart": ["vault_path"],
        "error": None,
    }


@pytest.mark.parametrize("key", ["indexing.chunk_size", "security.code_blocks"])
def test_a_change_of_chunking_says_what_happens_to_the_notes(
    ragctl: Ragctl, fake: FakeDaemon, file: Path, key: str
) -> None:
    value = {"indexing.chunk_size": "400", "security.code_blocks": "keep"}[key]
    said = ragctl("config", "set", key, value).err
    assert "split all notes into chunks again; `ragctl sync` does it now." in said
    assert ragctl("config", "set", key, value).err == ""  # nothing changed
    fake.close()
    file.write_text(json.dumps({"vault_path": ragctl("config", "get", "vault_path").out.strip()}))
    assert "The next sync splits all notes" in ragctl("config", "set", key, value).err


def test_a_daemon_that_refuses_is_quoted(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.reload_answer = (400, {"message": "Not like that."})
    result = ragctl("config", "set", "watch.rescan_s", "600")
    assert result.code == 78 and "Not like that." in result.err


def test_no_configuration_is_exit_78_with_the_next_command(ragctl: Ragctl, file: Path) -> None:
    file.unlink()
    for argv in (("show",), ("get", "watch"), ("set", "vault_path", "/x"), ("validate",)):
        result = ragctl("config", *argv)
        assert result.code == 78 and "`ragctl init" in result.err
    assert ragctl("config", "path", "--json").json["exists"] is False


def test_validate_says_what_is_wrong(ragctl: Ragctl, file: Path) -> None:
    assert ragctl("config", "validate").out == f"{file} is valid.\n"
    assert ragctl("config", "validate", "--json").json["valid"] is True
    file.write_text('{"vault_path": "/vault", "wach": {}}')
    result = ragctl("config", "validate")
    assert result.code == 78 and result.out == "" and "did you mean `watch`?" in result.err
    result = ragctl("config", "validate", "--json")
    assert result.code == 78 and result.err == "" and "`wach`" in result.json["error"]["message"]


def test_a_pipe_in_place_of_the_file_does_not_hang(ragctl: Ragctl, file: Path) -> None:
    file.unlink()
    os.mkfifo(file)
    assert ragctl("config", "show").code == 78


def test_the_schema_is_printed_for_editors_and_their_key_is_left_alone(
    ragctl: Ragctl, file: Path
) -> None:
    assert ragctl("config", "schema").json["properties"]["vault_path"]["type"] == "string"
    tree = json.loads(file.read_text()) | {"$schema": "./config.schema.json"}
    file.write_text(json.dumps(tree))
    assert ragctl("config", "validate").code == 0
    assert ragctl("config", "set", "watch.rescan_s", "600").code == 0
    assert list(json.loads(file.read_text())) == ["$schema", "vault_path", "watch"]
    assert "$schema" not in ragctl("config", "show", "--defaults").json


def another(short: Path, home: Home) -> Path:
    """Another vault, in a home that has an index."""
    (Path(home.vectors) / "g1").mkdir(parents=True)
    other = short / "other vault"
    other.mkdir()
    return other


def test_another_vault_warns_that_the_index_is_dropped_and_how_to_avoid_it(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    before, other = short / "vault", another(short, home)
    result = ragctl("config", "set", "vault_path", str(other))
    assert result.code == 0
    assert f"When the daemon next starts and finds {other}, it drops the index" in result.err
    assert f"`ragctl config set vault_path {before}` before you start the daemon" in result.err
    said = ragctl("config", "set", "vault_path", str(before), "--json").json
    assert len(said["hints"]) == 1


def test_there_is_no_warning_if_no_index_is_dropped(
    ragctl: Ragctl, home: Home, short: Path, fake: FakeDaemon
) -> None:
    other = short / "new"
    other.mkdir()
    assert "drops" not in ragctl("config", "set", "vault_path", str(other)).err  # no index
    another(short, home)
    assert "drops" not in ragctl("config", "set", "vault_path", str(other)).err  # the same
    fake.more["vault"] = {"path": str(short / "vault"), "found": True, "watch": "native"}
    back = ragctl("config", "set", "vault_path", str(short / "vault"))
    assert "drops" not in back.err  # the running daemon reads this one
    assert ragctl("config", "set", "watch.rescan_s", "600", "--json").json["hints"] == []


def test_init_with_force_and_another_vault_warns_too(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    other = another(short, home)
    result = ragctl("init", str(other), "--force")
    assert result.code == 0 and "it drops the index" in result.err
