"""Which index serves and which one is built beside it: opened, made, switched, dropped.

Every step may be cut off: the log names the generations that count, and what it does not name is
removed at the next start. It writes no notes.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping

import structlog

from ragd.clock import new_id
from ragd.embed.providers.embedder_port import PassedOver, VectorSpace
from ragd.errors import RagdError
from ragd.events import (
    BatchStored,
    DependencyLost,
    Fact,
    IndexActivated,
    IndexBuilding,
    IndexLost,
    JobRequested,
    StoredFile,
)
from ragd.folds.tables import Table
from ragd.runtime.crash_points import crashpoint
from ragd.runtime.native_crash import CrashMark
from ragd.state.ledger import Ledger
from ragd.store.lance import CannotCheck, ChunkIndex, IndexIdentity, LanceStore
from ragd.store.open_indexes import OpenIndexes

NAME = "store_writer"
FOREIGN = "INDEX_OF_ANOTHER_VAULT"
log = structlog.get_logger(NAME)

# The identity of an index that does not exist yet. Given an identity, the new one is in its vector
# space; else the provider is chosen now. True: a person asked for it, so that under `auto` the
# embedded model is chosen anew by the languages of the notes.
NewIdentity = Callable[[str, IndexIdentity | None, bool], Awaitable[IndexIdentity]]


class ForeignIndex(Exception):
    """The index is another vault's, and nobody knows yet whether that is meant."""


class Generations:
    """The life of generations, on behalf of the store writer."""

    def __init__(
        self,
        ledger: Ledger,
        store: LanceStore,
        open_indexes: OpenIndexes,
        new_identity: NewIdentity,
        vault: str,
        vault_is_there: Callable[[], Awaitable[bool]],
        crash: CrashMark,
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._open_indexes = open_indexes
        self._new_identity = new_identity
        self._vault = vault  # which vault this is, as an index's identity names it
        self._vault_is_there = vault_is_there
        self._crash = crash
        self._is_open = False
        self._hindrance = ""  # told once, and not at every try
        self._retired: set[str] = set()  # replaced; still there for who reads them

    async def open(self) -> bool:
        """Open what the log knows; where it knows nothing, what the tables say of themselves. False
        if that cannot be done now: nothing is touched, and it is to be tried again."""
        if self._is_open:
            return True
        try:
            await self._store.sweep()
            if self._open_indexes.serving is None:
                await self._open_serving()
            if self._open_indexes.building is None:
                await self._open_building()
            await self._drop_strangers()
        except (CannotCheck, ForeignIndex, RagdError) as why:  # files may come and go meanwhile
            if str(why) != self._hindrance:
                log.warning("the index is not opened yet", reason=str(why))
            self._hindrance = str(why)
            return False
        if self._open_indexes.serving is None:  # the first job will want one soon
            await self._store.warm_up()
        self._forget_the_crash()
        self._is_open = True
        return True

    def let_go(self) -> None:
        """A probe says that something is wrong with the index, or that all is well again: the next
        `open` sees for itself, with new handles."""
        index = self._open_indexes.serving
        if index is not None:
            self._open_indexes.replace(None, self._open_indexes.building)
            index.close()
        self._is_open = False

    async def _open_serving(self) -> None:
        known = self._ledger.state.catalog.index
        if known is not None:
            try:
                await self._take(await self._open(known.generation))
                return
            except RagdError as why:
                log.warning("the index cannot be opened", code=why.code)
                if why.code == "INDEX_CORRUPTED":  # restored later, or replaced by a reindex
                    if "index" not in self._ledger.state.health.lost:
                        await self._say(DependencyLost(dependency="index", code=why.code))
                    return
                if why.code != "INDEX_NOT_FOUND":
                    raise
                await self._say(IndexLost(reason="missing"))
        found = await self._store.newest_whole(self._vault, without=self._retired)
        if found is None:
            return
        try:
            await self._adopt(await self._store.open(found.name))
        except RagdError as why:  # its files changed since it was examined
            log.warning("an index that the log does not know cannot be opened", code=why.code)

    async def _open(self, generation: str) -> ChunkIndex:
        """If native code has ended the daemon before, only after another process has read it."""
        if self._crash.is_set:
            log.warning("a crash ended the daemon: the index is looked at from another process")
            if await self._store.is_damaged(generation):
                raise RagdError("INDEX_CORRUPTED")
        return await self._store.open(generation)

    def _forget_the_crash(self) -> None:
        """The index has been read since, and serves."""
        if self._open_indexes.serving is not None:
            self._crash.clear()

    async def _take(self, index: ChunkIndex) -> None:
        """An index that the log knows: is it this vault's, and as new as the log? Raises RagdError
        if its files are replaced or damaged meanwhile."""
        if index.identity.vault != self._vault:
            await self._leave(index)
            return
        try:
            is_behind = await index.version() < self._ledger.state.catalog.table_version
            if not is_behind:
                await self._learn(index, self._ledger.state.catalog)
        except RagdError:
            index.close()
            raise
        if is_behind:
            log.warning("the index has lost its last commits")
            await self._say(IndexLost(reason="behind"))
            await self._adopt(index)
        else:
            self._open_indexes.replace(index, self._open_indexes.building)

    async def _learn(self, index: ChunkIndex, table: Table, generation: str = "") -> None:
        """The last run died after a commit and before its fact: the catalog learns what is in the
        table, or rows of a note that is gone or hidden since would stay for good."""
        version, known = await index.version(), table.files
        if version <= table.table_version:
            return
        rows = await count_rows(index)
        found = {
            (path, sha256): count
            for (path, sha256), count in rows.items()
            if path not in known or (known[path].sha256, known[path].chunks) != (sha256, count)
        }
        lost = known.keys() - {path for path, _ in rows}
        if not found and not lost:
            return
        stored = BatchStored(
            job_id="",
            files=await _as_stored(index, found),
            removed=sorted(lost),
            table_version=version,
            generation=generation,
        )
        await self._ledger.journal.append_parts(NAME, stored)
        if not self._ledger.state.jobs.open:
            await self._say(JobRequested(job_id=new_id(), mode="sync", origin="recovery"))

    async def _leave(self, index: ChunkIndex) -> None:
        """Another vault is configured: its notes must not mix with those of the former one. While
        there is no such folder, that may be a slip of the pen, and nothing is thrown away."""
        index.close()
        if not await self._vault_is_there():
            lost = self._ledger.state.health.lost.get("index")
            if lost is None or lost.code != FOREIGN:
                await self._say(DependencyLost(dependency="index", code=FOREIGN))
            raise ForeignIndex("it is another vault's, and kept until this one is found")
        await self._say(IndexLost(reason="vault_changed"))
        await self._store.drop(index.identity.generation)
        await self._say(JobRequested(job_id=new_id(), mode="full", origin="vault_changed"))

    async def _adopt(self, index: ChunkIndex) -> None:
        """The log does not say what is in this table, so the table does. A file's time is not in
        it: every note is looked at again, and none is embedded again."""
        try:
            files = await _as_stored(index, await count_rows(index))
            version = await index.version()
        except RagdError as why:  # it cannot be read: as good as none
            log.warning("an index that the log does not know is damaged", code=why.code)
            index.close()
            return
        stored = BatchStored(job_id="", files=files, removed=[], table_version=version)
        await self._ledger.journal.append_parts(NAME, stored)
        await self._activate(index)  # last: after a crash in between it is taken over again
        if not self._ledger.state.catalog.needs_full_scan:  # else that is asked for anyway
            await self._say(JobRequested(job_id=new_id(), mode="sync", origin="recovery"))

    async def _open_building(self) -> None:
        building = self._ledger.state.catalog.building
        if building is None:
            return
        try:
            index = await self._open(building.generation)
            try:
                if index.identity.vault != self._vault:
                    raise RagdError("INDEX_NOT_FOUND")
                await self._learn(index, building, building.generation)
            except RagdError:
                index.close()
                raise
            self._open_indexes.replace(self._open_indexes.serving, index)
        except RagdError as why:
            log.warning("the index that was being built is gone", code=why.code)
            await self._say(IndexLost(reason="missing", generation=building.generation))
            if self._ledger.state.jobs.find_open(building.job_id) is None:
                await self._say(JobRequested(job_id=new_id(), mode="reindex", origin="recovery"))

    async def _drop_strangers(self) -> None:
        """What the log does not name was left by a process that was killed, or damaged."""
        if self._open_indexes.serving is None:
            return
        known = {i.identity.generation for i in self._open_indexes.list_open()} | self._retired
        for found in await self._store.list_generations():
            if found.name not in known:
                log.info("an index that nobody knows is removed", generation=found.name)
                await self._store.drop(found.name)

    # Making and switching

    async def serving_index(self) -> ChunkIndex:
        """The index that serves; the first batch of all makes it. Raises RagdError for one that
        is there and cannot be opened: nothing may take its place but a reindex."""
        if self._open_indexes.serving is None and self._ledger.state.catalog.index is not None:
            raise RagdError("INDEX_CORRUPTED")
        if self._open_indexes.serving is None:
            identity = await self._new_identity(new_id(), None, False)
            index = await self._store.create(identity)
            crashpoint("index.after_create")
            await index.mark_complete()
            await self._activate(index)
            await self._drop_strangers()  # first indexes that kills left half-made
        assert self._open_indexes.serving is not None
        return self._open_indexes.serving

    async def building_index(self, generation: str, job_id: str) -> ChunkIndex:
        """The index that this job builds; its first batch makes it, in place of any other."""
        building = self._open_indexes.building
        if building is not None and building.identity.generation == generation:
            return building
        await self.abandon()
        job = self._ledger.state.jobs.find_open(job_id)
        by_itself = job is not None and job.origin == "chunking_changed"
        # No person asked for it, so the provider stays.
        serving = self._open_indexes.serving if by_itself else None
        like = serving.identity if serving else None
        asked = job is not None and job.origin == "tool"
        identity = await self._new_identity(generation, like, asked)
        building = await self._store.create(identity)
        crashpoint("index.after_create")
        fingerprint = identity.fingerprint
        await self._say(
            IndexBuilding(
                generation=generation,
                job_id=job_id,
                fingerprint=fingerprint,
                provider=identity.space.provider,
            )
        )
        self._open_indexes.replace(self._open_indexes.serving, building)
        return building

    async def abandon(self) -> None:
        """Drop the index that is being built."""
        building = self._open_indexes.building
        if building is not None:
            self._open_indexes.replace(self._open_indexes.serving, None)
            building.close()
            await self._store.drop(building.identity.generation)

    async def lose_building(self) -> None:
        """The index that is built is damaged: give it up; another one is asked for, if its job has
        ended already."""
        told = self._ledger.state.catalog.building
        await self.abandon()
        if told is None:
            return
        await self._say(IndexLost(reason="missing", generation=told.generation))
        if self._ledger.state.jobs.find_open(told.job_id) is None:
            await self._say(JobRequested(job_id=new_id(), mode="reindex", origin="recovery"))

    async def switch_if_ready(self, text_of: str = "") -> ChunkIndex | None:
        """Let the new index serve once its text and its vectors are complete; where no index
        serves, its text is enough. `text_of`: a job whose text is stored, though it has not ended.
        Returns the index that served until now, for `retire`."""
        state, index = self._ledger.state, self._open_indexes.building
        told = state.catalog.building
        if index is None or told is None or told.generation != index.identity.generation:
            return None
        if told.job_id != text_of and state.jobs.find_open(told.job_id) is not None:
            return None
        if told.backlog and self._has_usable_index():
            return None
        await self._store.verify(index.identity.generation)  # what serves is whole
        await index.mark_complete()
        crashpoint("index.before_switch")
        old = self._open_indexes.serving
        if old is not None:
            self._retired.add(old.identity.generation)
        await self._activate(index)
        crashpoint("index.after_switch")
        if old is None:
            await self._drop_strangers()  # the one that could not be opened
        return old

    async def retire(self, index: ChunkIndex) -> None:
        """Remove an index that serves no more, and that nobody reads any longer."""
        index.close()
        await self._store.drop(index.identity.generation)
        self._retired.discard(index.identity.generation)

    def _has_usable_index(self) -> bool:
        is_lost = "index" in self._ledger.state.health.lost
        return self._open_indexes.serving is not None and not is_lost

    async def _activate(self, index: ChunkIndex) -> None:
        space: VectorSpace = index.identity.space
        passed_over = index.identity.passed_over or PassedOver("")
        await self._say(
            IndexActivated(
                generation=index.identity.generation,
                provider=space.provider,
                model=space.model,
                dimensions=space.dimensions,
                fingerprint=index.identity.fingerprint,
                passed_over=passed_over.code,
                configured=passed_over.configured,
                made=passed_over.made,
            )
        )
        building = self._open_indexes.building
        self._open_indexes.replace(index, None if building is index else building)
        self._crash.clear()  # what may have been damaged serves no more

    async def _say(self, fact: Fact) -> None:
        await self._ledger.journal.append(NAME, fact)


async def count_rows(index: ChunkIndex, where: str | None = None) -> "Counter[tuple[str, str]]":
    """How many rows each note has, by its path and hash."""
    found: Counter[tuple[str, str]] = Counter()
    async for row in index.read_rows(("source_file", "file_sha256"), where):
        found[row["source_file"], row["file_sha256"]] += 1
    return found


async def _as_stored(index: ChunkIndex, rows: Mapping[tuple[str, str], int]) -> list[StoredFile]:
    """Notes as the table knows them: a file's time and size are not in it."""
    embedded = await count_rows(index, "vector IS NOT NULL")
    return [
        StoredFile(path, sha256, 0, 0, count, embedded[path, sha256])
        for (path, sha256), count in rows.items()
    ]
