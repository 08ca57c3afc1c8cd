"""Makes the vectors of chunks that were stored without them, newest notes first.

A fold of the log shows which notes lack vectors; their texts are read again from the vault. It runs
while no job runs, and stores nothing. A note that was just saved comes before all of these: the
embedder makes its vectors with its batch.
"""

import asyncio
import heapq
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Protocol

import structlog

from ragd.batch.in_flight import Fill, Payloads, ReadFile
from ragd.clock import Clock
from ragd.embed.backlog_retry import RetryPauses
from ragd.embed.fill_builder import FillBuilder
from ragd.embed.fill_pace import FillPace
from ragd.embed.providers.embedder_port import EmbeddingError
from ragd.embed.providers.provider_choice import Providers
from ragd.embed.stored_notes import stored_notes
from ragd.embed.vector_maker import NAME, VectorMaker
from ragd.errors import RagdError
from ragd.events import BatchStored, FileChange, FilesChanged
from ragd.folds.tables import Building, Entry, Table
from ragd.notes.documents.kinds import is_slow
from ragd.runtime.wait_for_event import wait_until_set
from ragd.state.job_requests import request_job
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex
from ragd.store.open_indexes import OpenIndexes
from ragd.vault.collection_calls import (
    CollectionReader,
    CollectionVerifier,
    read_notes,
    verify_roots,
)
from ragd.vault.note_reader import ReadResult
from ragd.vault.threads import BACKLOG

FILL_DOCUMENTS = 16  # that take long to read
FILL_BYTES = 8_000_000  # of note text that is read at once: the largest fill has about half of it
VAULT_AGAIN_S = 2.0
TRIES = 2  # after so many reads that find the note changed or gone, its stored text is used

log = structlog.get_logger(NAME)


class BacklogNoteReader(CollectionReader, CollectionVerifier, Protocol):
    """Reads the texts again from the vault; called in a thread."""

    @property
    def fingerprint(self) -> str: ...

    def includes(self, path: str) -> bool: ...


class Backlog:
    """The part of the embedder that makes missing vectors. At first this can take hours."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        open_indexes: OpenIndexes,
        providers: Providers,
        maker: VectorMaker,
        notes: BacklogNoteReader,
        fills: Payloads[Fill],
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._open_indexes = open_indexes
        self._providers = providers
        self._maker = maker
        self._notes = notes
        self._fills = fills
        self._woken = asyncio.Event()
        open_indexes.on_change(self._woken.set)
        self._fill_builder = FillBuilder(ledger, clock, maker)
        self._pace = FillPace()
        self._pauses = RetryPauses()  # notes that could not be worked on
        self._reindex_requested: set[str] = set()  # generations that were made without a provider

    def wake(self) -> None:
        """Something was stored."""
        self._woken.set()

    def batch_stored(self, event: BatchStored) -> None:
        """These notes were stored again: their pauses end."""
        self._pauses.release(event.removed)
        self._pauses.release(file.path for file in event.files)
        self._woken.set()

    def retry_all(self) -> None:
        """A dependency works again, or another index serves: all pauses end."""
        self._pauses.release_all()
        self._woken.set()

    async def run(self) -> None:
        """Make missing vectors whenever no job runs. It never returns."""
        while True:
            self._woken.clear()
            await self._close_unused_providers()
            provider_wait = self._maker.until_next_try()
            if found := self.next_table():
                table, index = found
                if not index.identity.space.is_known:
                    await self._request_reindex(index)
                elif files := await self._next_files(table, index):
                    await self._fill(files, table, index)
            else:
                await self._wait_for_work(provider_wait)

    async def _wait_for_work(self, provider_wait: float) -> None:
        """Wait until something is stored, a provider may be tried again, or a note's pause ends."""
        pauses = (provider_wait, self._pauses.until_next(self._clock.monotonic()))
        if wait := min((pause for pause in pauses if pause > 0), default=0.0):
            await wait_until_set(self._woken, self._clock, wait)
        else:
            await self._woken.wait()

    async def _close_unused_providers(self) -> None:
        """Close the old index's provider after a switch."""
        if open_now := self._open_indexes.list_open():
            await self._providers.keep_only({i.identity.space.identity for i in open_now})

    def next_table(self) -> tuple[Table, ChunkIndex] | None:
        """The next table that lacks vectors: the index that serves, then the one being built. None
        if there is nothing to do now."""
        catalog = self._ledger.state.catalog
        if self._ledger.state.jobs.reading_notes is not None:
            return None  # text first: it takes seconds, and vectors take minutes
        if self._ledger.state.pause.holds_vectors:
            return None
        for table in (catalog, catalog.building):
            index = self._open_indexes.find(_generation_of(table)) if table is not None else None
            if table is None or index is None:
                continue
            if index.identity.fingerprint != self._notes.fingerprint:
                continue  # its notes were split differently, and will be split again
            if not index.identity.space.is_known and self._has_replacement(index):
                continue
            if self._maker.is_paused(index):
                continue  # its provider is down; the other index may have another provider
            held = self._paused(table)
            if any(held.get(path) != table.files[path].sha256 for path in table.lacking):
                return table, index
        return None

    def _has_replacement(self, index: ChunkIndex) -> bool:
        """Whether a reindex replaces this index, which has only text. One is requested per run."""
        state = self._ledger.state
        asked = any(job.mode == "reindex" for job in state.jobs.open)
        known = index.identity.generation in self._reindex_requested
        return asked or known or state.catalog.building is not None

    async def _request_reindex(self, index: ChunkIndex) -> None:
        """Request a reindex if the provider works again. This index has only text, because its
        provider was missing when it was made."""
        try:
            await self._providers.choose(may_be_absent=False)
        except EmbeddingError as why:
            await self._maker.report(why, index)
            return
        await self._maker.report_recovery("ollama")
        self._reindex_requested.add(index.identity.generation)
        record = partial(self._ledger.journal.append, NAME)
        await request_job(record, "reindex", "provider_ready")

    def _paused(self, table: Table) -> dict[str, str]:
        return self._pauses.held(_generation_of(table), self._clock.monotonic())

    async def _next_files(self, table: Table, index: ChunkIndex) -> list[ReadFile]:
        """The newest notes that lack vectors, read again. Notes that have changed are left out."""
        files, lacking = table.files, list(table.lacking)
        wanted = await asyncio.to_thread(
            _newest, lacking, files, self._paused(table), self._pace.chunks
        )
        # Documents that take long to read are not read again: the index has their text.
        slow = await self._read_stored([path for path in wanted if is_slow(path)], table, index)
        known = {file.path for file in slow}
        reading = await self._read([path for path in wanted if path not in known], files)
        if reading is None:  # the watcher records it
            await self._clock.sleep(VAULT_AGAIN_S)
            return []
        as_stored = [f for f in reading.files if _is_as_stored(f, files.get(f.path))]
        found = slow + as_stored + await self._read_from_index(reading, table, index)
        ready = {file.path for file in found}
        await self._announce(reading, ready, table)
        # The others are changing now, or have changed and will come in a batch.
        left = set(reading.left)
        others = [path for path in wanted if path not in ready and path not in left]
        self._set_aside(others, table)
        return found

    async def _read(self, paths: list[str], files: Mapping[str, Entry]) -> ReadResult | None:
        """Read these notes, some of them if they are long; None if no collection can be used."""
        where = self._notes.collection_of
        gone = await verify_roots(BACKLOG, self._notes, paths)
        present = [path for path in paths if where(path) not in gone]
        reading = await read_notes(
            BACKLOG, self._notes, present, files, again=True, room=FILL_BYTES
        )
        reading.unreachable += [path for path in paths if where(path) in gone]
        is_all = len(gone | reading.lost) == len(self._notes.collections)
        return None if is_all else reading

    async def _announce(self, reading: ReadResult, present: Collection[str], table: Table) -> None:
        """Record notes that have changed, or are skipped now, although no batch with them has come.
        No scan noticed the change, perhaps because size and times are the same."""
        other = [file.path for file in reading.files if file.path not in present]
        other += [path for path, _ in reading.skipped]
        waiting = self._ledger.state.catalog.waiting
        changes = [
            FileChange(path, "modified")
            for path in other
            if path not in waiting and self._was_retried(path, table)
        ]
        if changes:
            await self._ledger.journal.append_parts(NAME, FilesChanged(changes=changes))

    def _was_retried(self, path: str, table: Table) -> bool:
        """Whether this note was set aside so often that a batch with it should have come."""
        entry = table.files.get(path)
        if entry is None:
            return False
        return self._pauses.times(_generation_of(table), path, entry.sha256) >= TRIES

    async def _read_from_index(
        self, reading: ReadResult, table: Table, index: ChunkIndex
    ) -> list[ReadFile]:
        """The stored text of notes that are gone or unreadable and stay in the index: their removal
        is held, or the file or its collection cannot be read now. Other notes have left it by the
        second try."""
        lost = [path for path in reading.gone if self._notes.includes(path)]
        lost += [path for path, _ in reading.failed] + reading.unreachable
        stay = [path for path in lost if self._was_retried(path, table)]
        return await self._read_stored(stay, table, index)

    async def _read_stored(
        self, paths: Sequence[str], table: Table, index: ChunkIndex
    ) -> list[ReadFile]:
        """The stored text of these notes, if the provider is on this machine."""
        if not paths or not self._maker.is_local(index):
            return []
        try:
            return await stored_notes(index, paths, table.files)
        except RagdError as why:  # a probe reports what is wrong with the index
            log.warning("the index could not be read", code=why.code)
            return []

    def _set_aside(self, paths: Sequence[str], table: Table) -> None:
        generation, now = _generation_of(table), self._clock.monotonic()
        for path in paths:
            if entry := table.files.get(path):
                self._pauses.add(generation, path, entry.sha256, now)

    async def _fill(self, files: Sequence[ReadFile], table: Table, index: ChunkIndex) -> None:
        """Make vectors for these notes, and pass them on as one fill."""
        began = self._clock.monotonic()
        done = await self._fill_builder.make(files, table, index)
        fill = done.fill
        if not fill.notes:
            return
        before = {note.path: table.files.get(note.path) for note in fill.notes}
        await self._fills.admit(fill)
        await self._maker.record_embedded(
            "", fill.batch_id, len(fill.notes), done.made, done.cached
        )
        await self._fills.wait_until_dropped(fill.batch_id)
        self._maker.progress.recorded(fill.generation)
        self._pace.add(len(fill.vectors), self._clock.monotonic() - began)
        # The table has other chunks of these notes, or could not be written.
        stuck = [path for path, entry in before.items() if _is_stuck(entry, table.files.get(path))]
        if stuck:
            log.info("vectors were not stored", generation=fill.generation, notes=len(stuck))
            self._set_aside(stuck, table)


def _newest(
    lacking: Sequence[str], files: Mapping[str, Entry], held: Mapping[str, str], most: int
) -> list[str]:
    """The newest of these notes, enough for one fill of so many chunks. Documents that take long
    come last."""
    known = ((path, files.get(path)) for path in lacking)
    dated = (
        (is_slow(path), -entry.mtime_ns, path, entry.lacking)
        for path, entry in known
        if entry is not None and held.get(path) != entry.sha256
    )
    wanted: list[str] = []
    chunks = documents = 0
    for slow, _, path, missing in heapq.nsmallest(most, dated):
        if chunks < most and documents < FILL_DOCUMENTS:
            wanted.append(path)
            chunks += missing
            documents += slow
    return wanted


def _generation_of(table: Table) -> str:
    """The table's generation; empty for the index that serves."""
    return table.generation if isinstance(table, Building) else ""


def _is_as_stored(file: ReadFile, entry: Entry | None) -> bool:
    return entry is not None and entry.sha256 == file.sha256


def _is_stuck(before: Entry | None, after: Entry | None) -> bool:
    """Whether the note is unchanged and still lacks as many vectors as before."""
    if before is None or after is None or before.sha256 != after.sha256:
        return False
    return 0 < before.lacking <= after.lacking
