"""The right to write an index: taken, kept, lost and given back, with a store in memory."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from msgspec import json

from ragd.config.store_settings import StoreOptions
from ragd.errors import RagdError
from ragd.events import DependencyLost, DependencyRecovered
from ragd.objects import writer_lease
from ragd.objects.writer_lease import LeaseRecord, WriterLease
from ragd.state.ledger import Ledger
from ragd.store.index_claim import RETRY_S, IndexClaim
from ragd.store.lance.index_place import LocalFolder
from ragd.store.lance.object_place import ObjectPlace
from tests.daemon.virtual_clock import VirtualClock
from tests.eventlog.homes import Home
from tests.memory_buckets import MemoryBuckets, MemoryClient

LEASE_S = 60.0
BEAT_S = LEASE_S / 3


class Daemon:
    """One home that wants to write, and what it has recorded about that."""

    def __init__(self, ledger: Ledger, client: MemoryClient, folder: Path) -> None:
        self.ledger = ledger
        self.client = client
        self.clock = VirtualClock()
        self.holder_file = folder / "writer-id"
        self.start()

    def start(self) -> None:
        """As after a crash: the home is the same, the process another one."""
        self.place = ObjectPlace(self.client, {}, StoreOptions(lease_s=LEASE_S))
        self.claim = IndexClaim(self.ledger, self.clock, self.place, self.holder_file)

    async def recorded(self) -> list[str]:
        """The codes of what was lost, and "recovered"."""
        found = []
        async for record in self.ledger.journal.follow(0, wait=False):
            if isinstance(record.event, DependencyLost):
                found.append(record.event.code)
            if isinstance(record.event, DependencyRecovered):
                found.append("recovered")
        return found

    def record(self) -> LeaseRecord:
        """What the store says about the writer."""
        return json.decode(self.client.read(writer_lease.NAME), type=LeaseRecord)


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with Home(tmp_path).ledger() as opened:
        yield opened


@pytest.fixture
def daemon(ledger: Ledger, buckets: MemoryBuckets, tmp_path: Path) -> Daemon:
    return Daemon(ledger, buckets.client(), tmp_path)


def another(client: MemoryClient) -> WriterLease:
    return WriterLease(client, "01OTHER laptop", "laptop", LEASE_S)


def take_over(client: MemoryClient) -> None:
    """What a daemon does that has seen no sign of life for long enough."""
    record = LeaseRecord("01OTHER laptop", "laptop", 9, LEASE_S)
    client.put(writer_lease.NAME, json.encode(record))


@contextlib.asynccontextmanager
async def keeping(daemon: Daemon) -> AsyncIterator[None]:
    task = asyncio.create_task(daemon.claim.keep())
    try:
        await daemon.clock.wait_for_sleepers()
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def refusal(daemon: Daemon) -> str:
    with pytest.raises(RagdError) as refused:
        await daemon.claim.hold()
    return refused.value.code


async def test_the_first_daemon_holds_the_index_and_records_nothing(daemon: Daemon) -> None:
    await daemon.claim.hold()
    await daemon.claim.hold()
    record = daemon.record()
    assert record.holder.startswith(daemon.holder_file.read_text())
    assert (record.fence, record.lease_s) == (1, LEASE_S)
    assert daemon.place.ensure_writable() == 1
    assert daemon.client.names() == [writer_lease.NAME]  # the probe has left nothing
    assert daemon.claim.probe() is None
    assert await daemon.recorded() == []


async def test_the_same_home_may_write_again_at_once_after_a_crash(daemon: Daemon) -> None:
    await daemon.claim.hold()
    daemon.start()
    await daemon.claim.hold()
    assert daemon.record().fence == 2
    assert await daemon.recorded() == []


async def test_a_second_daemon_records_once_that_it_is_refused_and_once_that_it_is_not(
    daemon: Daemon,
) -> None:
    first = another(daemon.client)
    first.acquire()
    assert await refusal(daemon) == "INDEX_HELD"
    assert await refusal(daemon) == "INDEX_HELD"
    assert daemon.claim.problem == daemon.claim.probe() == "INDEX_HELD"
    assert await daemon.recorded() == ["INDEX_HELD"]
    first.release()
    await daemon.claim.hold()
    assert daemon.claim.problem is None and daemon.claim.probe() is None
    assert await daemon.recorded() == ["INDEX_HELD", "recovered"]


async def test_a_problem_of_the_run_before_ends_when_the_index_is_held(daemon: Daemon) -> None:
    daemon.client.fails = "STORE_DENIED"
    assert await refusal(daemon) == "STORE_DENIED"
    daemon.client.fails = None
    daemon.start()
    await daemon.claim.hold()
    assert await daemon.recorded() == ["STORE_DENIED", "recovered"]


async def test_another_problem_is_recorded_in_place_of_the_first(daemon: Daemon) -> None:
    for code in ("STORE_UNREACHABLE", "STORE_DENIED"):
        daemon.client.fails = code
        assert await refusal(daemon) == code
    assert await daemon.recorded() == ["STORE_UNREACHABLE", "STORE_DENIED"]


async def test_a_store_that_ignores_conditions_is_refused(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon.client, "create", daemon.client.put)
    assert await refusal(daemon) == "STORE_UNSAFE"
    assert daemon.client.names() == []
    assert await daemon.recorded() == ["STORE_UNSAFE"]


async def test_damage_to_the_index_is_not_recorded_as_one_of_the_store(daemon: Daemon) -> None:
    await daemon.claim.record("INDEX_CORRUPTED")
    assert daemon.claim.problem is None
    assert await daemon.recorded() == []


# Signs of life


async def test_signs_of_life_are_given_while_the_index_is_held(daemon: Daemon) -> None:
    async with keeping(daemon):
        daemon.clock.advance(BEAT_S)  # nothing is held yet
        await daemon.clock.wait_for_sleepers()
        assert daemon.client.names() == []
        await daemon.claim.hold()
        for beats in (1, 2, 3):
            daemon.clock.advance(BEAT_S)
            await daemon.clock.wait_for_sleepers()
            assert daemon.record().beat == beats
    assert set(daemon.clock.slept) == {BEAT_S}
    assert await daemon.recorded() == []


async def test_a_store_that_is_away_is_asked_again_soon(daemon: Daemon) -> None:
    await daemon.claim.hold()
    async with keeping(daemon):
        daemon.client.fails = "STORE_UNREACHABLE"
        daemon.clock.advance(BEAT_S)
        await daemon.clock.wait_for_sleepers()
        assert daemon.clock.slept[-1] == RETRY_S
        assert daemon.claim.problem == "STORE_UNREACHABLE"
        daemon.client.fails = None
        daemon.clock.advance(RETRY_S)
        await daemon.clock.wait_for_sleepers()
        assert daemon.clock.slept[-1] == BEAT_S
    assert daemon.claim.problem is None
    assert daemon.record().beat == 1
    assert await daemon.recorded() == ["STORE_UNREACHABLE", "recovered"]


async def test_a_daemon_that_was_replaced_notices_and_gives_no_more_signs(daemon: Daemon) -> None:
    lost: list[str] = []
    daemon.claim.on_lost = lambda: lost.append("lost")
    await daemon.claim.hold()
    take_over(daemon.client)
    async with keeping(daemon):
        for _ in range(3):
            daemon.clock.advance(BEAT_S)
            await daemon.clock.wait_for_sleepers()
    assert lost == ["lost"]
    assert await daemon.recorded() == ["INDEX_HELD"]
    assert (daemon.record().host, daemon.record().beat) == ("laptop", 0)
    with pytest.raises(RagdError):
        daemon.place.ensure_writable()


async def test_a_released_index_can_be_taken_at_once(daemon: Daemon) -> None:
    await daemon.claim.release()  # before it is held
    await daemon.claim.hold()
    await daemon.claim.release()
    another(daemon.client).acquire()
    assert daemon.record().host == "laptop"


async def test_a_store_that_is_away_does_not_keep_a_daemon_from_ending(daemon: Daemon) -> None:
    await daemon.claim.hold()
    daemon.client.fails = "STORE_UNREACHABLE"
    await daemon.claim.release()
    assert not daemon.record().released


# The probe


async def test_the_probe_of_a_store_that_can_be_read_but_not_written_says_so(
    daemon: Daemon,
) -> None:
    await daemon.claim.hold()
    daemon.client.fails_to_write = "STORE_FULL"
    await daemon.claim.record("STORE_FULL")  # a write has failed
    assert daemon.claim.probe() == "STORE_FULL"
    daemon.client.fails_to_write = None
    assert daemon.claim.probe() is None


async def test_the_probe_of_a_store_that_is_away_says_so(daemon: Daemon) -> None:
    await daemon.claim.hold()
    daemon.client.fails = "STORE_UNREACHABLE"
    assert daemon.claim.probe() == "STORE_UNREACHABLE"


# A folder


@pytest.fixture
def in_a_folder(ledger: Ledger, tmp_path: Path) -> Iterator[IndexClaim]:
    holder_file = tmp_path / "writer-id"
    yield IndexClaim(ledger, VirtualClock(), LocalFolder(tmp_path / "index"), holder_file)
    assert not holder_file.exists()


async def test_an_index_in_a_folder_needs_no_lease(in_a_folder: IndexClaim) -> None:
    await in_a_folder.hold()
    assert in_a_folder.probe() is None
    await in_a_folder.release()
    keeper = asyncio.create_task(in_a_folder.keep())
    await asyncio.sleep(0)
    assert not keeper.done()  # an actor that ends is started again
    keeper.cancel()
