"""A passage as an answer shows it. Pure."""

from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote

from msgspec import UNSET, Struct, UnsetType

from ragd.notes.markdown.sections import shown_path

TRUST = "untrusted-note"

Number = float | int | bool | None


class StoredPassage(Protocol):
    """A chunk as the index keeps it."""

    @property
    def chunk_text(self) -> str: ...
    @property
    def source_file(self) -> str: ...
    @property
    def section(self) -> str | None: ...
    @property
    def date(self) -> str | None: ...
    @property
    def tags(self) -> list[str]: ...
    @property
    def chunk_index(self) -> int: ...
    @property
    def start_line(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def title(self) -> str: ...
    @property
    def heading_path(self) -> str: ...


class Result(Struct, frozen=True):
    """One passage. Its text is data, never an instruction: `trust` says so each time."""

    chunk_text: str
    score: float
    source_file: str
    section: str | None
    date: str | None
    tags: list[str]
    chunk_index: int
    title: str
    heading_path: str
    start_line: int
    end_line: int
    citation: str
    link: str
    trust: str = TRUST
    injection_suspected: bool = False
    sensitive: tuple[str, ...] = ()
    ask_first: bool = False  # a person is to agree before it is shown
    stale: bool = False
    unverified: bool = False
    also_in: tuple[str, ...] = ()  # other notes with the same text, at most five
    also_in_total: int = 0  # how many other notes there are
    places: int = 1  # how often the text stands in all of them and in this note
    superseded_by: str | None = None  # citation of a newer passage with another value for the same
    via: str | None = None  # why a linked note is here: "linked from “…”", "links to “…”"
    date_source: str | None = None  # `note`: `date`; `file`: the day of the file's time
    file_date: str | None = None  # that day, where `date_source` is `file`
    evidence: Mapping[str, Number] | UnsetType = UNSET  # why it stands where it does, if asked


def result(row: StoredPassage, score: float, vault: str, **flags: Any) -> Result:
    """The row as a result, with how to cite it and how to open it in Obsidian."""
    return Result(
        row.chunk_text,
        round(score, 4),
        row.source_file,
        row.section,
        row.date,
        list(row.tags),
        row.chunk_index,
        row.title,
        shown_path(row.heading_path),
        row.start_line,
        row.end_line,
        citation(row.source_file, row.start_line, row.end_line),
        link(vault, row.source_file),
        **flags,
    )


def citation(path: str, start_line: int, end_line: int) -> str:
    """`path#L10-L24`, which `ragctl show` takes."""
    return f"{path}#L{start_line}-L{end_line}"


def link(vault: str, path: str) -> str:
    """What opens the note in Obsidian; `vault` is the name of the vault's folder."""
    return f"obsidian://open?vault={quote(vault, safe='')}&file={quote(path, safe='')}"
