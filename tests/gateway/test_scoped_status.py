"""The status and the health for an agent that may not see everything, made from plain values."""

import pytest
from msgspec import to_builtins

from ragd.access.scope import EVERYTHING, Scope
from ragd.config.schema import CollectionSettings
from ragd.events import (
    BatchStored,
    DeletionsHeld,
    DependencyLost,
    Event,
    FileChange,
    FileError,
    FileFailed,
    FilesChanged,
    FileSkipped,
    HeldCollection,
    IndexActivated,
    JobFinished,
    JobRequested,
    JobStarted,
    LanguageCount,
    ScannedCollection,
    StoredFile,
    TemplateFolder,
    VaultScanned,
    WatchLost,
)
from ragd.folds import State
from ragd.gateway.scope_counts import ScopeCounter
from ragd.gateway.scoped_status import scoped_status
from ragd.gateway.status import status_envelope
from ragd.health.scoped_health import scoped_health, visible_state
from ragd.protocol.envelope import Envelope
from tests.gateway.test_status import folded, live

KNOWN = frozenset({"papers", "secret"})
OPEN = Scope(frozenset({"vault", "papers"}), KNOWN)
ONLY_PAPERS = Scope(frozenset({"papers"}), KNOWN)
NS = 1_000_000_000


def stored(path: str, mtime_s: int, chunks: int, embedded: int) -> StoredFile:
    return StoredFile(
        path=path, sha256="0", mtime_ns=mtime_s * NS, size=1, chunks=chunks, embedded=embedded
    )


INDEXED: tuple[Event, ...] = (
    JobRequested(job_id="j", mode="full"),
    JobStarted(job_id="j", mode="full", files_planned=7730, files_removed=0),
    IndexActivated(generation="g1", provider="embedded", model="m", dimensions=3),
    BatchStored(
        job_id="j",
        files=[
            stored("a.md", 1_000, 4, 3),
            stored("@papers/b.md", 2_000, 2, 2),
            stored("@secret/c.md", 3_000, 10, 1),
        ],
        removed=[],
        table_version=7,
        generation="g1",
    ),
    FileSkipped(path="@secret/canary.md", reason="it is too large"),
    FileFailed(path="@secret/broken.md", code="INTERNAL", detail="unreadable"),
    FileFailed(path="bad.md", code="INTERNAL", detail="unreadable"),
    FilesChanged(
        changes=[
            FileChange(path="@secret/new.md", kind="modified"),
            FileChange(path="new.md", kind="modified"),
        ]
    ),
)


def found(root: str, **more: object) -> ScannedCollection:
    return ScannedCollection(collection=root, **more)  # type: ignore[arg-type]


def scanned(*collections: ScannedCollection) -> VaultScanned:
    return VaultScanned(
        files=3,
        changed=1,
        removed=0,
        newest_mtime="2030-01-01T00:00:00.000000Z",
        templates=[TemplateFolder(path="T", notes=3), TemplateFolder(path="@secret/T", notes=9)],
        languages=[LanguageCount(code="sw", notes=7712)],
        collections=list(collections),
    )


def status(scope: Scope, *facts: Event) -> Envelope:
    state = folded(*INDEXED, *facts)
    now = live()
    now.collections = {name: CollectionSettings(path=f"/{name}") for name in sorted(KNOWN)}
    seen = visible_state(state, scope)
    health = scoped_health(now.health(state), state, scope)
    counted = ScopeCounter().count(state, scope)
    return scoped_status(status_envelope(seen, now), seen, scope, counted, health, "m")


def codes(scope: Scope, *facts: Event) -> list[str]:
    state = folded(*INDEXED, *facts)
    return scoped_health(live().health(state), state, scope).codes


def test_the_numbers_are_those_of_the_scope() -> None:
    data = status(OPEN).data
    counts = ("total_docs", "total_chunks", "chunks_embedded", "chunks_pending", "unindexed_files")
    assert [data[name] for name in counts] == [2, 6, 5, 1, 1]
    assert data["skipped"] == {"total": 0, "reasons": {}, "files": []}
    assert [one["path"] for one in data["failed"]["files"]] == ["bad.md"]
    assert (data["failed"]["total"], data["failed"]["reasons"]) == (1, {"unreadable": 1})
    assert [(one["name"], one["notes"]) for one in data["collections"]] == [
        ("vault", 1),
        ("papers", 1),
    ]


def test_the_newest_time_is_that_of_the_scope_and_the_version_is_left_out() -> None:
    about = status(OPEN, scanned()).meta
    assert (about.vault_mtime, about.index_version) == ("1970-01-01T00:33:20.000000Z", "g1")


def test_nothing_of_the_other_collections_is_in_it() -> None:
    roots = (found("vault"), found("papers"), found("secret", gone="missing"))
    ended = JobFinished(
        job_id="j",
        mode="full",
        outcome="partial",
        indexed_files=7723,
        removed_files=0,
        total_chunks=7717,
        duration_ms=1,
        errors=[
            FileError(file="@secret/broken.md", message="unreadable"),
            FileError(file="bad.md", message="unreadable"),
        ],
        errors_total=7729,
    )
    held = DeletionsHeld(count=7719, collections=[HeldCollection(collection="secret", count=7719)])
    text = str(to_builtins(status(OPEN, scanned(*roots), ended, held)))
    for word in ("secret", "7723", "7717", "7729", "7719", "7712", "sw", "7730"):
        assert word not in text, word
    assert "bad.md" in text and "'T'" in text


def test_without_the_vault_nothing_of_it_is_in_the_status() -> None:
    data = status(ONLY_PAPERS, scanned()).data
    assert data["vault"] is None
    assert [one["name"] for one in data["collections"]] == ["papers"]
    assert "bad.md" not in str(to_builtins(data)) and "'T'" not in str(to_builtins(data))


def test_a_job_has_no_numbers() -> None:
    job = status(OPEN).data["active_job"]
    assert set(job) == {"id", "mode", "phase"}


HELD_IN_SECRET = DeletionsHeld(count=3, collections=[HeldCollection(collection="secret", count=3)])
HELD_IN_PAPERS = DeletionsHeld(count=3, collections=[HeldCollection(collection="papers", count=3)])


@pytest.mark.parametrize(
    ("fact", "code", "concerned"),
    [
        (DependencyLost(dependency="vault", code="VAULT_NOT_FOUND"), "VAULT_NOT_FOUND", {"vault"}),
        (
            scanned(found("vault"), found("papers"), found("secret", gone="empty")),
            "COLLECTION_NOT_FOUND",
            {"secret"},
        ),
        (HELD_IN_SECRET, "DELETIONS_HELD", {"secret"}),
        (HELD_IN_PAPERS, "DELETIONS_HELD", {"papers"}),
        (DeletionsHeld(count=3), "DELETIONS_HELD", {"vault"}),
        (WatchLost(reason="OSError", collection="secret"), "WATCH_LOST", {"secret"}),
        (WatchLost(reason="OSError"), "WATCH_LOST", {"vault"}),
        (
            DependencyLost(dependency="freshness", code="INDEX_STALE"),
            "INDEX_STALE",
            {"vault", "secret"},
        ),
        (
            DependencyLost(dependency="vectors", code="VECTORS_PENDING"),
            "VECTORS_PENDING",
            {"vault", "secret"},
        ),
        (
            DependencyLost(dependency="disk", code="DISK_FULL"),
            "DISK_FULL",
            {"vault", "papers", "secret"},
        ),
    ],
)
def test_a_reason_concerns_those_who_may_search_what_it_is_about(
    fact: Event, code: str, concerned: set[str]
) -> None:
    assert code in codes(EVERYTHING, fact)
    for name in ("vault", "papers", "secret"):
        scope = Scope(frozenset({name}), KNOWN)
        assert (code in codes(scope, fact)) == (name in concerned), name


def test_what_makes_the_daemon_unavailable_concerns_everybody() -> None:
    state = folded(DependencyLost(dependency="vault", code="VAULT_NOT_FOUND"))  # and no index
    assert "VAULT_NOT_FOUND" in scoped_health(live().health(state), state, ONLY_PAPERS).codes


def test_a_message_names_only_collections_in_scope() -> None:
    lost = scanned(found("vault"), found("papers", gone="missing"), found("secret", gone="empty"))
    reasons = {one["code"]: one["message"] for one in status(OPEN, lost).data["reasons"]}
    assert "@papers" in reasons["COLLECTION_NOT_FOUND"]
    assert "secret" not in str(reasons)


def test_counts_are_kept_for_a_version_and_not_longer() -> None:
    counter = ScopeCounter()
    state: State = folded(*INDEXED)
    first = counter.count(state, OPEN).stored
    assert counter.count(state, OPEN).stored is first
    more = BatchStored(
        job_id="j",
        files=[stored("d.md", 9_000, 1, 1)],
        removed=["a.md"],
        table_version=8,
        generation="g1",
    )
    changed = counter.count(folded(*INDEXED, more), OPEN).stored
    assert (changed.documents, changed.chunks) == (2, 3)
