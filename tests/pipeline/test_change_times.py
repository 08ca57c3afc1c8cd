"""Edits that keep size and modification time are found, also in an index of an older version."""

import os
from pathlib import Path
from typing import Any

import pytest

from ragd.batch import change_times
from ragd.events import FilesChanged, FilesTouched, JobFinished, VaultScanned
from ragd.vault import safe_open
from ragd.vault.note_reader import NoteReader
from tests.pipeline.watching import facts, indexed, until_indexed, until_watched

pytestmark = pytest.mark.skipif(
    not safe_open.HAS_CHANGE_TIME, reason="this system has no change time"
)


def edit_quietly(note: Path, old: str, new: str) -> None:
    """Write other content of the same size, and keep the modification time."""
    assert len(old) == len(new)
    before = note.stat()
    note.write_text(note.read_text().replace(old, new))
    os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (note.stat().st_size, note.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


async def test_an_edit_that_keeps_size_and_time_while_the_daemon_is_down_is_found(
    start: Any, vault: Path
) -> None:
    await indexed(start)
    running = await start(lambda: edit_quietly(vault / "Shopping.md", "coriander", "cucumbers"))
    await until_indexed(running)
    assert await running.found("cucumbers") == {"Shopping.md"}
    assert await running.found("coriander") == set()


async def test_a_sync_that_is_asked_for_finds_such_an_edit(start: Any, vault: Path) -> None:
    await indexed(start)
    running = await start(lambda: edit_quietly(vault / "Shopping.md", "coriander", "cucumbers"))
    job = await running.request("sync")
    await running.until(JobFinished, 0, job_id=job)
    assert await running.found("cucumbers") == {"Shopping.md"}


@pytest.fixture
def old_index(start: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes an index without change times, as an older version did, then starts this version."""

    async def make() -> None:
        with monkeypatch.context() as old:
            old.setattr(safe_open, "HAS_CHANGE_TIME", False)
            old.setattr(change_times, "HAS_CHANGE_TIME", False)
            running = await indexed(start)
            assert {entry.ctime_ns for entry in running.catalog.files.values()} == {0}

    return make


def has_learned(state: Any) -> bool:
    return all(entry.ctime_ns for entry in state.catalog.files.values())


async def test_an_older_index_learns_change_times_once_and_quietly(
    start: Any, old_index: Any, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await old_index()
    running = await start()
    await running.until_state(has_learned)
    await until_watched(running)
    learned = [fact for fact in await facts(running, FilesTouched, 0) if fact.only_times]
    assert sum(len(fact.files) for fact in learned) == 4
    assert len(await facts(running, JobFinished, 0)) == 1, "no job for it"
    read: list[str] = []

    def count(self: NoteReader, collection: str, paths: Any, *args: Any, **how: Any) -> Any:
        read.extend(paths)
        return own(self, collection, paths, *args, **how)

    own = NoteReader.read
    monkeypatch.setattr(NoteReader, "read", count)
    running = await start()
    await until_watched(running)
    (vault / "folder").mkdir()  # leads to one more scan
    await running.until(VaultScanned, running.ledger.state.seq)
    assert read == [], "nothing is read a second time"


async def test_an_edit_made_before_an_older_index_has_learned_is_found(
    start: Any, old_index: Any, vault: Path
) -> None:
    await old_index()
    running = await start(lambda: edit_quietly(vault / "Shopping.md", "coriander", "cucumbers"))
    await until_indexed(running)
    await running.until_state(has_learned)
    assert await running.found("cucumbers") == {"Shopping.md"}


async def test_a_scan_does_not_hide_an_edit_that_it_cannot_see(
    start: Any, configure: Any, old_index: Any, vault: Path
) -> None:
    """Size and time are as the index has them, but the note was read, and differs."""
    await old_index()
    # Changes are collected until a sync is requested.
    watch = {"debounce_s": 0.05, "collect_s": 300, "quiet_s": 300, "rescan_s": 3600}
    configure(vault_path=str(vault), watch=watch)
    running = await start(lambda: edit_quietly(vault / "Shopping.md", "coriander", "cucumbers"))
    announced = await running.until(FilesChanged)
    await until_watched(running)
    (vault / "folder").mkdir()  # leads to one more scan
    scanned = await running.until(VaultScanned, max(announced.seq, running.ledger.state.seq))
    assert scanned.event.changed == 1
    assert list(running.catalog.waiting) == ["Shopping.md"]
    await running.request("sync")
    await until_indexed(running)
    assert await running.found("cucumbers") == {"Shopping.md"}
