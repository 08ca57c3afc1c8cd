"""The copy of the log in an object store: what is copied, when, and by whom."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragd.errors import RagdError
from ragd.objects import log_copy
from ragd.objects.log_copy import CurrentCopy
from ragd.objects.object_client import StoredObject
from ragd.objects.sealed_bytes import WrongKey, parse_key, unseal
from ragd.paths import Home as HomePaths
from ragd.state.ledger import Ledger
from ragd.state.log_mirror import AFTER_S, LOOK_S, RETRY_S, LogMirror
from ragd.state.replay import replay
from tests.daemon.virtual_clock import VirtualClock
from tests.eventlog.homes import Home, same, work
from tests.memory_buckets import MemoryBuckets, MemoryClient

SMALL = 1_500  # bytes in a segment: a day's work makes a few of them
HOLDER = "01HOME"
COPY = f"log/{HOLDER}"


class Machine:
    """A home with a ledger, and its mirror. The test decides whether it holds the lease."""

    def __init__(self, root: Path, ledger: Ledger, client: MemoryClient) -> None:
        self.paths = HomePaths(str(root))
        self.ledger = ledger
        self.client = client
        self.clock = VirtualClock()
        self.fence = 1
        self.is_replaced = False
        Path(self.paths.writer_id).write_text(f"{HOLDER}\n")
        Path(self.paths.config).write_text('{"vault_path": "/a"}')
        self.mirror = self.new_mirror()

    def new_mirror(self) -> LogMirror:
        """A mirror as after a start: it knows nothing about the copy."""
        return LogMirror(
            self.ledger, self.clock, self.paths, self.client, self._ensure_writable, "vault-id"
        )

    def _ensure_writable(self) -> int:
        if self.is_replaced:
            raise RagdError("INDEX_HELD")
        return self.fence

    def new_writes(self) -> list[str]:
        """What was written since the last call."""
        found, self.client.written = self.client.written, []
        return found


@pytest.fixture
async def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
async def machine(home: Home, buckets: MemoryBuckets) -> AsyncIterator[Machine]:
    async with home.ledger(SMALL) as ledger:
        await work(ledger)
        yield Machine(home.root, ledger, buckets.client())


@contextlib.asynccontextmanager
async def running(machine: Machine) -> AsyncIterator[None]:
    task = asyncio.create_task(machine.mirror.run())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_what_was_copied_replays_to_the_same_state_elsewhere(
    machine: Machine, home: Home, tmp_path: Path
) -> None:
    await machine.ledger.snapshot()
    await work(machine.ledger)
    assert await machine.mirror.copy_now()
    assert machine.mirror.copied_seq == machine.ledger.state.seq
    current = log_copy.read_current(machine.client)
    assert current == CurrentCopy(HOLDER, "vault-id", 1)
    other = HomePaths(str(tmp_path / "other"))
    restored = log_copy.restore_log(machine.client, current, other)
    assert restored == len(home.segments) + len(home.kept_snapshots)
    for from_scratch in (True, False):
        found = replay(Path(other.events), Path(other.snapshots), from_scratch=from_scratch)
        assert same(found.state, machine.ledger.state)
        assert found.damage == []
    assert machine.client.read(f"{COPY}/config.json") == b'{"vault_path": "/a"}'


async def test_only_what_changed_is_copied_again(machine: Machine, home: Home) -> None:
    assert await machine.mirror.copy_now()
    machine.new_writes()
    assert await machine.mirror.copy_now()
    assert machine.new_writes() == []
    before = home.bytes()
    await work(machine.ledger)
    assert await machine.mirror.copy_now()
    changed = [name for name, data in home.bytes().items() if before.get(name) != data]
    assert 0 < len(changed) < len(home.segments)
    assert sorted(machine.new_writes()) == sorted(f"{COPY}/{name}" for name in changed)


async def test_a_configuration_of_the_same_length_is_copied_too(machine: Machine) -> None:
    assert await machine.mirror.copy_now()
    Path(machine.paths.config).write_text('{"vault_path": "/b"}')
    assert await machine.mirror.copy_now()
    assert machine.client.read(f"{COPY}/config.json") == b'{"vault_path": "/b"}'


async def test_a_mirror_that_starts_again_copies_no_segment_twice(machine: Machine) -> None:
    assert await machine.mirror.copy_now()
    machine.new_writes()
    assert await machine.new_mirror().copy_now()
    assert machine.new_writes() == [f"{COPY}/config.json", f"{COPY}/memories.sealed"]


async def test_segments_that_the_home_no_longer_has_leave_the_copy(
    machine: Machine, home: Home
) -> None:
    assert await machine.mirror.copy_now()
    first = home.segments[0]
    assert f"{COPY}/events/{first.name}" in machine.client.names()
    first.unlink()
    assert await machine.mirror.copy_now()
    names = machine.client.names(f"{COPY}/events")
    assert names == [f"{COPY}/events/{path.name}" for path in home.segments]
    assert f"{COPY}/memories.sealed" in machine.client.names()


async def test_memories_can_be_read_with_the_key_of_the_home_only(machine: Machine) -> None:
    note = Path(machine.paths.agent_notes, "main", "key.md")
    note.parent.mkdir(parents=True)
    note.write_text("The spare key is under the blue pot.")
    assert await machine.mirror.copy_now()
    sealed = machine.client.read(f"{COPY}/memories.sealed")
    assert b"blue pot" not in sealed
    key = parse_key(Path(machine.paths.mirror_key).read_text())
    assert key.hex().encode() not in b"".join(map(machine.client.read, machine.client.names()))
    with pytest.raises(WrongKey):
        unseal(sealed, bytes(32))
    other = HomePaths(str(Path(machine.paths.root) / "other"))
    log_copy.unpack_memories(other, unseal(sealed, key))
    assert Path(other.agent_notes, "main", "key.md").read_text() == note.read_text()


# Who copies


async def test_a_home_without_the_lease_writes_nothing(machine: Machine) -> None:
    machine.is_replaced = True
    assert not await machine.mirror.copy_now()
    assert machine.client.names() == []
    assert machine.mirror.copied_seq == 0


async def test_a_home_that_loses_the_lease_meanwhile_stops_and_is_not_named(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = machine.client.put

    def lose_the_lease(name: str, data: bytes) -> str:
        machine.is_replaced = True
        return put(name, data)

    monkeypatch.setattr(machine.client, "put", lose_the_lease)
    assert not await machine.mirror.copy_now()
    assert machine.client.names() == [f"{COPY}/config.json"]


async def test_the_copy_of_an_earlier_holder_is_replaced_as_the_one_that_counts(
    machine: Machine,
) -> None:
    machine.client.put(log_copy.CURRENT, b'{"holder":"01OTHER","vault":"vault-id","fence":4}')
    machine.fence = 5
    assert await machine.mirror.copy_now()
    assert log_copy.read_current(machine.client) == CurrentCopy(HOLDER, "vault-id", 5)


async def test_the_copy_of_a_later_holder_stays_the_one_that_counts(machine: Machine) -> None:
    machine.client.put(log_copy.CURRENT, b'{"holder":"01OTHER","vault":"vault-id","fence":6}')
    machine.fence = 5
    assert await machine.mirror.copy_now()
    assert log_copy.read_current(machine.client).holder == "01OTHER"


@pytest.mark.parametrize("named_before", [True, False])
async def test_an_earlier_holder_that_is_late_does_not_keep_the_new_one_from_being_named(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, named_before: bool
) -> None:
    """It names its own copy after the new one has looked, and before that has named its own."""
    earlier = b'{"holder":"01OTHER","vault":"vault-id","fence":4}'
    if named_before:
        machine.client.put(log_copy.CURRENT, b'{"holder":"01THIRD","vault":"vault-id","fence":3}')
    get, late = machine.client.get, [earlier]

    def get_and_be_overtaken(name: str) -> StoredObject | None:
        found = get(name)
        if name == log_copy.CURRENT and late:
            machine.client.put(name, late.pop())
        return found

    monkeypatch.setattr(machine.client, "get", get_and_be_overtaken)
    machine.fence = 5
    assert await machine.mirror.copy_now()
    assert late == []
    assert log_copy.read_current(machine.client) == CurrentCopy(HOLDER, "vault-id", 5)


async def test_a_copy_that_cannot_be_named_has_failed(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine.client, "create", lambda name, data: None)
    assert not await machine.mirror.copy_now()
    assert machine.mirror.copied_seq == 0


async def test_an_object_of_another_program_is_a_failure_and_is_left_alone(
    machine: Machine,
) -> None:
    machine.client.put(log_copy.CURRENT, b"not ours")
    assert not await machine.mirror.copy_now()
    assert machine.client.read(log_copy.CURRENT) == b"not ours"


# When


async def test_a_fact_is_copied_after_a_while_together_with_those_that_follow(
    machine: Machine,
) -> None:
    async with running(machine):
        await machine.clock.wait_for_sleepers()
        assert machine.clock.slept == [AFTER_S]
        await work(machine.ledger)
        machine.clock.advance(AFTER_S)
        await machine.clock.wait_for_sleepers()
        assert machine.clock.slept == [AFTER_S, LOOK_S]
        assert machine.mirror.copied_seq == machine.ledger.state.seq
        await work(machine.ledger)
        machine.clock.advance(LOOK_S)
        await machine.clock.wait_for_sleepers()
        assert machine.clock.slept == [AFTER_S, LOOK_S, AFTER_S]


async def test_a_copy_that_failed_is_tried_again(machine: Machine) -> None:
    machine.client.fails_to_write = "STORE_UNREACHABLE"
    async with running(machine):
        await machine.clock.wait_for_sleepers()
        machine.clock.advance(AFTER_S)
        await machine.clock.wait_for_sleepers()
        assert machine.clock.slept == [AFTER_S, RETRY_S]
        assert machine.mirror.copied_seq == 0
        machine.client.fails_to_write = None
        machine.clock.advance(RETRY_S)
        await machine.clock.wait_for_sleepers()
        machine.clock.advance(AFTER_S)
        await machine.clock.wait_for_sleepers()
        assert machine.mirror.copied_seq == machine.ledger.state.seq


async def test_a_note_of_an_agent_is_copied_without_a_fact(machine: Machine) -> None:
    async with running(machine):
        await machine.clock.wait_for_sleepers()
        machine.clock.advance(AFTER_S)
        await machine.clock.wait_for_sleepers()
        machine.new_writes()
        machine.clock.advance(LOOK_S)
        await machine.clock.wait_for_sleepers()
        assert machine.clock.slept == [AFTER_S, LOOK_S, LOOK_S]
        note = Path(machine.paths.agent_notes, "main", "new.md")
        note.parent.mkdir(parents=True)
        note.write_text("New.")
        machine.clock.advance(LOOK_S)
        await machine.clock.wait_for_sleepers()
        machine.clock.advance(AFTER_S)
        await machine.clock.wait_for_sleepers()
        assert machine.new_writes() == [f"{COPY}/memories.sealed"]


async def test_a_file_that_cannot_be_read_is_a_failure_and_not_an_end(machine: Machine) -> None:
    os.unlink(machine.paths.writer_id)
    assert not await machine.mirror.copy_now()
    Path(machine.paths.writer_id).write_text(HOLDER)
    assert await machine.mirror.copy_now()
