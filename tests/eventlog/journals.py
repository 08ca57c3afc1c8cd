"""A running journal on a disk in memory."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from ragd.errors import LogFailed
from ragd.eventlog.append import SEGMENT_MAX_BYTES
from ragd.eventlog.disk import Disk
from ragd.eventlog.follow import RecentRecords
from ragd.eventlog.frame import Record
from ragd.eventlog.journal import Journal
from ragd.events import FileSkipped
from tests.eventlog.clocks import HandClock
from tests.eventlog.drafts import appender, reopen


def fact(text: str | int = "x") -> FileSkipped:
    return FileSkipped(path=f"{text}", reason="test")


def texts(records: list[Record]) -> list[str]:
    return [r.event.path for r in records if isinstance(r.event, FileSkipped)]


def open_journal(
    disk: Disk,
    on_durable: Callable[[Record], None] = lambda record: None,
    clock: HandClock | None = None,
    segment_max_bytes: int = SEGMENT_MAX_BYTES,
    recent: RecentRecords | None = None,
) -> Journal:
    records, recovered = reopen(disk)
    log = appender(disk, recovered.position, segment_max_bytes)
    last_readable = records[-1].seq if records else 0
    return Journal(disk, log, clock or HandClock(), on_durable, recent, last_readable)


@asynccontextmanager
async def running(journal: Journal) -> AsyncIterator["asyncio.Task[None]"]:
    """The writer of the journal runs during the block."""
    writer = asyncio.create_task(journal.run())
    try:
        yield writer
    finally:
        if not writer.done():
            await journal.close()
        with suppress(LogFailed, asyncio.CancelledError):
            await writer


async def turns(count: int = 5) -> None:
    """Let all ready tasks run, a few times."""
    for _ in range(count):
        await asyncio.sleep(0)
