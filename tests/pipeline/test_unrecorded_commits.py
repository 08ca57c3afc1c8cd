"""A run dies after a commit and before its fact. The next one reads the vault before it can open
the index."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

from ragd.events import FileSkipped, JobFinished
from ragd.notes.parse import HIDDEN
from ragd.store.lance import ChunkIndex, LanceStore
from tests.patience import PATIENCE_S
from tests.pipeline.test_pipeline import indexed

NOTE = "Diary.md"
TEXT = "A heron on the roof of the boathouse.\n"


async def die_after_a_commit(running: Any, write: Any, monkeypatch: Any) -> None:
    """The note is stored, and nothing is recorded any more."""
    index = running.pipeline.open_indexes.serving
    replace, committed = index.replace, asyncio.Event()

    async def commit_and_hang(*given: Any) -> None:
        await replace(*given)
        committed.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(index, "replace", commit_and_hang)
    write(running.vault, NOTE, TEXT)
    await asyncio.wait_for(committed.wait(), PATIENCE_S)
    assert NOTE not in running.catalog.files


async def start_with_the_note_hidden(start: Any, vault: Path, write: Any, seq: int) -> Any:
    """Start again, and wait until a job has read that the note is hidden."""
    running = await start(lambda: write(vault, NOTE, f"---\nrag: false\n---\n{TEXT}"))
    await running.until(FileSkipped, seq, path=NOTE, reason=HIDDEN)
    return running


async def test_a_note_that_was_hidden_meanwhile_is_never_served_again(
    start: Any, vault: Path, write: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    await die_after_a_commit(running, write, monkeypatch)
    is_read, open_index = asyncio.Event(), LanceStore.open

    async def open_late(store: LanceStore, generation: str) -> ChunkIndex:
        await is_read.wait()
        return await open_index(store, generation)

    monkeypatch.setattr(LanceStore, "open", open_late)
    seq = running.ledger.state.seq
    running = await start_with_the_note_hidden(start, vault, write, seq)
    is_read.set()
    await running.until_serving()
    assert await running.found("heron") == set()
    await running.until(JobFinished, seq)
    assert NOTE not in running.catalog.files
    assert NOTE not in {row["source_file"] for row in await running.rows()}


async def test_a_note_that_is_found_hidden_while_rows_are_counted_is_not_served(
    start: Any, vault: Path, write: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    await die_after_a_commit(running, write, monkeypatch)
    is_read, read_rows = asyncio.Event(), ChunkIndex.version

    async def count_late(index: ChunkIndex) -> int:
        await is_read.wait()
        return await read_rows(index)

    monkeypatch.setattr(ChunkIndex, "version", count_late)
    seq = running.ledger.state.seq
    running = await start_with_the_note_hidden(start, vault, write, seq)
    is_read.set()
    await running.until_serving()
    assert await running.found("heron") == set()


async def test_a_table_that_is_adopted_brings_back_no_hidden_note(
    start: Any, vault: Path, write: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    running = await indexed(start)
    is_read, newest_whole = asyncio.Event(), LanceStore.newest_whole

    async def look_late(store: LanceStore, *given: Any, **more: Any) -> Any:
        await is_read.wait()
        return await newest_whole(store, *given, **more)

    def lose_the_log() -> None:
        for folder in ("events", "snapshots"):
            shutil.rmtree(tmp_path / "home" / folder, ignore_errors=True)
        write(vault, "Shopping.md", "---\nrag: false\n---\n- rye bread\n")

    monkeypatch.setattr(LanceStore, "newest_whole", look_late)
    running = await start(lose_the_log)
    await running.request("sync")
    await running.until(FileSkipped, 0, path="Shopping.md", reason=HIDDEN)
    is_read.set()
    await running.until_serving()
    assert await running.found("rye") == set()
