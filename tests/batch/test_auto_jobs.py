"""Which failed job is tried again."""

import pytest

from ragd.batch.auto_jobs import last_failure
from ragd.folds.jobs import Job


def ended(*jobs: str) -> list[Job]:
    """Finished jobs, given as `mode outcome`; each is named after its place."""
    found = []
    for place, said in enumerate(jobs):
        mode, outcome = said.split()
        job = Job(str(place), mode, "client", "2026-11-15T14:30:00Z")  # type: ignore[arg-type]
        job.phase, job.outcome = "finished", outcome  # type: ignore[assignment]
        found.append(job)
    return found


@pytest.mark.parametrize(
    ("jobs", "again"),
    [
        ((), None),
        (("sync complete",), None),
        (("sync failed",), "0"),
        (("reindex failed", "sync complete"), "0"),
        (("reindex failed", "sync complete", "full complete"), "0"),
        (("reindex failed", "reindex complete", "sync complete"), None),
        (("reindex failed", "reindex cancelled"), None),
        (("sync failed", "full complete"), None),
        (("reindex failed", "sync failed"), "1"),
        (("reindex failed", "sync failed", "sync complete"), "0"),
    ],
)
def test_a_failed_job_is_tried_again_until_a_later_one_did_as_much(
    jobs: tuple[str, ...], again: str | None
) -> None:
    found = last_failure(ended(*jobs))
    assert (found.id if found else None) == again
