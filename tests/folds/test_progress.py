"""How far a job is, and when it is complete for a client that follows it."""

from typing import Any

import pytest

from ragd.events import (
    DeletionsHeld,
    Dependency,
    FileChange,
    FileFailed,
    FilesChanged,
    FileSkipped,
    JobRequested,
    JobStarted,
    Outcome,
)
from ragd.folds import progress
from tests.folds.conftest import Log


def begin(log: Log, planned: int, mode: Any = "full", job: str = "job-1") -> None:
    log.add(JobRequested(job_id=job, mode=mode))
    log.add(JobStarted(job_id=job, mode=mode, files_planned=planned, files_removed=0))


def line(log: Log, job: str = "job-1") -> tuple[str, str, int, int]:
    """Step, phase, current, total."""
    found = log.state.jobs.find(job)
    assert found is not None
    said = progress.progress_line(log.state, found)
    assert set(said) == {"type", "phase", "current", "total", "step"}
    return said["step"], said["phase"], said["current"], said["total"]


def is_complete(log: Log, job: str = "job-1") -> bool:
    found = log.state.jobs.find(job)
    assert found is not None
    return progress.is_complete(log.state, found)


def completion(log: Log, job: str = "job-1") -> dict[str, Any]:
    found = log.state.jobs.find(job)
    assert found is not None
    return progress.last_line(log.state, found)


def test_a_job_is_scanned_for_then_stored_then_embedded(log: Log) -> None:
    log.serve()
    log.add(JobRequested(job_id="job-1", mode="full"))
    assert line(log) == ("scan", "storing", 0, 0)
    begin(log, planned=2)
    assert line(log) == ("text", "storing", 0, 2)
    log.store("a.md", "b.md", chunks=3, embedded=0)
    assert line(log) == ("text", "storing", 2, 2)
    log.finish(mode="full", indexed=2)
    assert line(log) == ("vectors", "embedding", 2, 8)
    log.fill("a.md", 3)
    assert line(log) == ("vectors", "embedding", 5, 8)
    assert not is_complete(log)
    log.fill("b.md", 3)
    assert is_complete(log)
    assert completion(log)["outcome"] == "complete"


def test_what_is_not_in_the_index_yet_is_counted_and_what_is_read_again_is_not(log: Log) -> None:
    assert progress.count_unindexed(log.state) == 0
    begin(log, planned=3)
    assert progress.count_unindexed(log.state) == 3
    log.store("a.md", "b.md", "c.md")
    log.finish(mode="full", indexed=3)
    assert progress.count_unindexed(log.state) == 0
    begin(log, planned=3, job="job-2")
    assert progress.count_unindexed(log.state) == 0, "all of them are in the index"
    log.finish(mode="full", indexed=3, job="job-2")
    log.add(FilesChanged(changes=[FileChange("a.md", "modified"), FileChange("no.md", "added")]))
    assert progress.count_unindexed(log.state) == 2
    log.add(FileSkipped(path="no.md", reason="its frontmatter says `rag: false`"))
    assert progress.count_unindexed(log.state) == 1


def test_a_job_after_another_waits_for_its_turn(log: Log) -> None:
    begin(log, planned=2, mode="sync", job="job-0")
    log.add(JobRequested(job_id="job-1", mode="full"))
    assert line(log) == ("queued", "storing", 0, 0)
    log.finish(job="job-0")
    assert line(log) == ("scan", "storing", 0, 0)


def test_a_reindex_shows_the_vectors_of_the_index_that_it_builds(log: Log) -> None:
    log.serve()
    begin(log, planned=3, mode="reindex")
    log.build("g2")
    log.store("a.md", chunks=4, embedded=1, generation="g2")
    assert line(log) == ("text", "storing", 1, 3)
    log.add(FileFailed(path="broken.md", code="UNREADABLE", detail="binary"))
    log.store("b.md", chunks=2, embedded=0, generation="g2")
    log.finish(mode="reindex", indexed=2)
    assert line(log) == ("vectors", "embedding", 1, 6)
    log.fill("a.md", 3, generation="g2")
    log.fill("b.md", 2, generation="g2")
    assert line(log) == ("vectors", "embedding", 6, 6)
    assert not is_complete(log), "the old index still serves"
    log.activate(generation="g2")
    assert is_complete(log)


def test_another_jobs_building_is_not_this_jobs_progress(log: Log) -> None:
    log.serve()
    log.build("g2", "job-0")
    log.store("a.md", chunks=4, embedded=1, generation="g2", job="job-0")
    begin(log, planned=0)
    assert line(log) == ("text", "storing", 0, 0)


@pytest.mark.parametrize(("provider", "lost"), [("embedded", "embedder"), ("ollama", "ollama")])
def test_a_lost_provider_ends_the_waiting_and_makes_it_partial(
    log: Log, provider: str, lost: Dependency
) -> None:
    log.serve(provider)
    begin(log, planned=1)
    log.store("a.md", embedded=0)
    log.finish(mode="full", indexed=1)
    assert not is_complete(log)
    code = {"embedder": "EMBEDDER_UNAVAILABLE", "ollama": "OLLAMA_UNREACHABLE"}[lost]
    log.lose(lost, code)
    assert is_complete(log)
    said = completion(log)
    assert (said["outcome"], said["chunks_embedded"], said["total_chunks"]) == ("partial", 2, 4)


@pytest.mark.parametrize("away", ["OLLAMA_UNREACHABLE", "INDEX_MODEL_MISMATCH"])
def test_a_reindex_to_another_provider_does_not_care_for_the_former(log: Log, away: str) -> None:
    log.serve("ollama")
    begin(log, planned=1, mode="reindex")
    log.build("g2", provider="embedded")
    log.store("a.md", chunks=2, embedded=0, generation="g2")
    log.finish(mode="reindex", indexed=1)
    log.lose("model" if away == "INDEX_MODEL_MISMATCH" else "ollama", away)
    assert away in log.state.health.reasons
    assert not is_complete(log)
    log.lose("embedder", "EMBEDDER_UNAVAILABLE")
    assert is_complete(log)


def test_held_deletions_do_not_delay_a_job_and_make_it_partial(log: Log) -> None:
    log.serve()
    begin(log, planned=0, mode="sync")
    log.add(DeletionsHeld(count=60))
    log.finish()
    assert is_complete(log)
    assert (completion(log)["outcome"], completion(log)["deletions_held"]) == ("partial", 60)


@pytest.mark.parametrize("outcome", ["failed", "cancelled"])
def test_a_job_that_came_to_nothing_waits_for_no_vectors(log: Log, outcome: Outcome) -> None:
    log.serve()
    begin(log, planned=1)
    log.store("a.md", embedded=0)
    log.finish(outcome=outcome, mode="full")
    assert is_complete(log)
    assert completion(log)["outcome"] == outcome
