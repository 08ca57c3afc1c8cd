"""The contents of sync-result.json."""

from datetime import datetime

import msgspec
import pytest

from ragd.events import (
    BatchStored,
    FileError,
    IndexLost,
    JobRequested,
    Outcome,
    StoredFile,
    VaultScanned,
)
from ragd.folds import sync_result as fold
from ragd.folds.sync_result import SyncResult
from tests.folds.conftest import Log

MTIME = "2026-11-15T13:59:00.000000Z"


def scanned(changed: int = 0, removed: int = 0) -> VaultScanned:
    return VaultScanned(files=9, changed=changed, removed=removed, newest_mtime=MTIME)


def stored(path: str, mtime: str) -> BatchStored:
    at = int(datetime.fromisoformat(mtime).timestamp()) * 10**9
    file = StoredFile(path, "s1", at, 100, 2, 2)
    return BatchStored(job_id="job-1", files=[file], removed=[], table_version=1)


def test_it_has_the_fields_of_the_contract_in_their_order() -> None:
    wanted = (
        "schema mode outcome last_sync last_sync_mtime indexed_files removed_files failed_files "
        "total_docs total_chunks chunks_embedded chunks_pending text_ms duration_ms errors "
        "errors_total seq job_id"
    )
    assert list(msgspec.to_builtins(SyncResult())) == wanted.split()


def test_a_finished_job_is_the_result(log: Log) -> None:
    log.add(scanned(changed=2))
    log.store("a.md", "b.md", chunks=3, embedded=1)
    error = FileError("kaputt.md", "not text")
    record = log.finish("partial", "full", indexed=2, removed=1, errors=[error], errors_total=1)
    assert log.state.sync_result == SyncResult(
        mode="full",
        outcome="partial",
        last_sync=record.ts,
        last_sync_mtime=MTIME,
        indexed_files=2,
        removed_files=1,
        failed_files=1,
        total_docs=2,
        total_chunks=6,
        chunks_embedded=2,
        chunks_pending=4,
        text_ms=1200,
        duration_ms=1200,
        errors=[error],
        errors_total=1,
        seq=record.seq,
        job_id="job-1",
    )


@pytest.mark.parametrize("outcome", ["failed", "cancelled"])
def test_a_job_that_did_not_finish_is_reported_but_does_not_count_as_a_sync(
    log: Log, outcome: Outcome
) -> None:
    done = log.finish("complete")
    log.finish(outcome)
    assert log.state.sync_result.outcome == outcome
    assert log.state.sync_result.last_sync == done.ts


def test_a_clean_rescan_counts_as_a_sync(log: Log) -> None:
    log.finish("complete", indexed=5)
    record = log.add(scanned())
    result = log.state.sync_result
    assert (result.last_sync, result.seq) == (record.ts, record.seq)
    assert (result.outcome, result.indexed_files) == ("complete", 5)


@pytest.mark.parametrize("found", [{"changed": 1}, {"removed": 1}])
def test_a_rescan_that_found_something_does_not_count_as_a_sync(
    log: Log, found: dict[str, int]
) -> None:
    done = log.finish("complete")
    log.add(scanned(**found))
    assert (log.state.sync_result.last_sync, log.state.sync_result.seq) == (done.ts, done.seq)


def test_before_the_first_sync_there_is_no_last_one(log: Log) -> None:
    log.add(scanned())
    assert log.state.sync_result == SyncResult()


def test_errors_total_counts_the_errors_that_are_not_listed(log: Log) -> None:
    log.finish("partial", errors=[FileError("a.md", "not text")], errors_total=140)
    assert (log.state.sync_result.errors_total, log.state.sync_result.failed_files) == (140, 140)
    log.finish("partial", errors=[FileError("a.md", "not text")])
    assert log.state.sync_result.errors_total == 1


def test_vectors_that_follow_are_counted_as_they_come(log: Log) -> None:
    log.store("a.md", chunks=4, embedded=0)
    log.finish("complete")
    record = log.fill("a.md", chunks=4)
    assert log.state.sync_result.chunks_embedded == 4
    assert log.state.sync_result.seq == record.seq


def test_vectors_that_change_no_count_leave_it_alone(log: Log) -> None:
    log.store("a.md", chunks=4)
    done = log.finish("complete")
    log.fill("a.md", sha="changed-since", chunks=4)
    assert log.state.sync_result.seq == done.seq


def test_a_lost_index_empties_the_totals_and_keeps_when_the_last_sync_was(log: Log) -> None:
    log.store("a.md")
    done = log.finish("complete")
    log.add(IndexLost(reason="missing"))
    result = log.state.sync_result
    assert (result.total_docs, result.total_chunks, result.chunks_embedded) == (0, 0, 0)
    assert result.last_sync == done.ts


def test_the_totals_are_those_of_a_new_index_from_the_moment_it_serves(log: Log) -> None:
    log.activate(generation="g1")
    log.store("a.md", "b.md", chunks=2)
    log.build("g2")
    log.store("a.md", chunks=7, generation="g2")
    log.finish("complete", "reindex")
    assert log.state.sync_result.total_docs == 2
    record = log.activate(generation="g2")
    result = log.state.sync_result
    assert (result.total_docs, result.total_chunks, result.seq) == (1, 7, record.seq)


def test_only_the_facts_it_names_change_it(log: Log) -> None:
    log.finish("complete")
    before = msgspec.json.encode(log.state.sync_result)
    log.change("a.md")
    log.store("a.md")
    log.start()
    log.lose("ollama", "OLLAMA_UNREACHABLE")
    assert msgspec.json.encode(log.state.sync_result) == before
    assert {kind.__name__ for kind in fold.CHANGED_BY} == {
        *("JobFinished", "VaultScanned", "VectorsFilled", "VectorsRecounted"),
        *("IndexActivated", "IndexLost"),
    }


def test_it_says_when_the_text_was_stored_and_when_the_vectors_were(log: Log) -> None:
    log.activate()
    log.add(JobRequested(job_id="job-1", mode="full"))
    log.begin("job-1", "full")  # one record a second: this is the third
    log.store("a.md", "b.md", embedded=0)
    log.finish("complete", "full", indexed=2)
    result = log.state.sync_result
    assert (result.text_ms, result.duration_ms, result.chunks_pending) == (1200, 1200, 4)
    log.fill("a.md", 2)
    assert (result.text_ms, result.duration_ms, result.chunks_pending) == (1200, 3000, 2)
    record = log.fill("b.md", 2)
    assert (result.text_ms, result.duration_ms, result.chunks_pending) == (1200, 4000, 0)
    assert result.seq == record.seq
    log.through_a_snapshot()
    assert log.state.sync_result == result


def test_a_saved_note_moves_the_newest_time_at_once(log: Log) -> None:
    log.activate()
    log.add(VaultScanned(files=1, changed=0, removed=0, newest_mtime=MTIME))
    log.add(stored("a.md", "2026-11-15T14:05:00.000000Z"))
    log.finish("complete", indexed=1)
    assert log.state.sync_result.last_sync_mtime == "2026-11-15T14:05:00.000000Z"
    assert log.state.catalog.newest_mtime == "2026-11-15T14:05:00.000000Z"
