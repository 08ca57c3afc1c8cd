"""The folder of the shared data."""

from tests.notes.conftest import shared

__all__ = ["shared"]
