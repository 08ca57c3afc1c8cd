"""`ragctl stop`: it returns only when the daemon's process has exited."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import ragd
from ragctl.daemon.client import is_listening
from ragctl.daemon.lockfile import holder
from ragd.paths import Home
from tests.patience import PATIENCE_S
from tests.ragctl.conftest import FakeDaemon, Ragctl, pid_of


def test_it_returns_when_the_lock_is_free(ragctl: Ragctl, fake: FakeDaemon) -> None:
    result = ragctl("stop")
    assert result.code == 0 and result.out.startswith("ragd stopped (pid ")
    assert holder(fake.home) is None


def test_json_names_the_process_that_ended(ragctl: Ragctl, fake: FakeDaemon) -> None:
    said = ragctl("stop", "--json").json
    assert said["stopped"] is True and said["pid"] > 0 and said["took_ms"] >= 0


def test_no_daemon_is_exit_3_with_the_next_command(ragctl: Ragctl) -> None:
    result = ragctl("stop")
    assert result.code == 3 and result.out == ""
    assert "`ragctl start`" in result.err


def test_a_daemon_that_does_not_exit_is_exit_75(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.heeds_stop = False
    result = ragctl("stop", "--timeout", "0.1")
    assert result.code == 75 and "still running" in result.err and "`kill " in result.err
    assert fake.requests == ["POST /v1/stop"]


def test_a_daemon_that_does_not_listen_is_exit_75_too(
    ragctl: Ragctl, fake: FakeDaemon, home: Home
) -> None:
    os.rename(home.socket, f"{home.socket}.away")
    result = ragctl("stop", "--timeout", "0.1")
    os.rename(f"{home.socket}.away", home.socket)
    assert result.code == 75 and "does not listen" in result.err


def test_a_starting_daemon_is_stopped_as_soon_as_it_listens(
    ragctl: Ragctl, fake: FakeDaemon, home: Home
) -> None:
    os.rename(home.socket, f"{home.socket}.away")
    threading.Timer(0.05, os.rename, (f"{home.socket}.away", home.socket)).start()
    assert ragctl("stop").code == 0
    assert fake.requests == ["POST /v1/stop"]


LINGERS = """
import atexit, os, sys, time
def linger():
    while not os.path.exists(sys.argv[3]):
        time.sleep(0.01)
atexit.register(linger)
from ragd import daemon
from ragd.paths import Home
assert sys.argv[1] == "--home"
sys.exit(daemon.run(Home(sys.argv[2])))
"""


def test_it_is_not_stopped_while_its_process_exists(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    """The lock is free before the process has ended."""
    leave = short / "leave"
    command = [sys.executable, "-c", LINGERS, "--home", home.root, str(leave)]
    place = str(Path(ragd.__file__).parent.parent)
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": place}) as child:
        try:
            _wait_until_it_answers(home)
            result = ragctl("stop", "--timeout", "3")
            assert (result.code, result.out) == (75, "")
            assert f"its process (pid {child.pid}) has not ended yet" in result.err
            assert holder(home) is None
        finally:
            leave.touch()
    assert ragctl("stop").code == 3


def test_when_it_says_stopped_the_process_is_gone(ragctl: Ragctl, home: Home) -> None:
    assert ragctl("start").code == 0
    pid = pid_of(home)
    result = ragctl("stop", "--timeout", str(PATIENCE_S))
    assert result.code == 0 and f"(pid {pid})" in result.out
    assert _has_ended(pid)


def _has_ended(pid: int) -> bool:
    """Whether it has exited. It may be a zombie, because the test is its parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def _wait_until_it_answers(home: Home) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_listening(home):
        assert time.monotonic() < deadline
        time.sleep(0.01)
