"""Collections in the folds: each root is judged by itself."""

from typing import Any

from ragd.errors import DEGRADED, HEALTHY
from ragd.events import (
    ConfigReloaded,
    DaemonStarted,
    DeletionsHeld,
    DependencyRecovered,
    FileChange,
    FileFailed,
    FilesChanged,
    FileSkipped,
    HeldCollection,
    JobRequested,
    ScannedCollection,
    SegmentQuarantined,
    VaultScanned,
    VaultUnavailable,
    WatchLost,
    WatchStarted,
)
from ragd.folds import decode_state, encode_state
from ragd.vault.collection_paths import VAULT
from tests.folds.conftest import Log

PAPERS = "papers"


def scan(log: Log, *roots: ScannedCollection, **fields: Any) -> Any:
    changed, removed = (sum(getattr(one, name) for one in roots) for name in ("changed", "removed"))
    counts = {"files": 1, "changed": changed, "removed": removed, **fields}
    return log.add(VaultScanned(collections=list(roots), **counts))


def found(name: str, **more: Any) -> ScannedCollection:
    return ScannedCollection(name, **more)


def test_a_lost_collection_degrades_and_never_makes_unavailable(log: Log) -> None:
    log.serve("embedded")
    log.add(VaultUnavailable(reason="missing", collection=PAPERS))
    health = log.state.health
    assert (health.state, list(health.reasons)) == (DEGRADED, ["COLLECTION_NOT_FOUND"])
    assert health.is_lost(PAPERS) and not health.is_lost(VAULT)
    scan(log, found(VAULT), found(PAPERS))
    assert log.state.health.state == HEALTHY


def test_a_scan_that_finds_only_a_collection_leaves_the_vault_lost(log: Log) -> None:
    log.serve("embedded")
    scan(log, found(VAULT, gone="missing"), found(PAPERS))
    assert list(log.state.health.reasons) == ["VAULT_NOT_FOUND"]
    scan(log, found(VAULT), found(PAPERS))
    assert not log.state.health.reasons


def test_only_a_scan_can_tell_that_an_empty_collection_is_back(log: Log) -> None:
    log.serve("embedded")
    log.add(VaultUnavailable(reason="empty", collection=PAPERS))
    log.add(DependencyRecovered(dependency="vault", collection=PAPERS))
    assert log.state.health.is_lost(PAPERS)
    scan(log, found(VAULT), found(PAPERS))
    assert not log.state.health.is_lost(PAPERS)


def test_a_loss_keeps_the_time_when_it_began(log: Log) -> None:
    log.serve("embedded")
    first = log.add(VaultUnavailable(reason="missing", collection=PAPERS))
    log.add(VaultUnavailable(reason="unreadable", collection=PAPERS))
    lost = log.state.health.lost_collections[PAPERS]
    assert (lost.reason, lost.since) == ("unreadable", first.ts)


def test_a_collection_that_was_removed_is_forgotten(log: Log) -> None:
    log.serve("embedded")
    log.add(VaultUnavailable(reason="missing", collection=PAPERS))
    log.add(WatchLost(reason="limit", collection=PAPERS))
    log.add(DeletionsHeld(count=9, collections=[HeldCollection(PAPERS, 9)]))
    log.add(ConfigReloaded(config_hash="c", collections=[PAPERS]))
    assert len(log.state.health.reasons) == 3
    log.add(ConfigReloaded(config_hash="c"))
    assert not log.state.health.reasons
    assert log.state.health.deletions_held == 0


def test_holds_are_counted_by_collection(log: Log) -> None:
    log.add(DeletionsHeld(count=5))
    assert (log.state.health.held_in(VAULT), log.state.health.held_in(PAPERS)) == (5, 0)
    both = [HeldCollection(VAULT, 5), HeldCollection(PAPERS, 60)]
    log.add(DeletionsHeld(count=65, collections=both))
    assert (log.state.health.held_in(VAULT), log.state.health.held_in(PAPERS)) == (5, 60)
    log.add(ConfigReloaded(config_hash="c"))
    assert (log.state.health.held_in(VAULT), log.state.health.deletions_held) == (5, 5)


def test_watches_are_counted_by_collection(log: Log) -> None:
    log.add(WatchStarted())
    log.add(WatchStarted(how="polling", collection=PAPERS))
    assert (log.state.health.watch, log.state.health.watches) == ("native", {PAPERS: "polling"})
    log.add(WatchLost(reason="limit", collection=PAPERS))
    assert (log.state.health.watch, log.state.health.unwatched) == ("native", {PAPERS})
    log.start(run="run-2")
    assert not log.state.health.unwatched


def test_the_device_of_each_root_is_remembered_while_no_note_is_missing(log: Log) -> None:
    scan(log, found(VAULT, device=1), found(PAPERS, device=2), device=1)
    catalog = log.state.catalog
    assert catalog.is_elsewhere(3, PAPERS) and not catalog.is_elsewhere(2, PAPERS)
    scan(log, found(VAULT, device=1), found(PAPERS, device=3, removed=1), device=1)
    assert catalog.is_elsewhere(3, PAPERS), "a note was missing there"
    assert not catalog.is_elsewhere(1)


def test_a_scan_settles_what_waits_only_in_the_roots_without_a_difference(log: Log) -> None:
    log.serve("embedded")
    waiting = ["a.md", "@papers/b.md", "@work/c.md"]
    log.add(FilesChanged(changes=[FileChange(path, "added") for path in waiting]))
    began_seq = log.state.seq
    roots = (found(VAULT, changed=1), found(PAPERS), found("work", gone="missing"))
    scan(log, *roots, began_seq=began_seq)
    assert list(log.state.catalog.waiting) == ["a.md", "@work/c.md"]


def test_notes_are_counted_by_collection(log: Log) -> None:
    scan(log, found(VAULT), found(PAPERS))
    log.store("a.md", "@people/Ann.md")
    log.store("@papers/b.md", "@papers/2024/c.md", "@papers/d.md")
    catalog = log.state.catalog
    assert (catalog.count_stored(VAULT), catalog.count_stored(PAPERS)) == (2, 3)
    assert catalog.count_stored("people") == 1, "a folder of the vault, if it is not configured"


def test_a_removed_collection_is_known_until_its_last_note_has_left(log: Log) -> None:
    scan(log, found(VAULT), found(PAPERS))
    log.store("@papers/b.md")
    scan(log)
    assert PAPERS in log.state.catalog.collections
    log.store(removed=["@papers/b.md"])
    scan(log)
    assert PAPERS not in log.state.catalog.collections


def test_a_collection_that_was_gone_while_all_was_read_again_is_read_later(log: Log) -> None:
    log.serve("embedded")
    log.add(SegmentQuarantined(segment="1", first_seq=1, last_seq=2, reason="damaged"))
    scan(log, found(VAULT), found(PAPERS, gone="missing"))
    log.finish("complete", "full")
    assert not log.state.catalog.needs_full_scan
    assert log.state.catalog.unread == {PAPERS}
    scan(log, found(VAULT), found(PAPERS))
    log.finish("complete", "sync")
    assert log.state.catalog.unread == {PAPERS}
    log.finish("complete", "full")
    assert not log.state.catalog.unread


def test_deletions_can_be_accepted_in_some_collections(log: Log) -> None:
    log.add(JobRequested(job_id="j1", mode="sync", accept_deletions=True, accept_in=[PAPERS]))
    log.add(JobRequested(job_id="j2", mode="sync", accept_deletions=True))
    log.add(JobRequested(job_id="j3", mode="sync"))
    one, every, none = (log.state.jobs.find_open(job) for job in ("j1", "j2", "j3"))
    assert one is not None and every is not None and none is not None
    assert one.accepts_deletions_in(PAPERS) and not one.accepts_deletions_in(VAULT)
    assert every.accepts_deletions_in(PAPERS) and every.accepts_deletions_in(VAULT)
    assert not none.accepts_deletions_in(VAULT)


def test_a_snapshot_keeps_everything_about_collections(log: Log) -> None:
    scan(log, found(VAULT, device=1), found(PAPERS, gone="empty"), found("work", device=2))
    log.add(DeletionsHeld(count=9, collections=[HeldCollection("work", 9)]))
    assert decode_state(encode_state(log.state)) == log.state


def test_a_start_knows_nothing_about_roots_but_keeps_what_is_held(log: Log) -> None:
    log.add(VaultUnavailable(reason="missing", collection=PAPERS))
    log.add(DeletionsHeld(count=9, collections=[HeldCollection(PAPERS, 9)]))
    log.add(DaemonStarted(version="1", config_hash="c", previous_stop="crash"))
    assert not log.state.health.lost_collections
    assert log.state.health.held_in(PAPERS) == 9


def test_the_catalog_knows_which_folder_stored_notes_came_from(log: Log) -> None:
    log.serve("embedded")
    scan(log, found(VAULT), found(PAPERS, root="k1"))
    catalog = log.state.catalog
    assert catalog.stored_roots(is_working=False) == {}  # nothing is stored yet
    assert catalog.stored_roots(is_working=True) == {PAPERS: "k1"}  # but it may be on its way
    log.store("@papers/a.md")
    assert catalog.stored_roots(is_working=False) == {PAPERS: "k1"}
    scan(log, found(VAULT), found(PAPERS, gone="missing"))  # a scan that could not use it
    scan(log, found(VAULT))  # it is not configured any more
    assert decode_state(encode_state(log.state)).catalog.stored_roots(is_working=False) == {
        PAPERS: "k1"
    }


def test_listed_paths_of_a_removed_collection_are_forgotten_at_once(log: Log) -> None:
    """They would count as the vault's, and a private path is as private as its note."""
    log.serve("embedded")
    scan(log, found(VAULT), found(PAPERS, root="k1"))
    log.store("@papers/stored.md")
    log.add(FileSkipped(path="@papers/large.md", reason="too large"))
    log.add(FileSkipped(path="@papers/stored.md", reason="too large"))
    log.add(FileSkipped(path="mine.md", reason="too large"))
    log.add(FileFailed(path="@papers/broken.pdf", code="UNREADABLE", detail="it is damaged"))
    log.add(FilesChanged(changes=[FileChange(path="@papers/new.md", kind="added")]))
    scan(log, found(VAULT, removed=1))
    catalog = log.state.catalog
    assert list(catalog.skipped) == ["mine.md"]
    assert (catalog.failed, catalog.failures) == ({}, {})
    assert list(catalog.waiting) == ["@papers/stored.md"]  # until it has left the index
    assert PAPERS in catalog.collections


def test_a_listed_path_keeps_the_folder_of_its_collection_known(log: Log) -> None:
    log.serve("embedded")
    scan(log, found(VAULT), found(PAPERS, root="k1"))
    log.add(FileSkipped(path="@papers/large.md", reason="too large"))
    assert log.state.catalog.stored_roots(is_working=False) == {PAPERS: "k1"}
    scan(log, found(VAULT))
    assert log.state.catalog.stored_roots(is_working=False) == {}
