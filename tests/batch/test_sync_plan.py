"""What a scan leads to."""

import pytest

from ragd.batch.sync_plan import is_suspicious, plan, vanished
from ragd.folds.catalog import Entry
from ragd.vault.files import NoteFile


def seen(*paths: str, mtime_ns: int = 1) -> list[NoteFile]:
    return [NoteFile(path, 10, mtime_ns) for path in paths]


def known(*paths: str) -> dict[str, Entry]:
    return {path: Entry("", 1, 10, 1, 1) for path in paths}


def test_only_what_is_new_or_has_another_size_or_time_is_read_newest_first() -> None:
    files = [*seen("same.md"), *seen("later.md", mtime_ns=5), *seen("new.md", mtime_ns=9)]
    todo = plan(files, known("same.md", "later.md"))
    assert (todo.upserts, todo.removals, todo.held) == (["new.md", "later.md"], [], 0)
    assert len(plan(files, known("same.md"), read_all=True).upserts) == 3


def test_what_is_gone_is_removed_unless_its_folder_could_not_be_listed() -> None:
    before = known("a.md", "b.md", "Closed/c.md", "Closed but not/d.md")
    todo = plan(seen("a.md"), before, unknown=["Closed"])
    assert todo.removals == ["b.md", "Closed but not/d.md"]
    assert vanished(before, {"a.md"}, ["Closed"]) == todo.removals


@pytest.mark.parametrize(
    ("deleted", "known", "suspicious"),
    [
        (0, 0, False),
        (1, 1, True),
        (1, 2, False),
        (50, 100, False),
        (51, 100, True),
        (51, 170, False),
        (52, 170, True),
    ],
)
def test_over_fifty_and_over_thirty_percent_or_everything_is_suspicious(
    deleted: int, known: int, suspicious: bool
) -> None:
    assert is_suspicious(deleted, known) is suspicious


def test_what_is_denied_now_goes_even_when_the_rest_is_held() -> None:
    names = [f"{number}.md" for number in range(100)]
    todo = plan(seen(*names[:30]), known(*names), denied=["99.md"])
    assert (todo.removals, todo.held) == (["99.md"], 69)
    todo = plan(seen(*names[:30]), known(*names), accept_deletions=True)
    assert (len(todo.removals), todo.held) == (70, 0)
