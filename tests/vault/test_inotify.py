"""The kernel's file events: what `file_events` needs beyond what both of its sources do."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragd.vault import inotify
from ragd.vault.inotify import ADDED, DELETED, MODIFIED, Inotify
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(not inotify.IS_AVAILABLE, reason="this system has no inotify")

PATIENCE_MS = int(PATIENCE_S * 1000)


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Inotify]:
    (tmp_path / "below").mkdir()
    opened = Inotify([str(tmp_path), str(tmp_path / "below")])
    yield opened
    opened.close()


def events(watch: Inotify, last: tuple[int, str]) -> set[tuple[int, str]]:
    """All events until this one has come."""
    found: set[tuple[int, str]] = set()
    while last not in found:
        more = watch.watch(20, 20, PATIENCE_MS, threading.Event())
        assert isinstance(more, set)
        found |= more
    return found


def test_each_change_has_its_kind_and_its_whole_path(watch: Inotify, tmp_path: Path) -> None:
    note, moved = tmp_path / "below" / "a.md", tmp_path / "b.md"
    note.write_text("x")
    found = events(watch, (MODIFIED, str(note)))
    assert found == {(ADDED, str(note)), (MODIFIED, str(note))}
    note.rename(moved)
    assert events(watch, (ADDED, str(moved))) == {(DELETED, str(note)), (ADDED, str(moved))}
    moved.unlink()
    assert (DELETED, str(moved)) in events(watch, (DELETED, str(moved)))


def test_nothing_but_the_named_folders_is_watched(watch: Inotify, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "unseen.md").write_text("x")
    (tmp_path / "last.md").touch()
    found = events(watch, (ADDED, str(tmp_path / "last.md")))
    assert str(other / "unseen.md") not in {path for _, path in found}


def test_a_folder_that_goes_is_deleted_and_reports_no_more(watch: Inotify, tmp_path: Path) -> None:
    (tmp_path / "below").rmdir()
    events(watch, (DELETED, str(tmp_path / "below")))
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "unseen.md").touch()
    (tmp_path / "last.md").touch()
    found = events(watch, (ADDED, str(tmp_path / "last.md")))
    assert str(tmp_path / "below" / "unseen.md") not in {path for _, path in found}


def test_a_folder_that_is_moved_away_is_watched_no_longer(watch: Inotify, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    (tmp_path / "below").rename(moved)
    events(watch, (ADDED, str(moved)))
    (moved / "unseen.md").touch()
    (tmp_path / "last.md").touch()
    found = events(watch, (ADDED, str(tmp_path / "last.md")))
    assert not [path for _, path in found if path.endswith("unseen.md")]


def test_lost_events_are_reported_as_an_added_root(
    watch: Inotify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel says so in place of what its queue had no room for."""
    lost = b"\xff\xff\xff\xff\x00\x40\x00\x00" + bytes(8)
    read = os.read

    def overflowing(descriptor: int, size: int) -> bytes:
        return read(descriptor, size) and lost

    monkeypatch.setattr(os, "read", overflowing)
    (tmp_path / "a.md").touch()
    assert events(watch, (ADDED, str(tmp_path))) == {(ADDED, str(tmp_path))}


def test_another_thread_can_wake_and_stop_the_one_that_waits(watch: Inotify) -> None:
    stop, answers = threading.Event(), list[object]()
    waiting = threading.Thread(target=lambda: answers.append(watch.watch(20, 20, -1, stop)))
    waiting.start()
    watch.wake()
    waiting.join(PATIENCE_S)
    stop.set()
    watch.wake()
    assert watch.watch(20, 20, PATIENCE_MS, stop) == "stop"
    assert answers == ["timeout"]


def test_to_wake_a_closed_watch_does_nothing(tmp_path: Path) -> None:
    closed = Inotify([str(tmp_path)])
    closed.close()
    before = len(os.listdir("/proc/self/fd"))
    closed.wake()
    closed.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_or_a_link_in_a_folders_place_is_not_watched(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    for name in ("file", "link", "missing"):
        with pytest.raises(FileNotFoundError):
            Inotify([str(tmp_path), str(tmp_path / name)])
    assert len(os.listdir("/proc/self/fd")) == before
