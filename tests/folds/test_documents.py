"""Documents that take long to read: they wait, and nothing else waits for them."""

from ragd.events import FileFailed, JobRequested, JobStarted, KindCount, VaultScanned
from ragd.folds import progress
from tests.folds.conftest import Log


def test_waiting_documents_do_not_make_the_index_stale(log: Log) -> None:
    log.serve()
    log.change("paper.pdf", kind="added")
    log.lose("freshness", "INDEX_STALE")
    assert "INDEX_STALE" not in log.state.health.reasons
    catalog = log.state.catalog
    assert (catalog.unindexed, catalog.unread_documents) == (0, {"pdf": 1})
    log.change("note.md", kind="added")
    log.lose("freshness", "INDEX_STALE")
    assert "INDEX_STALE" in log.state.health.reasons
    log.store("note.md")
    assert "INDEX_STALE" not in log.state.health.reasons


def test_a_job_is_complete_when_only_documents_lack_vectors(log: Log) -> None:
    log.serve()
    log.add(JobRequested(job_id="job-1", mode="sync"))
    log.add(JobStarted(job_id="job-1", mode="sync", files_planned=2, files_removed=0))
    log.store("note.md", chunks=2, embedded=0)
    log.store("paper.pdf", chunks=9, embedded=0)
    log.finish("complete", job="job-1")
    job = log.state.jobs.find("job-1")
    assert job is not None and not progress.is_complete(log.state, job)
    log.store("note.md", chunks=2, embedded=2)
    assert progress.is_complete(log.state, job)
    assert progress.last_line(log.state, job)["outcome"] == "complete"
    assert log.state.catalog.backlog == 9


def test_only_a_running_job_of_documents_lets_others_work(log: Log) -> None:
    log.serve()
    log.add(JobStarted(job_id="a", mode="sync", files_planned=3, files_removed=0, slow=True))
    jobs = log.state.jobs
    assert jobs.active is not None and jobs.reading_notes is None
    log.through_a_snapshot()
    assert log.state.jobs.reading_notes is None
    log.add(JobStarted(job_id="a", mode="sync", files_planned=3, files_removed=0))
    assert log.state.jobs.reading_notes is not None  # it was planned again after a crash


def test_the_reason_of_a_failure_is_kept_until_the_file_is_read(log: Log) -> None:
    log.serve()
    log.add(FileFailed(path="a.pdf", code="UNREADABLE", detail="it is encrypted"))
    assert log.state.catalog.failures == {"a.pdf": "it is encrypted"}
    log.store("a.pdf")
    assert (log.state.catalog.failed, log.state.catalog.failures) == ({}, {})


def test_the_last_scan_says_what_no_pattern_includes(log: Log) -> None:
    log.add(VaultScanned(files=1, changed=0, removed=0, not_included=[KindCount("pdf", 12)]))
    assert log.state.catalog.not_included == {"pdf": 12}
    log.add(VaultScanned(files=1, changed=0, removed=0))
    assert log.state.catalog.not_included == {}
