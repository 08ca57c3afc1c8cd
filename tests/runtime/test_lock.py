"""One daemon for each home: who holds the lock, and what others report."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragd.errors import EXIT_ALREADY_RUNNING, AlreadyRunning
from ragd.runtime.lock import hold


@contextlib.contextmanager
def held_by_another_process(path: Path, text: str) -> Iterator[int]:
    """Another process has the lock and has written `text`."""
    code = (
        "import fcntl, os, sys\n"
        "handle = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)\n"
        "fcntl.flock(handle, fcntl.LOCK_EX)\n"
        "os.pwrite(handle, sys.argv[2].replace('PID', str(os.getpid())).encode(), 0)\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path), text],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        yield other.pid
        other.stdin.close()  # type: ignore[union-attr]


def test_the_holder_writes_its_pid_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "ragd.lock"
    with hold(path, {"pid": 5, "version": "1"}):
        assert json.loads(path.read_text()) == {"pid": 5, "version": "1"}
        assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == ""  # the file stays: two could else hold two of them


def test_a_second_daemon_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "ragd.lock"
    with held_by_another_process(path, '{"pid": PID}') as pid:
        with pytest.raises(AlreadyRunning) as refused, hold(path, {}):
            pass
        assert f"(pid {pid})" in refused.value.message
        assert refused.value.exit_code == EXIT_ALREADY_RUNNING == 73
        assert json.loads(path.read_text()) == {"pid": pid}  # not touched


def test_it_is_free_after_the_block_and_after_a_failure_in_it(tmp_path: Path) -> None:
    path = tmp_path / "ragd.lock"
    with hold(path, {}):
        pass
    with pytest.raises(KeyError), hold(path, {}):
        raise KeyError
    with hold(path, {}):
        pass


def test_the_file_of_a_killed_daemon_does_not_prevent_a_start(tmp_path: Path) -> None:
    path = tmp_path / "ragd.lock"
    path.write_text('{"pid": 1, "version": "and a long text that must not shine through"}')
    with hold(path, {"pid": 5}):
        assert path.read_text() == '{"pid": 5}'


@pytest.mark.parametrize(
    "text", ["", "garbage", "{}", "[]", '{"pid": "PID"}', '{"pid": -1}', '{"pid": 4194305}']
)
def test_a_holder_that_has_not_said_who_it_is_is_asked_again_and_then_left_unnamed(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ragd.lock"
    asked: list[float] = []
    monkeypatch.setattr(time, "sleep", asked.append)
    with (
        held_by_another_process(path, text),
        pytest.raises(AlreadyRunning) as refused,
        hold(path, {}),
    ):
        pass
    assert "pid" not in refused.value.message
    assert len(asked) > 10


def test_a_holder_that_says_who_it_is_a_moment_later_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between locking and writing, the file still has the pid of a killed daemon."""
    path = tmp_path / "ragd.lock"
    with held_by_another_process(path, '{"pid": 4194305}') as pid:
        monkeypatch.setattr(time, "sleep", lambda _: path.write_text(f'{{"pid": {pid}}}'))
        with pytest.raises(AlreadyRunning, match=rf"\(pid {pid}\)"), hold(path, {}):
            pass


def test_without_room_for_the_text_the_lock_still_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with hold(tmp_path / "ragd.lock", {"pid": 5}):
        monkeypatch.setattr(time, "sleep", lambda _: None)
        with pytest.raises(AlreadyRunning), hold(tmp_path / "ragd.lock", {}):
            pass


def test_a_child_process_does_not_inherit_it(tmp_path: Path) -> None:
    path = tmp_path / "ragd.lock"
    with hold(path, {}):
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; print('here', flush=True); sys.stdin.read()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            close_fds=False,
        )
        assert child.stdout is not None and child.stdout.readline() == b"here\n"
    with hold(path, {}):
        pass
    child.communicate()
