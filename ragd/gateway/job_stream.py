"""What a client hears that follows a job: each step as it comes, and at last how it ended.

It reads the folds and what is live, and changes nothing.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from ragd.embed.vector_progress import VectorProgress
from ragd.errors import CODES
from ragd.eventlog.frame import Record
from ragd.folds import progress
from ragd.folds.jobs import Job
from ragd.gateway.suggested_commands import Addressing
from ragd.health.explanation import explain
from ragd.state.ledger import Ledger


class JobStream:
    """One client that follows one job."""

    def __init__(
        self,
        ledger: Ledger,
        vectors: VectorProgress,
        addressing: Addressing,
        job: Job,
        configured_model: str = "",
    ) -> None:
        self._ledger = ledger
        self._configured_model = configured_model
        self._vectors = vectors
        self._addressing = addressing
        self._job = job

    async def lines(self) -> AsyncIterator[bytes]:
        """Where the job is, whenever that changes; the last line says how it ended."""
        state = self._ledger.state
        said: dict[str, Any] = {}
        async for _ in self._news():
            job = self._found()
            if progress.is_complete(state, job):
                break
            now = progress.line(state, job, self._vectors.counts)
            if now != said:
                said = now
                yield msgspec.json.encode(now) + b"\n"
        yield self.last_line()

    def last_line(self) -> bytes:
        """How the job ended, or that the daemon stops first."""
        state = self._ledger.state
        line = progress.last_line(state, self._found())
        code = line.get("code")
        if code and line["message"] == CODES[code].message:  # perhaps more is known
            line["message"], line["suggestion"] = explain(code, state, self._configured_model)
        return msgspec.json.encode(self._addressing.texts(line)) + b"\n"

    def _found(self) -> Job:
        """The job as it is now; one that is forgotten has ended."""
        self._job = self._ledger.state.jobs.find(self._job.id) or self._job
        return self._job

    async def _news(self) -> AsyncIterator[None]:
        """Whenever a fact is recorded, or vectors were made that no fact tells yet."""
        records = self._ledger.journal.follow(self._ledger.state.seq - 1)
        record = asyncio.create_task(_next_of(records))
        made = asyncio.create_task(self._vectors.changed())
        try:
            while True:
                await asyncio.wait({record, made}, return_when=asyncio.FIRST_COMPLETED)
                if record.done():
                    if record.result() is None:
                        return
                    record = asyncio.create_task(_next_of(records))
                if made.done():
                    made = asyncio.create_task(self._vectors.changed())
                yield
        finally:
            record.cancel()
            made.cancel()
            await asyncio.gather(record, made, return_exceptions=True)


async def _next_of(records: AsyncIterator[Record]) -> Record | None:
    """The next record; None at the end."""
    return await anext(records, None)
