"""File events from the system."""

import os
from pathlib import Path

import pytest

from ragd.vault import file_events, inotify
from ragd.vault.file_events import ROOT, FileEvent, FileEvents, WatchDied


async def until(events: FileEvents, *wanted: FileEvent) -> set[FileEvent]:
    """Collect events until all of these have come."""
    told: set[FileEvent] = set()
    while not told.issuperset(wanted):
        told |= await events.next()
    return told


@pytest.fixture(autouse=True, params=["inotify", "watchfiles"])
def source(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Everything here holds for both sources of events."""
    name = str(request.param)
    if name == "inotify" and not inotify.IS_AVAILABLE:
        pytest.skip("this system has no inotify")
    monkeypatch.setattr(inotify, "IS_AVAILABLE", name == "inotify")
    return name


async def test_added_changed_and_removed_files_are_reported_by_relative_paths(
    tmp_path: Path,
) -> None:
    (tmp_path / "folder").mkdir()
    events = FileEvents(str(tmp_path), 20, ["folder"])
    try:
        note = tmp_path / "folder" / "Küche.md"
        note.write_text("a")
        await until(events, ("added", "folder/Küche.md"))
        note.write_text("ab")
        await until(events, ("modified", "folder/Küche.md"))
        note.unlink()
        await until(events, ("deleted", "folder/Küche.md"))
        os.rename(tmp_path / "folder", tmp_path / "other")
        await until(events, ("deleted", "folder"), ("added", "other"))
    finally:
        events.close()


async def test_the_folder_itself_is_reported_as_the_root(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    events = FileEvents(str(root), 20)
    try:
        os.rename(root, tmp_path / "elsewhere")
        await until(events, ("deleted", ROOT))
    finally:
        events.close()


async def test_a_root_that_is_a_link_has_the_same_paths(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    events = FileEvents(str(tmp_path / "link"), 20)
    try:
        (tmp_path / "real" / "a.md").write_text("a")
        await until(events, ("added", "a.md"))
    finally:
        events.close()


async def test_quiet_seconds_end_with_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_events, "QUIET_MS", 20)
    events = FileEvents(str(tmp_path), 20)
    try:
        assert await events.next() == set()
    finally:
        events.close()


async def test_a_name_that_is_not_utf8_ends_the_watch(tmp_path: Path) -> None:
    events = FileEvents(str(tmp_path), 20)
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).touch()
        with pytest.raises(WatchDied) as died:
            await until(events, ("added", "never"))
        assert died.value.reason in ("WatchfilesRustInternalError", "UnicodeDecodeError")
        assert str(tmp_path) not in str(died.value)
    finally:
        events.close()


async def test_a_name_that_is_not_utf8_and_was_there_before_does_no_harm(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).touch()
    events = FileEvents(str(tmp_path), 20)
    try:
        (tmp_path / "a.md").touch()
        await until(events, ("added", "a.md"))
    finally:
        events.close()


async def test_only_the_folders_that_are_named_are_watched(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "vault"
    for folder in (outside, root / "a" / "b", root / "not named"):
        folder.mkdir(parents=True)
    (root / "link").symlink_to(outside)
    events = FileEvents(str(root), 20, ["a", "a/b", "link", "gone"])
    try:
        for folder in (outside, root / "not named", root / "a" / "b"):
            (folder / "note.md").touch()
        assert await until(events, ("added", "a/b/note.md")) == {("added", "a/b/note.md")}
    finally:
        events.close()


@pytest.mark.skipif(file_events.WATCHES_TREES, reason="this system watches whole trees")
async def test_a_watch_of_other_folders_is_outdated_and_returns_at_once(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    events = FileEvents(str(tmp_path), 20, ["a"])
    try:
        events.set_folders(["a"])
        assert not events.is_outdated
        events.set_folders(["a", "b"])
        assert events.is_outdated
        assert await events.next() == set()
    finally:
        await events.wait_closed()
        events.close()


@pytest.mark.skipif(file_events.WATCHES_TREES, reason="this system watches whole trees")
async def test_a_folder_that_went_and_is_there_again_has_to_be_watched_again(
    tmp_path: Path,
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    events = FileEvents(str(tmp_path), 20, ["a", "a/b"])
    try:
        os.rename(tmp_path / "a", tmp_path / "c")
        await until(events, ("deleted", "a"))
        os.rename(tmp_path / "c", tmp_path / "a")
        events.set_folders(["a", "a/b"])
        assert events.is_outdated
    finally:
        events.close()


@pytest.mark.skipif(file_events.WATCHES_TREES, reason="this system watches whole trees")
def test_more_folders_than_we_may_watch_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_events, "MOST_FOLDERS", 1)
    with pytest.raises(WatchDied) as died:
        FileEvents(str(tmp_path), 20, ["a", "b"])
    assert died.value.reason == "OSError"


def test_what_cannot_be_watched_is_said(tmp_path: Path) -> None:
    with pytest.raises(WatchDied) as died:
        FileEvents(str(tmp_path / "missing"), 20)
    assert died.value.reason == "FileNotFoundError"
