"""Facts recorded in parts are folded as a whole or not at all."""

import pytest

from ragd.events import BatchStored, FileChange, FilesChanged, StoredFile
from ragd.folds.parts import Parts
from tests.folds.conftest import Log


def changed(part: int, *paths: str, last: bool = False) -> FilesChanged:
    return FilesChanged(changes=[FileChange(p, "modified") for p in paths], part=part, last=last)


def stored(part: int, *paths: str, last: bool = False) -> BatchStored:
    files = [StoredFile(path, "s1", 1, 100, 1, 1) for path in paths]
    return BatchStored(job_id="j", files=files, removed=[], table_version=3, part=part, last=last)


def test_nothing_happens_before_the_last_part(log: Log) -> None:
    log.add(changed(0, "a.md"), changed(1, "b.md"))
    assert log.state.catalog.waiting == {}


def test_the_last_part_brings_all_of_them(log: Log) -> None:
    log.add(changed(0, "a.md"), changed(1, "b.md"))
    record = log.add(changed(2, "c.md", last=True))
    assert log.state.catalog.waiting == dict.fromkeys(["a.md", "b.md", "c.md"], record.ts)
    assert log.state.parts == Parts()


def test_a_fact_in_one_part_is_whole_at_once(log: Log) -> None:
    log.add(changed(0, "a.md", last=True))
    assert list(log.state.catalog.waiting) == ["a.md"]


def test_parts_survive_a_snapshot_taken_between_them(log: Log) -> None:
    log.add(changed(0, "Größe/ö.md"))
    log.through_a_snapshot()
    log.add(changed(1, "b.md"))
    log.through_a_snapshot()
    log.add(changed(2, "c.md", last=True))
    assert sorted(log.state.catalog.waiting) == ["Größe/ö.md", "b.md", "c.md"]


def test_a_crash_between_parts_means_that_the_fact_never_happened(log: Log) -> None:
    log.add(stored(0, "a.md"), stored(1, "b.md"))
    log.start(run="run-2")
    assert log.state.parts == Parts()
    log.add(stored(2, "c.md", last=True))
    assert log.state.catalog.files == {}


def test_after_a_crash_between_parts_the_repeated_fact_is_whole(log: Log) -> None:
    log.add(stored(0, "a.md"), stored(1, "b.md"))
    log.start(run="run-2")
    log.add(stored(0, "a.md"), stored(1, "b.md", last=True))
    assert sorted(log.state.catalog.files) == ["a.md", "b.md"]


def test_parts_of_another_run_do_not_continue_a_fact(log: Log) -> None:
    log.add(stored(0, "a.md"))
    log.run = "run-2"
    log.add(stored(1, "b.md", last=True))
    assert log.state.catalog.files == {}


def test_an_actor_that_begins_again_drops_what_it_had_begun(log: Log) -> None:
    log.add(changed(0, "old.md"))
    log.add(changed(0, "a.md"), changed(1, "b.md", last=True))
    assert sorted(log.state.catalog.waiting) == ["a.md", "b.md"]


def test_a_whole_fact_drops_what_was_begun(log: Log) -> None:
    log.add(changed(0, "old.md"))
    log.add(changed(0, "a.md", last=True))
    log.add(changed(1, "b.md", last=True))
    assert list(log.state.catalog.waiting) == ["a.md"]


def test_parts_of_two_actors_may_alternate(log: Log) -> None:
    log.add(changed(0, "a.md"), actor="watcher")
    log.add(changed(0, "x.md"), actor="rescanner")
    log.add(changed(1, "b.md", last=True), actor="watcher")
    assert sorted(log.state.catalog.waiting) == ["a.md", "b.md"]
    log.add(changed(1, "y.md", last=True), actor="rescanner")
    assert sorted(log.state.catalog.waiting) == ["a.md", "b.md", "x.md", "y.md"]


def test_parts_of_two_types_by_one_actor_may_alternate(log: Log) -> None:
    log.add(changed(0, "a.md"), stored(0, "x.md"))
    log.add(changed(1, "b.md", last=True), stored(1, "y.md", last=True))
    assert sorted(log.state.catalog.waiting) == ["a.md", "b.md"]
    assert sorted(log.state.catalog.files) == ["x.md", "y.md"]


@pytest.mark.parametrize("orphan", [1, 2, -1])
def test_a_part_without_its_beginning_is_left_alone(log: Log, orphan: int) -> None:
    log.add(changed(orphan, "b.md", last=True))
    assert log.state.catalog.waiting == {}


def test_a_part_that_skips_one_ends_the_fact(log: Log) -> None:
    log.add(changed(0, "a.md"), changed(2, "c.md"), changed(1, "b.md", last=True))
    assert log.state.catalog.waiting == {}
    assert log.state.parts == Parts()


def test_a_gap_in_the_log_never_joins_two_facts(log: Log) -> None:
    """Two facts of the same run and actor, and between them a segment that was quarantined."""
    log.add(stored(0, "a-of-the-first.md"))
    log.add(stored(1, "b-of-the-second.md", last=True), seq=500)
    assert log.state.catalog.files == {}
    assert log.state.parts == Parts()
    assert log.state.seq == 500
