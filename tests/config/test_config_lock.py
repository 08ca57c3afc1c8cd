"""Changes of config.json that are made at once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ragd.config.config_lock import config_lock
from ragd.errors import ConfigError
from ragd.paths import Home

AT_ONCE = 6


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home, vault = tmp_path / "h", tmp_path / "vault"
    home.mkdir(mode=0o700)
    vault.mkdir()
    (home / "config.json").write_text(json.dumps({"vault_path": str(vault)}))
    return Home(str(home))


def test_commands_at_once_lose_no_change(home: Home, tmp_path: Path) -> None:
    for number in range(AT_ONCE):
        (tmp_path / f"root{number}").mkdir()
    ragctl = [sys.executable, "-m", "ragctl", "--home", home.root]
    adds = [
        [*ragctl, "collection", "add", str(tmp_path / f"root{number}"), "--name", f"c{number}"]
        for number in range(AT_ONCE)
    ]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in adds]
    assert [one.wait() for one in running] == [0] * AT_ONCE
    written = json.loads(Path(home.config).read_text())
    assert sorted(written["collections"]) == [f"c{number}" for number in range(AT_ONCE)]


def test_a_change_that_lasts_too_long_is_reported(home: Home) -> None:
    with (
        config_lock(home),
        pytest.raises(ConfigError, match="Another command"),
        config_lock(home, within_s=0),
    ):
        pass
    with config_lock(home):
        pass  # it is free again


def test_a_home_that_does_not_exist_needs_no_lock(tmp_path: Path) -> None:
    with config_lock(Home(str(tmp_path / "none"))):
        pass
    assert not (tmp_path / "none").exists()
