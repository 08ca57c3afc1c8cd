"""A reader's actor: opens the index that another machine writes, and follows it.

It records in this machine's own log what the index has, so that all answers are made from the same
folds as a writer's. It never writes to the object store.
"""

import asyncio
from collections.abc import Mapping, Set
from functools import partial

import structlog

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.errors import RagdError
from ragd.events import (
    BatchStored,
    DependencyLost,
    DependencyRecovered,
    Fact,
    StoreCompacted,
    StoredFile,
)
from ragd.folds.catalog import Entry
from ragd.folds.times import ns_of_iso
from ragd.objects import writer_lease
from ragd.state.ledger import Ledger
from ragd.store.generations import activation_of
from ragd.store.index_claim import CLAIM_CODES
from ragd.store.index_damage import DAMAGE_CODES, IndexDamage
from ragd.store.lance import ChunkIndex, LanceStore
from ragd.store.lance.indexed_notes import IndexedNotes, NotesRead
from ragd.store.lance.object_place import ObjectPlace
from ragd.store.open_indexes import OpenIndexes

NAME = "index_follower"
CLOSE_AFTER_S = 30.0
LEAST_S = 0.5

log = structlog.get_logger(NAME)


class IndexFollower:
    """Follows the newest generation, and its newest version."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        place: ObjectPlace,
        store: LanceStore,
        open_indexes: OpenIndexes,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._place = place
        self._store = store
        self._open_indexes = open_indexes
        self._damage = IndexDamage(ledger, partial(ledger.journal.append, NAME))
        self._looking = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._notes: IndexedNotes | None = None  # of the index that serves, as far as recorded
        self.as_of: str | None = None  # when the writer last gave a sign of life

    async def run(self) -> None:
        """Look for a newer index at intervals."""
        follow_s = self._settings.current.vector_store.options.follow_s
        while True:
            await self.look()
            await self._clock.sleep(max(follow_s, LEAST_S) if follow_s else 60.0)

    async def look_before_answer(self) -> None:
        """For strong consistency: look for a newer index before each answer."""
        if self._settings.current.vector_store.options.follow_s == 0:
            await self.look()

    async def look(self) -> None:
        """Open the newest index, if it is newer. A store that does not respond changes nothing."""
        async with self._looking:
            try:
                await self._follow()
            except RagdError as why:
                await self._record_problem(why.code)
                if why.code not in CLAIM_CODES:
                    log.warning("the index cannot be followed", code=why.code)
            else:
                await self._record_problem(None)

    async def _follow(self) -> None:
        current = await asyncio.to_thread(self._place.read_current)
        if current is None:
            raise RagdError("INDEX_NOT_FOUND")
        seen = await asyncio.to_thread(self._place.client.get, writer_lease.NAME)
        self.as_of = seen.modified_at if seen is not None else None
        generation, serving = current[0], self._open_indexes.serving
        if serving is not None and serving.identity.generation == generation:
            await self._record_content(serving)
            return
        index, self._notes = await self._store.open_to_read(generation), None
        await self._record_content(index, is_new=True)
        self._open_indexes.replace(index, None)
        if serving is not None:
            self._close_later(serving)

    def _close_later(self, index: ChunkIndex) -> None:
        """Close an index after running searches had time to finish."""

        async def close() -> None:
            await self._clock.sleep(CLOSE_AFTER_S)
            index.close()

        task = asyncio.get_running_loop().create_task(close())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _record_content(self, index: ChunkIndex, *, is_new: bool = False) -> None:
        """Move to the newest version, and record which notes it has, as far as that has changed."""
        known = self._ledger.state.catalog.files
        found = await index.read_newest_notes(self._notes)
        version = found.notes.version
        self._settings.add_collections_of_index(found.notes.collections)
        await index.move_to(version)
        # The catalog has this version as soon as the first part of a large fact is recorded.
        is_recorded = self._notes is not None and self._notes.version == version
        if is_recorded and version == self._ledger.state.catalog.table_version:
            return
        looked_at = found.changed if self._notes is not None else found.changed | known.keys()
        changed, gone = await asyncio.to_thread(_differences, found, known, looked_at)
        if changed or gone:
            stored = BatchStored(job_id="", files=changed, removed=gone, table_version=version)
            await self._ledger.journal.append_parts(NAME, stored)
        elif not is_new:
            await self._record(StoreCompacted(table_version=version))
        serving = self._ledger.state.catalog.index
        if serving is None or serving.generation != index.identity.generation:
            await self._record(activation_of(index))
            await self._record(StoreCompacted(table_version=version))
        self._notes = found.notes  # only now: what was not recorded is looked at again

    async def _record_problem(self, code: str | None) -> None:
        lost = self._ledger.state.health.lost
        if code is not None and code in CLAIM_CODES:
            if "object_store" not in lost or lost["object_store"].code != code:
                await self._record(DependencyLost(dependency="object_store", code=code))
        elif "object_store" in lost:
            await self._record(DependencyRecovered(dependency="object_store"))
        is_missing = code in DAMAGE_CODES
        if code is not None and is_missing:
            await self._damage.record_failed_call(code)
        elif code is None and ("index" in lost or "index" not in self._ledger.state.health.seen):
            await self._record(DependencyRecovered(dependency="index"))

    async def _record(self, fact: Fact) -> None:
        await self._ledger.journal.append(NAME, fact)


def _differences(
    found: NotesRead, known: Mapping[str, Entry], paths: Set[str]
) -> tuple[list[StoredFile], list[str]]:
    """Those of these notes that the index has in another way than what is known, and those that it
    does not have any more."""
    changed: list[StoredFile] = []
    gone: list[str] = []
    counts = found.notes.count(paths)
    for path in sorted(paths):
        if path not in counts:
            gone += [path] if path in known else []
            continue
        chunks, embedded = counts[path]
        if (facts := found.facts.get(path)) is not None:
            sha256, mtime_ns = facts.sha256, ns_of_iso(facts.modified_at)
        else:  # its rows are where they were, but there are fewer
            sha256, mtime_ns = known[path].sha256, known[path].mtime_ns
        file = StoredFile(path, sha256, mtime_ns, 0, chunks, embedded)
        if path not in known or not _is_same(known[path], file):
            changed.append(file)
    return changed, gone


def _is_same(entry: Entry, file: StoredFile) -> bool:
    before = (entry.sha256, entry.chunks, entry.embedded, entry.mtime_ns)
    return before == (file.sha256, file.chunks, file.embedded, file.mtime_ns)
