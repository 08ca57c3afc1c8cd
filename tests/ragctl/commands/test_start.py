"""`ragctl start` and automatic starts: a real daemon, or its own error message."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ragd
from ragctl.daemon import start as starting
from ragctl.daemon.lockfile import holder
from ragctl.failure import Failure, TimedOut
from ragd.paths import Home
from ragd.runtime import subprocesses as children
from tests.patience import PATIENCE_S
from tests.ragctl.conftest import FakeDaemon, Ragctl, StartProcess, pid_of

Instead = Callable[..., "list[subprocess.Popen[bytes]]"]


@pytest.fixture
def instead(monkeypatch: pytest.MonkeyPatch) -> Iterator[Instead]:
    """Start this Python program instead of the daemon. Returns the list of started processes."""
    children: list[subprocess.Popen[bytes]] = []
    spawn = starting.spawn_daemon

    def use(*programs: str) -> list[subprocess.Popen[bytes]]:
        queue = list(programs)

        def command(home: object) -> list[str]:
            return [sys.executable, "-c", queue.pop(0) if len(queue) > 1 else queue[0]]

        def spawn_and_keep(*args: Any) -> subprocess.Popen[bytes]:
            children.append(spawn(*args))
            return children[-1]

        monkeypatch.setattr(starting, "daemon_command", command)
        monkeypatch.setattr(starting, "spawn_daemon", spawn_and_keep)
        return children

    yield use
    for child in children:
        child.returncode = None
        child.kill()
        child.wait()


def test_a_running_daemon_is_named_and_left_alone(ragctl: Ragctl, fake: FakeDaemon) -> None:
    result = ragctl("start")
    sentence = f"ragd is already running (pid {os.getpid()}, version {ragd.__version__}).\n"
    assert result == (0, sentence, "")
    assert ragctl("start", "--json").json == {
        "started": False,
        "pid": os.getpid(),
        "version": ragd.__version__,
    }


def test_the_daemons_own_sentence_and_code_are_passed_on(ragctl: Ragctl, home: Home) -> None:
    os.unlink(home.config)
    for verb in ("start", "status"):
        result = ragctl(verb)
        assert result.code == 78 and result.out == ""
        assert result.err.startswith(f"ragctl: No configuration at {home.config}.")
        assert f"`ragctl --home {home.root} init" in result.err
    assert os.listdir(home.root) == []


def test_a_child_that_exits_is_noticed_at_once(home: Home, instead: Instead) -> None:
    instead("import sys; sys.exit('ragd: The disk is on fire.')")
    with pytest.raises(Failure) as told:
        starting.start_daemon(home, within=PATIENCE_S)
    assert (told.value.message, told.value.exit_code) == ("The disk is on fire.", 1)


def test_a_killed_child_is_reported(home: Home, instead: Instead) -> None:
    instead("import os; os.kill(os.getpid(), 9)")
    with pytest.raises(Failure, match="ended by signal 9 while it was starting"):
        starting.start_daemon(home, within=PATIENCE_S)


def test_a_child_that_exits_silently_is_reported(home: Home, instead: Instead) -> None:
    instead("import sys; sys.exit(74)")
    with pytest.raises(Failure, match="exit code 74") as told:
        starting.start_daemon(home, within=PATIENCE_S)
    assert told.value.exit_code == 74


def test_a_broken_installation_is_a_sentence_too(home: Home, instead: Instead) -> None:
    instead("import no_such_module_of_ours")
    with pytest.raises(Failure) as told:
        starting.start_daemon(home, within=PATIENCE_S)
    assert told.value.message.startswith(
        "ragd crashed while it was starting: ModuleNotFoundError: "
    )
    assert "Traceback" not in told.value.message


def test_a_child_that_never_answers_is_a_time_out_and_keeps_running(
    home: Home, instead: Instead
) -> None:
    children = instead("import signal; signal.pause()")
    with pytest.raises(TimedOut, match="may still be starting"):
        starting.start_daemon(home, within=0.1)
    assert os.waitpid(children[0].pid, os.WNOHANG) == (0, 0)


def test_the_second_of_two_starts_uses_the_first_daemon(
    home: Home, fake: FakeDaemon, instead: Instead
) -> None:
    instead("import sys; sys.exit(73)")
    starting.start_daemon(home, within=PATIENCE_S)


def test_the_second_of_two_starts_waits_for_its_child_to_exit(
    home: Home, fake: FakeDaemon, instead: Instead
) -> None:
    children = instead("import sys; sys.stdin.read(); sys.exit(73)")
    starting.start_daemon(home, within=PATIENCE_S)
    assert children[0].returncode == 73


def test_a_start_while_a_daemon_stops_starts_the_next_one(
    home: Home, fake: FakeDaemon, instead: Instead, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock is held without an answer, then it is free: a second start is needed."""
    os.rename(home.socket, f"{home.socket}.away")
    let_go = "import os, sys; sys.exit(73)"
    children = instead(let_go, "import sys; sys.exit('second try')")
    looked = starting.pause_before_retry

    def and_then_it_is_gone(*args: Any) -> None:
        if len(children) == 1 and children[0].returncode == 73:
            os.rename(f"{home.socket}.away", home.socket)
            fake.close()
        looked(*args)

    monkeypatch.setattr(starting, "pause_before_retry", and_then_it_is_gone)
    with pytest.raises(Failure, match="second try"):
        starting.start_daemon(home, within=PATIENCE_S)
    assert len(children) == 2


def test_code_is_never_loaded_from_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    place = str(Path(ragd.__file__).parent.parent)
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    environment = children.environment()
    assert environment["PYTHONSAFEPATH"] == "1"
    assert environment["PYTHONPATH"] == f"{place}{os.pathsep}/elsewhere"


def test_modules_in_the_current_folder_are_not_imported(
    ragctl: Ragctl, home: Home, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = "import os; os.abort()"
    for name in ("json.py", "ragd.py", "asyncio.py"):
        (short / "vault" / name).write_text(trap)
    monkeypatch.chdir(short / "vault")
    assert ragctl("start").code == 0
    pid = pid_of(home)
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    assert ragctl("stop").code == 0


def test_foreground_becomes_the_daemon(process: StartProcess, ragctl: Ragctl, home: Home) -> None:
    child = process("start", "--foreground")
    assert " started " in process("logs", "-f").stdout.readline()
    assert pid_of(home) == child.pid
    assert ragctl("stop").code == 0
    assert child.wait() == 0


@pytest.fixture
def dying(home: Home) -> Iterator[list[bytes]]:
    """A daemon that was killed but has not exited: it hangs up on the first requests. Returns the
    requests."""
    asked: list[bytes] = []
    server = socket.socket(socket.AF_UNIX)
    server.bind(home.socket)
    server.listen()

    def die() -> None:
        with server.accept()[0] as end:
            asked.append(end.recv(65536))
        os.unlink(home.socket)
        server.close()

    thread = threading.Thread(target=die)
    thread.start()
    yield asked
    thread.join()


def test_a_request_to_a_dying_daemon_is_answered_by_the_next_one(
    ragctl: Ragctl, home: Home, dying: list[bytes]
) -> None:
    result = ragctl("events", "--type", "daemon_started", "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json["event"]["type"] == "daemon_started"
    assert len(dying) == 1


def test_a_search_is_repeated_too(ragctl: Ragctl, home: Home, dying: list[bytes]) -> None:
    result = ragctl("search", "anything")
    assert "closed the connection" not in result.err and "INDEX" not in result.out
    assert len(dying) == 1 and holder(home) is not None


def test_a_request_that_may_have_been_done_is_not_repeated(
    ragctl: Ragctl, home: Home, dying: list[bytes]
) -> None:
    result = ragctl("sync", "--accept-deletions")
    assert result.code == 2
    assert result.err.startswith(
        "ragctl: The daemon closed the connection in the middle of its answer."
    )
    assert len(dying) == 1 and holder(home) is None
