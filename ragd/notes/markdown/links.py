"""Finds links from a note to other notes and documents: wikilinks, embeds and Markdown links. Pure.

A target is a path in the vault without `.md`, or only a name; `paper.pdf` for a document. It may
not exist: `resolve` finds it among the notes with that name.
"""

import posixpath
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from ragd.notes.names import name_key

MOST = 64  # links of one passage
LONGEST = 300

_CODE = re.compile("`[^`\n]+`|``(?:[^`\n]|`(?!`))+``")
_WIKILINK = re.compile(r"\[\[([^\[\]\n|#^]+)(?:[#^|][^\[\]\n]*)?\]\]")
_MARKDOWN = re.compile(r"\]\((?:<([^<>\n]+)>|([^()\s<>]+))(?:\s+[\"'(][^\n]*?)?\)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_NOTE = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)
# Files that are no notes, and no documents with text of their own. Pictures are never searched for
# their links: a note may embed hundreds.
_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|avif|mp3|mp4|m4a|wav|ogg|flac|3gp|mov|mkv|webm|"
    r"base|zip|csv|doc|xlsx?|pptx?|json|ya?ml|py|js|css|sh)$",
    re.IGNORECASE,
)


class Link(NamedTuple):
    """A link on a line of a note."""

    line: int
    target: str


def find_links(text: str, first_line: int, path: str) -> list[Link]:
    """All links of a text that begins on `first_line` of the note at `path`, by line."""
    if "[[" not in text and "](" not in text:
        return []
    if "`" in text:
        text = _CODE.sub(" ", text)
    folder = path.rpartition("/")[0]
    found: list[Link] = []
    for number, line in enumerate(text.split("\n"), first_line):
        if "[[" in line:
            for match in _WIKILINK.finditer(line):
                if target := _target(match.group(1).rstrip("\\")):
                    found.append(Link(number, target))
        if "](" in line:
            for match in _MARKDOWN.finditer(line):
                if target := _target_of_address(match.group(1) or match.group(2), folder):
                    found.append(Link(number, target))
    return found


def targets_between(found: Sequence[Link], first: int, last: int) -> tuple[str, ...]:
    """The targets of the links on these lines, each once."""
    start = bisect_left(found, first, key=lambda link: link.line)
    end = bisect_right(found, last, key=lambda link: link.line)
    return tuple(dict.fromkeys(link.target for link in found[start:end]))[:MOST]


def link_key(target: str) -> str:
    """The key by which a target is looked up: that of its last name."""
    return name_key(linked_name(target))


def linked_name(path: str) -> str:
    """The name by which links name this file: `paper.pdf`, but `Beam` for `optics/Beam.md`."""
    return _NOTE.sub("", path).rpartition("/")[2]


def resolve(target: str, linking: str, named: Iterable[str]) -> str | None:
    """The path that a link in the note at `linking` leads to, among notes of that name.

    As in Obsidian: the whole path first, then the linking note's folder, then the shortest path
    that ends with the target.
    """
    wanted = _normalised(target)
    folder = linking.rpartition("/")[0]
    in_folder = _normalised(f"{folder}/{target}" if folder else target)
    best: tuple[int, int, str] | None = None
    for path in named:
        known = _normalised(_NOTE.sub("", path))
        if known == wanted:
            rank = 0
        elif known == in_folder:
            rank = 1
        elif known.endswith(f"/{wanted}"):
            rank = 2
        else:
            continue
        choice = (rank, path.count("/"), path)
        best = choice if best is None else min(best, choice)
    return best[2] if best else None


def _target(written: str) -> str:
    name = unicodedata.normalize("NFC", written).strip().strip("/")[:LONGEST]
    if _ATTACHMENT.search(name):
        return ""
    return _NOTE.sub("", name)


def _target_of_address(address: str, folder: str) -> str:
    """The target of a Markdown link; empty if it is outside the vault or has no text."""
    if _SCHEME.match(address) or address.startswith("#"):
        return ""
    written = unquote(address).partition("#")[0].partition("?")[0]
    if "/" in written.strip("/") or written.startswith(("/", ".")):
        path = written if written.startswith("/") else posixpath.join(folder, written)
        written = posixpath.normpath(path.lstrip("/")) if path.strip("/") else ""
        if written.startswith(".."):
            return ""
    return _target(written)


def _normalised(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
