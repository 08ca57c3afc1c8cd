"""A check in another process: what its exit means for the index."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.runtime.subprocesses import has_crashed
from ragd.store.lance import (
    CannotCheck,
    LanceStore,
    checkup_process,
    examine_apart,
    libraries,
)
from ragd.store.lance.checkup import IndexDefect, examine
from tests.patience import PATIENCE_S, wait_until
from tests.store.lance.drafts import identity, note

Looker = Callable[[str], None]


@pytest.fixture
def looker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Looker:
    """Run this shell script in place of the check."""

    def use(script: str) -> None:
        path = tmp_path / "looker"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o700)
        monkeypatch.setattr(sys, "executable", str(path))

    return use


async def test_it_sees_what_one_sees_oneself(folder: Path, store: LanceStore) -> None:
    index = await store.create(identity())
    assert examine_apart(folder, "01A") == IndexDefect("INDEX_NOT_FOUND", "rows")
    await index.replace([note("a.md", "one")])
    assert examine_apart(folder, "01A") is None
    assert examine_apart(folder, "01A", 99) == IndexDefect("INDEX_CORRUPTED", "lost_commit")
    index.close()


@pytest.mark.parametrize("number", ["ABRT", "SEGV", "BUS"])
def test_a_check_that_crashes_means_damage(tmp_path: Path, looker: Looker, number: str) -> None:
    looker(f"kill -{number} $$")
    assert examine_apart(tmp_path, "01A") == IndexDefect("INDEX_CORRUPTED", "crash")


@pytest.mark.parametrize(
    "script", ["kill -KILL $$", "kill -TERM $$", "kill -INT $$", "exit 1", "exit 0", "echo no"]
)
def test_a_check_that_is_killed_or_prints_nonsense_is_not_damage(
    tmp_path: Path, looker: Looker, script: str
) -> None:
    looker(script)
    with pytest.raises(CannotCheck):
        examine_apart(tmp_path, "01A")


def test_a_check_that_cannot_start_is_not_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere"))
    with pytest.raises(CannotCheck):
        examine_apart(tmp_path, "01A")


async def test_a_check_can_be_ended(tmp_path: Path, looker: Looker) -> None:
    started = tmp_path / "started"
    looker(f"touch '{started}'; exec sleep 60")
    looking = asyncio.create_task(asyncio.to_thread(examine_apart, tmp_path, "01A"))
    await wait_until(started.exists)

    def end() -> bool:
        checkup_process.end_checks()  # one call may come just before the child is registered
        return looking.done()

    await wait_until(end)
    with pytest.raises(CannotCheck):
        await looking


def test_the_child_exits_when_its_stdin_closes(folder: Path) -> None:
    """The process that started it is gone, so its answer is not needed."""
    reading, writing = os.pipe()
    environment = {**os.environ, "RAGD_EXIT_WHEN_STDIN_CLOSES": "1"}
    os.set_inheritable(reading, True)
    command = [sys.executable, "-c", _SLOW, str(folder)]
    child = os.posix_spawn(
        command[0], command, environment, file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0)]
    )
    os.close(reading)
    os.close(writing)
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 1
            return
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the child did not exit")


_SLOW = """
import sys, time
from ragd.store.lance import __main__ as looking
looking.examine = lambda *_: time.sleep(60)
looking.main(sys.argv[1])
"""


@pytest.mark.parametrize(("code", "crashed"), [(-6, True), (-11, True), (-9, False), (1, False)])
def test_only_a_fault_of_its_own_is_a_crash(code: int, crashed: bool) -> None:
    assert has_crashed(code) is crashed


@pytest.mark.parametrize(
    "why",
    [
        OSError(24, "Too many open files"),
        ValueError("LanceError(IO): Too many open files (os error 24), object_store.rs:1506:92"),
        MemoryError(),
    ],
)
async def test_a_want_of_descriptors_or_memory_says_nothing_about_the_index(
    folder: Path, store: LanceStore, monkeypatch: pytest.MonkeyPatch, why: Exception
) -> None:
    index = await store.create(identity())
    await index.replace([note("a.md", "one")])

    def refuse(*_: object, **__: object) -> None:
        raise why

    monkeypatch.setattr(libraries.lance(), "dataset", refuse)
    with pytest.raises(CannotCheck):
        examine(folder, "01A")
    with pytest.raises(CannotCheck):
        await store.open("01A")
    index.close()
