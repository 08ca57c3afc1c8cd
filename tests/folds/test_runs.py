"""Starts and stops of the daemon."""

from ragd.events import ActorCrashed, DaemonStopped
from ragd.folds.runs import Runs
from tests.folds.conftest import Log


def crashed(name: str, location: str = "batcher.py:12") -> ActorCrashed:
    return ActorCrashed(name=name, exception="KeyError", location=location)


def test_before_the_first_run_there_was_none() -> None:
    assert Runs().previous_stop == "none"


def test_a_run_that_stopped_in_order_was_clean(log: Log) -> None:
    record = log.start(run="run-7")
    stopped = log.add(DaemonStopped(reason="signal"))
    runs = log.state.runs
    assert (runs.id, runs.version, runs.started_at) == ("run-7", "0.1.0", record.ts)
    assert (runs.stopped_at, runs.previous_stop) == (stopped.ts, "clean")


def test_a_run_that_did_not_say_that_it_stopped_crashed(log: Log) -> None:
    log.start()
    log.change("a.md")
    assert log.state.runs.previous_stop == "crash"


def test_a_new_run_forgets_how_the_former_ended_and_its_crashes(log: Log) -> None:
    log.start(run="run-1")
    log.add(crashed("batcher"), DaemonStopped(reason="signal"))
    log.start(run="run-2")
    runs = log.state.runs
    assert (runs.id, runs.stopped_at, runs.crashes) == ("run-2", None, {})
    assert runs.previous_stop == "crash"


def test_crashes_are_counted_for_each_actor_with_the_last_place(log: Log) -> None:
    log.start()
    log.add(crashed("batcher"), crashed("watcher"))
    last = log.add(crashed("batcher", "batcher.py:99"))
    crash = log.state.runs.crashes["batcher"]
    assert (crash.count, crash.location, crash.at) == (2, "batcher.py:99", last.ts)
    assert log.state.runs.crashes["watcher"].count == 1
