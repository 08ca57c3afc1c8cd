"""A part of a note that will be a chunk. Pure."""

from typing import NamedTuple

from ragd.notes.markdown.sections import Section


class CutPassage(NamedTuple):
    """A text that will be a chunk; `prose` is the part of it that may have tags."""

    text: str  # with marks where code was left out
    prose: str
    start_line: int
    end_line: int
    section: Section
    is_window: bool = False  # one of several of a long section
