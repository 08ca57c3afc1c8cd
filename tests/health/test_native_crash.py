"""Damage that makes lance abort: it ends the daemon once, but not a second time."""

import signal
from pathlib import Path

import pytest

from chaos.managed_daemon import ManagedDaemon
from ragd.runtime.native_crash import CrashMark

NAME = b"PageLayout"


def spoil(table: Path) -> None:
    """A zero byte in a name: lance quotes it in an error, which arrow cannot handle, and aborts."""
    for path in (table / "data").iterdir():
        data = path.read_bytes()
        assert NAME in data
        path.write_bytes(data.replace(NAME, NAME.replace(b"L", b"\0")))


@pytest.fixture
def spoiled(daemon: ManagedDaemon, tmp_path: Path) -> ManagedDaemon:
    daemon.settle_and_compact()
    table = daemon.table
    daemon.copy_table(tmp_path / "kept")
    spoil(table)
    assert daemon.child.wait_for_exit() == -signal.SIGABRT
    assert CrashMark(Path(daemon.home.crash_trace)).is_set
    daemon.start()
    assert daemon.wait_for_reason("INDEX_CORRUPTED")["plugin_health"] == "unavailable"
    answer = daemon.search("river stone")
    assert (answer.status, answer.code) == ("unavailable", "INDEX_CORRUPTED")
    return daemon


def test_a_reindex_leads_out_of_it(spoiled: ManagedDaemon) -> None:
    spoiled.request_job("reindex")
    spoiled.settle()
    generations = Path(spoiled.home.vectors)
    spoiled.wait_for(lambda _: len(list(generations.iterdir())) == 1, "what was damaged is gone")
    assert not CrashMark(Path(spoiled.home.crash_trace)).is_set
    spoiled.stop()


def test_a_copy_put_in_its_place_leads_out_of_it(spoiled: ManagedDaemon, tmp_path: Path) -> None:
    table = spoiled.table
    spoiled.stop()
    assert CrashMark(Path(spoiled.home.crash_trace)).is_set, "a clean stop does not clear the mark"
    table.rename(tmp_path / "broken")
    (tmp_path / "kept").rename(table)
    spoiled.start()
    spoiled.wait_until_found(spoiled.save())
    spoiled.settle()
    assert not CrashMark(Path(spoiled.home.crash_trace)).is_set


def test_kill_9_leaves_no_mark(daemon: ManagedDaemon) -> None:
    daemon.kill()
    assert not CrashMark(Path(daemon.home.crash_trace)).is_set
    daemon.start()
    daemon.settle()
