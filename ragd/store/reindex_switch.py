"""The reindex: makes a new index next to the one that serves, and switches when it is complete.

`switch_if_ready` decides when the new index serves. It writes no notes; the store writer does.
"""

from collections.abc import Awaitable, Callable

from ragd.clock import new_id
from ragd.config.embedding_choice import embedding_choice
from ragd.config.live_settings import Settings
from ragd.errors import RagdError
from ragd.events import IndexBuilding
from ragd.runtime.crash_points import crashpoint
from ragd.state.ledger import Ledger
from ragd.store import STORE_WRITER
from ragd.store.generations import Generations
from ragd.store.index_damage import IndexDamage
from ragd.store.lance import ChunkIndex, IndexIdentity, LanceStore
from ragd.store.open_indexes import OpenIndexes

# The identity of an index that does not exist yet: its generation, an identity whose vector space
# it keeps (None: the provider is chosen now), and whether a person asked for it (then `auto`
# chooses the embedded model again, by the languages of the notes).
NewIdentity = Callable[[str, IndexIdentity | None, bool], Awaitable[IndexIdentity]]


class ReindexSwitch:
    """Makes generations, and lets a new one serve."""

    def __init__(
        self,
        ledger: Ledger,
        settings: Settings,
        store: LanceStore,
        open_indexes: OpenIndexes,
        generations: Generations,
        damage: IndexDamage,
        new_identity: NewIdentity,
    ) -> None:
        self._ledger = ledger
        self._settings = settings
        self._store = store
        self._open_indexes = open_indexes
        self._generations = generations
        self._damage = damage
        self._new_identity = new_identity

    async def serving_index(self) -> ChunkIndex:
        """The index that serves; the very first batch creates it. Raises RagdError if an index
        exists that cannot be opened: only a reindex may replace it."""
        if self._open_indexes.serving is None and self._ledger.state.catalog.index is not None:
            raise RagdError("INDEX_CORRUPTED")
        if self._open_indexes.serving is None:
            identity = await self._new_identity(new_id(), None, False)
            index = await self._store.create(identity)
            crashpoint("index.after_create")
            await index.mark_complete()
            await self._generations.activate(index)
            await self._generations.drop_unknown()  # first indexes that killed runs left half-made
        assert self._open_indexes.serving is not None
        return self._open_indexes.serving

    async def building_index(self, generation: str, job_id: str) -> ChunkIndex:
        """The index that this job builds; its first batch creates it, in place of any other."""
        building = self._open_indexes.building
        if building is not None and building.identity.generation == generation:
            return building
        await self.abandon()
        job = self._ledger.state.jobs.find_open(job_id)
        is_automatic = job is not None and job.origin == "chunking_changed"
        # No person asked for it, so the provider stays.
        serving = self._open_indexes.serving if is_automatic else None
        like = serving.identity if serving else None
        is_requested = job is not None and job.origin == "tool"
        choice = embedding_choice(self._settings.current.embedding)  # before it is applied
        identity = await self._new_identity(generation, like, is_requested)
        building = await self._store.create(identity)
        crashpoint("index.after_create")
        fact = IndexBuilding(
            generation=generation,
            job_id=job_id,
            fingerprint=identity.fingerprint,
            provider=identity.space.provider,
            choice=choice,
        )
        await self._ledger.journal.append(STORE_WRITER, fact)
        self._open_indexes.replace(self._open_indexes.serving, building)
        return building

    async def abandon(self) -> None:
        """Drop the index that is being built."""
        building = self._open_indexes.building
        if building is not None:
            self._open_indexes.replace(self._open_indexes.serving, None)
            building.close()
            await self._store.drop(building.identity.generation)

    async def abandon_damaged(self) -> None:
        """Drop the index that is being built, because it is damaged, and record that. Another one
        is requested if its job has already ended."""
        building = self._ledger.state.catalog.building
        await self.abandon()
        if building is not None:
            await self._generations.record_lost_building(building.generation, building.job_id)

    async def switch_if_ready(self, text_of: str = "") -> ChunkIndex | None:
        """Let the new index serve once it has all text and all vectors. If no index serves, text
        is enough. `text_of`: a job whose text is stored although the job has not ended.
        Returns the index that served until now, for `retire`."""
        state, index = self._ledger.state, self._open_indexes.building
        building = state.catalog.building
        if index is None or building is None:
            return None
        if building.generation != index.identity.generation:
            return None
        if building.job_id != text_of and state.jobs.find_open(building.job_id) is not None:
            return None
        if building.backlog and self._has_usable_index():
            return None
        await self._store.verify(index.identity.generation)  # a damaged index must not serve
        await index.mark_complete()
        crashpoint("index.before_switch")
        old = self._open_indexes.serving
        if old is not None:
            self._generations.retired[old.identity.generation] = old
        await self._generations.activate(index)
        crashpoint("index.after_switch")
        if old is None:
            await self._generations.drop_unknown()  # the one that could not be opened
        return old

    @property
    def retired(self) -> list[ChunkIndex]:
        """The indexes that no longer serve and still have to be removed."""
        return list(self._generations.retired.values())

    async def retire(self, index: ChunkIndex) -> None:
        """Remove an index that no longer serves, after its last search has ended. Raises
        RagdError if it cannot be removed now."""
        index.close()
        await self._store.drop(index.identity.generation)
        self._generations.retired.pop(index.identity.generation, None)

    def _has_usable_index(self) -> bool:
        return self._open_indexes.serving is not None and not self._damage.is_recorded
