"""Rewrites the times of a question in English, if it is in another language. Pure.

`time_phrases` reads English, German and Chinese. "¿Qué hice la semana pasada?" becomes "¿Qué hice
last week?", which it can read. `RewrittenTimes` knows the place of each word in the question.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from ragd.notes.late_pattern import LatePattern
from ragd.search.dates import time_names
from ragd.search.dates.languages.expressions import expressions_of, fold
from ragd.search.dates.languages.pieces import Piece, find_pieces
from ragd.search.dates.languages.question_languages import find_languages
from ragd.search.query.question_language import Group


class RewrittenTimes(Struct, frozen=True):
    """A question with its times in English.

    `replaced`: the places of the new words in the text and of the old ones in the question.
    `group`: the languages that the question is in, if they are read like this.
    """

    text: str
    replaced: tuple[tuple[int, int, int, int], ...] = ()
    group: Group | None = None

    def in_question(self, start: int, end: int) -> tuple[int, int]:
        """The place in the question of a place in the text."""
        moved_start, moved_end = start, end
        for new_start, new_end, old_start, old_end in self.replaced:
            if new_start <= start:
                moved_start = old_start if start < new_end else start - new_end + old_end
            if new_start < end:
                moved_end = old_end if end <= new_end else end - new_end + old_end
        return moved_start, moved_end

    def is_replaced(self, start: int, end: int) -> bool:
        """Whether a place in the text has new words."""
        return any(first < end and start < last for first, last, _, _ in self.replaced)


def rewrite_times(text: str, question: str) -> RewrittenTimes:
    """The text with its times in English: unchanged if it is in English, German or Chinese.

    `text`: the part of the question that is read. The whole question decides the language.
    """
    folded = fold(text)
    group, languages = find_languages(text, folded, question)
    pieces = find_pieces(text, folded, [expressions_of(language) for language in languages])
    if group is None or not pieces:  # in English, German, Chinese, or without a time
        return RewrittenTimes(text)
    return _replace(text, pieces, group)


def _replace(text: str, pieces: Sequence[Piece], group: Group) -> RewrittenTimes:
    """The text with the English of the pieces. Other names of times in it are blanked: "mar" is no
    month in a Spanish question."""
    parts, replaced, at, length = [], [], 0, 0
    for piece in pieces:
        kept = _blanked_names(text[at : piece.start])
        new = "\0" * (piece.end - piece.start) if piece.is_name else piece.whole
        new = f" {new} " if group == "japanese" else new
        start = length + len(kept)
        length = start + len(new)
        at = piece.end
        parts += [kept, new]
        replaced.append((start, length, piece.start, piece.end))
    return RewrittenTimes("".join([*parts, _blanked_names(text[at:])]), tuple(replaced), group)


def _blanked_names(text: str) -> str:
    return _ENGLISH_NAMES.sub(lambda match: "\0" * len(match[0]), text)


_ENGLISH_NAMES = LatePattern(
    r"(?<![\w-])(?:"
    + "|".join((*time_names.MONTHS, *time_names.LATIN_SEASONS, *time_names.LATIN_WEEKDAYS))
    + r")(?![\w-])",
    re.I,
)
