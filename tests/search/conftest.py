"""The fixtures of notes, for tests of search."""

from tests.notes.conftest import parse, shared, wordpiece

__all__ = ["parse", "shared", "wordpiece"]
