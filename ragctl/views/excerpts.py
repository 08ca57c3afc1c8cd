"""Excerpts: the lines of a passage that match the question, wrapped, with the matches highlighted.

It sends no request. Control characters in a note never reach the terminal.
"""

import re
import unicodedata
from collections.abc import Sequence

from ragctl.views.markdown import StyledText, render_line
from ragctl.views.render import Ink, clean

LINES = 3  # of a usual passage; `--full` and `ragctl show` print the rest
WIDTH = 96
INDENT = "   "
SENTENCE_WEIGHT = 0.3  # how much less the next best sentence counts
NEAR = 0.15  # of the lines; how far from the nearest part the excerpt may be
_STEM_LENGTH = 5
_WRAPPED_LENGTH = 60  # characters; a shorter line was not wrapped by an editor

_WORD = re.compile(r"[^\W_]+")
_CJK_RUN = re.compile("[぀-ヿ㐀-䶿一-鿿豈-﫿]{2,}")
_FILTERS = re.compile(r"(?<!\S)-[^\s-]\S*|(?<!\S)(?:tag|folder|prop):\S+", re.I)
_ASKS_FOR_NUMBER = re.compile(
    r"\b(?:how (?:long|much|many|often|old|far|big|tall|high|late)|when|what (?:time|date|day|year)"
    r"|wann|wie (?:lange|viele?|oft|alt|weit|gro(?:ß|ss)|hoch|spät)|wieviele?"
    r"|cuándo|cuánt[oa]s?|quand|combien)\b|多少|几|什么时候|多久|多长|多大",
    re.I,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred"
    r"|thousand|half|once|twice|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|[一二三四五六七八九十百千]",
    re.I,
)
_ANSWER = "a number"  # stands for an expected number among the words of the question
_STOP_WORDS = frozenset(
    (
        *("the", "and", "for", "was", "were", "how", "who", "why", "what", "when", "where"),
        *("which", "did", "does", "has", "had", "have", "are", "not", "you", "can", "with"),
        *("from", "this", "that", "about", "your", "der", "die", "das", "und", "ist", "wie"),
        *("war", "mit", "von", "den", "dem", "ein", "eine"),
    )
)


class Highlighter:
    """Highlights the words that begin like a word of the question."""

    def __init__(self, question: str) -> None:
        question = _FILTERS.sub(" ", question)
        words = {word.casefold() for word in _WORD.findall(question)}
        searched = {w for w in words if (len(w) > 2 or w.isdecimal()) and w not in _STOP_WORDS}
        self._stems = {word[:_STEM_LENGTH] for word in searched if len(word) > 3}
        self._short = {word for word in searched if len(word) <= 3}
        runs = _CJK_RUN.findall(question)
        self._pairs = {run[at : at + 2] for run in runs for at in range(len(run) - 1)}
        self._asks_for_number = _ASKS_FOR_NUMBER.search(question) is not None
        self.word_count = len(self._stems) + len(self._short) + len(self._pairs)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The matches in the text, as (start, end)."""
        found = [match.span() for match in _WORD.finditer(text) if self._match_key(match.group())]
        for at in range(len(text) - 1) if self._pairs else ():
            if text[at : at + 2] in self._pairs:
                found.append((at, at + 2))
        return _merge_spans(sorted(found))

    def matched_words(self, text: str) -> set[str]:
        """The words of the question that the text contains, by their stems."""
        found = {key for word in _WORD.findall(text) if (key := self._match_key(word))}
        return found | {pair for pair in self._pairs if pair in text}

    def matched_clues(self, text: str) -> set[str]:
        """The matched words, and a number if the question asks for one and the text has one."""
        found = self.matched_words(text)
        if self._asks_for_number and _NUMBER.search(text):
            found.add(_ANSWER)
        return found

    def _match_key(self, word: str) -> str:
        word = word.casefold()
        if word in self._short:
            return word
        return word[:_STEM_LENGTH] if len(word) > 3 and word[:_STEM_LENGTH] in self._stems else ""

    def paint(self, line: StyledText, ink: Ink) -> str:
        """The line with its styles and its matches in colour."""
        marked = [False] * len(line.text)
        for start, end in self.spans(line.text):
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


def excerpt(
    text: str,
    highlighter: Highlighter,
    ink: Ink,
    lines_max: int | None = LINES,
    best_part: float | None = None,
    best_sentences: Sequence[str] = (),
) -> list[StyledText]:
    """At most `lines_max` lines, around the best match; None: all lines. `best_part`: where in the
    text the meaning is nearest to the question, from 0 to 1. `best_sentences`: those that most
    likely answer, best first."""
    width = min(WIDTH, ink.columns - len(INDENT)) if ink.columns else WIDTH
    lines = _render_lines(text, width, ink)
    if lines_max is None or len(lines) <= lines_max:
        return lines
    dots = ink.sign("…")
    lines = _render_lines(text, width - 2 * (len(dots) + 1), ink)  # room for dots at both ends
    if best_sentences:
        start = _start_by_sentences(lines, highlighter, lines_max, best_sentences)
    else:
        start = _best_start(lines, highlighter, lines_max, best_part)
    shown = lines[start : start + lines_max]
    if start:
        shown[0] = StyledText().add(f"{dots} ", "dim").add_all(shown[0])
    if start + lines_max < len(lines):
        shown[-1] = shown[-1].add(f" {dots}", "dim")
    return shown


def _start_by_sentences(
    lines: list[StyledText], highlighter: Highlighter, lines_max: int, sentences: Sequence[str]
) -> int:
    """The first line of the excerpt: the lines with the best sentence and as much as possible of
    the next ones; of these, the ones with the most words of the question. A sentence is found by
    its words, because lines are shown without markup."""
    wanted = [frozenset(_WORD.findall(sentence)) for sentence in sentences]
    words = [frozenset(_WORD.findall(line.text)) for line in lines]
    matched = [highlighter.matched_words(line.text) for line in lines]

    def fit(at: int) -> tuple[float, int, int]:
        shown = frozenset().union(*words[at : at + lines_max])
        shares = (len(one & shown) / len(one) for one in wanted if one)
        covered = sum(share * SENTENCE_WEIGHT**rank for rank, share in enumerate(shares))
        return round(covered, 2), len(set().union(*matched[at : at + lines_max])), -at

    return max(range(len(lines) - lines_max + 1), key=fit)


def _best_start(
    lines: list[StyledText], highlighter: Highlighter, lines_max: int, best_part: float | None
) -> int:
    """The first line of the excerpt: the lines with the most words of the question and a number if
    it asks for one; of these, the ones near the part with the nearest meaning, with one line after
    the matches, because the answer often comes next. If no lines have half of the words, only lines
    near that part are considered."""
    words = [highlighter.matched_words(line.text) for line in lines]
    clues = [highlighter.matched_clues(line.text) for line in lines]
    starts = range(len(lines) - lines_max + 1)
    half = lines_max / 2
    place = None if best_part is None else best_part * len(lines)

    def matched(at: int) -> int:
        return len(set().union(*words[at : at + lines_max]))

    def clues_in(at: int) -> int:
        return len(set().union(*clues[at : at + lines_max]))

    def goes_on(at: int) -> bool:
        return at + lines_max == len(lines) or not words[at + lines_max - 1]

    def is_near(at: int) -> bool:
        """Whether these lines are about where the meaning is nearest."""
        return place is None or abs(at + half - place) <= NEAR * len(lines)

    def fit(at: int) -> tuple[int, bool, bool, float, int]:
        held = [number for number in range(at, at + lines_max) if words[number]]
        middle = sum(held) / len(held) if held else place or 0.0
        from_middle = abs(at + (lines_max - 1) / 2 - middle)
        return clues_in(at), is_near(at), goes_on(at), -from_middle, -at

    near = [at for at in starts if is_near(at)]
    few_words = 2 * max(map(matched, starts)) < highlighter.word_count
    return max(near if near and few_words else starts, key=fit)


def _render_lines(text: str, width: int, ink: Ink) -> list[StyledText]:
    found = []
    for line in _join_wrapped_lines(text):
        shown = render_line(clean(line.rstrip().expandtabs(4)), ink.sign)
        if shown is not None and shown.text.strip():
            found += wrap_line(shown, width)
    return found


def wrap_line(line: StyledText, width: int) -> list[StyledText]:
    """The line in pieces of at most `width` cells, broken between words where possible."""
    width = max(width, 8)
    pieces: list[StyledText] = []
    start, space, used = 0, -1, 0
    for at, character in enumerate(line.text):
        used += cell_width(character)
        if used > width and at > start:
            end = space if space > start else at
            pieces.append(line.part(start, end))
            start = end + 1 if space > start else at
            space, used = -1, sum(map(cell_width, line.text[start : at + 1]))
        if character == " " and line.text[start:at].strip():
            space = at
    return [*pieces, line.part(start, len(line.text))]


def cell_width(character: str) -> int:
    """How many terminal cells a character takes."""
    if character.isascii():
        return 1
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def truncate(text: str, width: int, dots: str) -> str:
    """The text cut to `width` cells, with dots at the end if it was cut."""
    if sum(map(cell_width, text)) <= width:
        return text
    return _cut(StyledText(text), max(1, width - len(dots))).text + dots


def _cut(line: StyledText, width: int) -> StyledText:
    used = 0
    for at, character in enumerate(line.text):
        used += cell_width(character)
        if used > width:
            return line.part(0, at)
    return line


def _join_wrapped_lines(text: str) -> list[str]:
    """The lines that are not blank. Lines that an editor wrapped are joined again."""
    found: list[str] = []
    wrapped = False
    for line in text.splitlines():
        if line.strip() and ((wrapped and line[:1].isalpha()) or (found and _in_link(found[-1]))):
            found[-1] = f"{found[-1].rstrip()} {line.strip()}"
        elif line.strip():
            found.append(line)
        wrapped = len(line) >= _WRAPPED_LENGTH
    return found


def _in_link(line: str) -> bool:
    """Whether the line ends in the middle of a link's text."""
    begin = line.rfind("[")
    return begin >= 0 and "]" not in line[begin:] and len(line) - begin < _WRAPPED_LENGTH


def _merge_spans(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
