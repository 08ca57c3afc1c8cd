"""A run dies after a commit and before its fact. The next one reads the vault before it can open
the index."""

import asyncio
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
    running = await start(lambda: write(vault, NOTE, f"---\nrag: false\n---\n{TEXT}"))
    await running.until(FileSkipped, seq, path=NOTE, reason=HIDDEN)
    is_read.set()
    await running.until_serving()
    assert await running.found("heron") == set()
    await running.until(JobFinished, seq)
    assert NOTE not in running.catalog.files
    assert NOTE not in {row["source_file"] for row in await running.rows()}
