"""Notes without vectors that cannot be read any more: nothing waits for them forever."""

import os
from pathlib import Path
from typing import Any

import pytest

from ragd.embed import backlog_retry, vector_maker
from ragd.embed.backlog import TRIES
from ragd.events import EmbeddingFailed, FileFailed, JobFinished
from ragd.guard.live_rules import LiveGuard
from tests.embed.fake_ollama import DIMENSIONS, running
from tests.patience import wait_until
from tests.pipeline.test_pipeline import assert_index_equals_vault
from tests.pipeline.test_vector_counts import assert_counts_equal_table

MANY = 60  # so many deletions at once wait for a person
LONG = " and ".join(["a very long heading"] * 30)


@pytest.fixture
def quick(configure: Any, vault: Path, monkeypatch: Any) -> Any:
    monkeypatch.setattr(backlog_retry, "PAUSE_FIRST_S", 0.05)
    monkeypatch.setattr(backlog_retry, "PAUSE_MAX_S", 0.2)
    monkeypatch.setattr(vector_maker, "RETRY_FIRST_S", 0.01)
    monkeypatch.setattr(vector_maker, "RETRY_MAX_S", 0.05)

    def use(base_url: str) -> None:
        wish = {"provider": "ollama", "base_url": base_url, "dimensions": DIMENSIONS}
        configure(vault_path=str(vault), embedding=wish)

    return use


async def without_vectors(start: Any, write: Any, quick: Any) -> tuple[Any, int]:
    """A pipeline whose provider went away before notes were saved, and the provider's port."""
    async with running() as server:
        quick(server.base_url)
        pipeline = await start()
        job = await pipeline.request("full")
        await pipeline.until(JobFinished, 0, job_id=job)
        await pipeline.until_state(lambda state: not state.catalog.backlog)
    for number in range(MANY):
        parts = f"The first part of Note {number}.", f"There is even more of {number}."
        text = f"# {LONG} {number}\n\n{parts[0]}\n\n## Below\n\n{parts[1]}\n"
        write(pipeline.vault, f"Many/{number}.md", text)
    await pipeline.until_state(lambda s: s.catalog.documents == MANY + 4 and not s.jobs.open)
    await pipeline.until(EmbeddingFailed)
    assert pipeline.catalog.backlog
    return pipeline, int(server.base_url.rsplit(":", 1)[1])


async def test_notes_whose_deletion_waits_for_a_person_get_their_vectors(
    start: Any, write: Any, quick: Any, tmp_path: Path
) -> None:
    pipeline, port = await without_vectors(start, write, quick)
    (pipeline.vault / "Many").rename(tmp_path / "elsewhere")
    await pipeline.until_state(lambda state: state.health.deletions_held == MANY)
    async with running(port):
        await pipeline.until_state(lambda state: not state.catalog.backlog)
    assert pipeline.catalog.documents == MANY + 4
    await assert_counts_equal_table(pipeline)


async def test_a_note_that_became_unreadable_gets_its_vectors(
    start: Any, write: Any, quick: Any
) -> None:
    pipeline, port = await without_vectors(start, write, quick)
    seq = pipeline.ledger.state.seq
    write(pipeline.vault, "Many/7.md", bytes(range(256)) * 40)
    await pipeline.until(FileFailed, seq)
    async with running(port):
        await pipeline.until_state(lambda state: not state.catalog.backlog)
    assert "Many/7.md" in pipeline.catalog.failed
    await assert_counts_equal_table(pipeline)


async def test_a_note_that_is_gone_is_not_shown_to_another_machine(
    start: Any, write: Any, quick: Any, monkeypatch: Any
) -> None:
    pipeline, port = await without_vectors(start, write, quick)
    monkeypatch.setattr(LiveGuard, "is_external", lambda guard, provider: True)
    seq = pipeline.ledger.state.seq
    write(pipeline.vault, "Many/7.md", bytes(range(256)) * 40)
    await pipeline.until(FileFailed, seq)
    read, retries = pipeline.pipeline.notes.read, 0

    def count_retries(collection: str, paths: Any, known: Any, **options: Any) -> Any:
        nonlocal retries
        retries += options.get("again", False) and "Many/7.md" in paths
        return read(collection, paths, known, **options)

    async with running(port) as server:
        await pipeline.until_state(lambda state: state.catalog.backlog <= 2)
        monkeypatch.setattr(pipeline.pipeline.notes, "read", count_retries)
        await wait_until(lambda: retries > TRIES + 2)  # the last of them may still be running
        assert pipeline.catalog.backlog == 2
        assert not any("Note 7." in text for texts in server.inputs for text in texts)


async def test_a_note_that_changed_without_anybody_noticing_is_announced_and_stored(
    start: Any, write: Any, quick: Any
) -> None:
    pipeline, port = await without_vectors(start, write, quick)
    path = "Many/7.md"

    def edit_unseen() -> None:
        """While nothing runs, with the same size and time."""
        note = pipeline.vault / path
        facts, text = note.stat(), note.read_text()
        note.write_text(text.replace("Note 7.", "Tone 7."))
        os.utime(note, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    pipeline = await start(edit_unseen)
    async with running(port):
        await pipeline.until_state(lambda state: not state.catalog.backlog)
    assert await pipeline.found("Tone") == {path}
    await assert_index_equals_vault(pipeline)
    await assert_counts_equal_table(pipeline)
