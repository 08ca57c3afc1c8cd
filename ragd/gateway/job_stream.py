"""The lines for a client that follows a job: each step, then how the job ended.

It reads the folds and the vectors made so far, and changes nothing.
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
from ragd.gateway.suggested_commands import SuggestedCommands
from ragd.health.explanation import explain
from ragd.state.ledger import Ledger


class JobStream:
    """One client that follows one job."""

    def __init__(
        self,
        ledger: Ledger,
        vectors: VectorProgress,
        commands: SuggestedCommands,
        job: Job,
        configured_model: str = "",
    ) -> None:
        self._ledger = ledger
        self._configured_model = configured_model
        self._vectors = vectors
        self._commands = commands
        self._job = job

    async def lines(self) -> AsyncIterator[bytes]:
        """A line whenever the progress changes; the last line says how the job ended."""
        state = self._ledger.state
        sent: dict[str, Any] = {}
        async for _ in self._changes():
            job = self._current()
            if progress.is_complete(state, job):
                break
            now = progress.progress_line(state, job, self._vectors.counts)
            if now != sent:
                sent = now
                yield msgspec.json.encode(now) + b"\n"
        yield self.last_line()

    def last_line(self) -> bytes:
        """How the job ended, or that the daemon stops before its end."""
        state = self._ledger.state
        line = progress.last_line(state, self._current())
        code = line.get("code")
        if code and line["message"] == CODES[code].message:  # the log may have more details
            line["message"], line["suggestion"] = explain(code, state, self._configured_model)
        return msgspec.json.encode(self._commands.add_home_to_fields(line)) + b"\n"

    def _current(self) -> Job:
        """The job as it is now. The folds forget only jobs that have ended."""
        self._job = self._ledger.state.jobs.find(self._job.id) or self._job
        return self._job

    async def _changes(self) -> AsyncIterator[None]:
        """Yields when a fact is recorded, or when vectors were made that no fact reports yet."""
        records = self._ledger.journal.follow(self._ledger.state.seq - 1)
        record = asyncio.create_task(_next_record(records))
        made = asyncio.create_task(self._vectors.changed())
        try:
            while True:
                await asyncio.wait({record, made}, return_when=asyncio.FIRST_COMPLETED)
                if record.done():
                    if record.result() is None:
                        return
                    record = asyncio.create_task(_next_record(records))
                if made.done():
                    made = asyncio.create_task(self._vectors.changed())
                yield
        finally:
            record.cancel()
            made.cancel()
            await asyncio.gather(record, made, return_exceptions=True)


async def _next_record(records: AsyncIterator[Record]) -> Record | None:
    """The next record; None at the end."""
    return await anext(records, None)
