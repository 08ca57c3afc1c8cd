"""Citations: where a passage is, as one word that every reader of notes accepts. Pure.

`Journal/a.md#L10-L24` names lines, `paper.pdf#page=3` a place of a document. It reads no file.
"""

import re
from typing import NamedTuple

# What a place of a document is called. Other words after a `#` belong to the file's name.
PLACE_NAMES = ("page", "node", "element", "section", "message")
WHOLE_IMAGE = "image"  # the only place of an image

_LINES = re.compile(r"(.+)#L(\d{1,9})(?:-L?(\d{1,9}))?", re.DOTALL)
_PLACE = re.compile(rf"(.+)#((?:{'|'.join(PLACE_NAMES)})=[^\s#]{{1,300}}|{WHOLE_IMAGE})", re.DOTALL)


class CitedPassage(NamedTuple):
    """A path, and the lines or the place of it that are meant; neither: the whole file."""

    path: str
    first: int | None = None
    last: int | None = None
    place: str = ""


def citation(path: str, start_line: int, end_line: int, place: str = "") -> str:
    """`path#L10-L24`, or `path#page=3` for a document with places."""
    return f"{path}#{place}" if place else f"{path}#L{start_line}-L{end_line}"


def parse_citation(typed: str) -> CitedPassage:
    """The path and what is cited of it. A path without a citation stays as it is."""
    if found := _LINES.fullmatch(typed):
        first = int(found.group(2))
        return CitedPassage(found.group(1), first, int(found.group(3) or first))
    if found := _PLACE.fullmatch(typed):
        return CitedPassage(found.group(1), place=found.group(2))
    return CitedPassage(typed)


def spoken_place(place: str) -> str:
    """A place for people: `page 3`."""
    return place.replace("=", " ", 1)
