"""A pause: when it holds, what it lets through, what is done after it."""

import pytest

from ragd.events import JobRequested, JobStarted, SyncPaused, SyncResumed
from tests.folds.conftest import Log, moment

NINE, TEN = "2026-11-15T21:00:00.000000Z", "2026-11-15T22:00:00.000000Z"
PAUSE = SyncPaused(until=NINE)
RESUME = SyncResumed(reason="requested")
BY_HAND = JobRequested(job_id="j1", mode="sync")
BY_ITSELF = JobRequested(job_id="j2", mode="sync", origin="retry")


def test_nothing_is_held_before(log: Log) -> None:
    assert not log.state.pause.holds and not log.state.pause.holds_vectors


def test_it_holds_until_a_fact_ends_it(log: Log) -> None:
    log.add(PAUSE)
    assert log.state.pause.holds and log.state.pause.holds_vectors
    assert (log.state.pause.since, log.state.pause.until) == (moment(1), NINE)
    log.add(RESUME)
    assert not log.state.pause.holds
    assert (log.state.pause.since, log.state.pause.until) == (None, None)


def test_a_new_run_and_a_snapshot_change_nothing(log: Log) -> None:
    log.add(PAUSE)
    log.through_a_snapshot()
    log.start(run="run-2")
    assert log.state.pause.until == NINE


def test_a_longer_one_begins_where_the_first_did(log: Log) -> None:
    log.add(PAUSE, SyncPaused(until=TEN))
    assert (log.state.pause.since, log.state.pause.until) == (moment(1), TEN)


def test_vectors_are_made_for_a_requested_job_during_a_pause(log: Log) -> None:
    log.add(PAUSE, BY_ITSELF)
    assert log.state.pause.holds_vectors
    log.add(BY_HAND)
    assert log.state.pause.holds and not log.state.pause.holds_vectors
    log.add(SyncPaused(until=TEN))
    assert log.state.pause.holds_vectors


def test_a_job_before_it_asks_for_nothing_in_it(log: Log) -> None:
    log.add(BY_HAND, PAUSE)
    assert log.state.pause.holds_vectors


@pytest.mark.parametrize("job", [BY_HAND, BY_ITSELF, None])
def test_a_sync_is_owed_after_it_until_a_job_begins(log: Log, job: JobRequested | None) -> None:
    log.add(PAUSE, SyncResumed(reason="elapsed"))
    log.through_a_snapshot()
    assert log.state.pause.owed
    log.add(job or JobStarted(job_id="j", mode="sync", files_planned=1, files_removed=0))
    assert not log.state.pause.owed


def test_nothing_is_owed_where_nothing_was_held(log: Log) -> None:
    log.add(RESUME)
    assert not log.state.pause.owed
    log.add(PAUSE, RESUME, PAUSE)
    assert not log.state.pause.owed
