"""Requests indexing jobs: the only place that records `JobRequested`. It starts no job."""

from collections.abc import Awaitable, Callable, Sequence

from ragd.clock import new_id
from ragd.events import JobRequested, Mode


async def request_job(
    record: Callable[[JobRequested], Awaitable[object]],
    mode: Mode,
    origin: str,
    *,
    job_id: str = "",
    accept_deletions: bool = False,
    accept_in: Sequence[str] = (),
) -> str:
    """Request a job, and return its id. `record` appends the fact for the caller's actor.

    `job_id`: an open job of the daemon that a client joins. `accept_deletions`: a person agreed to
    the deletions, in all collections or only in those of `accept_in`.
    """
    job_id = job_id or new_id()
    requested = JobRequested(
        job_id=job_id,
        mode=mode,
        origin=origin,
        accept_deletions=accept_deletions,
        accept_in=list(accept_in),
    )
    await record(requested)
    return job_id
