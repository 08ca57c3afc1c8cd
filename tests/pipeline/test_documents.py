"""Documents in the pipeline: read after all notes, one by one, and cited by their places."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragd.events import BatchStored, FileFailed, JobFinished, JobStarted
from tests.pipeline.gated_worker import LOCKED, GatedWorker

PATTERNS = ["*.md", "*.pdf", "*.canvas", "*.txt"]


def with_documents(configure: Callable[..., None], vault: Path, count: int = 4) -> None:
    """A configuration that includes documents, and this many PDFs in the vault."""
    configure(vault_path=str(vault), indexing={"file_patterns": PATTERNS})
    for number in range(count):
        (vault / f"paper {number}.pdf").write_text(f"heron {number}\fbittern {number}")


async def reading_the_first_document(
    start: Any, vault: Path, configure: Callable[..., None]
) -> tuple[Any, GatedWorker]:
    """A pipeline that has indexed all notes and is about to read the first of four documents."""
    with_documents(configure, vault)
    worker = GatedWorker(is_open=False)
    pipeline = await start(worker=worker)
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    await asyncio.to_thread(worker.began.acquire)
    return pipeline, worker


async def test_documents_are_read_after_the_job_and_cited_by_their_pages(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    with_documents(configure, vault)
    worker = GatedWorker(is_open=False)
    pipeline = await start(worker=worker)
    job = await pipeline.request("full")
    done = await pipeline.until(JobFinished, 0, job_id=job)
    assert (done.event.outcome, done.event.indexed_files) == ("complete", 4)
    assert pipeline.catalog.unread_documents == {"pdf": 4}
    assert pipeline.catalog.unindexed == 0
    assert await pipeline.found("coriander") == {"Shopping.md"}
    worker.open()
    await pipeline.until_state(lambda state: not state.catalog.unread_documents)
    rows = [row for row in await pipeline.rows("position", "kind") if row["kind"] == "pdf"]
    assert len(rows) == 8
    (row,) = [row for row in rows if row["chunk_text"] == "bittern 2"]
    assert (row["source_file"], row["position"]) == ("paper 2.pdf", "page=2")


async def test_a_saved_note_waits_for_one_document_at_most(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    pipeline, worker = await reading_the_first_document(start, vault, configure)
    (vault / "New.md").write_text("a quetzal in the garden")
    await pipeline.until_state(lambda state: "New.md" in state.catalog.waiting)
    worker.let_pass()
    await pipeline.until_state(lambda state: "New.md" in state.catalog.files)
    stored = [path for path in pipeline.catalog.files if path.endswith(".pdf")]
    assert len(stored) == 1
    worker.open()
    await pipeline.until_state(lambda state: len(state.catalog.files) == 9)


async def test_a_requested_job_waits_for_one_document_at_most(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    pipeline, worker = await reading_the_first_document(start, vault, configure)
    job = await pipeline.request("sync")
    worker.let_pass()
    await pipeline.until(JobFinished, 0, job_id=job)
    assert len(worker.read_texts) == 1
    worker.open()
    await pipeline.until_state(lambda state: not state.catalog.unread_documents)
    assert len(worker.read_texts) == 4


async def test_vectors_of_documents_are_made_without_reading_them_again(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    with_documents(configure, vault)
    worker = GatedWorker()
    pipeline = await start(worker=worker)
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    await pipeline.until_state(
        lambda state: len(state.catalog.files) == 8 and not state.catalog.backlog
    )
    assert sorted(worker.read_texts) == [f"heron {n}\fbittern {n}" for n in range(4)]
    assert all(row["vector"] is not None for row in await pipeline.rows())


async def test_waiting_documents_survive_a_crash(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    _, before = await reading_the_first_document(start, vault, configure)
    pipeline = await start(worker=GatedWorker(), meanwhile=before.open)
    await pipeline.until_state(lambda state: len(state.catalog.files) == 8)
    assert pipeline.catalog.unread_documents == {}


async def test_a_document_that_cannot_be_read_has_its_reason(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    with_documents(configure, vault, 1)
    (vault / "secret.pdf").write_text("locked")
    pipeline = await start(worker=GatedWorker())
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    failed = await pipeline.until(FileFailed)
    assert (failed.event.path, failed.event.detail) == ("secret.pdf", LOCKED)
    await pipeline.until_state(lambda state: "paper 0.pdf" in state.catalog.files)
    assert pipeline.catalog.failures == {"secret.pdf": LOCKED}


async def test_a_moved_document_is_not_a_deletion(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    with_documents(configure, vault, 2)
    pipeline = await start(worker=GatedWorker())
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    await pipeline.until_state(lambda state: len(state.catalog.files) == 6)
    (vault / "Papers").mkdir()
    (vault / "paper 0.pdf").rename(vault / "Papers" / "first.pdf")
    job = await pipeline.request("sync")
    await pipeline.until(JobFinished, 0, job_id=job)
    await pipeline.until_state(lambda state: "Papers/first.pdf" in state.catalog.files)
    assert "paper 0.pdf" not in pipeline.catalog.files
    assert await pipeline.found("heron 0") >= {"Papers/first.pdf"}


async def test_a_removed_document_leaves_the_index(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    with_documents(configure, vault, 3)
    pipeline = await start(worker=GatedWorker())
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    await pipeline.until_state(lambda state: len(state.catalog.files) == 7)
    (vault / "paper 1.pdf").unlink()
    await pipeline.until_state(lambda state: "paper 1.pdf" not in state.catalog.files)
    assert "paper 1.pdf" not in await pipeline.found("heron bittern")


async def test_a_reindex_reads_documents_in_the_job_after_all_notes(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    with_documents(configure, vault)
    pipeline = await start(worker=GatedWorker())
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    await pipeline.until_state(lambda state: len(state.catalog.files) == 8)
    begin = pipeline.ledger.state.seq
    job = await pipeline.request("reindex")
    done = await pipeline.until(JobFinished, begin, job_id=job)
    assert done.event.indexed_files == 8
    stored = await pipeline.until(BatchStored, begin, job_id=job)
    assert not any(file.path.endswith(".pdf") for file in stored.event.files)
    await pipeline.until_state(lambda state: state.catalog.building is None)
    assert len(pipeline.catalog.files) == 8


async def reindexing_documents(
    start: Any, vault: Path, configure: Callable[..., None]
) -> tuple[Any, GatedWorker, str]:
    """A pipeline that reindexes four notes and four documents, and is about to read the first of
    the documents. Also the id of the job."""
    with_documents(configure, vault)
    pipeline = await start(worker=GatedWorker())
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    await pipeline.until_state(lambda state: len(state.catalog.files) == 8)
    worker = GatedWorker(is_open=False)  # a new run has no document in memory
    pipeline = await start(worker=worker)
    job = await pipeline.request("reindex")
    await asyncio.to_thread(worker.began.acquire)
    return pipeline, worker, job


async def test_a_note_saved_during_a_reindex_waits_for_one_document_at_most(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    pipeline, worker, job = await reindexing_documents(start, vault, configure)
    (vault / "New.md").write_text("a quetzal in the garden")
    await pipeline.until_state(lambda state: "New.md" in state.catalog.waiting)
    worker.let_pass()
    await pipeline.until_state(lambda state: "New.md" in state.catalog.files)
    assert await pipeline.found("quetzal") == {"New.md"}
    assert len(worker.read_texts) <= 2
    assert pipeline.ledger.state.jobs.active.id == job
    assert len(pipeline.catalog.files) == 9, "the index that serves keeps all its documents"
    worker.open()
    await pipeline.until(JobFinished, 0, job_id=job)
    await pipeline.until_state(lambda state: state.catalog.building is None)
    assert len(pipeline.catalog.files) == 9
    assert await pipeline.found("quetzal") == {"New.md"}


async def test_a_note_deleted_during_a_reindex_leaves_both_indexes(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    pipeline, worker, job = await reindexing_documents(start, vault, configure)
    (vault / "Shopping.md").unlink()
    await pipeline.until_state(lambda state: "Shopping.md" in state.catalog.waiting)
    worker.let_pass()
    await pipeline.until_state(lambda state: "Shopping.md" not in state.catalog.files)
    worker.open()
    await pipeline.until(JobFinished, 0, job_id=job)
    await pipeline.until_state(lambda state: state.catalog.building is None)
    assert len(pipeline.catalog.files) == 7
    assert await pipeline.found("coriander") == set()


async def test_a_crash_between_the_documents_of_a_reindex_loses_nothing(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    pipeline, before, _ = await reindexing_documents(start, vault, configure)
    (vault / "New.md").write_text("a quetzal in the garden")
    await pipeline.until_state(lambda state: "New.md" in state.catalog.waiting)
    before.let_pass()
    await pipeline.until(JobStarted, mode="sync", slow=False, files_planned=1)
    pipeline = await start(worker=GatedWorker(), meanwhile=before.open)
    await pipeline.until_state(lambda state: not state.jobs.open and not state.catalog.building)
    assert len(pipeline.catalog.files) == 9
    assert {job.outcome for job in pipeline.ledger.state.jobs.finished} == {"complete"}


async def test_a_file_that_fails_meanwhile_is_not_an_error_of_the_reindex(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    pipeline, worker, job = await reindexing_documents(start, vault, configure)
    (vault / "Board.canvas").write_text("{")
    await pipeline.until_state(lambda state: "Board.canvas" in state.catalog.waiting)
    worker.let_pass()
    await pipeline.until(FileFailed, path="Board.canvas")
    worker.open()
    done = await pipeline.until(JobFinished, 0, job_id=job)
    assert (done.event.outcome, done.event.errors) == ("complete", [])


async def test_jobs_that_read_documents_are_marked_and_small(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    with_documents(configure, vault, 11)
    pipeline = await start(worker=GatedWorker())
    job = await pipeline.request("full")
    done = await pipeline.until(JobFinished, 0, job_id=job)
    first = await pipeline.until(JobStarted, done.seq)
    second = await pipeline.until(JobStarted, first.seq)
    assert [(one.event.slow, one.event.files_planned) for one in (first, second)] == [
        (True, 8),
        (True, 3),
    ]


async def test_a_changed_canvas_is_read_like_a_note(
    start: Any, vault: Path, configure: Callable[..., None]
) -> None:
    with_documents(configure, vault, 0)
    pipeline = await start(worker=GatedWorker())
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    board = {"nodes": [{"id": "n1", "type": "text", "text": "the kestrel hovers above"}]}
    (vault / "Board.canvas").write_text(json.dumps(board))
    await pipeline.until_state(lambda state: "Board.canvas" in state.catalog.files)
    assert await pipeline.found("kestrel") == {"Board.canvas"}


async def test_files_that_no_pattern_includes_are_counted(start: Any, vault: Path) -> None:
    (vault / "a.pdf").write_text("x")
    (vault / "b.canvas").write_text("{}")
    pipeline = await start(worker=GatedWorker())
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    assert pipeline.catalog.not_included == {"pdf": 1, "canvas": 1}
    assert pipeline.catalog.unread_documents == {}
