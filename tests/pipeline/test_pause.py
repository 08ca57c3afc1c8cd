"""A pause in the real pipeline: what is noticed, what waits, and which requests are served."""

from typing import Any

from ragd.events import (
    FilesChanged,
    JobFinished,
    JobRequested,
    JobStarted,
    SyncPaused,
    SyncResumed,
    VectorsFilled,
)
from ragd.folds import progress
from tests.pipeline.watching import facts, indexed, until_indexed, until_watched

PAUSE = SyncPaused(until="2999-01-01T00:00:00.000000Z")
RESUME = SyncResumed(reason="elapsed")


async def append_fact(running: Any, *said: Any) -> int:
    for fact in said:
        record = await running.ledger.journal.append("test", fact)
    return int(record.seq)


async def noticed(running: Any, after: int) -> None:
    """Save a note, and wait until the watcher has announced it."""
    (running.vault / "Shopping.md").write_text("- oat bread\n")
    await running.until(FilesChanged, after)


async def test_a_save_is_noticed_and_indexed_when_it_is_over(start: Any) -> None:
    running = await indexed(start)
    await noticed(running, await append_fact(running, PAUSE))
    assert list(running.catalog.waiting) == ["Shopping.md"]
    over = await append_fact(running, RESUME)
    started = await running.until(JobStarted, over)
    await until_indexed(running)
    assert len(await facts(running, JobStarted, 0)) == 2  # the other was the first index
    requested = await facts(running, JobRequested, over)
    assert [(job.mode, job.origin) for job in requested] == [("sync", "pause_ended")]
    assert started.event.job_id == requested[0].job_id


async def test_it_survives_restarts(start: Any) -> None:
    running = await indexed(start)
    paused = await append_fact(running, PAUSE)
    running = await start()
    await until_watched(running)
    await noticed(running, paused)
    assert not await facts(running, JobStarted, paused)
    running = await start()
    over = await append_fact(running, RESUME)
    await running.until(JobRequested, over, origin="pause_ended")
    await until_indexed(running)


async def test_a_job_requested_during_a_pause_gets_vectors_and_the_pause_continues(
    start: Any,
) -> None:
    running = await indexed(start)
    await noticed(running, await append_fact(running, PAUSE))
    job = await running.request("sync")
    await running.until(JobFinished, 0, job_id=job)
    await until_indexed(running)
    assert running.ledger.state.pause.holds


async def test_vectors_that_nobody_asked_for_wait(start: Any) -> None:
    running = await start()
    await append_fact(running, PAUSE)
    job = await running.request("full", origin="recovery")  # it was open when the pause began
    await running.until(JobFinished, 0, job_id=job)
    state = running.ledger.state
    assert state.catalog.backlog > 0
    assert progress.is_complete(state, state.jobs.find(job))
    assert progress.last_line(state, state.jobs.find(job))["outcome"] == "partial"
    backlog = running.pipeline.backlog
    assert backlog.next_table() is None
    over = await append_fact(running, RESUME)
    assert backlog.next_table() is not None
    filled = await running.until(VectorsFilled)
    assert filled.seq > over
    await running.until_state(lambda state: state.catalog.backlog == 0)
