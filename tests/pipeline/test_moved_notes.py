"""Notes that get another path are moved: at once, never held, no vector made again."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from ragd.events import (
    BatchEmbedded,
    BatchStored,
    DeletionsHeld,
    JobFinished,
    SyncPaused,
    SyncResumed,
)
from ragd.vault.note_reader import NoteReader
from tests.pipeline.watching import facts, indexed, on_disk, until_indexed

MANY = 120  # with the four notes that are there, these are nearly all of the vault


def note(number: int) -> str:
    return f"Thought number {number}, about bicycles.\n"


@pytest.fixture
def many(vault: Path, write: Any) -> Path:
    for number in range(MANY):
        write(vault, f"Daily/{number:03d}.md", note(number))
    return vault


async def assert_moved(running: Any, seq: int, count: int) -> None:
    """This many notes were moved since, each in one commit and without new vectors."""
    assert [fact.count for fact in await facts(running, DeletionsHeld, seq)] == []
    stored = await facts(running, BatchStored, seq)
    assert sum(fact.moved for fact in stored) == count
    for fact in stored:
        gone = {Path(path).name for path in fact.removed}
        assert gone <= {Path(file.path).name for file in fact.files}, "the old path went first"
    assert sum(fact.chunks for fact in await facts(running, BatchEmbedded, seq)) == 0
    finished = await facts(running, JobFinished, seq)
    assert sum(fact.removed_files for fact in finished) == 0, "a move is not a deletion"
    assert running.catalog.backlog == 0


async def test_a_renamed_folder_with_most_of_the_vault_in_it_is_moved(
    start: Any, many: Path
) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    os.rename(many / "Daily", many / "Journal 2")
    await until_indexed(running)
    await assert_moved(running, seq, MANY)
    assert await running.found("bicycles") != set()


async def test_notes_moved_one_by_one_into_a_new_folder_are_moved(start: Any, many: Path) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    (many / "New").mkdir()
    for path in sorted((many / "Daily").iterdir()):
        os.rename(path, many / "New" / path.name)
    await until_indexed(running)
    assert [fact.count for fact in await facts(running, DeletionsHeld, seq)] == []


async def test_a_folder_renamed_while_the_daemon_was_down_is_moved(start: Any, many: Path) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    running = await start(lambda: os.rename(many / "Daily", many / "Journal 2"))
    await until_indexed(running)
    await assert_moved(running, seq, MANY)


async def test_a_sync_that_was_asked_for_moves_a_renamed_folder(start: Any, many: Path) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    await running.ledger.journal.append("test", SyncPaused(until="2999-01-01T00:00:00Z"))
    os.rename(many / "Daily", many / "Journal 2")
    job = await running.request("sync")
    finished = await running.until(JobFinished, seq, job_id=job)
    assert (finished.event.indexed_files, finished.event.removed_files) == (MANY, 0)
    await assert_moved(running, seq, MANY)
    await running.ledger.journal.append("test", SyncResumed(reason="requested"))
    await until_indexed(running)


async def test_of_a_renamed_folder_and_a_mass_deletion_only_the_deletions_are_held(
    start: Any, many: Path, write: Any
) -> None:
    for number in range(MANY):
        write(many, f"Other/{number:03d}.md", f"Another thought, number {number}, about tea.\n")
    running = await indexed(start)

    def change() -> None:
        os.rename(many / "Daily", many / "Journal 2")
        shutil.rmtree(many / "Other")

    running = await start(change)
    held = await running.until(DeletionsHeld, 0)
    assert held.event.count == MANY
    await running.until_state(lambda state: f"Journal 2/{MANY - 1:03d}.md" in state.catalog.files)
    await running.until_state(lambda state: not state.jobs.open and not state.catalog.waiting)
    assert running.ledger.state.health.deletions_held == MANY
    assert sum(path.startswith("Other/") for path in running.catalog.files) == MANY
    assert not any(path.startswith("Daily/") for path in running.catalog.files)


async def test_equal_notes_do_not_hide_a_mass_deletion(start: Any, vault: Path, write: Any) -> None:
    for number in range(MANY):
        write(vault, f"Daily/{number:03d}.md", "## Today\n\nNothing yet.\n")
    running = await indexed(start)

    def change() -> None:
        for number in range(100):
            (vault / f"Daily/{number:03d}.md").unlink()
        for number in range(2):
            write(vault, f"Template copy {number}.md", "## Today\n\nNothing yet.\n")

    running = await start(change)
    held = await running.until(DeletionsHeld, 0)
    assert held.event.count == 98, "each new path stands for one that vanished"
    await running.until_state(lambda state: not state.jobs.open and not state.catalog.waiting)
    assert running.ledger.state.health.deletions_held == 98


async def test_a_folder_that_comes_back_under_another_name_is_not_held_any_longer(
    start: Any, many: Path, tmp_path: Path
) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    os.rename(many / "Daily", tmp_path / "away")
    held = await running.until(DeletionsHeld, seq)
    assert held.event.count == MANY
    os.rename(tmp_path / "away", many / "Journal 2")
    await running.until(DeletionsHeld, held.seq, count=0)
    await until_indexed(running)
    assert sum(fact.chunks for fact in await facts(running, BatchEmbedded, seq)) == 0


async def test_a_note_that_comes_back_under_another_name_is_one_less_that_is_held(
    start: Any, many: Path, tmp_path: Path
) -> None:
    """Also when the new path is announced by itself, and not by a scan that sees both."""
    running = await indexed(start)
    seq = running.ledger.state.seq
    os.rename(many / "Daily", tmp_path / "away")
    held = await running.until(DeletionsHeld, seq, count=MANY)
    os.rename(tmp_path / "away" / "000.md", many / "000.md")
    fewer = await running.until(DeletionsHeld, held.seq)
    assert fewer.event.count == MANY - 1
    assert "Daily/000.md" not in running.catalog.files


async def test_a_folder_renamed_while_a_job_reads_it_is_moved(
    start: Any, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    read = NoteReader.read

    def rename_first(self: NoteReader, *args: Any, **how: Any) -> Any:
        if (many / "Daily").exists():
            os.rename(many / "Daily", many / "Journal 2")
        return read(self, *args, **how)

    monkeypatch.setattr(NoteReader, "read", rename_first)
    await running.request("full")
    await running.until_state(lambda state: f"Journal 2/{MANY - 1:03d}.md" in state.catalog.files)
    await until_indexed(running)
    assert [fact.count for fact in await facts(running, DeletionsHeld, seq)] == []
    assert running.catalog.files.keys() == on_disk(many).keys()
