"""Joins passages of a few words with a neighbour, so that none of them is a result of its own.

A tiny passage joins the next one below the same heading, else the one before it. Passages of
different dates are never joined, nor a sensitive one with one that is not. It never drops text.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from ragd.guard.default_kinds import NotePart, default_kinds
from ragd.notes.cut_passage import CutPassage
from ragd.notes.late_pattern import LatePattern
from ragd.notes.markdown import tags
from ragd.notes.markdown.code_marks import without_marks
from ragd.notes.markdown.fences import CODE_LINE
from ragd.notes.markdown.sanitise import without_markup

FEWEST_WORDS = 5  # of a passage that is a result of its own; a link counts as one word
LONGEST_TINY = 600  # characters; a longer text is not counted
LONGEST_WRITTEN = 5_000  # the same, with addresses and comments
CHARACTERS_OF_A_WORD = 2  # in scripts without spaces

_EMBED = LatePattern(r"!\[\[[^\[\]\n]*\]\]|!\[[^\[\]\n]*\]\([^()\n]*\)")
_LINK = LatePattern(
    r"\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\([^()\n]*\)|<?[a-z][a-z0-9+.-]{1,15}://[^\s<>]+>?"
)
_HEADING = LatePattern(r"[ \t>]*#{1,6}(?:[ \t]|$)")
_UNSPACED = LatePattern("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


class WrittenLines(NamedTuple):
    """The lines of a note's body as they were written, with links, and without code."""

    lines: Sequence[str]
    first_line: int

    def between(self, first: int, last: int) -> Sequence[str]:
        """These lines, without the properties above the body."""
        return self.lines[max(0, first - self.first_line) : max(0, last + 1 - self.first_line)]


def join_tiny_passages(
    passages: Iterable[CutPassage], written: WrittenLines, fits: Callable[[str], bool]
) -> Iterator[CutPassage]:
    """The passages in order. `fits`: whether a text is not too long for a passage."""
    joiner = _Joiner(written, fits)
    before: CutPassage | None = None
    tiny: CutPassage | None = None  # it waits for the passage after it
    for passage in chain(passages, [None]):
        after = passage
        if tiny is not None:
            before, after, alone = joiner.place(before, tiny, after)
            if alone:
                if before is not None:
                    yield before
                before = tiny
            tiny = None
        if after is None:
            break
        if joiner.is_tiny(after):
            tiny = after
            continue
        if before is not None:
            yield before
        before = after
    if before is not None:
        yield before


def count_words(lines: Iterable[str], enough: int | None = None) -> int:
    """The words of these lines, without headings, tags and embedded files. Stops counting when
    there are `enough`."""
    count = 0
    for line in lines:
        if enough is not None and count >= enough:
            break
        if CODE_LINE in line:
            return FEWEST_WORDS
        if _HEADING.match(line):
            continue
        rest = _LINK.sub(" link ", _EMBED.sub(" ", line))
        rest = tags.without_tags(without_markup(rest))
        count += sum(map(_words_in, rest.split()))
    return count


def _words_in(word: str) -> int:
    """1 for a word between spaces, more for one of a script without spaces, 0 without letters."""
    if not any(map(str.isalnum, word)):
        return 0
    return 1 if word.isascii() else max(1, len(_UNSPACED.findall(word)) // CHARACTERS_OF_A_WORD)


class _Joiner(NamedTuple):
    """Joins two passages, if they may be joined."""

    written: WrittenLines
    fits: Callable[[str], bool]

    def is_tiny(self, passage: CutPassage) -> bool:
        return self._words(passage, FEWEST_WORDS) < FEWEST_WORDS

    def place(
        self, before: CutPassage | None, tiny: CutPassage, after: CutPassage | None
    ) -> tuple[CutPassage | None, CutPassage | None, bool]:
        """The neighbours, one of them joined with `tiny`; and whether it must stay alone."""
        is_below = after is not None and after.section.level >= tiny.section.level
        pairs = [(tiny, after), (before, tiny)]
        for upper, lower in pairs if is_below else reversed(pairs):
            if upper is None or lower is None:
                continue
            joined = self._join(upper, lower)
            if joined is not None:
                return (before, joined, False) if upper is tiny else (joined, after, False)
        return before, after, True

    def _join(self, upper: CutPassage, lower: CutPassage) -> CutPassage | None:
        """Both as one passage, with the heading of the longer one; None if they must not be."""
        words = self._words(upper), self._words(lower)
        empty = None if all(words) else lower if words[0] else upper
        gap = "\n" * min(2, lower.start_line - upper.end_line)
        text = f"{upper.text}{gap}{lower.text}"
        if not gap or not self.fits(text) or not _belong_together(upper, lower, empty):
            return None
        main = upper if words[0] > words[1] and upper.prose else lower  # properties have no prose
        prose = f"{upper.prose}{gap}{lower.prose}"
        lines = upper.start_line, lower.end_line
        return CutPassage(text, prose, *lines, main.section, upper.is_window or lower.is_window)

    def _words(self, passage: CutPassage, enough: int | None = None) -> int:
        """The words of a passage, or more than a tiny one has. Stops when there are `enough`."""
        if passage.is_window or len(passage.text) > LONGEST_TINY:
            return len(passage.text) + FEWEST_WORDS
        lines = self.written.between(passage.start_line, passage.end_line)
        if sum(map(len, lines)) > LONGEST_WRITTEN:
            return len(passage.text) + FEWEST_WORDS
        return count_words(lines, enough)


def _belong_together(upper: CutPassage, lower: CutPassage, empty: CutPassage | None) -> bool:
    """Whether date, tags and sensitivity of one are right for the other. `empty`: the one that
    has no words, if there is one; then only the other's matter."""
    one, other = upper.section, lower.section
    if one.date != other.date and empty is None:
        return False
    shared = min(len(one.hashtags), len(other.hashtags))
    if one.hashtags[:shared] != other.hashtags[:shared]:
        return False
    return (empty is not None and not _kinds(empty)) or _kinds(upper) == _kinds(lower)


def _kinds(passage: CutPassage) -> frozenset[str]:
    section = passage.section
    found = (*section.hashtags, *tags.inline_tags(passage.prose))
    text = without_marks(passage.text)
    return default_kinds(NotePart(text, section.name, section.full_path, found))
