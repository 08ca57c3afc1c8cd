"""The fields of a passage that the guard inspects."""

from collections.abc import Sequence
from typing import Protocol


class GuardedPassage(Protocol):
    """A passage of a note: a row of the index, or anything else with these fields."""

    @property
    def chunk_text(self) -> str: ...
    @property
    def section(self) -> str | None: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def title(self) -> str: ...
    @property
    def heading_path(self) -> str: ...
    @property
    def source_file(self) -> str: ...
    @property
    def date(self) -> str | None: ...


class NotePassage(GuardedPassage, Protocol):
    """The same, with the properties of its note."""

    @property
    def properties(self) -> Sequence[str]: ...
