"""What happened, record by record."""

from ragd.eventlog.frame import Record
from ragd.events import (
    DaemonStarted,
    DaemonStopped,
    DependencyLost,
    DependencyRecovered,
    Event,
    JobFinished,
    JobRequested,
    JobStarted,
)
from ragd.folds import State, apply
from ragd.folds.pause import BY_CLIENT
from ragd.gateway.timeline import timeline_data
from ragd.state import history as limits
from ragd.state.history import History, HistoryPart, joined

STARTED = DaemonStarted(version="1", config_hash="", previous_stop="none")
LOST = DependencyLost(dependency="vault", code="VAULT_NOT_FOUND")
FOUND = DependencyRecovered(dependency="vault")


class Log:
    """A log that grows by one record a minute, with its state."""

    def __init__(self) -> None:
        self.state = State()
        self.history = History()

    def add(self, event: Event, run: str = "r1") -> Record:
        seq = self.state.seq + 1
        moment = f"2026-11-15T{seq // 60:02}:{seq % 60:02}:00.000000Z"
        record = Record(seq, seq - 1, moment, run, "test", None, event)
        apply(self.state, record)
        self.history.add(record, self.state)
        return record

    def job(self, name: str) -> None:
        self.add(JobRequested(job_id=name, mode="sync", origin=BY_CLIENT))
        self.add(JobStarted(job_id=name, mode="sync", files_planned=1, files_removed=0))
        self.add(
            JobFinished(
                job_id=name,
                mode="sync",
                outcome="complete",
                indexed_files=1,
                removed_files=0,
                total_chunks=1,
                duration_ms=5,
            )
        )


def test_each_change_of_health_has_its_reasons_and_its_cause() -> None:
    log = Log()
    log.add(STARTED)
    lost = log.add(LOST)
    changes = log.history.part.changes
    assert changes[-1].seq == lost.seq and "VAULT_NOT_FOUND" in changes[-1].reasons
    assert changes[-1].cause["event"]["type"] == "dependency_lost"
    log.add(FOUND)
    assert "VAULT_NOT_FOUND" not in log.history.part.changes[-1].reasons


def test_a_run_that_never_stopped_has_crashed_when_the_next_one_starts() -> None:
    log = Log()
    log.add(STARTED)
    last = log.add(FOUND)
    log.add(STARTED, run="r2")
    log.add(DaemonStopped(reason="requested"), run="r2")
    first, second = log.history.part.runs
    assert (first.ended, first.ended_at) == ("crashed", last.ts)
    assert (second.id, second.ended) == ("r2", "stopped")


def test_a_job_is_one_bar_from_its_request_to_its_end() -> None:
    log = Log()
    log.job("j1")
    (bar,) = log.history.part.jobs.values()
    assert bar.asked and bar.outcome == "complete"
    assert bar.requested_at < (bar.started_at or "") < (bar.finished_at or "")


def test_two_parts_in_a_row_are_like_one() -> None:
    whole = Log()
    past = Log()
    for log in (whole, past):
        log.add(STARTED)
        log.add(LOST)
        log.job("j1")
    live = History(past.state)
    first = past.history.part
    past.history = live
    for log in (whole, past):
        log.add(FOUND)
        log.job("j2")
    both = joined(first, live.part)
    assert both.changes == whole.history.part.changes
    assert both.jobs == whole.history.part.jobs
    assert both.runs == whole.history.part.runs
    assert both.points == whole.history.part.points


def test_every_list_has_a_limit_and_the_newest_stay() -> None:
    log = Log()
    log.history.part.points = []
    for number in range(limits.MOST_POINTS // 2):
        log.job(f"j{number}")
        log.add(LOST if number % 2 else FOUND)
    part = log.history.part
    assert len(part.points) <= limits.MOST_POINTS and part.points[-1].seq >= log.state.seq - 1
    assert len(part.jobs) == limits.MOST_JOBS and f"j{limits.MOST_POINTS // 2 - 1}" in part.jobs


def test_only_what_happened_in_the_window_is_in_it_and_the_health_before_it() -> None:
    log = Log()
    log.add(STARTED)
    log.add(LOST)
    last = log.add(FOUND)
    data = timeline_data(log.history.part, last.ts, "2026-11-16T00:00:00.000000Z")
    assert "VAULT_NOT_FOUND" in data["before"]["reasons"]
    assert [one.seq for one in data["changes"]] == [last.seq]
    assert {one["code"] for one in data["messages"]} == {
        *data["before"]["reasons"],
        *data["changes"][0].reasons,
    }
    assert timeline_data(HistoryPart(), "a", "b")["changes"] == []
