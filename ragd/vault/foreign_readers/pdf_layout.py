"""From printed lines to text: paragraphs, headings, divided words, running headers. Pure.

It judges by size and place alone. Where these are not clear it keeps the lines as they are, and
it never drops a line in the middle of a page.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

EDGE_LINES = 2  # at the top and at the bottom of a page, where running headers and footers are
EDGE_SHARE = 0.12  # of the page's height
RUNNING_FROM_PAGES = 3
RUNNING_SHARE = 0.4  # left and right pages may differ
HEADING_RATIO = 1.15
HEADING_CHARACTERS = 200
HEADINGS_AT_MOST = 0.2  # of all characters; with more, size does not mean a heading
DIVIDED = "\x02"

_HYPHENS = ("-", "\u2010", "\xad", DIVIDED)
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_NUMBER = re.compile(r"(?<![\d.,])[0-9]{1,5}(?![\d.,]*\d)")
_ROMAN = re.compile(r"[ivxlc]{1,7}")
_ITEM = re.compile(r"[•▪‣◦●○■□–—*➢✓-]\s|\(?(?:\d{1,3}|[a-zA-Z])[.)]\s")
_LEADERS = re.compile(r"(?: ?\.){5,} ?|(?: ?·){4,} ?")  # the dots in a table of contents
_SENTENCE_END = (".", "!", "?", ":", "…", "。", "！", "？")


class Printed(Protocol):
    """A printed line. Lengths are in points; y grows upwards."""

    @property
    def text(self) -> str: ...
    @property
    def size(self) -> float: ...
    @property
    def left(self) -> float: ...
    @property
    def right(self) -> float: ...
    @property
    def y(self) -> float: ...


class Block(NamedTuple):
    """A paragraph, or a heading if it has a level."""

    text: str
    level: int = 0


class Sizes(NamedTuple):
    """The size of ordinary text, and the level of each larger size that headings have."""

    body: float
    levels: dict[float, int]


def rounded(size: float) -> float:
    """A size in half points: what differs by less looks the same."""
    return round(size * 2) / 2


def sizes_of(pages: Iterable[Sequence[Printed]]) -> Sizes:
    """The sizes that are used, by how much text has them."""
    amounts: Counter[float] = Counter()
    headings: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            amounts[rounded(line.size)] += len(line.text)
            if _may_be_heading(line.text):
                headings[rounded(line.size)] += len(line.text)
    if not amounts:
        return Sizes(0.0, {})
    body = max(amounts, key=lambda size: (amounts[size], -size))
    large = sorted((one for one in headings if one >= body * HEADING_RATIO), reverse=True)
    if sum(headings[size] for size in large) > HEADINGS_AT_MOST * amounts.total():
        return Sizes(body, {})
    return Sizes(body, {size: level for level, size in enumerate(large, 1)})


def _may_be_heading(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    return len(text) <= HEADING_CHARACTERS and letters >= 2 and letters * 2 >= len(text)


def without_running_lines(
    pages: Sequence[Sequence[Printed]], heights: Sequence[float]
) -> list[list[Printed]]:
    """The pages without the lines that are repeated on many of them, up to page numbers.

    Where such a line has words, its first one stays, so that its words can be found.
    """
    edges = [_edge_lines(lines, height) for lines, height in zip(pages, heights, strict=True)]
    forms = [[_running_forms(line.text, at) for line in edge] for at, edge in enumerate(edges)]
    counts = Counter(form for page in forms for form in {one for line in page for one in line})
    needed = max(RUNNING_FROM_PAGES, RUNNING_SHARE * sum(map(bool, pages)))
    seen: set[str] = set()
    kept: list[list[Printed]] = []
    for lines, edge, edge_forms in zip(pages, edges, forms, strict=True):
        dropped: set[int] = set()
        for line, own in zip(edge, edge_forms, strict=True):
            running = {form for form in own if counts[form] >= needed}
            if running and (running & seen or not _has_words(line.text)):
                dropped.add(id(line))
            seen |= running
        kept.append([line for line in lines if id(line) not in dropped])
    return kept


def _edge_lines(lines: Sequence[Printed], height: float) -> list[Printed]:
    ordered = sorted(lines, key=lambda line: line.y)
    bottom = [line for line in ordered[:EDGE_LINES] if line.y < height * EDGE_SHARE]
    top = [line for line in ordered[-EDGE_LINES:] if line.y > height * (1 - EDGE_SHARE)]
    return [*bottom, *(line for line in top if line not in bottom)]


def _has_words(text: str) -> bool:
    return _WORD.search(text) is not None and not _ROMAN.fullmatch(text.casefold())


def _running_forms(text: str, page: int) -> set[str]:
    """What a line is compared by: itself, and itself with one number counted from its page, so
    that "Page 3" and "Page 4" are the same and "Balance 310" and "Balance 95" are not."""
    plain = " ".join(text.casefold().split())
    forms = {plain}
    if _ROMAN.fullmatch(plain):
        forms.add("roman")
    for match in _NUMBER.finditer(plain):
        offset = int(match.group()) - page
        forms.add(f"{plain[: match.start()]}#{offset}#{plain[match.end() :]}")
    return forms


def known_words(pages: Iterable[Sequence[Printed]]) -> frozenset[str]:
    """The words of the document that are not at the end of a line."""
    found: set[str] = set()
    for lines in pages:
        for line in lines:
            found.update(word.casefold() for word in _WORD.findall(line.text)[:-1])
    return frozenset(found)


def blocks(lines: Sequence[Printed], sizes: Sizes, words: frozenset[str]) -> Iterator[Block]:
    """The paragraphs and headings of one page, in the order of its lines."""
    step = _usual_step(lines)
    rights = _right_edges(lines)
    text, level = "", 0
    before: Printed | None = None
    for line in lines:
        own = sizes.levels.get(rounded(line.size), 0) if _may_be_heading(line.text) else 0
        if before is not None and own == level and not _begins_block(before, line, step):
            if level or before.text.endswith(DIVIDED) or _is_full(before, rights):
                text = join_lines(text, line.text, words)
            else:
                text = f"{text}\n{line.text}"
        else:
            if before is not None:
                yield Block(_ended(text), level)
            text, level = line.text, own
        before = line
    if before is not None:
        yield Block(_ended(text), level)


def _ended(text: str) -> str:
    """A finished block."""
    if "...." in text or ". . ." in text or "··" in text:
        text = _LEADERS.sub(" … ", text)
    return _with_hyphen(text)


def _with_hyphen(text: str) -> str:
    return f"{text[:-1]}-" if text.endswith(DIVIDED) else text


def _begins_block(before: Printed, line: Printed, step: float) -> bool:
    """Whether a line begins a new paragraph."""
    if abs(before.size - line.size) > 0.6 and not before.text.endswith(DIVIDED):
        return rounded(before.size) != rounded(line.size)
    down = before.y - line.y
    if down < -step / 2:  # the next column
        return before.text.endswith(_SENTENCE_END)
    if down > step * 1.3 + 0.5:
        return True
    if _ITEM.match(line.text):
        return True
    indent = line.left - before.left
    return 0.8 * line.size < indent < 5 * line.size and before.text.endswith(_SENTENCE_END)


def _usual_step(lines: Sequence[Printed]) -> float:
    """How far apart the lines of a paragraph are on this page."""
    steps = Counter[float]()
    for one, other in pairwise(lines):
        down = one.y - other.y
        if 0.8 * other.size < down < 3 * other.size:
            steps[rounded(down)] += 1
    if not steps:
        return 1.4 * max((line.size for line in lines), default=0.0)
    most = max(steps.values())
    return min(step for step, count in steps.items() if count * 2 >= most)


def _right_edges(lines: Sequence[Printed]) -> dict[int, tuple[float, float]]:
    """Of the lines that begin at about the same place: where the text begins and ends."""
    found: dict[int, tuple[float, float]] = {}
    for line in lines:
        column = round(line.left / 40)
        left, right = found.get(column, (line.left, line.right))
        found[column] = (min(left, line.left), max(right, line.right))
    return found


def _is_full(line: Printed, rights: dict[int, tuple[float, float]]) -> bool:
    """Whether a line ends because there was no more room: then its sentence goes on."""
    if _LEADERS.search(line.text):
        return False
    left, right = rights[round(line.left / 40)]
    return line.right >= right - 0.15 * (right - left)


def join_lines(text: str, following: str, words: frozenset[str]) -> str:
    """Two lines of a paragraph as one. A word that was divided at the end of the line is whole
    again; the hyphen stays if the document has the word with it elsewhere."""
    if not text.endswith(_HYPHENS) or len(text) < 2 or not text[-2].isalpha():
        return f"{text} {following}"
    if not following[:1].isalpha():
        return f"{_with_hyphen(text)} {following}"
    first, second = _WORD.findall(text[:-1])[-1:], _WORD.match(following)
    if not first or second is None:
        return f"{_with_hyphen(text)} {following}"
    whole = f"{first[0]}{second.group()}".casefold()
    compound = f"{first[0]}-{second.group()}".casefold()
    if whole not in words and (compound in words or following[:1].isupper()):
        return f"{text[:-1]}-{following}"
    return f"{text[:-1]}{following}"
