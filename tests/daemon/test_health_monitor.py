"""A finding becomes a fact only when it changes, and every change of health is recorded."""

import asyncio
import errno
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragd.clock import SystemClock
from ragd.eventlog import disk
from ragd.eventlog.frame import Record
from ragd.events import (
    BatchStored,
    Dependency,
    DependencyLost,
    DependencyRecovered,
    HealthChanged,
    IndexActivated,
    IndexLost,
    JobFinished,
    StoredFile,
    tag_of,
)
from ragd.health import health_monitor
from ragd.health.dependency_probe import DependencyProbe
from ragd.health.health_monitor import HealthMonitor
from ragd.health.probe_thread import ProbeThread, join_probe_threads
from ragd.paths import Home
from ragd.state.replay import replay
from tests.daemon.conftest import RunningGateway, run_gateway
from tests.daemon.virtual_clock import VirtualClock
from tests.patience import PATIENCE_S, wait_until

PROBE_S = 30.0


class Answers:
    """A dependency whose answer a test decides."""

    def __init__(self, code: str | None = None) -> None:
        self.code = code
        self.asked = 0

    async def __call__(self) -> str | None:
        self.asked += 1
        return self.code


@pytest.fixture
async def gateway(home: Home, clock: VirtualClock) -> AsyncIterator[RunningGateway]:
    async with run_gateway(home, clock) as gateway:
        yield gateway


@pytest.fixture
async def monitored(
    gateway: RunningGateway, clock: VirtualClock
) -> AsyncIterator[dict[Dependency, Answers]]:
    """A running monitor, with dependencies whose answers the test decides."""
    answers: dict[Dependency, Answers] = {
        "vault": Answers(),
        "index": Answers("INDEX_NOT_FOUND"),
        "ollama": Answers(),
    }
    probes = {name: DependencyProbe(ask, None) for name, ask in answers.items()}
    task = asyncio.create_task(HealthMonitor(gateway.ledger, clock, gateway.settings, probes).run())
    await clock.wait_for_sleepers(3)
    yield answers
    task.cancel()
    await asyncio.wait({task})


async def test_an_answer_of_before_does_not_undo_what_was_found_out_since(
    gateway: RunningGateway, clock: VirtualClock
) -> None:
    asked, heard = asyncio.Event(), asyncio.Event()
    answers = ["OLLAMA_UNREACHABLE", None]

    async def slow() -> str | None:
        asked.set()
        if len(answers) == 2:
            await heard.wait()
        return answers.pop(0) if len(answers) == 2 else None

    await gateway.add(DependencyLost(dependency="ollama", code="OLLAMA_UNREACHABLE"))
    monitor = HealthMonitor(
        gateway.ledger, clock, gateway.settings, {"ollama": DependencyProbe(slow, None)}
    )
    task = asyncio.create_task(monitor.run())
    await asked.wait()
    await gateway.add(DependencyRecovered(dependency="ollama"))  # by a call that worked
    heard.set()
    await clock.wait_for_sleepers(1)
    kinds = [tag_of(r.event) for r in await records(gateway, "dependency_lost")]
    assert len(kinds) == 1 and "ollama" not in gateway.ledger.state.health.lost
    task.cancel()
    await asyncio.wait({task})


async def next_round(clock: VirtualClock) -> None:
    clock.advance(PROBE_S)
    await clock.wait_for_sleepers(3)


async def records(gateway: RunningGateway, *types: str) -> list[Record]:
    return [r async for r in gateway.ledger.journal.follow(0, types, wait=False)]


async def told(gateway: RunningGateway) -> list[tuple[str, str]]:
    """The facts of the monitor about dependencies."""
    return [
        (r.event.dependency, r.event.code if isinstance(r.event, DependencyLost) else "well")
        for r in await records(gateway, "dependency_lost", "dependency_recovered")
        if isinstance(r.event, DependencyLost | DependencyRecovered)
    ]


async def test_the_first_look_is_told_and_then_only_what_changes(
    gateway: RunningGateway, monitored: dict[Dependency, Answers], clock: VirtualClock
) -> None:
    first = [("index", "INDEX_NOT_FOUND"), ("ollama", "well"), ("vault", "well")]
    assert sorted(await told(gateway)) == first
    for _ in range(5):
        await next_round(clock)
    assert sorted(await told(gateway)) == first
    assert monitored["vault"].asked == 6
    monitored["vault"].code = "VAULT_NOT_FOUND"
    for _ in range(3):
        await next_round(clock)
    assert (await told(gateway))[3:] == [("vault", "VAULT_NOT_FOUND")]
    monitored["vault"].code = None
    await next_round(clock)
    assert (await told(gateway))[4:] == [("vault", "well")]
    monitored["index"].code = "INDEX_CORRUPTED"  # from one code to another
    await next_round(clock)
    assert (await told(gateway))[5:] == [("index", "INDEX_CORRUPTED")]


async def test_a_new_probe_interval_is_heeded(
    home: Home, gateway: RunningGateway, monitored: dict[Dependency, Answers], clock: VirtualClock
) -> None:
    assert clock.slept[:3] == [gateway.settings.current.health.probe_s] * 3


async def test_every_change_of_health_has_a_line_that_equals_the_fold_at_its_cause(
    home: Home, gateway: RunningGateway, monitored: dict[Dependency, Answers], clock: VirtualClock
) -> None:
    stored = StoredFile(path="a.md", sha256="0", mtime_ns=1, size=1, chunks=2, embedded=2)
    await gateway.add(
        IndexActivated(generation="g", provider="ollama", model="m", dimensions=3),
        BatchStored(job_id="j", files=[stored], removed=[], table_version=1, generation="g"),
    )
    steps: list[tuple[Dependency, str | None]] = [
        ("index", None),
        ("vault", "VAULT_NOT_FOUND"),
        ("ollama", "OLLAMA_UNREACHABLE"),
        ("vault", None),
        ("index", "INDEX_CORRUPTED"),
        ("index", "INDEX_NOT_FOUND"),
        ("index", None),
        ("ollama", None),
    ]
    for dependency, code in steps:
        monitored[dependency].code = code
        await next_round(clock)
    finished = JobFinished(
        job_id="j",
        mode="sync",
        outcome="failed",
        indexed_files=0,
        removed_files=0,
        total_chunks=0,
        duration_ms=1,
    )
    last = await gateway.add(finished, IndexLost(reason="missing"))
    async with asyncio.timeout(PATIENCE_S):
        async for record in gateway.ledger.journal.follow(0, ["health_changed"]):
            if record.cause == last:
                break
    lines = await records(gateway, "health_changed")
    assert len(lines) >= 10
    before = "healthy"
    for line in lines:
        assert isinstance(line.event, HealthChanged)
        then = replay(Path(home.events), Path(home.snapshots), until=line.cause).state.health
        assert (line.event.after, line.event.reasons) == (then.state, then.worst_first)
        assert line.event.before == before
        before = line.event.after
    causes = [line.cause for line in lines]
    assert causes == sorted(set(causes), key=causes.index)  # each once, in order


async def test_all_that_changed_health_has_its_line(
    home: Home, gateway: RunningGateway, monitored: dict[Dependency, Answers], clock: VirtualClock
) -> None:
    for code in ("VAULT_NOT_FOUND", None, "VAULT_NOT_FOUND", None):
        monitored["vault"].code = code
        await next_round(clock)
    expected = []
    reasons: list[str] = []

    def watch(record: Record, state: object) -> None:
        nonlocal reasons
        now = state.health.worst_first  # type: ignore[attr-defined]
        if now != reasons:
            expected.append(record.seq)
        reasons = now

    replay(Path(home.events), Path(home.snapshots), on_record=watch)
    async with asyncio.timeout(PATIENCE_S):
        async for record in gateway.ledger.journal.follow(0, ["health_changed"]):
            if record.cause == expected[-1]:
                break
    assert [r.cause for r in await records(gateway, "health_changed")] == expected


# Probes that do not answer


async def test_a_probe_that_hangs_is_reported_as_overdue_and_others_go_on(
    gateway: RunningGateway, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health_monitor, "PROBE_WITHIN_S", 0.01)
    answered = asyncio.Event()

    async def hang() -> str | None:
        await answered.wait()
        return None

    probes: dict[Dependency, DependencyProbe] = {
        "vault": DependencyProbe(hang, "VAULT_NOT_FOUND"),
        "index": DependencyProbe(hang, None),  # says nothing of an index it cannot see
        "ollama": DependencyProbe(Answers(), None),
    }
    monitor = HealthMonitor(gateway.ledger, clock, gateway.settings, probes)
    task = asyncio.create_task(monitor.run())
    await clock.wait_for_sleepers(3)
    assert sorted(await told(gateway)) == [("ollama", "well"), ("vault", "VAULT_NOT_FOUND")]
    assert gateway.ledger.state.health.starting
    answered.set()
    await next_round(clock)
    assert sorted((await told(gateway))[2:]) == [("index", "well"), ("vault", "well")]
    task.cancel()
    await asyncio.wait({task})


async def test_a_full_disk_does_not_make_a_probe_overdue(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health_monitor, "PROBE_WITHIN_S", 0.01)
    monkeypatch.setattr("ragd.eventlog.journal.RETRY_FULL_S", 0.02)
    full = threading.Event()
    failed: list[int] = []
    write = disk.AppendedFile.write

    def failing(self: disk.AppendedFile, data: bytes) -> None:
        if full.is_set():
            failed.append(1)
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, data)

    monkeypatch.setattr(disk.AppendedFile, "write", failing)
    async with run_gateway(home) as gateway:
        full.set()
        probes: dict[Dependency, DependencyProbe] = {
            "vault": DependencyProbe(Answers(), "VAULT_NOT_FOUND")
        }
        monitor = HealthMonitor(gateway.ledger, SystemClock(), gateway.settings, probes)
        task = asyncio.create_task(monitor.run())
        await wait_until(lambda: len(failed) >= 5)
        full.clear()
        async with asyncio.timeout(PATIENCE_S):
            async for record in gateway.ledger.journal.follow(1):
                if tag_of(record.event) == "dependency_recovered" and record.cause is not None:
                    break
        assert ("vault", "VAULT_NOT_FOUND") not in await told(gateway)
        assert ("vault", "well") in await told(gateway)
        task.cancel()
        await asyncio.wait({task})


async def test_a_look_that_hangs_is_not_begun_a_second_time() -> None:
    gate = threading.Event()
    begun: list[str] = []

    def hang() -> str | None:
        begun.append(threading.current_thread().name)
        gate.wait(PATIENCE_S)
        return "VAULT_NOT_FOUND"

    look = ProbeThread(hang)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await look()
    assert len(begun) == 1
    waiting = asyncio.create_task(look())
    gate.set()
    assert await waiting == "VAULT_NOT_FOUND"
    assert await look() == "VAULT_NOT_FOUND"
    assert len(begun) == 2
    join_probe_threads(5)
    assert not [t for t in threading.enumerate() if t.name == begun[0]]


async def test_a_look_that_raises_raises_where_it_is_awaited() -> None:
    def fail() -> str | None:
        raise LookupError

    with pytest.raises(LookupError):
        await ProbeThread(fail)()


def test_a_look_that_outlives_its_loop_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    gate = threading.Event()

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await ProbeThread(lambda: str(gate.wait(PATIENCE_S)))()

    asyncio.run(give_up())
    gate.set()
    join_probe_threads(5)
    assert capfd.readouterr() == ("", "")
