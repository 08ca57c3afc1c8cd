"""Crashes: recorded, restarted with growing pauses; too many of them end the daemon."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ragd import supervisor as supervision
from ragd.errors import LogFailed
from ragd.eventlog import frame
from ragd.events import ActorCrashed, Fact
from ragd.runtime.exception_location import innermost, location_of
from ragd.supervisor import Supervisor, TooManyCrashes
from tests.daemon.virtual_clock import VirtualClock
from tests.patience import PATIENCE_S


class Recorder:
    """Records facts like the journal."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.failed: LogFailed | None = None

    async def append(self, actor: str, event: Fact, cause: int | None = None) -> None:
        if self.failed is not None:
            raise self.failed
        assert actor == "daemon"
        self.facts.append(event)


class Actor:
    """Runs until the test lets it crash or end."""

    def __init__(self) -> None:
        self.starts = 0
        self.begun = asyncio.Event()
        self.fate: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def __call__(self) -> None:
        self.starts += 1
        self.fate = asyncio.get_running_loop().create_future()
        self.begun.set()
        await self.fate

    async def running(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            await self.begun.wait()
        self.begun.clear()

    async def crash(self, why: BaseException | None = None) -> None:
        await self.running()
        self.fate.set_exception(why or ValueError("what the note said"))


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def journal() -> Recorder:
    return Recorder()


@asynccontextmanager
async def supervised(
    journal: Recorder, clock: VirtualClock, **actors: Actor
) -> AsyncIterator[tuple[Supervisor, "asyncio.Task[None]"]]:
    supervisor = Supervisor(journal, clock, actors)  # type: ignore[arg-type]
    task = asyncio.create_task(supervisor.run())
    try:
        yield supervisor, task
    finally:
        task.cancel()
        await asyncio.wait({task})


async def the_end(task: "asyncio.Task[None]") -> BaseException:
    await asyncio.wait({task}, timeout=PATIENCE_S)
    failure = task.exception()
    assert failure is not None
    return innermost(failure)


async def test_a_crash_is_recorded_by_type_and_place_never_by_its_message(
    journal: Recorder, clock: VirtualClock
) -> None:
    actor = Actor()
    async with supervised(journal, clock, one=actor):
        await actor.crash(ValueError("what the note said"))
        await clock.wait_for_sleepers()
    [fact] = journal.facts
    assert isinstance(fact, ActorCrashed)
    assert (fact.name, fact.exception) == ("one", "ValueError")
    assert fact.location.startswith("ragd/supervisor.py:")
    assert "note" not in str(fact)


async def test_it_is_restarted_with_growing_patience(
    journal: Recorder, clock: VirtualClock
) -> None:
    actor = Actor()
    async with supervised(journal, clock, one=actor):
        for _ in range(12):
            clock.advance(20)  # so that no five are within a minute
            await actor.crash()
            await clock.wait_for_sleepers()
            clock.advance(clock.slept[-1])
        await actor.running()
    assert clock.slept == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10, 10, 10, 10]
    assert actor.starts == 13


async def test_a_long_quiet_run_makes_it_patient_again(
    journal: Recorder, clock: VirtualClock
) -> None:
    actor = Actor()
    async with supervised(journal, clock, one=actor):
        for pause in (0, 0, 61):
            await actor.running()
            clock.advance(pause)
            actor.fate.set_exception(ValueError())
            await clock.wait_for_sleepers()
            clock.advance(clock.slept[-1])
    assert clock.slept == [0.1, 0.2, 0.1]


async def test_status_sees_which_one_is_restarting(journal: Recorder, clock: VirtualClock) -> None:
    one, other = Actor(), Actor()
    async with supervised(journal, clock, one=one, other=other) as (supervisor, _):
        await other.running()
        assert supervisor.states == {"one": "running", "other": "running"}
        await one.crash()
        await clock.wait_for_sleepers()
        assert supervisor.states == {"one": "restarting", "other": "running"}
        clock.advance(1)
        await one.running()
        assert supervisor.states == {"one": "running", "other": "running"}
    assert other.starts == 1


async def test_five_in_a_minute_are_the_end(journal: Recorder, clock: VirtualClock) -> None:
    one, other = Actor(), Actor()
    async with supervised(journal, clock, one=one, other=other) as (_, task):
        for crashing in (one, other, one, other):  # crashes of all actors count together
            await crashing.crash()
            await clock.wait_for_sleepers()
            clock.advance(10)
        await one.crash(KeyError("what the note said"))
        end = await the_end(task)
    assert isinstance(end, TooManyCrashes)
    assert "5 times within a minute" in str(end)
    assert "one (KeyError at ragd/supervisor.py:" in str(end)
    assert "note" not in str(end)
    assert len(journal.facts) == 5  # the last one is recorded too


async def test_five_in_more_than_a_minute_are_not(journal: Recorder, clock: VirtualClock) -> None:
    actor = Actor()
    async with supervised(journal, clock, one=actor) as (_, task):
        for _ in range(10):
            await actor.crash()
            await clock.wait_for_sleepers()
            clock.advance(15)  # the fifth comes 60 s after the first
        await actor.running()
        assert not task.done()
    assert len(journal.facts) == 10


async def test_a_failed_log_is_never_tried_again(journal: Recorder, clock: VirtualClock) -> None:
    actor = Actor()
    async with supervised(journal, clock, one=actor) as (_, task):
        await actor.crash(LogFailed("The disk failed."))
        assert isinstance(await the_end(task), LogFailed)
    assert (actor.starts, journal.facts, clock.slept) == (1, [], [])


async def test_a_failed_log_inside_a_group_is_never_tried_again_either(
    journal: Recorder, clock: VirtualClock
) -> None:
    actor = Actor()
    async with supervised(journal, clock, one=actor) as (_, task):
        await actor.crash(ExceptionGroup("", [ExceptionGroup("", [LogFailed("failed")])]))
        assert isinstance(await the_end(task), LogFailed)
    assert (actor.starts, journal.facts) == (1, [])


async def test_a_crash_that_cannot_be_recorded_ends_it(
    journal: Recorder, clock: VirtualClock
) -> None:
    actor = Actor()
    journal.failed = LogFailed("The disk failed.")
    async with supervised(journal, clock, one=actor) as (_, task):
        await actor.crash()
        assert isinstance(await the_end(task), LogFailed)
    assert actor.starts == 1


async def test_of_a_group_the_innermost_failure_is_named(
    journal: Recorder, clock: VirtualClock
) -> None:
    async def child() -> None:
        raise LookupError

    async def group() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(child())

    supervisor = Supervisor(journal, clock, {"one": group})  # type: ignore[arg-type]
    task = asyncio.create_task(supervisor.run())
    await clock.wait_for_sleepers()
    task.cancel()
    await asyncio.wait({task})
    assert [f.exception for f in journal.facts if isinstance(f, ActorCrashed)] == ["LookupError"]


async def test_a_panic_of_a_library_is_a_crash_like_any_other(
    journal: Recorder, clock: VirtualClock
) -> None:
    class PanicException(BaseException):
        """Raised by Rust code; it is not a subclass of Exception."""

    actor = Actor()
    async with supervised(journal, clock, one=actor):
        await actor.crash(PanicException("what the note said"))
        await clock.wait_for_sleepers()
        clock.advance(1)
        await actor.crash(BaseExceptionGroup("", [PanicException("what the note said")]))
        await clock.wait_for_sleepers()
    names = [f.exception for f in journal.facts if isinstance(f, ActorCrashed)]
    assert names == ["PanicException"] * 2


async def test_a_cancellation_is_not_a_crash(journal: Recorder, clock: VirtualClock) -> None:
    actor = Actor()
    async with supervised(journal, clock, one=actor) as (_, task):
        await actor.running()
        task.cancel()
        await asyncio.wait({task}, timeout=PATIENCE_S)
        assert task.cancelled()
    assert (actor.starts, journal.facts) == (1, [])


async def test_an_actor_that_is_done_stays_done(journal: Recorder, clock: VirtualClock) -> None:
    actor = Actor()
    async with supervised(journal, clock, one=actor) as (_, task):
        await actor.running()
        actor.fate.set_result(None)
        await asyncio.wait({task}, timeout=PATIENCE_S)
        assert task.done() and task.exception() is None
    assert (actor.starts, journal.facts) == (1, [])


def test_a_place_is_the_deepest_one_in_our_own_code() -> None:
    with pytest.raises(frame.NotARecord) as caught:
        frame.decode_header(b"nonsense")
    assert location_of(caught.value).startswith("ragd/eventlog/frame.py:")
    assert location_of(caught.value).endswith(" in check_checksum")


def test_a_place_outside_our_code_is_a_file_name_without_its_folder() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        1 / 0  # noqa: B018
    assert location_of(caught.value).startswith("test_supervisor.py:")


def test_without_a_traceback_the_place_is_unknown() -> None:
    assert location_of(ValueError("never raised")) == "unknown"


def test_the_limits_are_those_of_the_design() -> None:
    assert (supervision.CRASHES_MAX, supervision.CRASHES_WITHIN_S) == (5, 60)
