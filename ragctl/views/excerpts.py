"""The lines of a passage around what was asked: cut, folded to the terminal, matches marked.

It asks nobody. Nothing that a note says can move the terminal: all of it is made safe first.
"""

import re
import unicodedata

from ragctl.views.markdown import Styled, rendered
from ragctl.views.render import Ink, clean

LINES = 3  # of one passage; the rest is a `--full` or a `ragctl show` away
WIDTH = 96
INDENT = "   "
_STEM = 5
_WRAPPED = 60  # characters; a shorter line ended where its writer wanted

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[぀-ヿ㐀-䶿一-鿿豈-﫿]{2,}")
_LEFT_OUT = re.compile(r"(?<!\S)-[^\s-]\S*|(?<!\S)(?:tag|folder|prop):\S+", re.I)
_IDLE = frozenset(
    (
        *("the", "and", "for", "was", "were", "how", "who", "why", "what", "when", "where"),
        *("which", "did", "does", "has", "had", "have", "are", "not", "you", "can", "with"),
        *("from", "this", "that", "about", "your", "der", "die", "das", "und", "ist", "wie"),
        *("war", "mit", "von", "den", "dem", "ein", "eine"),
    )
)


class Marks:
    """What of a text to mark: words that begin as a word of the question does."""

    def __init__(self, question: str) -> None:
        question = _LEFT_OUT.sub(" ", question)
        words = {word.casefold() for word in _WORD.findall(question)}
        telling = {w for w in words if (len(w) > 2 or w.isdecimal()) and w not in _IDLE}
        self._stems = {word[:_STEM] for word in telling if len(word) > 3}
        self._short = {word for word in telling if len(word) <= 3}
        runs = _UNSPACED.findall(question)
        self._pairs = {run[at : at + 2] for run in runs for at in range(len(run) - 1)}

    def within(self, text: str) -> list[tuple[int, int]]:
        """Where they are: from, to."""
        found = [match.span() for match in _WORD.finditer(text) if self._key(match.group())]
        for at in range(len(text) - 1) if self._pairs else ():
            if text[at : at + 2] in self._pairs:
                found.append((at, at + 2))
        return _joined(sorted(found))

    def different(self, text: str) -> set[str]:
        """Which words of the question the text has, by their stems."""
        found = {key for word in _WORD.findall(text) if (key := self._key(word))}
        return found | {pair for pair in self._pairs if pair in text}

    def _key(self, word: str) -> str:
        word = word.casefold()
        if word in self._short:
            return word
        return word[:_STEM] if len(word) > 3 and word[:_STEM] in self._stems else ""

    def paint(self, line: Styled, ink: Ink) -> str:
        """The line with its styles and these marked."""
        marked = [False] * len(line.text)
        for start, end in self.within(line.text):
            marked[start:end] = [True] * (end - start)
        painted, done = "", 0
        kinds = list(zip(line.styles, marked, strict=True))
        for at in range(1, len(kinds) + 1):
            if at == len(kinds) or kinds[at] != kinds[done]:
                style, is_marked = kinds[done]
                styles = ("yellow", "bold") if is_marked else (style,) if style else ()
                painted += ink.paint(line.text[done:at], *styles)
                done = at
        return painted


def excerpt(text: str, marks: Marks, ink: Ink, most: int | None = LINES) -> list[Styled]:
    """At most so many lines, around where most of the question is; None: all of them."""
    width = min(WIDTH, ink.columns - len(INDENT)) if ink.columns else WIDTH
    lines = _rendered(text, width, ink)
    if most is None or len(lines) <= most:
        return lines
    dots = ink.sign("…")
    lines = _rendered(text, width - 2 * (len(dots) + 1), ink)  # room for dots at both ends
    start = _start(lines, marks, most)
    shown = lines[start : start + most]
    if start:
        shown[0] = Styled().add(f"{dots} ", "dim").add_all(shown[0])
    if start + most < len(lines):
        shown[-1] = shown[-1].add(f" {dots}", "dim")
    return shown


def _start(lines: list[Styled], marks: Marks, most: int) -> int:
    """Where the lines begin that have the most words of the question, and a line after these: the
    answer often comes next. Else with these in their middle."""
    words = [marks.different(line.text) for line in lines]
    best, chosen = (-1, False, 0.0, 0), 0
    for at in range(len(lines) - most + 1):
        held = [number for number in range(at, at + most) if words[number]]
        seen = set().union(*words[at : at + most])
        middle = sum(held) / len(held) if held else 0.0
        goes_on = at + most == len(lines) or not words[at + most - 1]
        fit = (len(seen), goes_on, -abs(at + (most - 1) / 2 - middle), -at)
        if fit > best:
            best, chosen = fit, at
    return chosen


def _rendered(text: str, width: int, ink: Ink) -> list[Styled]:
    found = []
    for line in _paragraphs(text):
        shown = rendered(clean(line.rstrip().expandtabs(4)), ink.sign)
        if shown is not None and shown.text.strip():
            found += folded(shown, width)
    return found


def folded(line: Styled, width: int) -> list[Styled]:
    """A line in pieces that fit, cut between words where there are any."""
    width = max(width, 8)
    pieces: list[Styled] = []
    start, space, used = 0, -1, 0
    for at, character in enumerate(line.text):
        used += cells(character)
        if used > width and at > start:
            end = space if space > start else at
            pieces.append(line.part(start, end))
            start = end + 1 if space > start else at
            space, used = -1, sum(map(cells, line.text[start : at + 1]))
        if character == " " and line.text[start:at].strip():
            space = at
    return [*pieces, line.part(start, len(line.text))]


def cells(character: str) -> int:
    """How many places of a terminal a character takes."""
    if character.isascii():
        return 1
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fitting(text: str, width: int, dots: str) -> str:
    """A text cut to so many places, which end with dots where something is left out."""
    if sum(map(cells, text)) <= width:
        return text
    return _cut(Styled(text), max(1, width - len(dots))).text + dots


def _cut(line: Styled, width: int) -> Styled:
    used = 0
    for at, character in enumerate(line.text):
        used += cells(character)
        if used > width:
            return line.part(0, at)
    return line


def _paragraphs(text: str) -> list[str]:
    """The lines that are not blank; what was only wrapped by somebody's editor is one again."""
    found: list[str] = []
    wrapped = False
    for line in text.splitlines():
        if wrapped and line[:1].isalpha():
            found[-1] = f"{found[-1].rstrip()} {line.strip()}"
        elif line.strip():
            found.append(line)
        wrapped = len(line) >= _WRAPPED
    return found


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
