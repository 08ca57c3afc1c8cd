"""The status of the daemon, made from plain values."""

import pytest
from msgspec import to_builtins

from ragd.eventlog.frame import Record
from ragd.events import (
    ActorCrashed,
    BatchStored,
    DaemonStarted,
    DependencyLost,
    DependencyRecovered,
    Event,
    FileChange,
    FileFailed,
    FilesChanged,
    FileSkipped,
    FilledFile,
    IndexActivated,
    IndexLost,
    JobFinished,
    JobRequested,
    JobStarted,
    KindCount,
    ScannedCollection,
    StoredFile,
    VaultScanned,
    VectorsFilled,
)
from ragd.folds import State, apply
from ragd.gateway.live_state import LiveState
from ragd.gateway.status import FILES_MAX, answer_meta, job_data, status_envelope


def moment(seq: int) -> str:
    return f"2026-11-15T14:30:{seq:02d}.000000Z"


def folded(*facts: Event, run: str = "r1") -> State:
    state = State()
    started = DaemonStarted(version="1", config_hash="", previous_stop="none", provider="embedded")
    for seq, fact in enumerate((started, *facts), 1):
        apply(state, Record(seq, seq - 1, moment(seq), run, "test", None, fact))
    return state


def live(full_since: str | None = None, run: str = "r1", **actors: str) -> LiveState:
    return LiveState(
        version="1.2",
        pid=5,
        run=run,
        started_at=moment(0),
        uptime_s=3,
        vault_path="/vault",
        provider="auto",
        actors=actors,
        full_since=full_since,
    )


def health(state: State, live: LiveState) -> tuple[str, list[str]]:
    now = live.health(state)
    return now.state, now.codes


INDEXED = (
    IndexActivated(generation="g1", provider="embedded", model="m", dimensions=3),
    BatchStored(
        job_id="j",
        files=[StoredFile(path="a.md", sha256="0", mtime_ns=1, size=1, chunks=4, embedded=3)],
        removed=[],
        table_version=7,
        generation="g1",
    ),
)
NO_VAULT = DependencyLost(dependency="vault", code="VAULT_NOT_FOUND")


def test_nothing_wrong_is_healthy_and_has_no_error() -> None:
    envelope = status_envelope(folded(*INDEXED), live())
    assert (envelope.status, envelope.error) == ("healthy", None)
    assert envelope.data["plugin_health"] == "healthy"
    assert envelope.data["reasons"] == []
    assert (envelope.data["total_docs"], envelope.data["total_chunks"]) == (1, 4)
    assert envelope.data["chunks_embedded"] == 3


def test_the_state_is_the_worst_of_the_reasons_and_the_error_is_the_first() -> None:
    envelope = status_envelope(folded(*INDEXED, NO_VAULT), live())
    assert envelope.status == "degraded"
    assert envelope.error is not None and envelope.error.code == "VAULT_NOT_FOUND"
    corrupted = DependencyLost(dependency="index", code="INDEX_CORRUPTED")
    envelope = status_envelope(folded(*INDEXED, NO_VAULT, corrupted), live())
    assert envelope.status == "unavailable"
    assert envelope.error is not None and envelope.error.code == "INDEX_CORRUPTED"
    reasons = envelope.data["reasons"]
    assert [r["code"] for r in reasons] == ["INDEX_CORRUPTED", "VAULT_NOT_FOUND"]
    assert [r["state"] for r in reasons] == ["unavailable", "degraded"]
    assert reasons[1]["since"] == moment(4)


# Only the running process knows of a full disk


def test_a_full_disk_degrades_a_healthy_daemon() -> None:
    assert health(folded(*INDEXED), live(moment(9))) == ("degraded", ["DISK_FULL"])


def test_a_full_disk_is_a_reason_even_if_it_is_not_recorded() -> None:
    assert health(folded(*INDEXED, NO_VAULT), live(moment(9))) == (
        "degraded",
        ["VAULT_NOT_FOUND", "DISK_FULL"],
    )
    gone = DependencyLost(dependency="index", code="INDEX_NOT_FOUND")
    assert health(folded(gone), live(moment(9))) == (
        "unavailable",
        ["DISK_FULL", "INDEX_NOT_FOUND"],
    )


def test_a_removed_index_is_called_missing() -> None:
    state = folded(*INDEXED, IndexLost(reason="missing"))
    [reason] = status_envelope(state, live()).data["reasons"]
    assert reason["code"] == "INDEX_NOT_FOUND"
    assert reason["message"] == "The index is missing: its folder was removed or moved away."


def test_both_sizes_of_a_mismatch_are_named_with_the_key_and_a_suggestion() -> None:
    lost = DependencyLost(dependency="model", code="DIMENSIONS_MISMATCH", configured=1024, made=384)
    now = live()
    now.model = "all-minilm"
    envelope = status_envelope(folded(*INDEXED, lost), now)
    [reason] = envelope.data["reasons"]
    for words in ("`embedding.dimensions` is 1024", "all-minilm", "384 numbers"):
        assert words in reason["message"]
    assert "`ragctl config unset embedding.dimensions`" in reason["suggestion"]
    assert "`ragctl config set embedding.dimensions 384`" in reason["suggestion"]
    assert "reindex" not in reason["suggestion"]
    assert envelope.error is not None and envelope.error.message == reason["message"]


def test_a_model_that_is_missing_is_named_and_ollama_is_up() -> None:
    ollama = IndexActivated(generation="g1", provider="ollama", model="bge-m3", dimensions=3)
    lost = DependencyLost(dependency="ollama", code="OLLAMA_MODEL_MISSING")
    data = status_envelope(folded(*INDEXED, ollama, lost), live()).data
    assert data["ollama_status"] == "up"
    [reason] = data["reasons"]
    assert "bge-m3" in reason["message"] and "`ollama pull bge-m3`" in reason["suggestion"]


def test_the_digest_of_the_index_is_that_of_the_open_one() -> None:
    now = live()
    assert status_envelope(folded(*INDEXED), now).data["index"]["digest"] is None
    now.index_digest = "a1b2"
    assert status_envelope(folded(*INDEXED), now).data["index"]["digest"] == "a1b2"


def test_a_full_disk_that_is_also_recorded_is_reported_once() -> None:
    lost = DependencyLost(dependency="disk", code="DISK_FULL", since=moment(1))
    state = folded(*INDEXED, lost)
    assert health(state, live(moment(9))) == ("degraded", ["DISK_FULL"])
    [reason] = status_envelope(state, live(moment(9))).data["reasons"]
    assert reason["since"] == moment(1)


def test_a_full_disk_has_its_start_time() -> None:
    data = status_envelope(folded(*INDEXED), live(moment(9))).data
    assert [(r["code"], r["since"], r["state"]) for r in data["reasons"]] == [
        ("DISK_FULL", moment(9), "degraded")
    ]
    assert data["log"]["full_since"] == moment(9)


# Before this run is in the log


def test_until_its_start_is_recorded_a_run_has_no_probe_results() -> None:
    crash = ActorCrashed(name="one", exception="ValueError", location="x")
    seen = DependencyRecovered(dependency="ollama")
    state = folded(*INDEXED, NO_VAULT, crash, seen, run="the last run")
    envelope = status_envelope(state, live(moment(9), one="running"))
    assert envelope.status == "unavailable"
    assert [(r["code"], r["since"]) for r in envelope.data["reasons"]] == [
        ("STARTING", moment(0)),
        ("DISK_FULL", moment(9)),
    ]
    assert envelope.data["vault"]["found"] is None
    assert envelope.data["ollama_status"] == "unknown"
    assert envelope.data["actors"] == [
        {"name": "one", "state": "running", "crashes": 0, "last_crash": None}
    ]
    assert envelope.data["total_docs"] == 1  # the catalog is still valid


# Details


def test_dependencies_are_reported_as_working_lost_or_unknown() -> None:
    assert status_envelope(folded(), live()).data["vault"] == {
        "path": "/vault",
        "found": None,
        "watch": None,
        "templates": [],
        "languages": {},
        "code_percent": None,
    }
    found = status_envelope(folded(DependencyRecovered(dependency="vault")), live()).data
    assert (found["vault"]["found"], found["ollama_status"]) == (True, "unknown")
    lost = DependencyLost(dependency="ollama", code="OLLAMA_UNREACHABLE")
    gone = status_envelope(folded(NO_VAULT, lost), live()).data
    assert (gone["vault"]["found"], gone["ollama_status"]) == (False, "down")
    up = status_envelope(folded(DependencyRecovered(dependency="ollama")), live()).data
    assert up["ollama_status"] == "up"


def test_crashes_are_counted_for_each_actor() -> None:
    crash = ActorCrashed(name="one", exception="ValueError", location="ragd/x.py:5 in f")
    data = status_envelope(folded(crash, crash), live(one="restarting", other="running")).data
    one, other = data["actors"]
    assert (one["name"], one["state"], one["crashes"]) == ("one", "restarting", 2)
    assert to_builtins(one["last_crash"])["exception"] == "ValueError"
    assert (other["crashes"], other["last_crash"]) == (0, None)


def test_meta_names_the_index_by_generation_and_version() -> None:
    assert answer_meta(State()).index_version == ""
    assert answer_meta(State()).vault_mtime is None
    scanned = VaultScanned(files=1, changed=1, removed=0, newest_mtime=moment(5))
    found = answer_meta(folded(*INDEXED, scanned), query_time_ms=12, chunks_scanned=34)
    assert found.index_version == "g1.7"
    assert found.vault_mtime == moment(5)
    assert (found.query_time_ms, found.chunks_scanned) == (12, 34)


def test_a_running_job_and_the_last_one_are_shown() -> None:
    end = JobFinished(
        job_id="j1",
        mode="full",
        outcome="partial",
        indexed_files=1,
        removed_files=2,
        total_chunks=3,
        duration_ms=4,
    )
    begin = JobStarted(job_id="j2", mode="sync", files_planned=2, files_removed=0)
    state = folded(end, begin)
    data = status_envelope(state, live()).data
    known = {"id": "j2", "mode": "sync", "phase": "running", "progress": 0.0}
    assert data["active_job"] == {**known, "current": 0, "total": 2}
    assert data["last_job"]["outcome"] == "partial"
    assert data["last_job"]["removed_files"] == 2
    job = state.jobs.find("j1")
    assert job is not None and job_data(job) == data["last_job"]


@pytest.mark.parametrize("number", [0, 3, FILES_MAX + 50])
def test_long_lists_are_cut_and_counted(number: int) -> None:
    facts: list[Event] = [FileSkipped(path=f"{n:04}.md", reason="too-large") for n in range(number)]
    skipped = status_envelope(folded(*facts), live()).data["skipped"]
    assert skipped["total"] == number
    assert len(skipped["files"]) == min(number, FILES_MAX)
    if number:
        assert skipped["files"][0] == {"path": "0000.md", "reason": "too-large"}


def test_failed_and_waiting_files_are_reported() -> None:
    changed = FilesChanged(changes=[FileChange(path="a.md", kind="modified")])
    failed = FileFailed(path="b.md", code="UNREADABLE", detail="not text")
    data = status_envelope(folded(changed, failed), live()).data
    assert data["unindexed_files"] == 1
    assert data["failed"] == {
        "total": 1,
        "reasons": {"not text": 1},
        "files": [{"path": "b.md", "code": "UNREADABLE", "reason": "not text"}],
    }


def test_documents_are_counted_by_kind_waiting_and_left_out() -> None:
    waiting = FilesChanged(changes=[FileChange(path="a.pdf", kind="added")])
    scanned = VaultScanned(
        files=0,
        changed=0,
        removed=1,
        not_included=[KindCount("canvas", 3), KindCount("image", 40)],
    )
    now = live()
    now.file_patterns = ["*.md", "*.pdf"]
    data = status_envelope(folded(waiting, scanned), now).data
    assert (data["documents_waiting"], data["unindexed_files"]) == ({"pdf": 1}, 0)
    assert data["not_included"] == {
        "kinds": {"canvas": 3, "image": 40},
        "patterns": ["*.md", "*.pdf", "*.canvas"],
    }


def test_no_patterns_are_suggested_for_images() -> None:
    scanned = VaultScanned(files=0, changed=0, removed=0, not_included=[KindCount("image", 40)])
    data = status_envelope(folded(scanned), live()).data
    assert data["not_included"] == {"kinds": {"image": 40}, "patterns": []}


VECTORS_MISSING: tuple[Event, ...] = (
    INDEXED[0],
    JobRequested(job_id="j1", mode="full"),
    JobStarted(job_id="j1", mode="full", files_planned=1, files_removed=0),
    BatchStored(
        job_id="j1",
        files=[StoredFile(path="a.md", sha256="0", mtime_ns=1, size=1, chunks=4, embedded=1)],
        removed=[],
        table_version=7,
        generation="g1",
    ),
    JobFinished(
        job_id="j1",
        mode="full",
        outcome="complete",
        indexed_files=1,
        removed_files=0,
        total_chunks=4,
        duration_ms=1000,
    ),
)


def test_a_job_that_still_makes_vectors_is_active_and_not_the_last() -> None:
    state, now = folded(*VECTORS_MISSING), live()
    data = status_envelope(state, now).data
    known = {"id": "j1", "mode": "full", "phase": "vectors"}
    assert data["active_job"] == {**known, "progress": 0.25, "current": 1, "total": 4}
    assert data["last_job"] is None
    now.vectors_made = {"g1": 3}  # made, but not in the log yet
    assert status_envelope(state, now).data["active_job"]["current"] == 3
    assert status_envelope(state, now).data["chunks_embedded"] == 1


def test_the_last_job_has_the_times_of_its_text_and_its_vectors() -> None:
    filled = FilledFile(path="a.md", sha256="0", chunks=3)
    done = VectorsFilled(job_id="", files=[filled], table_version=8, generation="g1")
    data = status_envelope(folded(*VECTORS_MISSING, done), live()).data
    assert data["active_job"] is None
    last = data["last_job"]
    assert (last["phase"], last["text_ms"], last["duration_ms"]) == ("finished", 1000, 3000)
    assert last["finished_at"] == moment(7)


def test_a_job_whose_vectors_cannot_be_made_is_the_last_and_not_active() -> None:
    lost = DependencyLost(dependency="embedder", code="EMBEDDER_UNAVAILABLE")
    data = status_envelope(folded(*VECTORS_MISSING, lost), live()).data
    assert (data["active_job"], data["last_job"]["phase"]) == (None, "vectors")


def test_notes_of_a_removed_collection_do_not_count_as_the_vaults() -> None:
    """They are still in the index for some seconds."""
    stored = StoredFile("@box/b.md", "0", mtime_ns=1, size=1, chunks=4, embedded=3)
    facts = (
        *INDEXED,
        VaultScanned(files=2, changed=1, removed=0, collections=[ScannedCollection("box")]),
        BatchStored(
            job_id="j",
            files=[stored],
            removed=[],
            table_version=8,
            generation="g1",
        ),
        FilesChanged(changes=[FileChange(path="@box/c.md", kind="added")]),
    )
    (vault,) = status_envelope(folded(*facts), live()).data["collections"]
    assert (vault["name"], vault["notes"], vault["passages"]) == ("vault", 1, 4)
    assert vault["waiting"] == 0
