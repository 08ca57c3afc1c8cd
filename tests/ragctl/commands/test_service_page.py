"""`ragctl service --page`: a second unit, which keeps `ragctl serve` running."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ragd
from ragctl.bridge.bridge_lock import find_bridge, stop_bridge
from ragd.paths import Home
from tests.ragctl.commands.test_service import Manager
from tests.ragctl.conftest import FakeDaemon, Ragctl

ROOT = Path(ragd.__file__).parent.parent


@pytest.fixture
def manager(
    short: Path, home: Home, fake: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Manager]:
    """A fake systemctl that has started the daemon, and starts the bridge when it is asked to."""
    found = Manager(short / "manager")
    monkeypatch.setenv("PATH", f"{found.programs}:/usr/bin:/bin")
    found.answer("show", f"echo MainPID={os.getpid()}; echo ActiveState=active")
    serve = f"PYTHONPATH={ROOT} {sys.executable} -m ragctl serve --port 0"
    found.answer("start", f'case "$*" in *-page*) {serve} >/dev/null 2>&1 & ;; esac')
    yield found
    stop_bridge(home)


@pytest.fixture
def unit_file(short: Path, home: Home) -> Path:
    return short / f"user/.config/systemd/user/ragd-{home.fingerprint}-page.service"


def test_it_needs_the_daemons_service(ragctl: Ragctl, manager: Manager, unit_file: Path) -> None:
    refused = ragctl("service", "install", "--page")
    assert refused.code == 1 and "ragctl service install" in refused.err
    assert not unit_file.exists()


def test_it_is_installed_beside_the_daemons_and_removed_before_it(
    ragctl: Ragctl, manager: Manager, home: Home, unit_file: Path
) -> None:
    assert ragctl("service", "install").code == 0
    manager.forget()
    installed = ragctl("service", "install", "--page")
    assert installed.code == 0, installed.err
    name = unit_file.name
    assert manager.calls == ["daemon-reload", f"enable {name}", f"start {name}"]
    assert find_bridge(home) is not None
    text = unit_file.read_text()
    words = (sys.executable, "-m", "ragctl", "serve", "--home", home.root, "--port", "8427")
    assert f"ExecStart=:{' '.join(f'{chr(34)}{word}{chr(34)}' for word in words)}\n" in text
    assert f"Wants=ragd-{home.fingerprint}.service\n" in text
    assert "StandardOutput=null\n" in text  # others may read the journal
    status = ragctl("service", "status", "--page", "--json").json
    assert (status["installed"], status["up_to_date"]) == (True, True)

    assert "uninstall --page" in ragctl("service", "uninstall").err
    assert "uninstall --page" in ragctl("purge", "--yes").err
    assert unit_file.exists() and Path(home.config).exists()
    assert ragctl("service", "uninstall", "--page").code == 0
    assert not unit_file.exists()
    assert ragctl("service", "uninstall").code == 0


def test_a_bridge_that_runs_without_the_service_is_ended_first(
    ragctl: Ragctl, manager: Manager, home: Home
) -> None:
    assert ragctl("service", "install").code == 0
    assert ragctl("open", "--print").code == 0
    before = find_bridge(home)
    assert before is not None
    assert "ran without the service" in ragctl("service", "install", "--page").err
    after = find_bridge(home)
    assert after is not None and after["pid"] != before["pid"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_understands_the_unit(ragctl: Ragctl, manager: Manager, unit_file: Path) -> None:
    assert ragctl("service", "install").code == 0
    assert ragctl("service", "install", "--page").code == 0
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(unit_file)], capture_output=True, text=True
    )
    assert unit_file.name not in checked.stderr
