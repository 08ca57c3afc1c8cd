"""Where the shared data lies."""

from tests.notes.conftest import shared

__all__ = ["shared"]
