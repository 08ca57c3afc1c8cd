"""Indexing jobs: requested, running, finished."""

from typing import Any

import pytest

from ragd.events import (
    BatchEmbedded,
    FileError,
    FileFailed,
    FilledFile,
    IndexLost,
    JobCancelRequested,
    JobFinished,
    JobRequested,
    JobStarted,
    Mode,
    Outcome,
    VectorsFilled,
)
from ragd.folds.jobs import FILLING_KEPT, FINISHED_KEPT, Job
from tests.folds.conftest import Log


def requested(job_id: str, mode: Mode = "sync", origin: str = "tool") -> JobRequested:
    return JobRequested(job_id=job_id, mode=mode, origin=origin)


def started(job_id: str, planned: int = 4, mode: Mode = "sync") -> JobStarted:
    return JobStarted(job_id=job_id, mode=mode, files_planned=planned, files_removed=1)


def embedded(job_id: str, files: int, chunks: int, cached: int = 0) -> BatchEmbedded:
    return BatchEmbedded(
        job_id=job_id, files=files, chunks=chunks, cached=cached, provider="ollama", model="m"
    )


def test_a_requested_job_is_open_and_next_in_line(log: Log) -> None:
    record = log.add(requested("j1", mode="full", origin="cli"))
    job = log.state.jobs.active
    assert job is not None
    assert (job.id, job.mode, job.origin, job.phase) == ("j1", "full", "cli", "requested")
    assert (job.requested_at, job.progress) == (record.ts, 0.0)


def test_the_running_job_is_the_active_one_even_if_another_was_asked_for_first(log: Log) -> None:
    log.add(requested("j1"), requested("j2"), started("j2"))
    assert log.state.jobs.active is log.state.jobs.find("j2")


def test_a_request_for_a_known_job_opens_no_second_one(log: Log) -> None:
    log.add(requested("j1"), requested("j1"))
    assert len(log.state.jobs.open) == 1
    log.finish(job="j1")
    log.add(requested("j1"))
    assert log.state.jobs.open == []


def test_a_job_without_a_request_is_open_from_its_start(log: Log) -> None:
    log.add(started("watch-1"), actor="batcher")
    job = log.state.jobs.find_open("watch-1")
    assert job is not None
    assert (job.phase, job.origin, job.files_planned) == ("running", "batcher", 4)


def test_progress_is_counted_by_files_stored_and_never_passes_one(log: Log) -> None:
    log.add(requested("j1"), started("j1", planned=4))
    log.store("a.md", "b.md", job="j1")
    job = log.state.jobs.find("j1")
    assert job is not None
    assert job.progress == 0.5
    log.store("a.md", "b.md", "c.md", job="j1")
    assert job.progress == 1.0


def test_a_job_without_files_makes_no_progress_until_it_ends(log: Log) -> None:
    log.add(started("j1", planned=0))
    job = log.state.jobs.find("j1")
    assert job is not None
    assert job.progress == 0.0
    log.finish(job="j1")
    assert job.progress == 1.0


def test_embedding_is_counted_in_files_and_in_chunks(log: Log) -> None:
    log.add(started("j1"), embedded("j1", 2, 10, 3), embedded("j1", 1, 5), embedded("j9", 9, 9))
    job = log.state.jobs.find("j1")
    assert job is not None
    assert (job.files_embedded, job.chunks_embedded, job.chunks_cached) == (3, 15, 3)


def test_a_job_that_starts_again_after_a_crash_counts_only_what_is_left(log: Log) -> None:
    first = log.add(requested("j1"), started("j1", planned=4))
    log.add(embedded("j1", 2, 10))
    log.store("a.md", "b.md", job="j1")
    log.start(run="run-2")
    log.add(started("j1", planned=2))
    job = log.state.jobs.find_open("j1")
    assert job is not None
    assert (job.files_planned, job.files_stored, job.progress) == (2, 0, 0.0)
    assert (job.files_embedded, job.chunks_embedded) == (0, 0)
    assert job.started_at == first.ts
    log.store("c.md", "d.md", job="j1")
    assert job.progress == 1.0
    assert len(log.state.jobs.open) == 1


def test_a_cancelled_job_stays_open_until_it_says_so_itself(log: Log) -> None:
    log.add(requested("j1"), JobCancelRequested(job_id="j1"), JobCancelRequested(job_id="nobody"))
    job = log.state.jobs.find_open("j1")
    assert job is not None
    assert job.cancel_requested
    log.finish("cancelled", job="j1")
    assert (log.state.jobs.open, job.outcome) == ([], "cancelled")


def test_a_finished_job_keeps_its_result_and_its_origin(log: Log) -> None:
    log.add(requested("j1", mode="full", origin="cli"), started("j1", mode="full"))
    error = FileError("Größe.md", "not text")
    record = log.finish("partial", "full", job="j1", indexed=3, removed=1, errors=[error])
    job = log.state.jobs.find("j1")
    assert job is not None
    assert (job.phase, job.outcome, job.origin) == ("finished", "partial", "cli")
    assert (job.indexed_files, job.files_removed, job.duration_ms) == (3, 1, 1200)
    assert (job.errors, job.finished_at) == ([error], record.ts)


def test_errors_total_is_never_less_than_the_errors_listed(log: Log) -> None:
    errors = [FileError("a.md", "not text"), FileError("b.md", "not text")]
    log.finish("partial", job="j1", errors=errors)
    log.finish("partial", job="j2", errors=errors, errors_total=250)
    assert [job.errors_total for job in log.state.jobs.finished] == [2, 250]


def test_a_job_finished_twice_is_listed_once_with_the_later_word(log: Log) -> None:
    log.add(requested("j1", origin="cli"))
    log.finish("failed", job="j1")
    log.finish("complete", job="j1")
    assert [(j.outcome, j.origin) for j in log.state.jobs.finished] == [("complete", "cli")]


def test_a_job_may_start_again_under_its_id_after_it_failed(log: Log) -> None:
    log.add(requested("j1"), started("j1"))
    log.finish("failed", job="j1")
    log.add(started("j1"))
    job = log.state.jobs.find("j1")
    assert job is not None
    assert job.phase == "running"
    log.finish("complete", job="j1")
    assert log.state.jobs.open == []


def test_only_the_last_finished_jobs_are_kept(log: Log) -> None:
    for number in range(FINISHED_KEPT + 3):
        log.finish(job=f"j{number}")
    kept = [job.id for job in log.state.jobs.finished]
    assert kept == [f"j{number}" for number in range(3, FINISHED_KEPT + 3)]


def test_open_jobs_keep_their_order_through_a_snapshot(log: Log) -> None:
    log.add(requested("zz"), requested("mm"), requested("aa"))
    log.through_a_snapshot()
    assert [job.id for job in log.state.jobs.open] == ["zz", "mm", "aa"]
    log.finish(job="zz")
    log.through_a_snapshot()
    assert log.state.jobs.active is log.state.jobs.find("mm")


def test_facts_about_jobs_that_are_over_are_harmless(log: Log) -> None:
    log.finish(job="j1")
    log.add(embedded("j1", 1, 1), JobCancelRequested(job_id="j1"))
    log.store("a.md", job="j1")
    job = log.state.jobs.find("j1")
    assert job is not None
    assert (job.files_stored, job.cancel_requested) == (0, False)
    assert log.state.jobs.find("never") is None


def test_a_file_that_fails_is_an_error_of_the_job_that_runs(log: Log) -> None:
    log.add(requested("j1"), started("j1"))
    log.add(FileFailed(path="broken.md", code="UNREADABLE", detail="permission denied"))
    job = log.state.jobs.find("j1")
    assert job is not None
    assert (job.errors, job.errors_total) == ([FileError("broken.md", "permission denied")], 1)


def test_a_job_that_starts_again_counts_its_errors_anew(log: Log) -> None:
    log.add(requested("j1"), started("j1"))
    log.add(FileFailed(path="broken.md", code="UNREADABLE", detail="permission denied"))
    log.add(started("j1"))
    job = log.state.jobs.find("j1")
    assert job is not None
    assert (job.errors, job.errors_total) == ([], 0)


def test_that_a_person_accepts_deletions_is_remembered_with_the_job(log: Log) -> None:
    log.add(JobRequested(job_id="j1", mode="sync", accept_deletions=True))
    job = log.state.jobs.find("j1")
    assert job is not None
    assert job.accept_deletions


# What is kept


def many(log: Log, number: int = FINISHED_KEPT + 5) -> None:
    """So many jobs of the daemon's own come and go."""
    for place in range(number):
        log.add(started(f"auto-{place}"), actor="batcher")
        log.finish(job=f"auto-{place}")


def test_the_daemons_own_jobs_push_out_nothing_that_a_client_asked_for(log: Log) -> None:
    log.add(requested("mine"))
    log.finish(job="mine")
    many(log)
    assert log.state.jobs.find("mine") is not None
    assert len(log.state.jobs.finished) == FINISHED_KEPT + 1


def test_of_what_clients_asked_for_the_last_are_kept(log: Log) -> None:
    for number in range(FINISHED_KEPT + 3):
        log.add(requested(f"j{number}"))
        log.finish(job=f"j{number}")
    assert [job.id for job in log.state.jobs.finished] == [
        f"j{number}" for number in range(3, FINISHED_KEPT + 3)
    ]


def test_a_job_of_the_daemons_own_that_a_client_joined_is_the_clients(log: Log) -> None:
    log.add(requested("j1", origin="retry"))
    log.add(requested("j1"))
    log.finish(job="j1")
    many(log)
    job = log.state.jobs.find("j1")
    assert job is not None
    assert (job.asked, job.origin) == (True, "retry")


@pytest.mark.parametrize("origin", ["tool", "chunking_changed"])
def test_a_job_is_kept_for_as_long_as_its_index_is_being_built(log: Log, origin: str) -> None:
    log.activate()
    log.add(requested("j1", "reindex", origin), started("j1", mode="reindex"))
    log.build("g2", job="j1")
    log.store("a.md", embedded=0, generation="g2", job="j1")
    log.finish(mode="reindex", job="j1")
    many(log)
    for number in range(FINISHED_KEPT + 5):
        log.add(requested(f"p{number}"))
        log.finish(job=f"p{number}")
    assert log.state.jobs.find("j1") is not None
    log.fill("a.md", 2, generation="g2")
    log.activate(generation="g2")
    many(log)
    assert log.state.jobs.find("j1") is None  # it served, and there were 20 later ones


def test_a_job_that_a_client_asked_for_is_kept_while_its_vectors_are_made(log: Log) -> None:
    log.activate()
    log.add(requested("j1"), started("j1"))
    log.store("a.md", embedded=0, job="j1")
    log.finish(job="j1")
    for number in range(FINISHED_KEPT + 5):
        log.store("b.md", job=f"p{number}")
        log.add(requested(f"p{number}"))
        log.finish("cancelled", job=f"p{number}")
    assert log.state.jobs.find("j1") is not None


def test_even_jobs_that_wait_for_vectors_are_not_kept_without_end(log: Log) -> None:
    log.activate()
    log.store("a.md", embedded=0)
    for number in range(FILLING_KEPT + 5):
        log.add(requested(f"j{number}"))
        log.finish(job=f"j{number}")
    assert len(log.state.jobs.finished) == FILLING_KEPT
    many(log, 3 * FINISHED_KEPT)
    assert len(log.state.jobs.finished) == FILLING_KEPT + FINISHED_KEPT
    log.through_a_snapshot()
    assert log.state.jobs.filling == FILLING_KEPT


# Text first, then vectors


def embedding_job(log: Log, origin: str = "tool") -> Job:
    log.activate()
    log.add(requested("j1", origin=origin), started("j1"))
    log.store("a.md", "b.md", embedded=0, job="j1")
    log.finish(job="j1")
    job = log.state.jobs.find("j1")
    assert job is not None
    return job


def test_a_job_makes_vectors_until_the_last_is_there(log: Log) -> None:
    job = embedding_job(log)
    assert (job.fills, job.duration_ms, job.total_ms) == (True, 1200, 1200)
    log.fill("a.md", 2)  # one record a second; the job began with the third
    assert (job.fills, job.total_ms) == (True, 3000)
    record = log.fill("b.md", 2)
    assert (job.fills, job.duration_ms, job.total_ms) == (False, 1200, 4000)
    assert job.ended_at == record.ts
    log.store("c.md", embedded=0, job="j2")
    log.fill("c.md", 2)
    assert (job.total_ms, job.ended_at) == (4000, record.ts)


def test_what_is_left_of_the_vectors_may_go_with_its_note(log: Log) -> None:
    job = embedding_job(log)
    log.fill("a.md", 2)
    log.store(removed=["b.md"], job="j2")
    assert (job.fills, job.abandoned) == (False, False)


def test_a_save_that_got_its_vectors_at_once_does_not_wait_for_others(log: Log) -> None:
    embedding_job(log)
    log.add(started("save"), actor="batcher")
    log.store("c.md", job="save")
    log.finish(job="save")
    save = log.state.jobs.find("save")
    assert save is not None
    assert (save.fills, save.total_ms) == (False, 1200)


def test_a_client_who_asks_for_a_sync_waits_for_all_vectors(log: Log) -> None:
    embedding_job(log)
    log.add(requested("j2"), started("j2", planned=0))
    log.finish(job="j2")
    job = log.state.jobs.find("j2")
    assert job is not None and job.fills


@pytest.mark.parametrize("outcome", ["failed", "cancelled"])
def test_a_job_that_came_to_nothing_makes_no_vectors(log: Log, outcome: Outcome) -> None:
    log.activate()
    log.add(requested("j1"), started("j1"))
    log.store("a.md", embedded=0, job="j1")
    log.finish(outcome, job="j1")
    job = log.state.jobs.find("j1")
    assert job is not None
    assert (job.fills, job.total_ms) == (False, 1200)


def test_a_job_whose_index_is_replaced_before_it_serves_is_abandoned(log: Log) -> None:
    log.activate()
    log.add(requested("j1", "reindex"), started("j1", mode="reindex"))
    log.build("g2", job="j1")
    log.store("a.md", embedded=0, generation="g2", job="j1")
    log.finish(mode="reindex", job="j1")
    job = log.state.jobs.find("j1")
    assert job is not None and job.fills
    log.add(requested("j2", "reindex"), started("j2", mode="reindex"))
    log.build("g3", job="j2")
    assert (job.fills, job.abandoned) == (False, True)


@pytest.mark.parametrize("generation", ["g2", ""])
def test_a_job_whose_index_is_lost_is_abandoned(log: Log, generation: str) -> None:
    log.activate()
    if generation:
        log.add(requested("j1", "reindex"), started("j1", mode="reindex"))
        log.build("g2", job="j1")
    else:
        log.add(requested("j1"), started("j1"))
    log.store("a.md", embedded=0, generation=generation, job="j1")
    log.finish(mode="reindex" if generation else "sync", job="j1")
    job = log.state.jobs.find("j1")
    assert job is not None and job.fills
    log.add(IndexLost(reason="missing", generation=generation))
    assert (job.fills, job.abandoned) == (False, True)


def test_where_its_text_serves_at_once_a_reindex_still_makes_its_vectors(log: Log) -> None:
    log.add(requested("j1", "reindex"), started("j1", mode="reindex"))
    log.build("g1", job="j1")
    log.store("a.md", embedded=0, generation="g1", job="j1")
    log.activate(generation="g1")
    log.finish(mode="reindex", job="j1")
    job = log.state.jobs.find("j1")
    assert job is not None and job.fills
    log.through_a_snapshot()
    log.fill("a.md", 2, generation="g1")
    job = log.state.jobs.find("j1")
    assert job is not None and not job.fills and not job.abandoned


def test_a_clock_that_is_set_while_vectors_are_made_changes_no_duration(log: Log) -> None:
    log.activate()
    log.add(requested("j1"), started("j1"))
    log.store("a.md", embedded=0, job="j1")
    log.add(finished_at("j1", uptime_ms=5000))
    fill = VectorsFilled(
        job_id="", files=[FilledFile("a.md", "s1", 2)], table_version=2, uptime_ms=9000
    )
    log.add(fill, seq=3000)  # 50 minutes later, says the wall clock
    job = log.state.jobs.find("j1")
    assert job is not None
    assert (job.duration_ms, job.total_ms, job.fills) == (1200, 5200, False)


def finished_at(job_id: str, uptime_ms: int) -> JobFinished:
    counts: dict[str, Any] = {
        "indexed_files": 1,
        "removed_files": 0,
        "total_chunks": 2,
        "duration_ms": 1200,
    }
    return JobFinished(
        job_id=job_id, mode="sync", outcome="complete", uptime_ms=uptime_ms, **counts
    )


def test_a_clock_that_was_set_back_makes_no_negative_time(log: Log) -> None:
    job = embedding_job(log)
    job.started_at = "2030-01-01T00:00:00.000000Z"
    log.fill("a.md", 2)
    log.fill("b.md", 2)
    assert job.total_ms == job.duration_ms == 1200
