"""Fixtures for tests of notes: the vocabulary, a parser, and the folder of shared data."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import parse_note
from ragd.notes.wordpiece import WordPiece

ROOT = Path(__file__).resolve().parents[2]
Parse = Callable[..., Note]


@pytest.fixture(scope="session")
def wordpiece() -> WordPiece:
    return WordPiece((ROOT / "ragd" / "data" / "vocab.txt").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def parse(wordpiece: WordPiece) -> Parse:
    """Parses a note given as text or bytes; options by name."""

    def parsed(content: str | bytes, path: str = "Note.md", **options: object) -> Note:
        data = content.encode() if isinstance(content, str) else content
        note = parse_note(path, data, ChunkOptions(**options), wordpiece.count)  # type: ignore[arg-type]
        assert isinstance(note, Note)
        return note

    return parsed


@pytest.fixture(scope="session")
def shared() -> Path:
    """The data shared between checkouts: next to this one, or at RAGD_SHARED."""
    found = Path(os.environ.get("RAGD_SHARED", ROOT.parent / "shared")) / "data"
    if not found.is_dir():
        pytest.skip(f"the shared test data is not at {found}")
    return found
