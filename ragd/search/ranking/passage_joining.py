"""Joins neighbouring passages of one section. Pure.

Only passages under the same heading, at the same place of a document and with the same date are
joined, so that heading, place, tags and date hold for all of the joined text. Text that both
passages have, because they overlap, is kept once.
"""

from typing import TypeVar

from msgspec import structs

from ragd.search.results import StoredPassage

MOST_PASSAGES = 3  # stored passages in a joined one
OVERLAP_CHARACTERS = 2_000  # how much of the end of a passage the next one may repeat


AnyRow = TypeVar("AnyRow", bound=StoredPassage)


def may_join(one: StoredPassage, parts: int, other: StoredPassage) -> bool:
    """Whether `other` is next to `one`, which is already joined from `parts` passages."""
    if parts >= MOST_PASSAGES or one.source_file != other.source_file:
        return False
    same = (one.heading_path, one.section, one.date, one.position) == (
        other.heading_path,
        other.section,
        other.date,
        other.position,
    )
    touches = other.chunk_index in (one.chunk_index - 1, one.chunk_index + parts)
    return same and touches


def join_passages(one: AnyRow, other: AnyRow) -> AnyRow:
    """Both as one passage, in the order of the note, at the position of the first."""
    first, last = (one, other) if one.chunk_index <= other.chunk_index else (other, one)
    return structs.replace(  # type: ignore[type-var]
        first,
        chunk_text=_joined_text(first, last),
        end_line=max(first.end_line, last.end_line),
        tags=list(dict.fromkeys([*first.tags, *last.tags])),
    )


def place_in_joined(joined: str, text: str, place: float | None) -> float | None:
    """A place in the text of a passage, from 0 to 1, as a place in the joined text."""
    start = joined.find(text)
    if place is None or start < 0:
        return None
    return round((start + place * len(text)) / len(joined), 2)


def _joined_text(first: StoredPassage, last: StoredPassage) -> str:
    start, end = first.chunk_text, last.chunk_text
    most = min(len(start), len(end), OVERLAP_CHARACTERS)
    for size in range(most, 0, -1):
        if start.endswith(end[:size]):
            return start + end[size:]
    gap = "\n" if last.start_line <= first.end_line + 1 else "\n\n"
    return f"{start}{gap}{end}"
