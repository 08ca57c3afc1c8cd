"""Reads an Excalidraw drawing: its text elements, in reading order. Pure.

A `.excalidraw` file is JSON. A `.excalidraw.md` file lists its text elements in Markdown, and has
the drawing as JSON in a fenced block, often compressed. Short texts next to each other share a
place. It never raises, whatever the bytes are.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ragd.notes import decoding
from ragd.notes.characters import visible
from ragd.notes.documents.document_builder import DocumentBuilder
from ragd.notes.documents.lz_string import decompress
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.documents.reading_order import Box, box_of, reading_order
from ragd.notes.markdown import frontmatter

NOT_A_DRAWING = "it is not a valid Excalidraw drawing"
DRAWING_UNREAD = "its drawing could not be read; only the list of its texts was"

MOST_DRAWING = 30_000_000  # characters, decompressed
MOST_ELEMENTS = 20_000
FULL_PLACE = 30  # words; with fewer, a place takes in the next text

# Where the plugin's own part of the note begins.
_DATA = re.compile(r"^#{1,2} (?:Excalidraw Data|Text Elements|Drawing)[ \t]*$|^%%[ \t]*$", re.M)
_LISTED = re.compile(r"^#{1,2} Text Elements[ \t]*$", re.M)
_LIST_END = re.compile(
    r"^#{1,2} (?:Element Links|Embedded Files|Drawing)[ \t]*$|^%%[ \t]*$|^```", re.M
)
_MARK = re.compile(r"[ \t]\^([A-Za-z0-9_-]{1,60})[ \t]*$", re.M)  # the id at the end of a text
_BLOCK = re.compile(r"^```(json|compressed-json)[ \t]*\n", re.M)
_BANNER = re.compile(r"^==⚠.*$", re.M)
_WIKILINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")

Element = dict[str, Any]


class _Text(Struct, frozen=True):
    """One text of the drawing, or the name of a frame."""

    id: str
    text: str
    box: Box
    is_frame: bool = False
    links: tuple[str, ...] = ()


def read_excalidraw(path: str, data: bytes) -> Document | Unreadable:
    """The text of a drawing."""
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return Unreadable(decoded.reason)
    text = visible(decoded.text)
    warnings = [decoded.warning] if decoded.warning else []
    builder = DocumentBuilder(path)
    if not path.lower().endswith(".md"):
        elements = _elements(text)
        if elements is None:
            return Unreadable(NOT_A_DRAWING) if text.strip() else Document("")
        _write(builder, _texts(elements, {}))
        return builder.build("", None, *warnings)
    body = text[frontmatter.read(text).end :]
    listed = _listed_texts(body)
    block = _drawing(body)
    elements = _elements(block) if block else None
    if elements is None:
        warnings += [DRAWING_UNREAD] if block is None or block else []
    begin = _DATA.search(body)
    own = _BANNER.sub("", body[: begin.start()] if begin else body)
    if own.strip() and (begin or not listed):
        builder.begin_place("section", "1")  # what a person wrote beside the drawing
        builder.add_markdown(own)
    _write(builder, _texts(elements or [], listed))
    return builder.build("", None, *warnings)


def _listed_texts(body: str) -> dict[str, str]:
    """The texts below `## Text Elements`, by id: each ends with its id after a `^`."""
    start = _LISTED.search(body)
    if start is None:
        return {}
    end = _LIST_END.search(body, start.end())
    part = body[start.end() : end.start() if end else len(body)]
    found: dict[str, str] = {}
    done = 0
    for mark in _MARK.finditer(part):
        found[mark.group(1)] = part[done : mark.start()].strip()
        done = mark.end()
        if len(found) == MOST_ELEMENTS:
            break
    return found


def _drawing(body: str) -> str | None:
    """The drawing as JSON; empty if the note has none, None if it cannot be decompressed."""
    begin = _BLOCK.search(body)
    if begin is None:
        return ""
    end = body.find("\n```", begin.end() - 1)
    block = body[begin.end() : end if end != -1 else len(body)]
    return block if begin.group(1) == "json" else decompress(block, MOST_DRAWING)


def _elements(text: str) -> list[Element] | None:
    """The elements of a drawing that are not deleted; None if it is not a drawing."""
    try:
        drawing = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    found = drawing.get("elements") if isinstance(drawing, dict) else None
    if not isinstance(found, list):
        return None
    return [one for one in found if isinstance(one, dict) and one.get("isDeleted") is not True]


def _texts(elements: Sequence[Element], listed: Mapping[str, str]) -> list[_Text]:
    """The texts of the drawing, and those that only the list has, which come last."""
    found: list[_Text] = []
    drawn: set[str] = set()
    bottom = 0.0
    for element in elements:
        if len(found) >= MOST_ELEMENTS:
            break
        name, box = _string(element, "id"), box_of(element)
        bottom = max(bottom, box.y + box.height)
        links = tuple(_WIKILINK.findall(_string(element, "link")))
        if element.get("type") == "text":
            drawn.add(name)
            written = listed.get(name) or next(
                filter(None, (_string(element, key) for key in ("originalText", "rawText"))),
                _string(element, "text"),
            )
            found.append(_Text(name, written, box, False, links))
        elif element.get("type") in ("frame", "magicframe"):
            found.append(_Text(name, _string(element, "name"), box, is_frame=True))
        elif links:
            found.append(_Text(name, links[0], box, False, links))
    rest = [name for name in listed if name not in drawn][: MOST_ELEMENTS - len(found)]
    for at, name in enumerate(rest):
        found.append(_Text(name, listed[name], Box(0.0, bottom + 1 + at)))
    return found


def _write(builder: DocumentBuilder, texts: Sequence[_Text]) -> None:
    frames = [at for at, one in enumerate(texts) if one.is_frame]
    words = FULL_PLACE
    for placed in reading_order([one.box for one in texts], frames):
        one = texts[placed.index]
        if not one.text.strip():
            continue
        if words >= FULL_PLACE or one.is_frame:
            builder.begin_place("element", one.id or "unnamed")
            words = 0
        if one.is_frame:
            builder.add_heading(min(6, placed.depth + 1), one.text)
            continue
        builder.add_markdown(one.text, placed.depth)
        builder.add_links(one.links)
        words += len(one.text.split())


def _string(element: Element, key: str) -> str:
    value = element.get(key)
    return value if isinstance(value, str) else ""
