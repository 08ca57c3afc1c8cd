"""The log as actors use it: append a fact and know that it is durable; follow the records.

Group commit without a timer: the one writer takes all drafts that wait, writes and syncs them in
its own thread, then wakes the callers. Drafts that arrive meanwhile are the next group. It never
waits for a reader.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from ragd import events
from ragd.clock import Clock
from ragd.errors import LogFailed
from ragd.eventlog import codec
from ragd.eventlog.append import Appender, DiskFull, Draft
from ragd.eventlog.disk import Disk
from ragd.eventlog.follow import DiskReader, RecentRecords
from ragd.eventlog.frame import Record
from ragd.events import RECORD_MAX_BYTES, Event, Fact, SplitFact

GROUP_MAX_RECORDS = 256
GROUP_MAX_BYTES = 1024 * 1024
WAITING_MAX = 4096
FOLLOW_CHUNK = 512
RETRY_FULL_S = 1.0
_ENVELOPE_MAX_BYTES = 512


def _closed() -> LogFailed:
    return LogFailed("The event log is closed.")


class _PendingAppend:
    """A draft, and the future of the append that waits for it."""

    __slots__ = ("done", "draft", "size")

    def __init__(self, draft: Draft, size: int, done: "asyncio.Future[Record]") -> None:
        self.draft = draft
        self.size = size
        self.done = done


class Journal:
    """One log, one writer, any number of readers."""

    def __init__(
        self,
        disk: Disk,
        appender: Appender,
        clock: Clock,
        on_durable: Callable[[Record], None],
        recent: RecentRecords | None = None,
        last_readable: int | None = None,
    ) -> None:
        """`last_readable` is the last record that recovery could read; a quarantine may have
        removed all after it, so that this run's first seq is higher than the one that follows."""
        self._disk = disk
        self._appender = appender
        self._clock = clock
        self._on_durable = on_durable
        self._queue: asyncio.Queue[_PendingAppend | None] = asyncio.Queue(WAITING_MAX)
        self._queue_lock = asyncio.Lock()
        self._held_back: _PendingAppend | None = None
        self._recent = recent or RecentRecords()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="log-writer")
        self._new_records = asyncio.Event()
        self._fullness = asyncio.Event()
        self._failed: LogFailed | None = None
        self._closed = False  # to new facts
        self._has_ended = False  # the writer has ended
        self.durable = appender.durable
        self._before_first = appender.durable  # the seq before this run's first record
        self._last_readable = appender.durable if last_readable is None else last_readable
        self.full_since: str | None = None

    # Appending

    async def append(self, actor: str, event: Fact, cause: int | None = None) -> Record:
        """Record a fact. When this returns, it is on disk and every fold has applied it.

        A cancelled append withdraws its fact, unless it is being written already.
        """
        return await self._record([self._pending(actor, event, cause)])

    async def append_parts(self, actor: str, event: SplitFact, cause: int | None = None) -> Record:
        """Record a fact that may be too large for one record; returns its last part."""
        return await self._record([self._pending(actor, p, cause) for p in codec.split(event)])

    def _pending(self, actor: str, event: Fact, cause: int | None) -> _PendingAppend:
        size = len(codec.encode(event)) + _ENVELOPE_MAX_BYTES
        if size > RECORD_MAX_BYTES:
            raise ValueError(f"{events.tag_of(event)} is too large: it should come in parts")
        done: asyncio.Future[Record] = asyncio.get_running_loop().create_future()
        return _PendingAppend(
            Draft(self._clock.now(), actor, cause, cast(Event, event)), size, done
        )

    async def _record(self, parts: Sequence[_PendingAppend]) -> Record:
        """Queue these next to each other, then wait until the last is durable."""
        try:
            async with self._queue_lock:
                self._refuse_when_closed()
                for part in parts:
                    await self._queue.put(part)
                if self._has_ended:  # the writer ended while we waited for a place
                    raise self._failed or _closed()
            return (await asyncio.gather(*(part.done for part in parts)))[-1]
        except BaseException:
            for part in parts:
                part.done.cancel()
            raise

    async def run(self) -> None:
        """The writer. Ends when the journal is closed; raises LogFailed when the disk fails."""
        try:
            while group := await self._next_group():
                await self._commit(group)
        except LogFailed as why:
            self._failed = why
            raise
        finally:
            self._closed = self._has_ended = True
            self._fail_waiting()
            self._thread.shutdown()
            self._appender.close()
            self._new_records.set()

    async def close(self) -> None:
        """Let the writer finish what waits, then end it. New appends are refused."""
        self._closed = True
        async with self._queue_lock:
            if not self._has_ended:
                await self._queue.put(None)

    def _refuse_when_closed(self) -> None:
        if self._failed is not None:
            raise self._failed
        if self._closed:
            raise _closed()

    async def _next_group(self) -> list[_PendingAppend]:
        first = self._held_back or await self._queue.get()
        self._held_back = None
        group: list[_PendingAppend] = []
        size = 0
        while first is not None:
            if group and size + first.size > GROUP_MAX_BYTES:
                self._held_back = first
                break
            group.append(first)
            size += first.size
            if len(group) == GROUP_MAX_RECORDS or self._queue.empty():
                break
            first = self._queue.get_nowait()
            if first is None:
                self._queue.put_nowait(None)  # the end comes after this group
        return group

    async def _commit(self, group: list[_PendingAppend]) -> None:
        try:
            while group := [w for w in group if not w.done.cancelled()]:
                try:
                    records = await self._write([w.draft for w in group])
                except DiskFull:
                    self._set_full(self.full_since or self._clock.now())
                    await self._clock.sleep(RETRY_FULL_S)
                    continue
                self._set_full(None)
                self._publish(group, records)
                return
        except BaseException as why:
            self._fail(group, why if isinstance(why, LogFailed) else _closed())
            raise

    async def _write(self, drafts: Sequence[Draft]) -> list[Record]:
        loop = asyncio.get_running_loop()
        # Shielded: a started write ends before the file is closed.
        return await asyncio.shield(
            loop.run_in_executor(self._thread, self._appender.commit, drafts)
        )

    def _set_full(self, since: str | None) -> None:
        if since != self.full_since:
            self.full_since = since
            self._fullness.set()
            self._fullness = asyncio.Event()

    async def fullness_changed(self) -> None:
        """Wait until the disk becomes full or has room again."""
        await self._fullness.wait()

    def _publish(self, group: list[_PendingAppend], records: Sequence[Record]) -> None:
        for record in records:
            self._on_durable(record)
        self.durable = records[-1].seq
        self._recent.extend(records, [w.size for w in group])
        for waiting, record in zip(group, records, strict=True):
            if not waiting.done.done():
                waiting.done.set_result(record)
        self._new_records.set()
        self._new_records = asyncio.Event()

    def _fail_waiting(self) -> None:
        rest = [self._held_back] if self._held_back else []
        while not self._queue.empty():
            if waiting := self._queue.get_nowait():
                rest.append(waiting)
        self._fail(rest, self._failed or _closed())

    def _fail(self, group: Sequence[_PendingAppend], why: LogFailed) -> None:
        for waiting in group:
            if not waiting.done.done():
                waiting.done.set_exception(why)

    # Following

    async def follow(
        self, after: int, types: Collection[str] = (), *, wait: bool = True
    ) -> AsyncGenerator[Record, None]:
        """Every durable record after `after`, in order, once; only these types, if any are given.

        With `wait` it waits for more until the log is closed; without, it ends at the current end.
        """
        from_disk: DiskReader | None = None
        end = self.durable
        if self._last_readable <= after:
            after = max(after, self._before_first)  # nothing is left in between
        while True:
            new_records = self._new_records
            until = self.durable if wait else end
            while after < until:
                records = self._recent.after(after, FOLLOW_CHUNK)
                if records is None:
                    from_disk = from_disk or DiskReader(self._disk, after)
                    records = await asyncio.to_thread(from_disk.read, until)
                else:
                    from_disk = None
                if not records:  # a quarantined range has no records
                    after = until
                for record in records:
                    if record.seq > until:
                        break
                    after = record.seq
                    if not types or events.tag_of(record.event) in types:
                        yield record
            if not wait or (self._has_ended and after >= self.durable):
                return
            if after >= self.durable:
                await new_records.wait()
