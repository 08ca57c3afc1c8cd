"""A passage to guard, the rules of the default configuration, and the shared data."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct

from ragd.config.schema import MemorySettings, SecuritySettings
from ragd.guard.inspection import Rules
from tests.notes.conftest import parse, shared, wordpiece

__all__ = ["parse", "shared", "wordpiece"]


class Found(Struct, frozen=True):
    """A passage as the index returns it."""

    chunk_text: str
    section: str | None = None
    tags: tuple[str, ...] = ()
    title: str = "Note"
    heading_path: str = ""
    source_file: str = "Note.md"
    date: str | None = None
    properties: list[str] = []


def rules_of(security: dict[str, Any] | None = None, memory: dict[str, Any] | None = None) -> Rules:
    return Rules.from_config(SecuritySettings(**security or {}), MemorySettings(**memory or {}))


@pytest.fixture(scope="session")
def rules() -> Rules:
    return rules_of()


@pytest.fixture
def make_rules() -> Callable[..., Rules]:
    return rules_of
