"""A reader follows an index that another machine writes. Its own log says what that index has."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec import json, structs

from ragd.config.live_settings import Settings
from ragd.config.schema import CollectionSettings, Config
from ragd.config.store_settings import StoreOptions, VectorStoreSettings
from ragd.errors import RagdError
from ragd.events import (
    BatchStored,
    DependencyLost,
    DependencyRecovered,
    Event,
    IndexActivated,
    StoreCompacted,
)
from ragd.objects import writer_lease
from ragd.paths import Home as HomePaths
from ragd.state.ledger import Ledger
from ragd.store.index_follower import CLOSE_AFTER_S, LEAST_S, IndexFollower
from ragd.store.lance import ChunkIndex, LanceStore
from ragd.store.lance.object_place import CURRENT, CurrentGeneration, ObjectPlace
from ragd.store.open_indexes import OpenIndexes
from tests.daemon.virtual_clock import VirtualClock
from tests.eventlog.homes import Home
from tests.memory_buckets import ADDRESS, MemoryBuckets, MemoryClient
from tests.patience import wait_until
from tests.store.lance.drafts import identity, note, vectors_of

PEAR = note("Garden.md", "The old pear tree.", "It needs to be cut back.")
BREAD = note("Lists/Shopping.md", "Rye bread.", mtime_ns=7_000_000_000)


class Reader:
    """A follower with a log of its own, and what it has recorded."""

    def __init__(
        self, home: Path, ledger: Ledger, client: MemoryClient, folder: Path, follow_s: float
    ) -> None:
        options = StoreOptions(follow_s=follow_s)
        config = Config(
            vault_path="no-vault",
            role="reader",
            vector_store=VectorStoreSettings(path=ADDRESS, options=options),
            collections={"known": CollectionSettings(path="/known")},
        )
        self.ledger = ledger
        self.client = client
        self.clock = VirtualClock()
        self.settings = Settings(HomePaths(str(home)), config)
        self.open_indexes = OpenIndexes()
        self.store = LanceStore(folder)  # the tables are in a folder, all else in the object store
        place = ObjectPlace(client, {}, options)
        self.follower = IndexFollower(
            ledger, self.clock, self.settings, place, self.store, self.open_indexes
        )
        self._seen = 0

    async def new_facts(self) -> list[Event]:
        """What was recorded since the last call."""
        found = []
        async for record in self.ledger.journal.follow(self._seen, wait=False):
            self._seen = record.seq
            found.append(record.event)
        return found

    @property
    def files(self) -> dict[str, tuple[int, int]]:
        """The passages and the vectors of each note, as answers say it."""
        known = self.ledger.state.catalog.files
        return {path: (entry.chunks, entry.embedded) for path, entry in known.items()}

    @property
    def lost(self) -> dict[str, str]:
        return {name: one.code for name, one in self.ledger.state.health.lost.items()}


class WritingMachine:
    """Writes generations, and says which one serves."""

    def __init__(self, folder: Path, client: MemoryClient) -> None:
        self.store = LanceStore(folder)
        self._client = client
        self._open: list[ChunkIndex] = []

    async def create(self, generation: str) -> ChunkIndex:
        index = await self.store.create(identity(generation))
        self._open.append(index)
        return index

    def publish(self, generation: str) -> None:
        self._client.put(CURRENT, json.encode(CurrentGeneration(generation, 1)))
        self._client.put(writer_lease.NAME, b"{}")

    def close(self) -> None:
        for index in self._open:
            index.close()
        self.store.close()


@pytest.fixture
async def writer(tmp_path: Path, buckets: MemoryBuckets) -> AsyncIterator[WritingMachine]:
    machine = WritingMachine(tmp_path / "index", buckets.client())
    yield machine
    machine.close()


@pytest.fixture
async def reader(tmp_path: Path, buckets: MemoryBuckets) -> AsyncIterator[Reader]:
    root = tmp_path / "reader"
    root.mkdir()
    async with Home(root).ledger() as ledger:
        made = Reader(root, ledger, buckets.client(), tmp_path / "index", follow_s=5.0)
        yield made
        made.open_indexes.close()
        made.store.close()


@pytest.fixture
async def index(writer: WritingMachine) -> ChunkIndex:
    """The index that serves, with two notes."""
    made = await writer.create("01A")
    await made.replace([PEAR, BREAD])
    writer.publish("01A")
    return made


async def test_the_first_look_opens_the_index_and_records_what_it_has(
    reader: Reader, index: ChunkIndex
) -> None:
    await reader.follower.look()
    assert reader.open_indexes.serving is not None
    assert reader.open_indexes.serving.identity.generation == "01A"
    stored, activated, compacted, recovered = await reader.new_facts()
    assert isinstance(stored, BatchStored) and stored.removed == []
    assert isinstance(activated, IndexActivated) and activated.generation == "01A"
    assert compacted == StoreCompacted(table_version=await index.version())
    assert recovered == DependencyRecovered(dependency="index")
    assert reader.files == {"Garden.md": (2, 0), "Lists/Shopping.md": (1, 0)}
    entry = reader.ledger.state.catalog.files["Lists/Shopping.md"]
    assert (entry.sha256, entry.mtime_ns) == (BREAD.sha256, BREAD.mtime_ns)
    assert reader.follower.as_of is not None


async def test_a_look_without_a_change_records_nothing(reader: Reader, index: ChunkIndex) -> None:
    await reader.follower.look()
    before = reader.open_indexes.serving
    await reader.new_facts()
    await reader.follower.look()
    assert await reader.new_facts() == []
    assert reader.open_indexes.serving is before


async def test_changes_of_the_writer_are_found_and_only_they_are_recorded(
    reader: Reader, index: ChunkIndex
) -> None:
    await reader.follower.look()
    await reader.new_facts()
    kites = note("Kites.md", "The kite festival.")
    await index.replace([kites], ["Lists/Shopping.md"])
    await reader.follower.look()
    (stored,) = await reader.new_facts()
    assert isinstance(stored, BatchStored)
    assert [one.path for one in stored.files] == ["Kites.md"]
    assert stored.removed == ["Lists/Shopping.md"]
    assert reader.files == {"Garden.md": (2, 0), "Kites.md": (1, 0)}
    serving = reader.open_indexes.serving
    assert serving is not None
    assert await serving.count("source_file = 'Kites.md'") == 1


async def test_vectors_that_the_writer_adds_are_counted(reader: Reader, index: ChunkIndex) -> None:
    await reader.follower.look()
    await index.fill(vectors_of([PEAR]))
    await reader.follower.look()
    assert reader.files["Garden.md"] == (2, 2)
    assert reader.files["Lists/Shopping.md"] == (1, 0)


async def test_passages_that_are_gone_are_counted(reader: Reader, index: ChunkIndex) -> None:
    await reader.follower.look()
    await index.replace([note("Garden.md", "The old pear tree.")])
    await reader.follower.look()
    assert reader.files["Garden.md"] == (1, 0)
    await index.replace([], ["Garden.md"])
    await reader.follower.look()
    assert list(reader.files) == ["Lists/Shopping.md"]


async def test_what_could_not_be_recorded_is_looked_at_again(
    reader: Reader, index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    await reader.follower.look()
    await index.replace([note("Kites.md", "The kite festival.")], ["Lists/Shopping.md"])

    async def fail(*_: object) -> None:
        raise RagdError("DISK_FULL")

    with monkeypatch.context() as broken:
        broken.setattr(reader.ledger.journal, "append_parts", fail)
        await reader.follower.look()
    await index.replace([note("Ducks.md", "Two ducks.")])
    await reader.follower.look()
    assert sorted(reader.files) == ["Ducks.md", "Garden.md", "Kites.md"]


async def test_the_rest_of_what_was_recorded_in_part_is_recorded_later(
    reader: Reader, index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The actor may crash between the parts of a large fact, and is started again."""
    await reader.follower.look()
    await index.replace([note("Kites.md", "The kite festival.")], ["Lists/Shopping.md"])

    async def record_one_part(actor: str, fact: BatchStored) -> None:
        await reader.ledger.journal.append(actor, structs.replace(fact, removed=[]))
        raise RuntimeError("a crash")

    with monkeypatch.context() as broken:
        broken.setattr(reader.ledger.journal, "append_parts", record_one_part)
        with pytest.raises(RuntimeError, match="a crash"):
            await reader.follower.look()
    assert sorted(reader.files) == ["Garden.md", "Kites.md", "Lists/Shopping.md"]
    await reader.follower.look()
    assert sorted(reader.files) == ["Garden.md", "Kites.md"]
    await reader.new_facts()
    await reader.follower.look()
    assert await reader.new_facts() == []


async def test_a_version_with_the_same_notes_is_recorded_by_its_number(
    reader: Reader, index: ChunkIndex
) -> None:
    await reader.follower.look()
    await reader.new_facts()
    await index.replace([PEAR])
    await reader.follower.look()
    version = await index.version()
    assert await reader.new_facts() == [StoreCompacted(table_version=version)]
    assert reader.ledger.state.catalog.table_version == version


async def test_a_new_generation_takes_over_and_the_old_one_is_closed_later(
    reader: Reader, index: ChunkIndex, writer: WritingMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await reader.follower.look()
    old = reader.open_indexes.serving
    assert old is not None
    closed, close = [], old.close

    def close_and_note() -> None:
        closed.append("01A")
        close()

    monkeypatch.setattr(old, "close", close_and_note)
    newer = await writer.create("01B")
    await newer.replace([PEAR])
    await reader.follower.look()
    assert reader.open_indexes.serving is old  # it was not published yet
    writer.publish("01B")
    await reader.follower.look()
    serving = reader.open_indexes.serving
    assert serving is not None
    assert serving.identity.generation == "01B"
    assert reader.files == {"Garden.md": (2, 0)}
    catalog = reader.ledger.state.catalog
    assert catalog.index is not None
    assert (catalog.index.generation, catalog.table_version) == ("01B", await newer.version())
    await reader.clock.wait_for_sleepers()
    assert closed == []  # searches that run may still use it
    reader.clock.advance(CLOSE_AFTER_S)
    await wait_until(lambda: closed)


async def test_a_reader_that_starts_again_records_only_what_has_changed(
    reader: Reader, index: ChunkIndex, tmp_path: Path
) -> None:
    await reader.follower.look()
    await index.replace([note("Kites.md", "The kite festival.")])
    await reader.new_facts()
    again = Reader(
        tmp_path / "reader", reader.ledger, reader.client, tmp_path / "index", follow_s=5.0
    )
    await again.follower.look()
    (stored,) = await reader.new_facts()
    assert isinstance(stored, BatchStored)
    assert [one.path for one in stored.files] == ["Kites.md"]
    again.open_indexes.close()
    again.store.close()


async def test_collections_that_the_reader_does_not_know_are_private(
    reader: Reader, index: ChunkIndex
) -> None:
    await index.replace(
        [
            note("@known/a.md", "One.", collection="known"),
            note("@papers/b.md", "Two.", collection="papers"),
        ]
    )
    await reader.follower.look()
    collections = reader.settings.current.collections
    assert {name: one.private for name, one in collections.items()} == {
        "known": False,
        "papers": True,
    }
    await index.replace([note("@diary/c.md", "Three.", collection="diary")])
    await reader.follower.look()
    assert reader.settings.current.collections["diary"].private


async def test_a_new_collection_is_private_before_searches_can_see_it(
    reader: Reader, index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    await reader.follower.look()
    serving = reader.open_indexes.serving
    assert serving is not None
    move_to, known = serving.move_to, []

    async def note_and_move(version: int) -> None:
        known.append("diary" in reader.settings.current.collections)
        await move_to(version)

    monkeypatch.setattr(serving, "move_to", note_and_move)
    await index.replace([note("@diary/c.md", "Three.", collection="diary")])
    await reader.follower.look()
    assert known == [True]


# Problems


async def test_a_store_without_an_index_is_recorded_once_until_there_is_one(
    reader: Reader, writer: WritingMachine
) -> None:
    await reader.follower.look()
    await reader.follower.look()
    assert await reader.new_facts() == [DependencyLost(dependency="index", code="INDEX_NOT_FOUND")]
    await writer.create("01A")
    writer.publish("01A")
    await reader.follower.look()
    assert reader.lost == {}
    assert reader.files == {}
    assert reader.open_indexes.serving is not None


async def test_a_generation_that_is_gone_is_recorded(
    reader: Reader, index: ChunkIndex, writer: WritingMachine
) -> None:
    writer.publish("01Z")
    await reader.follower.look()
    assert reader.lost == {"index": "INDEX_NOT_FOUND"}


async def test_a_store_that_is_away_changes_nothing_but_health(
    reader: Reader, index: ChunkIndex
) -> None:
    await reader.follower.look()
    serving, as_of = reader.open_indexes.serving, reader.follower.as_of
    await reader.new_facts()
    for code in ("STORE_UNREACHABLE", "STORE_UNREACHABLE", "STORE_DENIED"):
        reader.client.fails = code
        await reader.follower.look()
    assert await reader.new_facts() == [
        DependencyLost(dependency="object_store", code="STORE_UNREACHABLE"),
        DependencyLost(dependency="object_store", code="STORE_DENIED"),
    ]
    assert reader.open_indexes.serving is serving
    assert reader.follower.as_of == as_of
    assert len(reader.files) == 2
    reader.client.fails = None
    await reader.follower.look()
    assert await reader.new_facts() == [DependencyRecovered(dependency="object_store")]


async def test_a_store_that_is_back_without_its_index_has_another_problem(
    reader: Reader, index: ChunkIndex
) -> None:
    reader.client.fails = "STORE_UNREACHABLE"
    await reader.follower.look()
    assert reader.lost == {"object_store": "STORE_UNREACHABLE"}
    reader.client.fails = None
    reader.client.delete([CURRENT])
    await reader.follower.look()
    assert reader.lost == {"index": "INDEX_NOT_FOUND"}


# When


@contextlib.asynccontextmanager
async def running(reader: Reader) -> AsyncIterator[None]:
    task = asyncio.create_task(reader.follower.run())
    try:
        await reader.clock.wait_for_sleepers()
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_the_index_is_looked_at_at_intervals(reader: Reader, index: ChunkIndex) -> None:
    async with running(reader):
        assert len(reader.files) == 2
        await index.replace([], ["Garden.md"])
        await reader.follower.look_before_answer()
        assert len(reader.files) == 2  # answers do not wait for a look
        reader.clock.advance(5.0)
        await reader.clock.wait_for_sleepers()
        assert list(reader.files) == ["Lists/Shopping.md"]
    assert reader.clock.slept == [5.0, 5.0]


@pytest.mark.parametrize(("follow_s", "pause_s"), [(0.01, LEAST_S), (0.0, 60.0)])
async def test_a_reader_never_asks_without_a_pause(
    tmp_path: Path, reader: Reader, index: ChunkIndex, follow_s: float, pause_s: float
) -> None:
    eager = Reader(
        tmp_path / "reader", reader.ledger, reader.client, tmp_path / "index", follow_s=follow_s
    )
    async with running(eager):
        assert eager.clock.slept == [pause_s]
    await index.replace([], ["Garden.md"])
    await eager.follower.look_before_answer()
    is_current = "Garden.md" not in eager.files
    assert is_current == (follow_s == 0)  # then before each answer
    eager.open_indexes.close()
    eager.store.close()
