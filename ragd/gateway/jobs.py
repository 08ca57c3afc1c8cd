"""Lets clients request, find and cancel jobs. It runs no job: it only records facts.

`JobRequested` wakes the batcher, which starts the job. `JobCancelRequested` sets the job's
`cancel_requested` (`ragd/folds/jobs.py`). Then the batch builder makes its next batch the last one
(`BatchBuilder._is_over`), and the store writer ends the job as `cancelled` after that batch. If the
job has ended and its new index still waits for vectors, the store writer drops that index.
"""

from collections.abc import Sequence
from typing import Any

from ragd.config.embedding_choice import embedding_choice
from ragd.config.live_settings import Settings
from ragd.errors import RagdError
from ragd.events import JobCancelRequested, Mode
from ragd.folds import progress
from ragd.folds.jobs import Job, is_building
from ragd.folds.pause import BY_CLIENT
from ragd.gateway.fact_recorder import FactRecorder
from ragd.gateway.status import job_data
from ragd.state.job_requests import request_job
from ragd.state.ledger import Ledger


class JobControl:
    """Records requests of clients about jobs."""

    def __init__(self, ledger: Ledger, facts: FactRecorder, settings: Settings) -> None:
        self._ledger = ledger
        self._facts = facts
        self._settings = settings

    async def request(
        self, mode: Mode, accept_deletions: bool = False, accept_in: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Returns at once. A request that an open job already fulfils joins that job. A reindex
        replaces one that builds an index for a model that is no longer configured."""
        choice = embedding_choice(self._settings.current.embedding)
        job = progress.job_to_join(self._ledger.state, mode, accept_deletions, choice)
        if mode == "reindex" and (outdated := progress.outdated_build(self._ledger.state, choice)):
            await self._facts.record(JobCancelRequested(job_id=outdated))
        job_id = job.id if job is not None else ""
        if job is None or not job.asked:  # an automatic job becomes the client's
            record = self._facts.record
            job_id = await request_job(
                record,
                mode,
                BY_CLIENT,
                job_id=job_id,
                accept_deletions=accept_deletions,
                accept_in=accept_in,
            )
        return {"job_id": job_id, "status": "started"}

    async def cancel(self, job: Job) -> None:
        """Request the end of a job that runs, or whose index is still being built."""
        if job.phase != "finished" or is_building(job, self._ledger.state.catalog):
            await self._facts.record(JobCancelRequested(job_id=job.id))

    def find(self, job_id: str) -> Job:
        """The job with this id. Raises RagdError if there is none."""
        job = self._ledger.state.jobs.find(job_id)
        if job is None:
            raise RagdError("JOB_NOT_FOUND")
        return job

    def data(self, job: Job) -> dict[str, Any]:
        """One job in an answer."""
        return {**job_data(job), "building": is_building(job, self._ledger.state.catalog)}
