"""Opens the index that serves and the one that is built next to it, and drops all others.

Every step may be interrupted: the log names the generations that count, and all others are removed
at the next start. It writes no notes. `reindex_switch.py` makes and switches generations.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Set

import structlog

from ragd.embed.providers.embedder_port import PassedOver
from ragd.errors import RagdError
from ragd.events import BatchStored, Fact, IndexActivated, StoreCompacted, StoredFile
from ragd.folds.tables import Table
from ragd.runtime.native_crash import CrashMark
from ragd.state.job_requests import request_job
from ragd.state.ledger import Ledger
from ragd.store import STORE_WRITER
from ragd.store.index_claim import IndexClaim
from ragd.store.index_damage import IndexDamage
from ragd.store.lance import CannotCheck, ChunkIndex, LanceStore
from ragd.store.open_indexes import OpenIndexes

log = structlog.get_logger(STORE_WRITER)


class ForeignIndex(Exception):
    """The index is another vault's, and the configured vault is missing."""


class Generations:
    """Opens, adopts and drops generations, on behalf of the store writer."""

    def __init__(
        self,
        ledger: Ledger,
        store: LanceStore,
        open_indexes: OpenIndexes,
        claim: IndexClaim,
        damage: IndexDamage,
        vault: str,
        is_vault_present: Callable[[], Awaitable[bool]],
        crash: CrashMark,
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._open_indexes = open_indexes
        self._claim = claim
        self._damage = damage
        self._vault = vault  # the vault's id in an index's identity
        self._is_vault_present = is_vault_present
        self._crash = crash
        self._is_open = False
        self._last_obstacle = ""  # logged once, not at every attempt
        self.retired: dict[str, ChunkIndex] = {}  # replaced, but searches may still read them

    async def open(self) -> bool:
        """Open the indexes that the log names. If it names none, adopt the newest complete table of
        this vault. Returns False if that is not possible now: then nothing has changed, and the
        caller retries."""
        if self._is_open:
            return True
        try:
            await self._claim.hold()
            await self._store.remove_temporary_files()
            if self._open_indexes.serving is None:
                await self._open_serving()
            if self._open_indexes.building is None:
                await self._open_building()
            await self.drop_unknown()
        except (CannotCheck, ForeignIndex, RagdError) as why:  # files may come and go meanwhile
            if isinstance(why, RagdError):
                await self._claim.record(why.code)
            if str(why) != self._last_obstacle:
                log.warning("the index is not opened yet", reason=str(why))
            self._last_obstacle = str(why)
            return False
        if self._open_indexes.serving is None:  # the first job will need the libraries soon
            await self._store.warm_up()
        else:
            self._crash.clear()  # the index was read after the crash, and serves
        self._is_open = True
        return True

    def close_serving(self) -> None:
        """A probe found damage, or found that it is repaired. The next `open` uses new handles."""
        index = self._open_indexes.serving
        if index is not None:
            self._open_indexes.replace(None, self._open_indexes.building)
            index.close()
        self._is_open = False

    def close_all(self) -> None:
        """Another daemon writes the index now. The next `open` waits until that ends."""
        for index in self._open_indexes.list_open():
            index.close()
        self._open_indexes.replace(None, None)
        self._is_open = False

    async def activate(self, index: ChunkIndex) -> None:
        """Record that this index serves, and let it serve. Readers are told first: if that fails,
        nothing has changed, and the caller tries again."""
        await self._store.publish(index.identity.generation)
        await self._record(activation_of(index))
        building = self._open_indexes.building
        self._open_indexes.replace(index, None if building is index else building)
        self._crash.clear()  # an index that may have caused the crash no longer serves

    async def drop_unknown(self) -> None:
        """Remove indexes that the log does not name: left by a killed process, or damaged."""
        if self._open_indexes.serving is None:
            return
        known = {i.identity.generation for i in self._open_indexes.list_open()}
        known.update(self.retired)
        for found in await self._store.list_generations():
            if found.name not in known:
                log.info("an index that the log does not name is removed", generation=found.name)
                await self._store.drop(found.name)

    # The index that serves

    async def _open_serving(self) -> None:
        known = self._ledger.state.catalog.index
        if known is not None:
            try:
                await self._serve_known(await self._open_checked(known.generation))
                return
            except RagdError as why:
                log.warning("the index cannot be opened", code=why.code)
                if why.code == "INDEX_CORRUPTED":  # restored later, or replaced by a reindex
                    await self._damage.record_failed_call(why.code)
                    return
                if why.code != "INDEX_NOT_FOUND":
                    raise
                await self._damage.record_lost_table("missing")
        found = await self._store.newest_whole(self._vault, without=self.retired)
        if found is None:
            return
        try:
            await self._adopt(await self._store.open(found.name))
        except RagdError as why:  # its files changed after they were checked
            log.warning("an index that the log does not name cannot be opened", code=why.code)

    async def _open_checked(self, generation: str) -> ChunkIndex:
        """After a crash of native code, another process reads the index first."""
        if self._crash.is_set:
            log.warning("a crash ended the daemon: another process checks the index first")
            if await self._store.is_damaged(generation):
                raise RagdError("INDEX_CORRUPTED")
        return await self._store.open(generation)

    async def _serve_known(self, index: ChunkIndex) -> None:
        """Let an index that the log names serve, if it is this vault's and as new as the log.
        Raises RagdError if its files are replaced or damaged meanwhile."""
        if index.identity.vault != self._vault:
            await self._drop_foreign(index)
            return
        try:
            is_behind = index.opened_version < self._ledger.state.catalog.table_version
            if not is_behind:
                await self._record_unlogged_commits(index, self._ledger.state.catalog)
                await self._store.publish(index.identity.generation)
        except RagdError:
            index.close()
            raise
        if is_behind:
            log.warning("the index has lost its last commits")
            skipped = frozenset(self._ledger.state.catalog.skipped)
            await self._damage.record_lost_table("behind")
            await self._adopt(index, skipped)
        else:
            self._open_indexes.replace(index, self._open_indexes.building)

    async def _record_unlogged_commits(
        self, index: ChunkIndex, table: Table, generation: str = ""
    ) -> None:
        """Record commits of a run that died before it recorded them. Otherwise the rows of a note
        that was removed or hidden since then would stay forever. A job may have read the vault
        already: what it skipped is removed here, and another job looks again."""
        version, known = await index.version(), table.files
        if index.opened_version <= table.table_version:
            if version > table.table_version:  # only this writer's fence was added
                fact = StoreCompacted(table_version=version, generation=generation)
                await self._record(fact)
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
        files, version = await self._without_skipped(index, found)
        removed = lost | (known.keys() & {path for path, _ in found} - {f.path for f in files})
        stored = BatchStored(
            job_id="",
            files=files,
            removed=sorted(removed),
            table_version=version,
            generation=generation,
        )
        await self._ledger.journal.append_parts(STORE_WRITER, stored)
        await request_job(self._record, "sync", "recovery")

    async def _without_skipped(
        self,
        index: ChunkIndex,
        rows: Mapping[tuple[str, str], int],
        skipped: Set[str] = frozenset(),
    ) -> tuple[list[StoredFile], int]:
        """The notes that these rows belong to, and the version of the table. Notes that a job has
        skipped by now are removed from it, and those that it had `skipped` before."""
        files, version = await _stored_files(index, rows), await index.version()
        while unwanted := {one.path for one in files} & (
            skipped | self._ledger.state.catalog.skipped.keys()
        ):
            version = await index.replace([], sorted(unwanted))
            files = [one for one in files if one.path not in unwanted]
        return files, version

    async def _drop_foreign(self, index: ChunkIndex) -> None:
        """Another vault is configured, and notes of two vaults must not mix. While its folder does
        not exist, the path may be a typing error: then the index is kept."""
        index.close()
        if not await self._is_vault_present():
            await self._damage.record_another_vault()
            raise ForeignIndex("it is another vault's, and kept until this one is found")
        await self._damage.record_lost_table("vault_changed")
        await self._store.drop(index.identity.generation)
        await request_job(self._record, "full", "vault_changed")

    async def _adopt(self, index: ChunkIndex, skipped: Set[str] = frozenset()) -> None:
        """Record the contents of a table that the log does not describe. The table has no file
        times, so every note is compared again; none is embedded again. `skipped`: notes that are
        not adopted."""
        try:
            rows = await count_rows(index)
            files, version = await self._without_skipped(index, rows, skipped)
        except RagdError as why:
            log.warning("an index that the log does not name is damaged", code=why.code)
            index.close()
            return
        stored = BatchStored(job_id="", files=files, removed=[], table_version=version)
        await self._ledger.journal.append_parts(STORE_WRITER, stored)
        await self.activate(index)  # last: after a crash before it, the index is adopted again
        if not self._ledger.state.catalog.needs_full_scan:  # else a job is requested anyway
            await request_job(self._record, "sync", "recovery")

    # The index that is built

    async def _open_building(self) -> None:
        building = self._ledger.state.catalog.building
        if building is None:
            return
        try:
            index = await self._open_checked(building.generation)
            try:
                if index.identity.vault != self._vault:
                    raise RagdError("INDEX_NOT_FOUND")
                await self._record_unlogged_commits(index, building, building.generation)
            except RagdError:
                index.close()
                raise
            self._open_indexes.replace(self._open_indexes.serving, index)
        except RagdError as why:
            log.warning("the index that was being built is gone", code=why.code)
            await self.record_lost_building(building.generation, building.job_id)

    async def record_lost_building(self, generation: str, job_id: str) -> None:
        """The index that this job built is gone. Request another if the job has already ended."""
        await self._damage.record_lost_table("missing", generation)
        if self._ledger.state.jobs.find_open(job_id) is None:
            await request_job(self._record, "reindex", "recovery")

    async def _record(self, fact: Fact) -> None:
        await self._ledger.journal.append(STORE_WRITER, fact)


def activation_of(index: ChunkIndex) -> IndexActivated:
    """The fact that this index serves."""
    space, passed_over = index.identity.space, index.identity.passed_over or PassedOver("")
    return IndexActivated(
        generation=index.identity.generation,
        provider=space.provider,
        model=space.model,
        dimensions=space.dimensions,
        fingerprint=index.identity.fingerprint,
        passed_over=passed_over.code,
        configured=passed_over.configured,
        made=passed_over.made,
    )


async def count_rows(index: ChunkIndex, where: str | None = None) -> "Counter[tuple[str, str]]":
    """How many rows each note has, by its path and hash."""
    found: Counter[tuple[str, str]] = Counter()
    async for row in index.read_rows(("source_file", "file_sha256"), where):
        found[row["source_file"], row["file_sha256"]] += 1
    return found


async def _stored_files(index: ChunkIndex, rows: Mapping[tuple[str, str], int]) -> list[StoredFile]:
    """Notes as the table describes them: it has neither their times nor their sizes."""
    embedded = await count_rows(index, "vector IS NOT NULL")
    return [
        StoredFile(path, sha256, 0, 0, count, embedded[path, sha256])
        for (path, sha256), count in rows.items()
    ]
