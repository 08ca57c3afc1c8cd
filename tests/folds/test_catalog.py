"""What the index holds, note by note."""

from typing import Any

import pytest

from ragd.events import (
    BatchStored,
    FileChange,
    FileFailed,
    FilesChanged,
    FileSkipped,
    FilesTouched,
    FilledFile,
    IndexLost,
    Mode,
    Outcome,
    SegmentQuarantined,
    StoreCompacted,
    StoredFile,
    TouchedFile,
    VaultScanned,
    VectorsFilled,
)
from ragd.folds import catalog as catalog_fold
from ragd.folds import decode_state, encode_state
from ragd.folds.catalog import Catalog, ServingIndex
from ragd.folds.times import iso_of_ns
from tests.folds.conftest import Log, moment


def clean_scan() -> VaultScanned:
    return VaultScanned(files=2, changed=0, removed=0, newest_mtime="2026-11-15T14:00:00Z")


def quarantined() -> SegmentQuarantined:
    return SegmentQuarantined(segment="1.ndjson", first_seq=1, last_seq=9, reason="damaged")


# Storing


def test_a_stored_note_is_in_the_catalog_with_its_chunks(log: Log) -> None:
    log.store("a.md", "b.md", chunks=3, embedded=1, version=7)
    catalog = log.state.catalog
    assert sorted(catalog.files) == ["a.md", "b.md"]
    assert (catalog.documents, catalog.chunks, catalog.chunks_embedded) == (2, 6, 2)
    assert catalog.backlog == 4
    assert catalog.table_version == 7


def test_storing_a_note_again_replaces_its_chunks(log: Log) -> None:
    log.store("a.md", chunks=5, embedded=5)
    log.store("a.md", sha="s2", chunks=2, embedded=0)
    catalog = log.state.catalog
    assert (catalog.documents, catalog.chunks, catalog.chunks_embedded) == (1, 2, 0)
    assert catalog.files["a.md"].sha256 == "s2"


def test_the_same_batch_recorded_twice_changes_nothing(log: Log) -> None:
    log.store("a.md", removed=["b.md"])
    once = (log.state.catalog.chunks, dict(log.state.catalog.files))
    log.store("a.md", removed=["b.md"])
    assert (log.state.catalog.chunks, log.state.catalog.files) == once


def test_a_removed_note_takes_its_chunks_along(log: Log) -> None:
    log.store("a.md", "b.md", chunks=3)
    log.store(removed=["a.md", "never-there.md"])
    catalog = log.state.catalog
    assert list(catalog.files) == ["b.md"]
    assert (catalog.chunks, catalog.chunks_embedded) == (3, 3)


def test_a_note_listed_as_removed_and_as_stored_is_stored(log: Log) -> None:
    log.store("a.md")
    log.store("a.md", sha="s2", removed=["a.md"])
    assert log.state.catalog.files["a.md"].sha256 == "s2"


def test_more_vectors_than_chunks_are_not_believed(log: Log) -> None:
    log.store("a.md", chunks=2, embedded=9)
    assert log.state.catalog.chunks_embedded == 2


def test_counts_below_zero_are_not_believed(log: Log) -> None:
    log.store("a.md", chunks=-4, embedded=-2)
    log.store("b.md", chunks=3, embedded=3)
    log.fill("b.md", chunks=-3)
    catalog = log.state.catalog
    assert (catalog.chunks, catalog.chunks_embedded) == (3, 3)


def test_compaction_moves_the_table_version_and_nothing_else(log: Log) -> None:
    log.store("a.md", version=4)
    log.add(StoreCompacted(table_version=5))
    assert (log.state.catalog.table_version, log.state.catalog.documents) == (5, 1)


# Vectors


def test_filled_vectors_shrink_the_backlog(log: Log) -> None:
    log.store("a.md", chunks=5, embedded=1)
    log.fill("a.md", chunks=3, version=2)
    assert (log.state.catalog.backlog, log.state.catalog.table_version) == (1, 2)
    assert log.state.catalog.files["a.md"].embedded == 4


def test_vectors_for_a_note_that_has_changed_since_are_void(log: Log) -> None:
    log.store("a.md", sha="old", chunks=4, embedded=0)
    log.store("a.md", sha="new", chunks=3, embedded=0)
    log.fill("a.md", sha="old", chunks=4)
    assert (log.state.catalog.chunks, log.state.catalog.chunks_embedded) == (3, 0)


def test_vectors_for_a_note_that_is_gone_are_void(log: Log) -> None:
    log.store("a.md", chunks=4, embedded=0)
    log.store(removed=["a.md"])
    log.fill("a.md", chunks=4)
    assert log.state.catalog.chunks_embedded == 0


def test_vectors_filled_twice_count_once(log: Log) -> None:
    log.store("a.md", chunks=4, embedded=0)
    log.fill("a.md", chunks=4)
    log.fill("a.md", chunks=4)
    assert log.state.catalog.chunks_embedded == 4


# Waiting


def test_a_changed_note_waits_since_its_first_change(log: Log) -> None:
    first = log.change("a.md")
    log.change("a.md", "b.md")
    assert log.state.catalog.waiting["a.md"] == first.ts
    assert len(log.state.catalog.waiting) == 2


def test_a_stored_removed_skipped_or_failed_note_waits_no_longer(log: Log) -> None:
    log.store("b.md")
    log.change("a.md", "b.md", "c.md", "d.md", "e.md")
    log.store("a.md", removed=["b.md"])
    log.add(FileSkipped(path="c.md", reason="too-large"))
    log.add(FileFailed(path="d.md", code="DECODE_FAILED", detail="not text"))
    assert list(log.state.catalog.waiting) == ["e.md"]


def test_a_clean_scan_ends_all_waiting_and_an_unclean_one_none(log: Log) -> None:
    log.change("a.md")
    log.add(VaultScanned(files=2, changed=1, removed=0))
    log.add(VaultScanned(files=2, changed=0, removed=1))
    assert "a.md" in log.state.catalog.waiting
    log.add(clean_scan())
    assert log.state.catalog.waiting == {}
    assert log.state.catalog.newest_mtime == "2026-11-15T14:00:00Z"


def test_a_note_that_changes_while_a_job_is_at_work_on_it_still_waits(log: Log) -> None:
    """The job may have read it before: a save must never be forgotten."""
    log.change("a.md", "b.md")
    log.begin("job-1")
    again = log.change("a.md")
    log.change("a.md")
    log.store("a.md", "b.md")
    log.finish(job="job-1")
    assert log.state.catalog.waiting == {"a.md": again.ts}
    log.begin("job-2")
    log.store("a.md", sha="s2")
    assert log.state.catalog.waiting == {}


def test_a_note_that_changes_while_it_is_skipped_or_fails_still_waits(log: Log) -> None:
    log.begin()
    log.change("a.md", "b.md")
    log.add(FileSkipped(path="a.md", reason="too-large"))
    log.add(FileFailed(path="b.md", code="DECODE_FAILED", detail="not text"))
    assert list(log.state.catalog.waiting) == ["a.md", "b.md"]


def test_a_change_before_the_job_began_is_in_what_it_reads(log: Log) -> None:
    log.begin("job-1")
    log.change("a.md")
    log.begin("job-2")
    log.store("a.md")
    assert log.state.catalog.waiting == {}


@pytest.mark.parametrize("outcome", ["complete", "partial", "failed", "cancelled"])
def test_what_a_job_said_nothing_about_still_waits_when_it_ends(log: Log, outcome: Outcome) -> None:
    changed = log.change("a.md")
    log.begin()
    log.finish(outcome)
    assert log.state.catalog.waiting == {"a.md": changed.ts}
    log.store("a.md")
    assert log.state.catalog.waiting == {}


def test_a_job_that_ends_before_its_turn_does_not_end_the_one_at_work(log: Log) -> None:
    log.begin("job-1")
    log.finish("cancelled", job="job-2")
    log.change("a.md")
    log.store("a.md", job="job-1")
    assert list(log.state.catalog.waiting) == ["a.md"]


def test_what_waited_at_a_crash_still_waits(log: Log) -> None:
    log.change("a.md")
    log.begin()
    log.change("b.md")
    log.start(run="run-2")
    assert sorted(log.state.catalog.waiting) == ["a.md", "b.md"]
    assert (log.state.catalog.job_id, log.state.catalog.changed_since) == (None, {})


def test_a_clean_scan_has_seen_the_changes_during_a_job_too(log: Log) -> None:
    log.begin()
    log.change("a.md")
    log.add(clean_scan())
    log.store("a.md")
    assert log.state.catalog.waiting == {}


def test_a_file_that_came_and_went_before_it_was_indexed_does_not_wait(log: Log) -> None:
    log.change("draft.md", kind="added")
    log.change("draft.md", kind="deleted")
    assert log.state.catalog.waiting == {}


def test_a_deleted_note_waits_until_it_is_out_of_the_index(log: Log) -> None:
    log.store("a.md")
    log.change("a.md", kind="deleted")
    assert "a.md" in log.state.catalog.waiting
    log.store(removed=["a.md"])
    assert log.state.catalog.waiting == {}


def test_a_note_deleted_while_its_first_batch_is_on_its_way_waits(log: Log) -> None:
    log.begin()
    log.change("a.md", kind="deleted")
    log.store("a.md")
    assert "a.md" in log.state.catalog.waiting


# Skipped and failed


def test_a_skipped_file_is_listed_with_its_reason_until_it_is_stored(log: Log) -> None:
    log.add(FileSkipped(path="a.md", reason="too-large"))
    assert log.state.catalog.skipped == {"a.md": "too-large"}
    log.store("a.md")
    assert log.state.catalog.skipped == {}


def test_a_note_that_hides_itself_leaves_the_index_and_stays_listed_as_skipped(log: Log) -> None:
    log.store("diary.md")
    log.add(FileSkipped(path="diary.md", reason="hidden-by-note"))
    log.store(removed=["diary.md"])
    assert log.state.catalog.files == {}
    assert log.state.catalog.skipped == {"diary.md": "hidden-by-note"}


def test_a_failed_file_keeps_its_former_chunks_and_is_listed_until_it_is_stored(log: Log) -> None:
    log.store("a.md", chunks=3)
    log.add(FileFailed(path="a.md", code="DECODE_FAILED", detail="not text"))
    assert log.state.catalog.failed == {"a.md": "DECODE_FAILED"}
    assert log.state.catalog.chunks == 3
    log.store("a.md")
    assert log.state.catalog.failed == {}


def test_a_file_is_listed_as_skipped_or_as_failed_but_not_as_both(log: Log) -> None:
    log.add(FileFailed(path="a.md", code="DECODE_FAILED", detail="not text"))
    log.add(FileSkipped(path="a.md", reason="too-large"))
    assert (log.state.catalog.skipped, log.state.catalog.failed) == ({"a.md": "too-large"}, {})
    log.add(FileFailed(path="a.md", code="DECODE_FAILED", detail="not text"))
    assert (log.state.catalog.skipped, log.state.catalog.failed) == ({}, {"a.md": "DECODE_FAILED"})


def test_a_deleted_file_is_no_longer_listed(log: Log) -> None:
    log.add(FileSkipped(path="a.md", reason="too-large"))
    log.add(FileFailed(path="b.md", code="DECODE_FAILED", detail="not text"))
    log.change("a.md", "b.md", kind="deleted")
    assert (log.state.catalog.skipped, log.state.catalog.failed) == ({}, {})


def test_the_lists_of_skipped_and_failed_files_are_bounded(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog_fold, "LISTED_MAX", 2)
    for name in ("a.md", "b.md", "c.md"):
        log.add(FileSkipped(path=name, reason="too-large"))
    log.add(FileSkipped(path="b.md", reason="cloud-placeholder"))
    assert log.state.catalog.skipped == {"a.md": "too-large", "b.md": "cloud-placeholder"}


# Losing and rebuilding


def test_a_lost_index_voids_the_catalog_so_that_a_sync_rebuilds(log: Log) -> None:
    log.activate()
    log.store("a.md")
    log.build("g2")
    log.store("a.md", generation="g2")
    log.begin()
    log.change("b.md")
    log.add(FileSkipped(path="c.md", reason="too-large"))
    log.add(clean_scan())
    log.add(IndexLost(reason="missing"))
    catalog = log.state.catalog
    building, catalog.building = catalog.building, None
    scanned_at, catalog.scanned_at = catalog.scanned_at, None
    assert scanned_at is not None
    assert catalog == Catalog(newest_mtime="2026-11-15T14:00:00Z", needs_full_scan=True)
    assert building is not None and list(building.files) == ["a.md"], "it is whole, and goes on"


def test_another_vault_voids_the_index_that_is_built_too(log: Log) -> None:
    log.activate()
    log.build("g2")
    log.add(IndexLost(reason="vault_changed"))
    assert log.state.catalog.building is None


def test_the_loss_of_the_index_that_is_built_leaves_the_one_that_serves(log: Log) -> None:
    log.activate()
    log.store("a.md")
    log.build("g2")
    log.add(IndexLost(reason="missing", generation="g2"))
    assert log.state.catalog.building is None
    assert log.state.catalog.documents == 1


def test_only_a_finished_full_job_satisfies_the_need_for_a_full_scan(log: Log) -> None:
    log.add(quarantined())
    endings: list[tuple[Outcome, Mode]] = [("complete", "sync"), ("failed", "full")]
    for outcome, mode in [*endings, ("cancelled", "reindex")]:
        log.finish(outcome, mode)
        assert log.state.catalog.needs_full_scan
    log.finish("partial", "full")
    assert not log.state.catalog.needs_full_scan


def test_a_quarantined_segment_keeps_the_catalog_and_asks_for_a_full_scan(log: Log) -> None:
    log.store("a.md")
    log.add(quarantined())
    assert log.state.catalog.documents == 1
    assert log.state.catalog.needs_full_scan


def test_an_activated_index_says_in_which_vector_space_it_is(log: Log) -> None:
    log.activate(provider="ollama", generation="g7")
    assert log.state.catalog.index == ServingIndex("g7", "ollama", "some-model", 384)


# A reindex builds a second index


def test_a_reindex_leaves_the_serving_catalog_alone_until_it_is_activated(log: Log) -> None:
    log.activate(generation="g1")
    log.store("a.md", "gone-since.md", chunks=3, version=9)
    log.build("g2", "reindex-1")
    log.store("a.md", chunks=5, embedded=0, version=1, generation="g2", job="reindex-1")
    catalog = log.state.catalog
    assert (catalog.documents, catalog.chunks, catalog.backlog) == (2, 6, 0)
    assert catalog.table_version == 9
    assert catalog.building is not None
    assert (catalog.building.documents, catalog.building.backlog) == (1, 5)
    log.fill("a.md", chunks=5, version=2, generation="g2")
    assert (catalog.backlog, catalog.building.backlog) == (0, 0)
    log.activate(generation="g2")
    assert list(catalog.files) == ["a.md"]
    assert (catalog.chunks, catalog.backlog, catalog.table_version) == (5, 0, 2)
    assert catalog.building is None


def test_a_note_saved_during_a_reindex_counts_in_both_tables(log: Log) -> None:
    log.activate(generation="g1")
    log.build("g2", "reindex-1")
    log.store("a.md", sha="old", generation="g2", job="reindex-1")
    log.change("a.md")
    log.store("a.md", sha="new", generation="g2", job="")
    catalog = log.state.catalog
    assert "a.md" in catalog.waiting, "the index that serves does not have it yet"
    log.store("a.md", sha="new", generation="g1", job="sync-1")
    assert not catalog.waiting
    assert catalog.files["a.md"].sha256 == "new"
    assert catalog.building is not None
    assert catalog.building.files["a.md"].sha256 == "new"
    assert catalog.building.job_id == "reindex-1"


def test_a_reindex_that_fails_leaves_the_old_catalog_as_it_was(log: Log) -> None:
    log.activate(generation="g1")
    log.store("a.md", sha="old")
    log.build("g2", "reindex-1")
    log.store("a.md", sha="new", generation="g2", job="reindex-1")
    log.finish("failed", "sync", job="sync-1")
    assert log.state.catalog.building is not None
    log.finish("cancelled", "reindex", job="reindex-1")
    assert log.state.catalog.building is None
    assert log.state.catalog.files["a.md"].sha256 == "old"


def test_a_new_reindex_takes_the_place_of_one_that_was_left_behind(log: Log) -> None:
    log.activate(generation="g1")
    log.build("g2", "reindex-1")
    log.store("a.md", generation="g2", job="reindex-1")
    log.build("g3", "reindex-2")
    log.store("b.md", generation="g3", job="reindex-2")
    log.activate(generation="g3")
    assert list(log.state.catalog.files) == ["b.md"]


def test_vectors_for_a_generation_that_is_gone_are_void(log: Log) -> None:
    log.activate(generation="g1")
    log.store("a.md", chunks=3, embedded=0, version=4)
    log.fill("a.md", chunks=3, version=8, generation="g0")
    assert (log.state.catalog.backlog, log.state.catalog.table_version) == (3, 4)


def test_activating_the_generation_that_serves_already_keeps_its_notes(log: Log) -> None:
    log.store("a.md")
    log.activate(generation="g1")
    log.store("b.md", generation="g1")
    log.activate(generation="g1")
    assert sorted(log.state.catalog.files) == ["a.md", "b.md"]


def test_a_note_that_only_the_new_index_has_waits_when_it_is_deleted(log: Log) -> None:
    log.activate(generation="g1")
    log.build("g2")
    log.store("a.md", generation="g2")
    log.change("a.md", kind="deleted")
    assert "a.md" in log.state.catalog.waiting


def test_a_touched_note_waits_no_longer_and_is_known_by_its_new_time(log: Log) -> None:
    log.store("a.md")
    log.add(FilesChanged(changes=[FileChange("a.md", "modified")]))
    log.add(FilesTouched(files=[TouchedFile("a.md", 77, 5)]))
    entry = log.state.catalog.files["a.md"]
    assert (entry.mtime_ns, entry.size) == (77, 5)
    assert log.state.catalog.waiting == {}


def test_a_note_that_is_found_as_it_was_stored_is_not_listed_as_left_out_any_more(log: Log) -> None:
    """It was hidden and shown again before the index had lost it."""
    for left_out in (
        FileSkipped(path="a.md", reason="hidden-by-note"),
        FileFailed(path="a.md", code="UNREADABLE", detail="permission denied"),
    ):
        log.store("a.md")
        log.add(left_out)
        log.add(FilesTouched(files=[TouchedFile("a.md", 77, 5)], only_times=True))
        assert log.state.catalog.skipped or log.state.catalog.failed
        log.add(FilesTouched(files=[TouchedFile("a.md", 78, 5)]))
        assert (log.state.catalog.skipped, log.state.catalog.failed) == ({}, {})


def test_chunks_that_can_have_no_vector_are_no_backlog(log: Log) -> None:
    log.activate()
    log.store("a.md", chunks=5, embedded=0)
    log.add(VectorsFilled(job_id="", files=[FilledFile("a.md", "s1", 4, 1)], table_version=3))
    catalog = log.state.catalog
    assert (catalog.chunks, catalog.chunks_embedded, catalog.backlog) == (5, 4, 0)
    log.store("a.md", sha="s2", chunks=2, embedded=0)
    assert (catalog.chunks_barred, catalog.backlog) == (0, 2)


def test_a_touched_note_is_known_by_its_new_time_in_the_index_that_is_built_too(log: Log) -> None:
    log.activate()
    log.build("g2")
    log.store("a.md", generation="g2")
    log.add(FilesTouched(files=[TouchedFile("a.md", 77, 5)]))
    building = log.state.catalog.building
    assert building is not None and building.files["a.md"].mtime_ns == 77


def test_a_note_that_the_built_index_has_otherwise_is_not_taken_for_touched_there(log: Log) -> None:
    log.activate()
    log.store("a.md", sha="A")
    log.build("g2")
    log.store("a.md", sha="B", generation="g2")
    log.add(FilesTouched(files=[TouchedFile("a.md", 77, 5, "A")]))
    catalog = log.state.catalog
    assert catalog.files["a.md"].mtime_ns == 77
    assert catalog.building is not None and catalog.building.files["a.md"].mtime_ns != 77


def test_tidying_an_index_that_serves_no_more_says_nothing_of_the_one_that_does(log: Log) -> None:
    log.activate(generation="g2")
    log.store("a.md", version=9)
    log.add(StoreCompacted(table_version=901, generation="g1"))
    assert log.state.catalog.table_version == 9
    log.add(StoreCompacted(table_version=10, generation="g2"))
    assert log.state.catalog.table_version == 10


def test_a_note_that_an_index_has_waits_until_it_is_removed(log: Log) -> None:
    log.store("diary.md")
    log.add(FileSkipped(path="diary.md", reason="it hides itself"))
    assert list(log.state.catalog.waiting) == ["diary.md"]
    log.add(VaultScanned(files=1, changed=0, removed=0, began_seq=log.state.seq))
    assert list(log.state.catalog.waiting) == ["diary.md"], "a scan does not remove it"
    log.store(removed=["diary.md"])
    assert log.state.catalog.waiting == {}


def test_a_clock_that_is_set_back_during_a_scan_drops_no_waiting_note(log: Log) -> None:
    began_seq = log.change("before.md").seq
    began = moment(3000)  # the clock is set back after this
    log.change("during.md")
    assert log.state.catalog.waiting["during.md"] < began
    log.add(VaultScanned(files=2, changed=0, removed=0, began=began, began_seq=began_seq))
    assert list(log.state.catalog.waiting) == ["during.md"]


def test_a_note_announced_again_during_a_scan_waits_on(log: Log) -> None:
    began_seq = log.change("a.md").seq
    log.change("a.md")
    log.add(VaultScanned(files=2, changed=0, removed=0, began_seq=began_seq))
    assert list(log.state.catalog.waiting) == ["a.md"]


def test_what_is_announced_is_remembered_only_while_it_waits(log: Log) -> None:
    log.begin()
    log.change("a.md", "b.md", "c.md")
    log.change("gone.md", kind="deleted")
    log.store("a.md")
    log.finish()
    log.begin("job-2")
    log.store("a.md")
    log.add(FileSkipped(path="b.md", reason="too-large"))
    assert log.state.catalog.announced.keys() == {"c.md"}
    log.add(VaultScanned(files=2, changed=0, removed=0, began_seq=log.state.seq))
    assert log.state.catalog.announced == {}


def test_a_note_deleted_after_it_was_read_for_a_new_index_waits_to_leave_it(log: Log) -> None:
    log.activate()
    log.begin(mode="reindex")
    log.build("g2")
    log.change("new.md", kind="deleted")  # the batch with it is on its way
    assert log.state.catalog.waiting == {}
    log.store("new.md", generation="g2")
    assert list(log.state.catalog.waiting) == ["new.md"]


# Vectors, counted in the table


def lacking(log: Log) -> set[str]:
    return set(log.state.catalog.lacking)


def test_the_notes_that_lack_vectors_are_known_without_a_look_at_every_note(log: Log) -> None:
    log.activate()
    log.store("a.md", "b.md", chunks=4, embedded=0)
    log.store("c.md", chunks=2, embedded=2)
    assert lacking(log) == {"a.md", "b.md"}
    log.fill("a.md", chunks=3)
    assert lacking(log) == {"a.md", "b.md"}, "one is still missing"
    log.fill("a.md", chunks=1)
    log.store(removed=["b.md"])
    assert lacking(log) == set()


def test_the_notes_that_lack_vectors_are_known_after_a_snapshot_and_a_switch(log: Log) -> None:
    log.activate()
    log.store("a.md", chunks=4, embedded=0)
    log.build("g2")
    log.store("a.md", chunks=4, embedded=4, generation="g2")
    log.store("b.md", chunks=1, embedded=0, generation="g2")
    assert set(decode_state(encode_state(log.state)).catalog.lacking) == {"a.md"}
    log.activate(generation="g2")
    assert lacking(log) == {"b.md"}
    log.add(IndexLost(reason="missing"))
    assert lacking(log) == set()


def test_a_fill_counts_what_the_table_has_and_not_what_was_asked_for(log: Log) -> None:
    log.store("a.md", chunks=4, embedded=0)
    log.add(filled("a.md", chunks=2, embedded=3))
    assert (log.state.catalog.chunks_embedded, log.state.catalog.backlog) == (3, 1)
    log.add(filled("a.md", chunks=2, embedded=3))
    assert log.state.catalog.chunks_embedded == 3


def filled(path: str, chunks: int, embedded: int) -> VectorsFilled:
    files = [FilledFile(path, "s1", chunks, embedded=embedded)]
    return VectorsFilled(job_id="", files=files, table_version=3)


def test_a_note_with_fewer_vectors_than_were_counted_lacks_them_again(log: Log) -> None:
    log.activate()
    log.store("a.md", chunks=4)
    assert lacking(log) == set()
    log.recount("a.md", 3)
    assert (log.state.catalog.chunks_embedded, log.state.catalog.backlog) == (3, 1)
    assert lacking(log) == {"a.md"}


def test_a_note_with_more_vectors_than_were_counted_lacks_fewer(log: Log) -> None:
    log.activate()
    log.store("a.md", chunks=4, embedded=0)
    log.add(VectorsFilled(job_id="", files=[FilledFile("a.md", "s1", 0, 2, 1)], table_version=3))
    log.recount("a.md", 3)
    catalog = log.state.catalog
    assert (catalog.chunks_embedded, catalog.chunks_barred, catalog.backlog) == (3, 1, 0)
    assert catalog.chunks_withheld == 1


def test_a_recount_of_a_note_that_has_changed_is_void(log: Log) -> None:
    log.store("a.md", sha="s2", chunks=4)
    log.recount("a.md", 1)
    assert log.state.catalog.chunks_embedded == 4


# The newest time of all notes


def at(seconds: int) -> int:
    """Nanoseconds of a day in 2026."""
    return (1_794_000_000 + seconds) * 10**9


def store_at(log: Log, path: str, seconds: int, sha: str = "s1", **more: Any) -> None:
    file = StoredFile(path, sha, at(seconds), 1, 1, 1)
    log.add(BatchStored(job_id="j", files=[file], removed=[], table_version=1, **more))


def test_the_newest_time_follows_what_is_stored_touched_and_removed(log: Log) -> None:
    catalog = log.state.catalog
    log.activate()
    store_at(log, "a.md", 10)
    store_at(log, "b.md", 20)
    assert catalog.newest_mtime == iso_of_ns(at(20))
    store_at(log, "a.md", 5, "s2")
    assert catalog.newest_mtime == iso_of_ns(at(20))
    log.add(FilesTouched(files=[TouchedFile("a.md", at(30), 1, "s2")]))
    assert catalog.newest_mtime == iso_of_ns(at(30))
    log.add(FilesTouched(files=[TouchedFile("a.md", at(7), 1, "s2")]))  # a backup was restored
    assert catalog.newest_mtime == iso_of_ns(at(20))
    log.store(removed=["b.md"])
    assert catalog.newest_mtime == iso_of_ns(at(7))
    log.store(removed=["a.md"])
    assert catalog.newest_mtime == iso_of_ns(at(7))


def test_what_does_not_serve_yet_does_not_move_the_newest_time(log: Log) -> None:
    log.activate()
    store_at(log, "a.md", 10)
    log.build("g2")
    store_at(log, "a.md", 90, generation="g2")
    assert log.state.catalog.newest_mtime == iso_of_ns(at(10))


@pytest.mark.parametrize("moment_ns", [-(10**30), 10**30, 253_402_300_800 * 10**9])
def test_a_time_that_no_calendar_has_is_the_nearest_one(moment_ns: int) -> None:
    assert iso_of_ns(moment_ns)[:4] in ("1900", "9999")


def test_a_note_that_waits_goes_on_waiting_when_its_times_are_learned(log: Log) -> None:
    log.store("a.md")
    log.change("a.md")
    times = TouchedFile("a.md", 1, 100, "s1", 5)
    log.add(FilesTouched(files=[times], only_times=True))
    assert log.state.catalog.files["a.md"].ctime_ns == 5
    assert list(log.state.catalog.waiting) == ["a.md"]
    log.add(FilesTouched(files=[times]))
    assert log.state.catalog.waiting == {}
