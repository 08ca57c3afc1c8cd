"""Splits a note's text into sentences, without list marks and headings. Pure."""

import re
from collections.abc import Iterator

from ragd.notes.markdown.code_marks import without_marks

_MARK = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+(?:\[.\]\s+)?|>+\s?(?:\[!\w+\][+-]?\s*)?")
# Headings, single tags, rules, and the most common properties of a note are not sentences.
_TITLE = re.compile(
    r"#{1,6}\s|#\S+$|[-=*_]{3,}$|\|[\s:|-]+$"
    r"|(?:tags?|alias(?:es)?|date|created|updated|cssclass(?:es)?|publish|type):(?:\s|$)"
)
_ROW = re.compile(r"=+|--+")
_END = re.compile(r"(?<=[.!?…])([\"'”’)\]]*)\s+(?=[^\sa-z])|(?<=[。！？])()")
_SHORT = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|vs|etc|ca|e\.g|i\.e|z\.b|d\.h|prof|rd|ave|nr|tel|ул|пер|наб|кв|тел)"
    r"|str|\b[a-zа-я])\.$",
    re.I,
)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, each on one line. A list item is one; headings are left out."""
    for block in _blocks(without_marks(text)):
        yield from _split(block)


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs with their lines joined, and items of lists."""
    block: list[str] = []
    for line in map(str.strip, text.split("\n")):
        mark = _MARK.match(line)
        if len(block) == 1 and _ROW.fullmatch(line):
            block = []  # a heading
        if not line or mark or _TITLE.match(line):
            if block:
                yield " ".join(block)
            block = []
        if line and not _TITLE.match(line):
            block.append(line[mark.end() :] if mark else line)
    if block:
        yield " ".join(block)


def _split(block: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(block):
        if _SHORT.search(block, max(start, end.start() - 8), end.start()):
            continue
        if piece := block[start : end.end(end.lastindex or 0)].strip():
            yield piece
        start = end.end()
    if rest := block[start:].strip():
        yield rest
