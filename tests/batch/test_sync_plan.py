"""The plan of a sync, made from a scan."""

from ragd.batch.sync_plan import plan_sync, vanished
from ragd.folds.catalog import Entry
from ragd.vault.files import NoteFile


def seen(*paths: str, mtime_ns: int = 1) -> list[NoteFile]:
    return [NoteFile(path, 10, mtime_ns) for path in paths]


def known(*paths: str) -> dict[str, Entry]:
    return {path: Entry("", 1, 10, 1, 1) for path in paths}


def test_only_what_is_new_or_has_another_size_or_time_is_read_newest_first() -> None:
    files = [*seen("same.md"), *seen("later.md", mtime_ns=5), *seen("new.md", mtime_ns=9)]
    plan = plan_sync(files, known("same.md", "later.md"))
    assert (plan.upserts, plan.removals, plan.held) == (["new.md", "later.md"], [], {})
    assert len(plan_sync(files, known("same.md"), read_all=True).upserts) == 3


def in_closed_folder(path: str) -> bool:
    return path.startswith("Closed/")


def test_what_is_gone_is_removed_unless_its_folder_could_not_be_read() -> None:
    before = known("a.md", "b.md", "Closed/c.md", "Closed but not/d.md")
    plan = plan_sync(seen("a.md"), before, may_exist=in_closed_folder)
    assert plan.removals == ["b.md", "Closed but not/d.md"]
    assert plan.deletions == set(plan.removals)
    assert vanished(before, {"a.md"}, in_closed_folder) == plan.removals


def test_denied_and_moved_notes_are_not_deletions() -> None:
    before = known("denied.md", "gone.md", "old.md")
    plan = plan_sync(
        seen("new.md"),
        before,
        includes=lambda path: path != "denied.md",
        moves={"new.md": "old.md"},
    )
    assert plan.removals == ["denied.md", "gone.md"]
    assert plan.deletions == {"gone.md"}
    assert plan.moves == {"new.md": "old.md"}
