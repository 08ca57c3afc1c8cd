"""Where the daemon's socket is, and what happens when that path is taken."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ragd.paths import Home
from tests.daemon.processes import Process, facts, write_config

Start = Callable[..., Process]
OTHER = 65534


@pytest.mark.parametrize("what", ["file", "folder", "link", "fifo"])
async def test_something_else_at_the_sockets_path_stays_and_the_daemon_leaves_with_77(
    home: Home, start: Start, what: str
) -> None:
    path = Path(home.socket)
    put: dict[str, Callable[[], object]] = {
        "file": lambda: path.write_text("precious"),
        "folder": path.mkdir,
        "link": lambda: path.symlink_to("/nowhere"),
        "fifo": lambda: os.mkfifo(path),
    }
    put[what]()
    before = path.lstat()
    daemon = start("plain")
    assert await daemon.wait_for_exit() == 77
    assert daemon.output.startswith(f"ragd: {path} is in the way: it is not a socket.")
    assert daemon.output.count("\n") == 1
    assert path.lstat() == before
    assert [r["event"]["type"] for r in facts(home)][-1] == "daemon_stopped"
    assert facts(home)[-1]["event"]["reason"] == "refused"  # not a crash


@pytest.fixture
def far_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home whose path leaves no room for a socket."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    deep = folder / ("long" * 30)
    deep.mkdir()
    home = Home(str(deep / "h"))
    write_config(home, health={"probe_s": 0.05})
    return home


async def test_a_too_long_path_leads_to_the_runtime_folder(
    far_home: Home, folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = folder / "run"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    assert far_home.socket == str(runtime / "ragd" / f"{far_home.fingerprint}.sock")
    daemon = start("umask=000", of=far_home, XDG_RUNTIME_DIR=str(runtime))
    await daemon.wait_until_ready()
    assert stat.S_IMODE(os.stat(runtime / "ragd").st_mode) == 0o700
    assert stat.S_IMODE(os.stat(runtime).st_mode) == 0o700  # it was not there before
    assert stat.S_IMODE(os.stat(far_home.socket).st_mode) == 0o600
    assert await daemon.stop() == 0
    assert os.listdir(runtime / "ragd") == []


@pytest.mark.parametrize("session", ["", "r" * 120], ids=["none", "too long"])
async def test_without_a_fitting_runtime_folder_there_is_one_of_our_own_in_tmp(
    far_home: Home, folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch, session: str
) -> None:
    runtime = str(folder / session) if session else ""
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    assert far_home.socket == f"/tmp/ragd-{os.getuid()}/{far_home.fingerprint}.sock"
    daemon = start("plain", of=far_home, XDG_RUNTIME_DIR=runtime)
    await daemon.wait_until_ready()
    assert stat.S_IMODE(os.stat(os.path.dirname(far_home.socket)).st_mode) == 0o700
    assert await daemon.stop() == 0
    assert not os.path.lexists(far_home.socket)
    assert not session or not os.path.lexists(runtime)
    with suppress(OSError):  # another daemon's socket may be in it
        os.rmdir(os.path.dirname(far_home.socket))


async def test_a_runtime_folder_that_is_a_link_is_refused(
    far_home: Home, folder: Path, start: Start
) -> None:
    target = folder / "target"
    target.mkdir(mode=0o755)
    (folder / "run").mkdir()
    (folder / "run" / "ragd").symlink_to(target)
    daemon = start("plain", of=far_home, XDG_RUNTIME_DIR=str(folder / "run"))
    assert await daemon.wait_for_exit() == 77
    assert "it is not a folder" in daemon.output
    assert os.listdir(target) == []
    assert stat.S_IMODE(target.stat().st_mode) == 0o755


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
async def test_a_runtime_folder_of_somebody_else_is_refused(
    far_home: Home, folder: Path, start: Start
) -> None:
    (folder / "run" / "ragd").mkdir(parents=True)
    os.chown(folder / "run" / "ragd", OTHER, OTHER)
    daemon = start("plain", of=far_home, XDG_RUNTIME_DIR=str(folder / "run"))
    assert await daemon.wait_for_exit() == 77
    assert f"another user (uid {OTHER})" in daemon.output
    assert os.listdir(folder / "run" / "ragd") == []
