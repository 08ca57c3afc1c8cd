"""Plans without the documents that take long to read."""

from ragd.batch.slow_documents import (
    DOCUMENTS_AT_ONCE,
    documents_last,
    first_documents,
    next_paths,
    put_off_documents,
)
from ragd.batch.sync_plan import SyncPlan
from ragd.events import FileChange


def test_documents_are_put_off_and_a_moved_one_with_both_paths() -> None:
    moves = {"new.pdf": "old.pdf", "new.md": "old.md"}
    plan = SyncPlan(["a.md", "new.pdf", "b.PDF", "new.md"], ["gone.pdf"], moves)
    quick, put_off = put_off_documents(plan)
    assert (quick.upserts, quick.removals) == (["a.md", "new.md"], ["gone.pdf"])
    assert quick.moves == {"new.md": "old.md"}
    assert put_off == [
        FileChange("new.pdf", "modified"),
        FileChange("b.PDF", "modified"),
        FileChange("old.pdf", "deleted"),
    ]


def test_a_plan_without_documents_stays_as_it_is() -> None:
    plan = SyncPlan(["a.md", "b.canvas"], [])
    assert put_off_documents(plan) == (plan, [])


def test_documents_come_last_in_their_order() -> None:
    plan = SyncPlan(["z.pdf", "b.md", "a.pdf", "a.md"], [])
    assert documents_last(plan).upserts == ["b.md", "a.md", "z.pdf", "a.pdf"]


def test_one_job_has_what_vanished_and_a_few_documents() -> None:
    present = [f"{number}.pdf" for number in range(DOCUMENTS_AT_ONCE + 3)]
    gone = [f"gone {number}.pdf" for number in range(20)]
    moves = {present[0]: "old.pdf", present[-1]: "other.pdf"}
    part = first_documents(SyncPlan([*present, *gone], [], moves), gone)
    assert part.upserts == [*gone, *present[:DOCUMENTS_AT_ONCE]]
    assert part.moves == {present[0]: "old.pdf"}


def test_notes_are_read_together_and_documents_one_by_one() -> None:
    paths = ["a.md", "b.md", "c.md", "d.pdf", "e.pdf"]
    assert next_paths(paths, 2) == (["a.md", "b.md"], ["c.md", "d.pdf", "e.pdf"])
    assert next_paths(paths, 9) == (["a.md", "b.md", "c.md"], ["d.pdf", "e.pdf"])
    assert next_paths(["d.pdf", "e.pdf"], 9) == (["d.pdf"], ["e.pdf"])
    assert next_paths([], 9) == ([], [])
