"""Chunks that are stored without vectors, worked off when there is time, newest notes first.

What there is to do is a fold of the log; the texts are read again from the vault. It stores
nothing.
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
from ragd.embed.providers.embedder_port import EmbeddingError
from ragd.embed.providers.provider_choice import Providers
from ragd.embed.stored_notes import stored_notes
from ragd.embed.vector_maker import NAME, VectorMaker
from ragd.errors import RagdError
from ragd.events import BatchStored, FileChange, FilesChanged
from ragd.folds.tables import Building, Entry, Table
from ragd.runtime.wait_for_event import wait_until_set
from ragd.state.job_requests import request_job
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex
from ragd.store.open_indexes import OpenIndexes
from ragd.vault.note_reader import ReadResult, VaultGone
from ragd.vault.threads import BACKLOG

FILL_CHUNKS = 512
VAULT_AGAIN_S = 2.0
TRIES = 2  # to read a note as it was stored, before anything else is tried

log = structlog.get_logger(NAME)


class BacklogNoteReader(Protocol):
    """Where the backlog's texts come from: the vault, read again."""

    @property
    def fingerprint(self) -> str: ...

    def verify_root(self) -> None: ...

    def includes(self, path: str) -> bool: ...

    def read(
        self, paths: Sequence[str], known: Mapping[str, Entry], *, again: bool = False
    ) -> ReadResult: ...


class Backlog:
    """The embedder's work of hours."""

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
        self._fill_maker = FillBuilder(ledger, clock, maker)
        self._aside = RetryPauses()  # notes that could not be worked on
        self._asked_for: set[str] = set()  # generations whose provider was away and is back

    def wake(self) -> None:
        """Something was stored."""
        self._woken.set()

    def stored(self, event: BatchStored) -> None:
        """These notes are in the index as they are now: their pause is over."""
        self._aside.release(event.removed)
        self._aside.release(file.path for file in event.files)
        self._woken.set()

    def look_again(self) -> None:
        """Something works again, or another index serves: every pause is over."""
        self._aside.release_all()
        self._woken.set()

    async def run(self) -> None:
        """For ever: what lacks vectors, when nothing else is to be done."""
        while True:
            self._woken.clear()
            await self._let_go_of_providers()
            provider_wait = self._maker.until_next_try()
            if found := self._next_table():
                table, index = found
                if not index.identity.space.is_known:
                    await self._ask_for_vectors(index)
                elif files := await self._next_files(table, index):
                    await self._gather(files, table, index)
            else:
                await self._until_something_changes(provider_wait)

    async def _until_something_changes(self, provider_wait: float) -> None:
        """Until something is stored, a provider may be asked again, or a note's pause is over."""
        pauses = (provider_wait, self._aside.until_next(self._clock.monotonic()))
        if wait := min((pause for pause in pauses if pause > 0), default=0.0):
            await wait_until_set(self._woken, self._clock, wait)
        else:
            await self._woken.wait()

    async def _let_go_of_providers(self) -> None:
        """After a switch nobody needs the old index's provider."""
        if open_now := self._open_indexes.list_open():
            await self._providers.keep_only({i.identity.space.identity for i in open_now})

    def _next_table(self) -> tuple[Table, ChunkIndex] | None:
        """Where vectors are missing: the index that serves first, then the one that is built."""
        catalog = self._ledger.state.catalog
        if self._ledger.state.jobs.active is not None:
            return None  # text first: it takes seconds where vectors take minutes
        if self._ledger.state.pause.holds_vectors:
            return None
        for table in (catalog, catalog.building):
            index = self._open_indexes.find(_generation_of(table)) if table is not None else None
            if table is None or index is None:
                continue
            if index.identity.fingerprint != self._notes.fingerprint:
                continue  # its notes were cut in another way, and will be cut again
            if not index.identity.space.is_known and self._is_replaced_or_asked_for(index):
                continue
            if self._maker.rests(index):
                continue  # nobody makes its vectors now; the other index may have a provider
            held = self._held(table)
            if any(held.get(path) != table.files[path].sha256 for path in table.lacking):
                return table, index
        return None

    def _is_replaced_or_asked_for(self, index: ChunkIndex) -> bool:
        """One that was made for text alone is asked to be replaced once in a run."""
        state = self._ledger.state
        asked = any(job.mode == "reindex" for job in state.jobs.open)
        known = index.identity.generation in self._asked_for
        return asked or known or state.catalog.building is not None

    async def _ask_for_vectors(self, index: ChunkIndex) -> None:
        """This index was made for text alone, because its provider was away. Is it back?"""
        try:
            await self._providers.choose(may_be_absent=False)
        except EmbeddingError as why:
            await self._maker.report(why, index)
            return
        await self._maker.report_recovery("ollama")
        self._asked_for.add(index.identity.generation)
        record = partial(self._ledger.journal.append, NAME)
        await request_job(record, "reindex", "provider_ready")

    def _held(self, table: Table) -> dict[str, str]:
        return self._aside.held(_generation_of(table), self._clock.monotonic())

    async def _next_files(self, table: Table, index: ChunkIndex) -> list[ReadFile]:
        """The newest notes that lack vectors, read again; only what is still as it was stored."""
        files, lacking = table.files, list(table.lacking)
        wanted = await asyncio.to_thread(_newest, lacking, files, self._held(table))
        try:
            await BACKLOG.run(self._notes.verify_root)
            reading = await BACKLOG.run(self._notes.read, wanted, files, again=True)
        except VaultGone:  # whoever scans says so
            await self._clock.sleep(VAULT_AGAIN_S)
            return []
        as_stored = [f for f in reading.files if _is_as_stored(f, files.get(f.path))]
        found = as_stored + await self._from_the_index(reading, table, index)
        present = {file.path for file in found}
        await self._announce(reading, present, table)
        # The others change at this moment, or have changed and will come as a batch.
        self._set_aside([path for path in wanted if path not in present], table)
        return found

    async def _announce(self, reading: ReadResult, present: Collection[str], table: Table) -> None:
        """Notes that have changed, or hide themselves now, without a batch that says so: nobody
        else has noticed it, perhaps because size and time are the same."""
        other = [file.path for file in reading.files if file.path not in present]
        other += [path for path, _ in reading.skipped]
        waiting = self._ledger.state.catalog.waiting
        changes = [
            FileChange(path, "modified")
            for path in other
            if path not in waiting and self._was_tried(path, table)
        ]
        if changes:
            await self._ledger.journal.append_parts(NAME, FilesChanged(changes=changes))

    def _was_tried(self, path: str, table: Table) -> bool:
        """Whether this note was set aside so often that a batch with it would be here by now."""
        entry = table.files.get(path)
        if entry is None:
            return False
        return self._aside.times(_generation_of(table), path, entry.sha256) >= TRIES

    async def _from_the_index(
        self, reading: ReadResult, table: Table, index: ChunkIndex
    ) -> list[ReadFile]:
        """Notes that are gone or unreadable, and stay in the index all the same: a person has to
        agree first, or the file has to be readable again. Others have left it by the second try."""
        lost = [path for path in reading.gone if self._notes.includes(path)]
        lost += [path for path, _ in reading.failed]
        stay = [path for path in lost if self._was_tried(path, table)]
        if not stay or not self._maker.stays_here(index):
            return []
        try:
            return await stored_notes(index, stay, table.files)
        except RagdError as why:  # a probe says what is wrong with the index
            log.warning("the index could not be read", code=why.code)
            return []

    def _set_aside(self, paths: Sequence[str], table: Table) -> None:
        generation, now = _generation_of(table), self._clock.monotonic()
        for path in paths:
            if entry := table.files.get(path):
                self._aside.add(generation, path, entry.sha256, now)

    async def _gather(self, files: Sequence[ReadFile], table: Table, index: ChunkIndex) -> None:
        """Vectors for these notes, handed on as one fill."""
        done = await self._fill_maker.make(files, table, index)
        fill = done.fill
        if not fill.notes:
            return
        before = {note.path: table.files.get(note.path) for note in fill.notes}
        await self._fills.admit(fill)
        await self._maker.say("", fill.batch_id, len(fill.notes), done.made, done.cached)
        await self._fills.wait_until_dropped(fill.batch_id)
        self._maker.progress.recorded(fill.generation)
        # The table has other chunks of a note than these, or nothing could be written.
        stuck = [path for path, entry in before.items() if _is_stuck(entry, table.files.get(path))]
        if stuck:
            log.info("vectors were not taken", generation=fill.generation, notes=len(stuck))
            self._set_aside(stuck, table)


def _newest(
    lacking: Sequence[str], files: Mapping[str, Entry], held: Mapping[str, str]
) -> list[str]:
    """The newest of these notes, as many as lack the vectors of one fill."""
    known = ((path, files.get(path)) for path in lacking)
    dated = (
        (-entry.mtime_ns, path, entry.lacking)
        for path, entry in known
        if entry is not None and held.get(path) != entry.sha256
    )
    wanted: list[str] = []
    chunks = 0
    for _, path, missing in heapq.nsmallest(FILL_CHUNKS, dated):
        if chunks < FILL_CHUNKS:
            wanted.append(path)
            chunks += missing
    return wanted


def _generation_of(table: Table) -> str:
    """No name: the index that serves."""
    return table.generation if isinstance(table, Building) else ""


def _is_as_stored(file: ReadFile, entry: Entry | None) -> bool:
    return entry is not None and entry.sha256 == file.sha256


def _is_stuck(before: Entry | None, after: Entry | None) -> bool:
    """The note is as it was, and lacks no fewer vectors than before."""
    if before is None or after is None or before.sha256 != after.sha256:
        return False
    return 0 < before.lacking <= after.lacking
