"""A passage as answers show it. Pure."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol
from urllib.parse import quote

from msgspec import UNSET, Struct, UnsetType

from ragd.notes.documents.kinds import MARKDOWN
from ragd.notes.markdown.code_marks import readable
from ragd.notes.markdown.sections import shown_path
from ragd.protocol.citations import citation
from ragd.search.ranking.result_explanation import ResultExplanation
from ragd.vault.collection_paths import VAULT

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
    @property
    def position(self) -> str: ...
    @property
    def kind(self) -> str: ...


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
    kind: str = MARKDOWN.name  # of the document: markdown, pdf, canvas, …
    position: str = ""  # the place in it that is cited: `page=3`; empty: the lines are cited
    trust: str = TRUST
    injection_suspected: bool = False
    sensitive: tuple[str, ...] = ()
    ask_first: bool = False  # the user must agree before it is shown
    stale: bool = False
    unverified: bool = False
    also_in: tuple[str, ...] = ()  # other notes with the same text, at most five
    also_in_total: int = 0  # how many other notes there are
    places: int = 1  # how often the text is in this note and all of those
    superseded_by: str | None = None  # citation of a newer passage with another value
    maybe_newer: str | None = None  # citation of a newer passage further down, which may say more
    via: str | None = None  # why a linked note is here: "linked from “…”", "links to “…”"
    date_source: str | None = None  # `note`: `date` is set; `file`: `file_date` is set
    file_date: str | None = None  # the day of the file's time
    best_part: float | None = None  # where in the text the nearest part is, 0 to 1; None: unknown
    # where in the text it most likely answers, best first; only if the request asks for it
    best_sentences: tuple[tuple[int, int], ...] | UnsetType = UNSET
    truncated: bool | UnsetType = UNSET  # true: the text is cut, because the request limits it
    collection: str = VAULT
    context: str | None = None  # what is in its folder, in the user's own words
    evidence: Mapping[str, Number] | UnsetType = UNSET  # the numbers behind its rank, if requested
    explanation: ResultExplanation | UnsetType = UNSET  # the same in words, if requested


def make_result(row: StoredPassage, score: float, link: str, **flags: Any) -> Result:
    """The row as a result, with its citation. `link`: what opens it in Obsidian."""
    return Result(
        readable(row.chunk_text),
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
        cite(row),
        link,
        kind=row.kind or MARKDOWN.name,
        position=row.position,
        **flags,
    )


def cite(row: StoredPassage) -> str:
    """The citation of a passage, which `ragctl show` accepts."""
    return citation(row.source_file, row.start_line, row.end_line, row.position)


def obsidian_link(vault: str, path: str, place: str = "") -> str:
    """The URL that opens the note in Obsidian; `vault` is the name of the vault's folder. Empty for
    a note that is in no vault.

    Obsidian opens a PDF at its page. It has no such address for the other places.
    """
    if not vault:
        return ""
    target = f"{path}#{place}" if place.startswith("page=") else path
    return f"obsidian://open?vault={_quoted(vault)}&file={quote(target, safe='')}"


@lru_cache(64)
def _quoted(vault: str) -> str:
    return quote(vault, safe="")
