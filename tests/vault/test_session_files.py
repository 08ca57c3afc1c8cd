"""Which sessions are read, and when."""

from datetime import UTC, datetime, timedelta

import pytest

from ragd.vault.session_files import (
    NEW_BYTES,
    NEW_MESSAGES,
    QUIET_S,
    SessionFiles,
    is_expired,
    is_session_name,
)
from ragd.vault.walk import NoteFile
from tests.notes.documents.transcripts import conversation

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
JUST = NOW - timedelta(seconds=1)
KEEP = 30


class Root:
    """Files in memory, and how often each was read."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}
        self.reads = 0
        self.sessions = SessionFiles(self._read_part)

    def _read_part(self, path: str, first: int, most: int) -> bytes:
        self.reads += 1
        if path not in self.data:
            raise FileNotFoundError(path)
        return self.data[path][first : first + most]

    def file(self, data: bytes, changed: datetime = JUST, path: str = "a.jsonl") -> NoteFile:
        self.data[path] = data
        return NoteFile(path, len(data), int(changed.timestamp() * 1e9), 1)

    def select(self, file: NoteFile, stored: NoteFile | None = None) -> list[NoteFile]:
        return self.sessions.select([file], lambda path: stored, NOW, KEEP)


@pytest.fixture
def root() -> Root:
    return Root()


def said(count: int, began: datetime = NOW - timedelta(hours=3)) -> bytes:
    return conversation(*(f"message {number}" for number in range(count)), began=began)


@pytest.mark.parametrize(
    ("name", "is_session"),
    [
        ("2f1c.jsonl", True),
        ("2f1c-topic-7.jsonl", True),
        ("sessions.json", False),
        ("2f1c.jsonl.deleted.2026-01-31T10-00-00", False),
        ("2f1c.jsonl.reset.2026-01-31T10-00-00", False),
        ("2f1c.trajectory.jsonl", False),
        ("2f1c.checkpoint.9d.jsonl", False),
        ("archive/2f1c.jsonl", False),
    ],
)
def test_a_session_has_one_ending(name: str, is_session: bool) -> None:
    assert is_session_name(name) is is_session


def test_a_new_session_waits_for_fifty_messages(root: Root) -> None:
    assert root.select(root.file(said(NEW_MESSAGES - 1))) == []
    file = root.file(said(NEW_MESSAGES))
    assert root.select(file) == [file]


def test_a_stored_session_looks_as_before_until_fifty_messages_more(root: Root) -> None:
    stored = root.file(said(60))
    assert root.select(root.file(said(60 + NEW_MESSAGES - 1)), stored) == [stored]
    file = root.file(said(60 + NEW_MESSAGES))
    assert root.select(file, stored) == [file]


def test_a_hundred_kilobytes_are_enough(root: Root) -> None:
    stored = root.file(said(1))
    grown = said(1) + conversation("x" * NEW_BYTES, began=JUST).split(b"\n", 1)[1]
    assert root.select(root.file(grown), stored) == [root.file(grown)]
    less = said(1) + conversation("x" * 90_000, began=JUST).split(b"\n", 1)[1]
    assert root.select(root.file(less), stored) == [stored]


def test_a_session_that_was_quiet_is_due(root: Root) -> None:
    file = root.file(said(1), NOW - timedelta(seconds=QUIET_S))
    assert root.select(file) == [file]
    earlier = root.file(said(1), NOW - timedelta(seconds=QUIET_S - 1))
    assert root.select(earlier) == []


def test_a_session_from_the_future_or_rewritten_is_due(root: Root) -> None:
    ahead = root.file(said(1), NOW + timedelta(hours=1))
    assert root.select(ahead) == [ahead]
    stored = root.file(said(9))
    shorter = root.file(said(2))
    assert root.select(shorter, stored) == [shorter]


def test_an_old_session_is_not_included(root: Root) -> None:
    old = NOW - timedelta(days=KEEP, seconds=1)
    assert root.select(root.file(said(1, old), old)) == []
    kept = NOW - timedelta(days=KEEP) + timedelta(hours=1)
    file = root.file(said(1, kept), kept)
    assert root.select(file) == [file]


def test_the_last_message_counts_even_if_the_file_was_touched_later(root: Root) -> None:
    old = NOW - timedelta(days=KEEP + 1)
    touched = root.file(said(60, old), NOW - timedelta(hours=2))
    assert root.select(touched, touched) == []


def test_without_a_time_of_a_message_that_of_the_file_counts() -> None:
    old, new = NOW - timedelta(days=KEEP + 1), NOW - timedelta(days=1)
    assert is_expired(None, int(old.timestamp() * 1e9), NOW, KEEP)
    assert not is_expired(None, int(new.timestamp() * 1e9), NOW, KEEP)
    assert not is_expired(NOW + timedelta(days=99), int(new.timestamp() * 1e9), NOW, KEEP)


def test_the_end_of_an_unchanged_file_is_read_once(root: Root) -> None:
    file = root.file(said(3), NOW - timedelta(days=1))
    for _ in range(3):
        assert root.select(file, file) == [file]
    assert root.reads == 1


def test_a_file_that_vanishes_meanwhile_is_not_due(root: Root) -> None:
    file = root.file(said(60))
    root.data.clear()
    assert root.select(file) == []
