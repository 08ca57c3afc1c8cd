"""The kinds of sensitive content in a part of a note, by the default configuration. Pure.

The chunker keeps parts of different kinds apart. It must cut a note the same way each time, so it
cannot follow the configuration. What only the configuration makes sensitive is found in a passage
later, by `sensitive`, wherever in the passage it is.
"""

from functools import cache

from msgspec import Struct

from ragd.config.schema import MemorySettings, SecuritySettings
from ragd.guard.rules import Rules
from ragd.guard.sensitive import categories


class NotePart(Struct, frozen=True):
    """A part of a note with its headings and tags."""

    text: str
    section: str | None
    heading_path: str
    tags: tuple[str, ...] = ()


def default_kinds(part: NotePart) -> frozenset[str]:
    """The kinds of sensitive content in its headings, tags and text."""
    return frozenset(categories(part, f"{part.heading_path}\n{part.text}", _default_rules()))


@cache
def _default_rules() -> Rules:
    return Rules.from_config(SecuritySettings(), MemorySettings())
