"""The health table: what raises a reason, what clears it, and the state that follows."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ragd.errors import CODES, DEGRADED, HEALTHY, SEVERITY, UNAVAILABLE
from ragd.events import (
    BatchStored,
    ChangeKind,
    ConfigReloaded,
    DaemonStarted,
    DaemonStopped,
    DeletionsHeld,
    Dependency,
    DependencyLost,
    DependencyRecovered,
    EmbeddingFailed,
    Fact,
    FileChange,
    FileFailed,
    FilesChanged,
    FileSkipped,
    HealthChanged,
    HeldCollection,
    IndexActivated,
    IndexLost,
    JobFinished,
    Mode,
    Outcome,
    ScannedCollection,
    SegmentQuarantined,
    VaultScanned,
    VaultUnavailable,
    VectorsFilled,
    VectorsRecounted,
    WatchLost,
    WatchStarted,
)
from ragd.folds.health_reasons import LOST, REASONS, RECOVERED, STORE_REASONS
from tests.folds.conftest import Log

Step = Callable[[Log], Any]

NOTE = "Journal/2024-01-15.md"


def quarantined(log: Log) -> Any:
    return log.add(
        SegmentQuarantined(segment="1.ndjson", first_seq=1, last_seq=9, reason="damaged")
    )


def reloaded(provider: str) -> Step:
    return lambda log: log.add(ConfigReloaded(config_hash="c0ffee", provider=provider))


def embedding_failed(code: str, attempt: int = 2) -> Step:
    return lambda log: log.add(EmbeddingFailed(code=code, attempt=attempt))


def scanned(log: Log) -> Any:
    return log.add(VaultScanned(files=1, changed=0, removed=0))


def unavailable(reason: str, collection: str = "") -> Step:
    fact = VaultUnavailable(reason=cast(Any, reason), collection=collection)
    return lambda log: log.add(fact)


def lose(dependency: Dependency, code: str = "", collection: str = "") -> Step:
    if collection:
        fact = DependencyLost(dependency=dependency, code=code, collection=collection)
        return lambda log: log.add(fact)
    return lambda log: log.lose(dependency, code)


def recover(dependency: Dependency, collection: str = "") -> Step:
    if collection:
        fact = DependencyRecovered(dependency=dependency, collection=collection)
        return lambda log: log.add(fact)
    return lambda log: log.recover(dependency)


def restart(log: Log) -> Any:
    return log.start(run="run-2")


def lost_index(log: Log) -> Any:
    return log.add(IndexLost(reason="missing"))


def held(count: int) -> Step:
    return lambda log: log.add(DeletionsHeld(count=count))


def papers_held(log: Log) -> Any:
    return log.add(DeletionsHeld(count=80, collections=[HeldCollection("papers", 80)]))


def papers_unwatched(log: Log) -> Any:
    return log.add(WatchLost(reason="limit", collection="papers"))


def roots(vault: Any = "", papers: Any = "") -> Step:
    """A scan of two roots, each with the reason why it is gone."""
    found = [ScannedCollection("vault", gone=vault), ScannedCollection("papers", gone=papers)]
    return lambda log: log.add(VaultScanned(files=1, changed=0, removed=0, collections=found))


def steps(*these: Step) -> Step:
    def do(log: Log) -> None:
        for step in these:
            step(log)

    return do


def serve(log: Log) -> None:
    log.serve("embedded")


def serve_by_ollama(log: Log) -> None:
    log.serve("ollama")


def start(provider: str = "auto") -> Step:
    return lambda log: log.start(provider)


def store_without_vectors(log: Log) -> Any:
    return log.store("slow.md", chunks=3, embedded=0)


def change(path: str = NOTE, kind: ChangeKind = "modified") -> Step:
    return lambda log: log.change(path, kind=kind)


def finish(outcome: Outcome, mode: Mode = "sync") -> Step:
    return lambda log: log.finish(outcome, mode)


corrupt = lose("index", "INDEX_CORRUPTED")
missing = lose("index", "INDEX_NOT_FOUND")
stale = steps(serve, change(), lose("freshness", "INDEX_STALE"))
pending = steps(serve, store_without_vectors, lose("vectors", "VECTORS_PENDING"))
ollama_away = lose("ollama", "OLLAMA_UNREACHABLE")
worker_away = lose("embedder", "EMBEDDER_UNAVAILABLE")
no_vault = lose("vault", "VAULT_NOT_FOUND")
vault_hangs = lose("vault", "VAULT_NOT_RESPONDING")
mismatch = lose("model", "INDEX_MODEL_MISMATCH")
wrong_size = lose("model", "DIMENSIONS_MISMATCH")
no_model = lose("ollama", "OLLAMA_MODEL_MISSING")
foreign = lose("index", "INDEX_OF_ANOTHER_VAULT")

papers_away = unavailable("missing", "papers")
papers_hang = lose("vault", "VAULT_NOT_RESPONDING", "papers")
papers_back = recover("vault", "papers")

# (reason, the fact that raises it): what happened before, and the fact itself.
RAISING: dict[tuple[str, type], tuple[Step, Step]] = {
    ("STARTING", DaemonStarted): (serve, restart),
    ("INDEX_CORRUPTED", LOST): (serve, corrupt),
    ("INDEX_NOT_FOUND", LOST): (serve, missing),
    ("INDEX_NOT_FOUND", RECOVERED): (start(), recover("index")),
    ("INDEX_NOT_FOUND", IndexActivated): (start(), lambda log: log.activate()),
    ("INDEX_NOT_FOUND", IndexLost): (serve, lost_index),
    ("INDEX_NOT_FOUND", BatchStored): (serve, lambda log: log.store(removed=[NOTE])),
    ("INDEX_NOT_FOUND", JobFinished): (steps(start(), corrupt), finish("complete", "reindex")),
    ("INDEXER_FAILED", JobFinished): (serve, finish("failed")),
    ("VAULT_NOT_FOUND", VaultUnavailable): (serve, unavailable("missing")),
    ("VAULT_NOT_FOUND", LOST): (serve, no_vault),
    ("VAULT_NOT_FOUND", VaultScanned): (serve, roots(vault="missing")),
    ("VAULT_NOT_RESPONDING", LOST): (serve, vault_hangs),
    ("VAULT_NOT_RESPONDING", VaultScanned): (serve, roots(vault="not_responding")),
    ("COLLECTION_NOT_FOUND", VaultUnavailable): (serve, papers_away),
    ("COLLECTION_NOT_FOUND", LOST): (serve, papers_hang),
    ("COLLECTION_NOT_FOUND", VaultScanned): (serve, roots(papers="empty")),
    ("OLLAMA_UNREACHABLE", LOST): (serve_by_ollama, ollama_away),
    ("OLLAMA_UNREACHABLE", EmbeddingFailed): (
        serve_by_ollama,
        embedding_failed("OLLAMA_UNREACHABLE"),
    ),
    ("OLLAMA_UNREACHABLE", IndexActivated): (
        steps(serve, ollama_away),
        lambda log: log.activate("ollama", generation="g2"),
    ),
    ("OLLAMA_UNREACHABLE", IndexLost): (
        steps(start("ollama"), lambda log: log.activate("embedded"), ollama_away),
        lost_index,
    ),
    ("OLLAMA_UNREACHABLE", ConfigReloaded): (steps(start(), ollama_away), reloaded("ollama")),
    ("EMBEDDER_UNAVAILABLE", LOST): (serve, worker_away),
    ("EMBEDDER_UNAVAILABLE", EmbeddingFailed): (serve, embedding_failed("EMBEDDER_UNAVAILABLE")),
    ("EMBEDDER_UNAVAILABLE", IndexActivated): (
        steps(serve_by_ollama, worker_away),
        lambda log: log.activate("embedded", generation="g2"),
    ),
    ("EMBEDDER_UNAVAILABLE", IndexLost): (
        steps(start("embedded"), lambda log: log.activate("ollama"), worker_away),
        lost_index,
    ),
    ("EMBEDDER_UNAVAILABLE", ConfigReloaded): (steps(start(), worker_away), reloaded("embedded")),
    ("OLLAMA_MODEL_MISSING", LOST): (serve_by_ollama, no_model),
    ("OLLAMA_MODEL_MISSING", EmbeddingFailed): (
        serve_by_ollama,
        embedding_failed("OLLAMA_MODEL_MISSING"),
    ),
    ("OLLAMA_MODEL_MISSING", IndexActivated): (
        steps(serve, no_model),
        lambda log: log.activate("ollama", generation="g2"),
    ),
    ("OLLAMA_MODEL_MISSING", IndexLost): (
        steps(start("ollama"), lambda log: log.activate("embedded"), no_model),
        lost_index,
    ),
    ("OLLAMA_MODEL_MISSING", ConfigReloaded): (steps(start(), no_model), reloaded("ollama")),
    ("INDEX_OF_ANOTHER_VAULT", LOST): (serve, foreign),
    ("DIMENSIONS_MISMATCH", LOST): (serve, wrong_size),
    ("DIMENSIONS_MISMATCH", EmbeddingFailed): (serve, embedding_failed("DIMENSIONS_MISMATCH", 1)),
    ("INDEX_MODEL_MISMATCH", LOST): (serve, mismatch),
    ("INDEX_MODEL_MISMATCH", EmbeddingFailed): (serve, embedding_failed("INDEX_MODEL_MISMATCH")),
    ("DISK_FULL", LOST): (serve, lose("disk", "DISK_FULL")),
    **{(code, LOST): (serve, lose("object_store", code)) for code in STORE_REASONS},
    ("LOG_QUARANTINED", SegmentQuarantined): (serve, quarantined),
    ("DELETIONS_HELD", DeletionsHeld): (serve, held(80)),
    ("INDEX_STALE", LOST): (steps(serve, change()), lose("freshness", "INDEX_STALE")),
    ("WATCH_LOST", WatchLost): (serve, lambda log: log.add(WatchLost(reason="inotify limit"))),
    ("VECTORS_PENDING", LOST): (
        steps(serve, store_without_vectors),
        lose("vectors", "VECTORS_PENDING"),
    ),
}

# (reason, the fact that clears it): what raised it, and the fact itself.
CLEARING: dict[tuple[str, type], tuple[Step, Step]] = {
    ("STARTING", RECOVERED): (start(), recover("index")),
    ("STARTING", LOST): (start(), missing),
    ("STARTING", IndexActivated): (start(), lambda log: log.activate()),
    ("STARTING", IndexLost): (start(), lost_index),
    ("INDEX_CORRUPTED", RECOVERED): (steps(serve, corrupt), recover("index")),
    ("INDEX_CORRUPTED", LOST): (steps(serve, corrupt), missing),
    ("INDEX_CORRUPTED", IndexActivated): (
        steps(serve, corrupt),
        lambda log: log.activate(generation="g2"),
    ),
    ("INDEX_CORRUPTED", IndexLost): (steps(serve, corrupt), lost_index),
    ("INDEX_CORRUPTED", JobFinished): (steps(serve, corrupt), finish("partial", "reindex")),
    ("INDEX_CORRUPTED", DaemonStarted): (steps(serve, corrupt), restart),
    ("INDEX_NOT_FOUND", BatchStored): (
        steps(start(), missing, lambda log: log.activate()),
        lambda log: log.store(NOTE),
    ),
    ("INDEX_NOT_FOUND", IndexActivated): (
        steps(
            start(),
            missing,
            lambda log: log.build("g2"),
            lambda log: log.store(NOTE, generation="g2"),
        ),
        lambda log: log.activate(generation="g2"),
    ),
    ("INDEX_NOT_FOUND", RECOVERED): (steps(serve, missing), recover("index")),
    ("INDEX_NOT_FOUND", LOST): (steps(serve, missing), corrupt),
    ("INDEX_NOT_FOUND", JobFinished): (steps(serve, missing), finish("complete", "reindex")),
    ("INDEX_NOT_FOUND", DaemonStarted): (steps(start(), missing), restart),
    ("INDEXER_FAILED", JobFinished): (steps(serve, finish("failed")), finish("partial")),
    ("VAULT_NOT_FOUND", VaultScanned): (steps(serve, unavailable("empty")), scanned),
    ("VAULT_NOT_FOUND", RECOVERED): (steps(serve, unavailable("missing")), recover("vault")),
    ("VAULT_NOT_FOUND", LOST): (steps(serve, unavailable("missing")), vault_hangs),
    ("VAULT_NOT_FOUND", DaemonStarted): (steps(serve, unavailable("moved")), restart),
    ("VAULT_NOT_RESPONDING", VaultScanned): (steps(serve, vault_hangs), scanned),
    ("VAULT_NOT_RESPONDING", VaultUnavailable): (
        steps(serve, vault_hangs),
        unavailable("missing"),
    ),
    ("VAULT_NOT_RESPONDING", RECOVERED): (steps(serve, vault_hangs), recover("vault")),
    ("VAULT_NOT_RESPONDING", LOST): (steps(serve, vault_hangs), no_vault),
    ("VAULT_NOT_RESPONDING", DaemonStarted): (steps(serve, vault_hangs), restart),
    ("OLLAMA_UNREACHABLE", RECOVERED): (steps(serve_by_ollama, ollama_away), recover("ollama")),
    ("OLLAMA_UNREACHABLE", IndexActivated): (
        steps(serve_by_ollama, ollama_away),
        lambda log: log.activate("embedded", generation="g2"),
    ),
    ("OLLAMA_UNREACHABLE", IndexLost): (steps(serve_by_ollama, ollama_away), lost_index),
    ("OLLAMA_UNREACHABLE", ConfigReloaded): (
        steps(start("ollama"), ollama_away),
        reloaded("auto"),
    ),
    ("OLLAMA_UNREACHABLE", DaemonStarted): (steps(serve_by_ollama, ollama_away), restart),
    ("OLLAMA_UNREACHABLE", LOST): (steps(serve_by_ollama, ollama_away), no_model),
    ("OLLAMA_MODEL_MISSING", LOST): (steps(serve_by_ollama, no_model), ollama_away),
    ("OLLAMA_MODEL_MISSING", RECOVERED): (steps(serve_by_ollama, no_model), recover("ollama")),
    ("OLLAMA_MODEL_MISSING", IndexActivated): (
        steps(serve_by_ollama, no_model),
        lambda log: log.activate("embedded", generation="g2"),
    ),
    ("OLLAMA_MODEL_MISSING", IndexLost): (steps(serve_by_ollama, no_model), lost_index),
    ("OLLAMA_MODEL_MISSING", ConfigReloaded): (steps(start("ollama"), no_model), reloaded("auto")),
    ("OLLAMA_MODEL_MISSING", DaemonStarted): (steps(serve_by_ollama, no_model), restart),
    ("INDEX_OF_ANOTHER_VAULT", RECOVERED): (steps(serve, foreign), recover("index")),
    ("INDEX_OF_ANOTHER_VAULT", LOST): (steps(serve, foreign), missing),
    ("INDEX_OF_ANOTHER_VAULT", IndexActivated): (
        steps(serve, foreign),
        lambda log: log.activate(generation="g2"),
    ),
    ("INDEX_OF_ANOTHER_VAULT", IndexLost): (steps(serve, foreign), lost_index),
    ("INDEX_OF_ANOTHER_VAULT", JobFinished): (steps(serve, foreign), finish("partial", "reindex")),
    ("INDEX_OF_ANOTHER_VAULT", DaemonStarted): (steps(serve, foreign), restart),
    ("DIMENSIONS_MISMATCH", RECOVERED): (steps(serve, wrong_size), recover("model")),
    ("DIMENSIONS_MISMATCH", LOST): (steps(serve, wrong_size), mismatch),
    ("DIMENSIONS_MISMATCH", EmbeddingFailed): (
        steps(serve, wrong_size),
        embedding_failed("INDEX_MODEL_MISMATCH"),
    ),
    ("DIMENSIONS_MISMATCH", DaemonStarted): (steps(serve, wrong_size), restart),
    ("INDEX_MODEL_MISMATCH", LOST): (steps(serve, mismatch), wrong_size),
    ("INDEX_MODEL_MISMATCH", EmbeddingFailed): (
        steps(serve, mismatch),
        embedding_failed("DIMENSIONS_MISMATCH"),
    ),
    ("OLLAMA_UNREACHABLE", EmbeddingFailed): (
        steps(serve_by_ollama, ollama_away),
        embedding_failed("OLLAMA_MODEL_MISSING"),
    ),
    ("OLLAMA_MODEL_MISSING", EmbeddingFailed): (
        steps(serve_by_ollama, no_model),
        embedding_failed("OLLAMA_UNREACHABLE"),
    ),
    ("EMBEDDER_UNAVAILABLE", RECOVERED): (steps(serve, worker_away), recover("embedder")),
    ("EMBEDDER_UNAVAILABLE", IndexActivated): (
        steps(serve, worker_away),
        lambda log: log.activate("ollama", generation="g2"),
    ),
    ("EMBEDDER_UNAVAILABLE", IndexLost): (steps(serve, worker_away), lost_index),
    ("EMBEDDER_UNAVAILABLE", ConfigReloaded): (
        steps(start("embedded"), worker_away),
        reloaded("ollama"),
    ),
    ("EMBEDDER_UNAVAILABLE", DaemonStarted): (steps(serve, worker_away), restart),
    ("INDEX_MODEL_MISMATCH", RECOVERED): (steps(serve, mismatch), recover("model")),
    ("INDEX_MODEL_MISMATCH", IndexActivated): (
        steps(serve, mismatch),
        lambda log: log.activate(generation="g2"),
    ),
    ("INDEX_MODEL_MISMATCH", IndexLost): (steps(serve, mismatch), lost_index),
    ("INDEX_MODEL_MISMATCH", DaemonStarted): (steps(serve, mismatch), restart),
    ("DISK_FULL", RECOVERED): (steps(serve, lose("disk", "DISK_FULL")), recover("disk")),
    ("DISK_FULL", DaemonStarted): (steps(serve, lose("disk", "DISK_FULL")), restart),
    **{
        (code, cleared): (steps(serve, lose("object_store", code)), step)
        for code in STORE_REASONS
        for cleared, step in {
            RECOVERED: recover("object_store"),
            LOST: lose("object_store", "SOMETHING_ELSE"),
            DaemonStarted: restart,
        }.items()
    },
    ("LOG_QUARANTINED", JobFinished): (steps(serve, quarantined), finish("complete", "full")),
    ("DELETIONS_HELD", DeletionsHeld): (steps(serve, held(80)), held(0)),
    ("DELETIONS_HELD", VaultScanned): (steps(serve, papers_held), scanned),
    ("DELETIONS_HELD", ConfigReloaded): (steps(serve, papers_held), reloaded("embedded")),
    ("COLLECTION_NOT_FOUND", VaultScanned): (steps(serve, papers_away), roots()),
    ("COLLECTION_NOT_FOUND", RECOVERED): (steps(serve, papers_hang), papers_back),
    ("COLLECTION_NOT_FOUND", ConfigReloaded): (steps(serve, papers_away), reloaded("embedded")),
    ("COLLECTION_NOT_FOUND", DaemonStarted): (steps(serve, papers_away), restart),
    ("WATCH_LOST", VaultScanned): (steps(serve, papers_unwatched), scanned),
    ("WATCH_LOST", ConfigReloaded): (steps(serve, papers_unwatched), reloaded("embedded")),
    ("DELETIONS_HELD", IndexLost): (steps(serve, held(80)), lost_index),
    ("INDEX_STALE", BatchStored): (stale, lambda log: log.store(NOTE, sha="s2")),
    ("INDEX_STALE", VaultScanned): (stale, scanned),
    ("INDEX_STALE", FileSkipped): (
        steps(serve, change("draft.md", "added"), lose("freshness", "INDEX_STALE")),
        lambda log: log.add(FileSkipped(path="draft.md", reason="too-large")),
    ),
    ("INDEX_STALE", FileFailed): (
        stale,
        lambda log: log.add(FileFailed(path=NOTE, code="DECODE_FAILED", detail="not text")),
    ),
    ("INDEX_STALE", FilesChanged): (
        steps(serve, change("draft.md", "added"), lose("freshness", "INDEX_STALE")),
        change("draft.md", "deleted"),
    ),
    ("INDEX_STALE", RECOVERED): (stale, recover("freshness")),
    ("INDEX_STALE", IndexLost): (stale, lost_index),
    ("INDEX_STALE", DaemonStarted): (stale, restart),
    ("WATCH_LOST", WatchStarted): (
        steps(serve, lambda log: log.add(WatchLost(reason="inotify limit"))),
        lambda log: log.add(WatchStarted(how="polling")),
    ),
    ("WATCH_LOST", DaemonStarted): (
        steps(serve, lambda log: log.add(WatchLost(reason="inotify limit"))),
        restart,
    ),
    ("VECTORS_PENDING", VectorsFilled): (pending, lambda log: log.fill("slow.md", chunks=3)),
    ("VECTORS_PENDING", VectorsRecounted): (pending, lambda log: log.recount("slow.md", 4)),
    ("VECTORS_PENDING", BatchStored): (pending, lambda log: log.store("slow.md", sha="s2")),
    ("VECTORS_PENDING", RECOVERED): (pending, recover("vectors")),
    ("VECTORS_PENDING", IndexActivated): (
        steps(pending, lambda log: log.build("g2"), lambda log: log.store(NOTE, generation="g2")),
        lambda log: log.activate(generation="g2"),
    ),
    ("VECTORS_PENDING", IndexLost): (pending, lost_index),
    ("VECTORS_PENDING", DaemonStarted): (pending, restart),
}


def pairs(column: str) -> set[tuple[str, type]]:
    return {(reason.code, kind) for reason in REASONS for kind in getattr(reason, column)}


def name(value: Any) -> str:
    return f"{value[0]}-{value[1].__name__}"


# The table


def test_every_pair_of_the_table_is_tried_here_and_no_other() -> None:
    assert set(RAISING) == pairs("raised_by")
    assert set(CLEARING) == pairs("cleared_by")


@pytest.mark.parametrize("pair", RAISING, ids=name)
def test_a_reason_is_raised_by_the_fact_that_its_line_names(
    log: Log, pair: tuple[str, type[Fact]]
) -> None:
    code, kind = pair
    before, fact = RAISING[pair]
    before(log)
    assert code not in log.state.health.reasons
    lost_already = bool(log.state.health.lost)
    record = fact(log)
    assert type(record.event) is kind
    raised = log.state.health.reasons[code]
    assert raised.seq == record.seq
    lost_before = lost_already and kind in (IndexActivated, IndexLost, ConfigReloaded)
    assert raised.since < record.ts if lost_before else raised.since == record.ts
    assert SEVERITY[log.state.health.state] >= SEVERITY[log.state.health.states[code]]


@pytest.mark.parametrize("pair", CLEARING, ids=name)
def test_a_reason_is_cleared_by_the_fact_that_its_line_names(
    log: Log, pair: tuple[str, type[Fact]]
) -> None:
    code, kind = pair
    before, fact = CLEARING[pair]
    before(log)
    assert code in log.state.health.reasons
    record = fact(log)
    assert type(record.event) is kind
    assert code not in log.state.health.reasons
    assert code not in log.state.health.states


@pytest.mark.parametrize("pair", RAISING, ids=name)
def test_since_and_seq_are_those_of_the_raising_record_for_as_long_as_it_holds(
    log: Log, pair: tuple[str, type[Fact]]
) -> None:
    code, _ = pair
    before, fact = RAISING[pair]
    before(log)
    fact(log)
    raised = log.state.health.reasons[code]
    log.add(HealthChanged(before="healthy", after="degraded", reasons=[code]))
    log.add(WatchStarted() if code != "WATCH_LOST" else WatchLost(reason="again"))
    log.change("another.md")
    log.through_a_snapshot()
    if code != "OLLAMA_MODEL_MISSING":  # the server is there, or it is not
        log.lose("ollama", "OLLAMA_UNREACHABLE")
    assert log.state.health.reasons[code] == raised


def test_a_restored_reason_begins_anew(log: Log) -> None:
    log.serve("ollama")
    log.lose("ollama", "OLLAMA_UNREACHABLE")
    log.recover("ollama")
    record = log.lose("ollama", "OLLAMA_UNREACHABLE")
    raised = log.state.health.reasons["OLLAMA_UNREACHABLE"]
    assert (raised.since, raised.seq) == (record.ts, record.seq)


def test_a_loss_may_say_that_it_began_before_it_could_be_recorded(log: Log) -> None:
    log.serve()
    log.lose("disk", "DISK_FULL", since="2026-11-15T13:00:00.000000Z")
    assert log.state.health.reasons["DISK_FULL"].since == "2026-11-15T13:00:00.000000Z"


def test_since_is_that_of_the_dependency_in_question_whatever_code_another_one_gave(
    log: Log,
) -> None:
    log.serve("ollama")
    log.lose("embedder", "OLLAMA_UNREACHABLE", since="2026-01-01T00:00:00.000000Z")
    record = log.lose("ollama", "OLLAMA_UNREACHABLE")
    assert log.state.health.reasons["OLLAMA_UNREACHABLE"].since == record.ts


def test_no_reasons_is_healthy(log: Log) -> None:
    log.serve()
    assert log.state.health.reasons == {}
    assert (log.state.health.state, log.state.health.worst_first) == (HEALTHY, [])


def test_the_state_is_the_worst_of_the_reasons_and_the_worst_is_named_first(log: Log) -> None:
    log.serve("ollama")
    log.add(WatchLost(reason="inotify limit"))
    log.lose("ollama", "OLLAMA_UNREACHABLE")
    assert log.state.health.state == DEGRADED
    log.lose("index", "INDEX_CORRUPTED")
    assert log.state.health.state == UNAVAILABLE
    assert log.state.health.worst_first == ["INDEX_CORRUPTED", "OLLAMA_UNREACHABLE", "WATCH_LOST"]
    log.recover("index")
    assert log.state.health.state == DEGRADED


def test_every_reason_is_an_error_code_with_message_suggestion_and_status() -> None:
    for reason in REASONS:
        kind = CODES[reason.code]
        assert kind.status in (DEGRADED, UNAVAILABLE)
        assert kind.message
        assert kind.suggestion
        assert kind.recoverable


def test_every_reason_is_declared_once_and_names_what_raises_and_clears_it() -> None:
    codes = [reason.code for reason in REASONS]
    assert len(set(codes)) == len(codes) == 25
    assert all(reason.raised_by and reason.cleared_by for reason in REASONS)


@pytest.mark.parametrize(
    ("code", "state"),
    [
        *((code, UNAVAILABLE) for code in ("STARTING", "INDEX_NOT_FOUND", "INDEX_CORRUPTED")),
        ("INDEX_OF_ANOTHER_VAULT", UNAVAILABLE),
        *((code, UNAVAILABLE) for code in ("STORE_UNSAFE", "INDEX_HELD")),
        *((code, DEGRADED) for code in ("STORE_UNREACHABLE", "STORE_DENIED", "STORE_FULL")),
        ("STORE_BUCKET_MISSING", DEGRADED),
        *((code, DEGRADED) for code in ("OLLAMA_MODEL_MISSING", "DIMENSIONS_MISMATCH")),
        *((code, DEGRADED) for code in ("OLLAMA_UNREACHABLE", "EMBEDDER_UNAVAILABLE")),
        *((code, DEGRADED) for code in ("VECTORS_PENDING", "INDEX_STALE", "INDEX_MODEL_MISMATCH")),
        *((code, DEGRADED) for code in ("WATCH_LOST", "DISK_FULL", "LOG_QUARANTINED")),
        ("VAULT_NOT_RESPONDING", DEGRADED),
        *((code, DEGRADED) for code in ("DELETIONS_HELD", "VAULT_NOT_FOUND", "INDEXER_FAILED")),
    ],
)
def test_each_reason_forces_the_state_of_the_design_while_documents_serve(
    code: str, state: str
) -> None:
    reason = next(r for r in REASONS if r.code == code)
    assert reason.state(cast(Any, SimpleNamespace(documents=1))) == state


# Providers


def test_without_ollama_an_embedded_index_is_healthy(log: Log) -> None:
    log.serve("embedded")
    log.lose("ollama", "OLLAMA_UNREACHABLE")
    assert log.state.health.state == HEALTHY
    assert "ollama" in log.state.health.lost  # recorded as well


def test_without_an_index_ollama_matters_only_where_it_is_configured(log: Log) -> None:
    for provider, matters in [("auto", False), ("embedded", False), ("ollama", True)]:
        log.start(provider)
        log.lose("ollama", "OLLAMA_UNREACHABLE")
        assert ("OLLAMA_UNREACHABLE" in log.state.health.reasons) is matters


def test_the_space_of_the_index_counts_and_not_the_configured_provider(log: Log) -> None:
    log.start("embedded")
    log.activate("ollama")
    log.store("a.md")
    log.lose("ollama", "OLLAMA_UNREACHABLE")
    log.lose("embedder", "EMBEDDER_UNAVAILABLE")
    assert list(log.state.health.reasons) == ["OLLAMA_UNREACHABLE"]


def test_a_loss_with_an_unknown_code_is_still_a_loss(log: Log) -> None:
    log.serve("ollama")
    log.lose("ollama", "MODEL_MISSING")
    log.lose("vault", "ESTALE")
    log.lose("index", "INDEX_UNREADABLE")
    assert log.state.health.worst_first == [
        *("INDEX_CORRUPTED", "VAULT_NOT_FOUND", "OLLAMA_UNREACHABLE")
    ]


def test_causes_are_named_before_their_effects(log: Log) -> None:
    for step in (serve_by_ollama, store_without_vectors, change(), finish("failed"), mismatch):
        step(log)
    for step in (no_model, no_vault, lose("vectors"), lose("freshness")):
        step(log)
    log.add(WatchLost(reason="inotify limit"))
    log.lose("disk", "DISK_FULL")
    quarantined(log)
    assert log.state.health.worst_first == [
        *("VAULT_NOT_FOUND", "DISK_FULL", "OLLAMA_MODEL_MISSING", "INDEX_MODEL_MISMATCH"),
        *("LOG_QUARANTINED", "INDEXER_FAILED", "WATCH_LOST", "INDEX_STALE", "VECTORS_PENDING"),
    ]


def test_without_an_index_the_vault_or_the_disk_is_named_first_and_then_the_job(log: Log) -> None:
    log.start()
    missing(log)
    log.finish("failed")
    assert log.state.health.worst_first == ["INDEXER_FAILED", "INDEX_NOT_FOUND"]
    log.lose("disk", "DISK_FULL")
    no_vault(log)
    assert log.state.health.worst_first == [
        *("VAULT_NOT_FOUND", "DISK_FULL", "INDEXER_FAILED", "INDEX_NOT_FOUND")
    ]


def test_a_job_that_failed_because_the_index_is_missing_is_named_after_it(log: Log) -> None:
    log.serve()
    lost_index(log)
    log.finish("failed", code="INDEX_NOT_FOUND")
    assert log.state.health.worst_first == ["INDEX_NOT_FOUND", "INDEXER_FAILED"]


def test_an_index_that_was_removed_is_known_as_such_until_there_is_another(log: Log) -> None:
    log.serve()
    assert log.state.health.index_removed is False
    lost_index(log)
    assert log.state.health.index_removed is True
    restart(log)
    assert log.state.health.index_removed is True
    log.activate(generation="g2")
    assert log.state.health.index_removed is False


def test_an_index_of_another_vault_is_neither_damaged_nor_missing(log: Log) -> None:
    log.serve()
    foreign(log)
    assert log.state.health.worst_first == ["INDEX_OF_ANOTHER_VAULT"]
    assert log.state.health.state == UNAVAILABLE
    log.add(IndexLost(reason="vault_changed"))
    assert log.state.health.worst_first == ["INDEX_NOT_FOUND"]


def test_another_index_does_not_undo_sizes_that_differ(log: Log) -> None:
    log.serve("ollama")
    log.add(DependencyLost(dependency="model", code="DIMENSIONS_MISMATCH", configured=9, made=8))
    since = log.state.health.lost["model"].since
    log.activate("ollama", generation="g2")
    log.add(EmbeddingFailed(code="DIMENSIONS_MISMATCH", attempt=1, configured=9, made=8))
    assert log.state.health.lost["model"].since == since
    log.add(EmbeddingFailed(code="DIMENSIONS_MISMATCH", attempt=1, configured=9, made=7))
    assert (log.state.health.lost["model"].configured, log.state.health.lost["model"].made) == (
        9,
        7,
    )


def test_one_failed_attempt_is_a_blip_and_two_are_a_loss(log: Log) -> None:
    log.serve("ollama")
    embedding_failed("OLLAMA_UNREACHABLE", attempt=1)(log)
    assert log.state.health.state == HEALTHY
    embedding_failed("OLLAMA_UNREACHABLE", attempt=2)(log)
    assert log.state.health.worst_first == ["OLLAMA_UNREACHABLE"]


def test_an_embedding_that_failed_for_another_reason_is_not_a_loss(log: Log) -> None:
    log.serve("ollama")
    embedding_failed("SENSITIVE_FILTERED", attempt=3)(log)
    assert log.state.health.state == HEALTHY


# The index


def test_starting_holds_until_the_index_has_been_looked_at(log: Log) -> None:
    log.start()
    assert log.state.health.worst_first == ["STARTING"]
    log.recover("vault")
    log.recover("ollama")
    log.add(WatchStarted())
    assert log.state.health.worst_first == ["STARTING"]
    log.recover("index")
    assert log.state.health.worst_first == ["INDEX_NOT_FOUND"]


def test_the_first_stored_document_ends_index_not_found_without_another_probe(log: Log) -> None:
    log.start()
    log.lose("index", "INDEX_NOT_FOUND")
    assert log.state.health.state == UNAVAILABLE
    log.activate()
    assert log.state.health.state == UNAVAILABLE
    log.store("a.md")
    assert log.state.health.state == HEALTHY


def test_a_table_that_is_recorded_before_it_serves_is_not_an_index(log: Log) -> None:
    log.start()
    log.lose("index", "INDEX_NOT_FOUND")
    log.store("a.md")
    assert log.state.health.worst_first == ["INDEX_NOT_FOUND"]
    log.activate()
    assert log.state.health.state == HEALTHY


def test_a_batch_that_stores_nothing_does_not_end_index_not_found(log: Log) -> None:
    log.serve()
    log.lose("index", "INDEX_NOT_FOUND")
    log.store(removed=["a.md"])
    assert log.state.health.worst_first == ["INDEX_NOT_FOUND"]


def test_a_damaged_index_is_not_called_missing_as_well(log: Log) -> None:
    log.start()
    log.lose("index", "INDEX_CORRUPTED")
    assert log.state.health.worst_first == ["INDEX_CORRUPTED"]


def test_a_sync_does_not_mend_a_damaged_index_and_a_failed_reindex_does_not_either(
    log: Log,
) -> None:
    log.serve()
    log.lose("index", "INDEX_CORRUPTED")
    log.finish("complete", "sync")
    log.finish("complete", "full")
    log.finish("failed", "reindex")
    log.finish("cancelled", "reindex")
    assert "INDEX_CORRUPTED" in log.state.health.reasons


def test_a_reindex_beside_a_serving_index_leaves_it_healthy(log: Log) -> None:
    log.serve()
    log.build("g2", "reindex-1")
    log.store("Journal/2024-01-15.md", chunks=9, embedded=0, generation="g2", job="reindex-1")
    log.lose("vectors", "VECTORS_PENDING")
    assert log.state.health.state == HEALTHY


# The vault and the jobs


@pytest.mark.parametrize(
    ("code", "fact"),
    [
        ("VAULT_NOT_FOUND", unavailable("missing")),
        ("VAULT_NOT_FOUND", unavailable("empty")),
        ("VAULT_NOT_RESPONDING", vault_hangs),
        ("INDEXER_FAILED", finish("failed")),
    ],
)
def test_no_vault_or_a_failed_job_is_unavailable_without_an_index_and_degraded_with_one(
    log: Log, code: str, fact: Step
) -> None:
    log.start()
    log.recover("index")
    fact(log)
    assert log.state.health.states[code] == UNAVAILABLE
    log.activate()
    log.store("a.md")
    assert (log.state.health.states[code], log.state.health.state) == (DEGRADED, DEGRADED)
    log.store(removed=["a.md"])
    assert log.state.health.states[code] == UNAVAILABLE


@pytest.mark.parametrize("reason", ["empty", "moved"])
def test_a_root_that_answers_a_probe_does_not_make_an_empty_vault_right(
    log: Log, reason: str
) -> None:
    log.serve()
    log.add(VaultUnavailable(reason=cast(Any, reason)))
    log.recover("vault")
    assert log.state.health.worst_first == ["VAULT_NOT_FOUND"]
    scanned(log)
    assert log.state.health.state == HEALTHY


@pytest.mark.parametrize("reason", ["missing", "unreadable"])
def test_a_root_that_answers_again_is_back(log: Log, reason: str) -> None:
    log.serve()
    log.add(VaultUnavailable(reason=cast(Any, reason)))
    log.recover("vault")
    assert log.state.health.state == HEALTHY


def test_a_cancelled_job_neither_raises_nor_clears_indexer_failed(log: Log) -> None:
    log.serve()
    log.finish("cancelled")
    assert log.state.health.state == HEALTHY
    log.finish("failed")
    log.finish("cancelled")
    assert log.state.health.worst_first == ["INDEXER_FAILED"]


def test_a_sync_does_not_end_a_quarantine(log: Log) -> None:
    log.serve()
    quarantined(log)
    log.finish("complete", "sync")
    assert log.state.health.worst_first == ["LOG_QUARANTINED"]


def test_the_index_stays_stale_while_another_old_change_waits(log: Log) -> None:
    log.serve()
    log.change("a.md", "b.md")
    log.lose("freshness", "INDEX_STALE")
    log.store("a.md")
    assert log.state.health.worst_first == ["INDEX_STALE"]
    log.store("b.md")
    assert log.state.health.state == HEALTHY


def test_a_change_after_the_index_was_stale_once_is_not_stale_by_itself(log: Log) -> None:
    log.serve()
    log.change("a.md")
    log.lose("freshness", "INDEX_STALE")
    log.store("a.md")
    log.change("a.md")
    assert log.state.health.state == HEALTHY


def test_new_chunks_after_the_backlog_was_empty_once_are_not_pending_by_themselves(
    log: Log,
) -> None:
    log.serve()
    store_without_vectors(log)
    log.lose("vectors", "VECTORS_PENDING")
    log.fill("slow.md", chunks=3)
    store_without_vectors(log)
    assert log.state.health.state == HEALTHY


def test_a_loss_of_freshness_without_a_waiting_change_is_nothing(log: Log) -> None:
    log.serve()
    log.lose("freshness", "INDEX_STALE")
    log.lose("vectors", "VECTORS_PENDING")
    assert log.state.health.state == HEALTHY
    log.add(FilesChanged(changes=[FileChange("a.md", "modified")]))
    assert log.state.health.state == HEALTHY


def test_a_vault_without_scans_is_stale_until_it_is_scanned(log: Log) -> None:
    log.serve()
    log.lose("scan", "INDEX_STALE")
    assert log.state.health.worst_first == ["INDEX_STALE"]
    scanned(log)
    assert log.state.health.state == HEALTHY
    assert log.state.health.lost == {}


# Restarts


def test_a_restart_forgets_what_probes_said_and_keeps_what_needs_a_job(log: Log) -> None:
    log.serve("ollama")
    quarantined(log)
    held(80)(log)
    log.finish("failed")
    kept = dict(log.state.health.reasons)
    causes: dict[Dependency, str] = {
        "ollama": "OLLAMA_UNREACHABLE",
        "index": "INDEX_CORRUPTED",
        "vault": "VAULT_NOT_FOUND",
        "model": "INDEX_MODEL_MISMATCH",
        "disk": "DISK_FULL",
    }
    for dependency, code in causes.items():
        log.lose(dependency, code)
    log.add(WatchLost(reason="inotify limit"), VaultUnavailable(reason="moved"))
    assert len(log.state.health.reasons) == len(kept) + 6
    log.add(DaemonStopped(reason="signal"))
    restart(log)
    reasons = dict(log.state.health.reasons)
    assert reasons.pop("STARTING").seq == log.state.seq
    assert reasons == kept
    assert set(kept) == {"LOG_QUARANTINED", "DELETIONS_HELD", "INDEXER_FAILED"}


def test_the_audit_line_is_never_folded(log: Log) -> None:
    log.serve()
    log.add(HealthChanged(before="healthy", after="unavailable", reasons=["INDEX_CORRUPTED"]))
    assert log.state.health.state == HEALTHY


# The six transitions of the contract, each as it happens


def test_healthy_becomes_degraded_when_ollama_stops_answering(log: Log) -> None:
    log.serve("ollama")
    log.recover("ollama")
    assert log.state.health.state == HEALTHY
    log.lose("ollama", "OLLAMA_UNREACHABLE")
    assert log.state.health.state == DEGRADED
    assert log.state.health.worst_first == ["OLLAMA_UNREACHABLE"]


def test_degraded_becomes_healthy_when_ollama_answers_again(log: Log) -> None:
    log.serve("ollama")
    log.lose("ollama", "OLLAMA_UNREACHABLE")
    log.change("a.md")
    log.begin("watch-1")
    log.store("a.md", chunks=2, embedded=0, job="watch-1")
    log.finish("complete", job="watch-1")
    log.lose("vectors", "VECTORS_PENDING")
    assert log.state.health.worst_first == ["OLLAMA_UNREACHABLE", "VECTORS_PENDING"]
    log.recover("ollama")
    assert log.state.health.state == DEGRADED  # the vectors it owes us are still missing
    log.fill("a.md", chunks=2)
    assert log.state.health.state == HEALTHY


def test_healthy_becomes_unavailable_when_the_index_is_deleted_or_damaged(log: Log) -> None:
    log.serve()
    log.lose("index", "INDEX_CORRUPTED")
    assert log.state.health.state == UNAVAILABLE
    log.recover("index")
    assert log.state.health.state == HEALTHY
    log.lose("index", "INDEX_NOT_FOUND")
    assert log.state.health.state == UNAVAILABLE
    log.add(IndexLost(reason="missing"))
    assert log.state.health.worst_first == ["INDEX_NOT_FOUND"]


def test_unavailable_becomes_healthy_after_a_successful_reindex(log: Log) -> None:
    log.serve()
    log.lose("index", "INDEX_CORRUPTED")
    log.build("g2", "reindex-1")
    log.store("Journal/2024-01-15.md", "b.md", generation="g2", job="reindex-1")
    assert log.state.health.state == UNAVAILABLE
    log.activate(generation="g2")
    log.finish("complete", "reindex", job="reindex-1")
    assert log.state.health.state == HEALTHY
    assert log.state.catalog.documents == 2


def test_degraded_becomes_unavailable_when_the_index_breaks_while_ollama_is_down(log: Log) -> None:
    log.serve("ollama")
    log.lose("ollama", "OLLAMA_UNREACHABLE")
    assert log.state.health.state == DEGRADED
    log.lose("index", "INDEX_CORRUPTED")
    assert log.state.health.state == UNAVAILABLE
    assert log.state.health.worst_first == ["INDEX_CORRUPTED", "OLLAMA_UNREACHABLE"]


def test_unavailable_becomes_degraded_when_the_index_is_restored_and_ollama_is_still_down(
    log: Log,
) -> None:
    log.serve("ollama")
    down = log.lose("ollama", "OLLAMA_UNREACHABLE")
    log.lose("index", "INDEX_CORRUPTED")
    log.recover("index")
    assert log.state.health.state == DEGRADED
    assert log.state.health.worst_first == ["OLLAMA_UNREACHABLE"]
    assert log.state.health.reasons["OLLAMA_UNREACHABLE"].seq == down.seq
