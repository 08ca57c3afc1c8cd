"""Damage of which lance aborts: it takes the daemon with it once, and never a second time."""

import signal
from pathlib import Path

import pytest

from chaos.resident import Resident
from ragd.runtime.native_crash import CrashMark

NAME = b"PageLayout"


def spoil(table: Path) -> None:
    """A zero in a name: lance quotes it, arrow cannot pass the complaint on, and aborts."""
    for path in (table / "data").iterdir():
        data = path.read_bytes()
        assert NAME in data
        path.write_bytes(data.replace(NAME, NAME.replace(b"L", b"\0")))


@pytest.fixture
def spoiled(resident: Resident, tmp_path: Path) -> Resident:
    resident.calm()
    table = resident.table
    resident.copy_table(tmp_path / "kept")
    spoil(table)
    assert resident.child.ended() == -signal.SIGABRT
    assert CrashMark(Path(resident.home.crash_trace)).is_set
    resident.start()
    assert resident.until_reason("INDEX_CORRUPTED")["plugin_health"] == "unavailable"
    answer = resident.search("river stone")
    assert (answer.status, answer.code) == ("unavailable", "INDEX_CORRUPTED")
    return resident


def test_a_reindex_leads_out_of_it(spoiled: Resident) -> None:
    spoiled.ask_for("reindex")
    spoiled.settle()
    generations = Path(spoiled.home.vectors)
    spoiled.until(lambda _: len(list(generations.iterdir())) == 1, "what was damaged is gone")
    assert not CrashMark(Path(spoiled.home.crash_trace)).is_set
    spoiled.stop()


def test_a_copy_put_in_its_place_leads_out_of_it(spoiled: Resident, tmp_path: Path) -> None:
    table = spoiled.table
    spoiled.stop()
    assert CrashMark(Path(spoiled.home.crash_trace)).is_set, "stopping in order mends nothing"
    table.rename(tmp_path / "broken")
    (tmp_path / "kept").rename(table)
    spoiled.start()
    spoiled.until_found(spoiled.save())
    spoiled.settle()
    assert not CrashMark(Path(spoiled.home.crash_trace)).is_set


def test_kill_9_leaves_no_mark(resident: Resident) -> None:
    resident.kill()
    assert not CrashMark(Path(resident.home.crash_trace)).is_set
    resident.start()
    resident.settle()
