"""Cuts a long text into overlapping windows of limited tokens, where a reader would cut.

It never loses a word, and cuts a word only if it is too long for a window. A window ends with a
line, else with a sentence, else with a word. In scripts without spaces, the text between two pauses
counts as a word. The time for one window does not depend on the length of the text.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

# These belong to the letter before them: the text is not cut before one, nor after a joiner.
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd"
    "\u0a01-\u0a03\u0a3c-\u0a4d\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c4d\u0d00-\u0d03"
    "\u0d3b-\u0d4d\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u102b-\u103e\u17b6-\u17d3\u200c\u200d"
    "\u20d0-\u20ff\u3099\u309a\ufe0e\ufe0f\U0001f3fb-\U0001f3ff"
)
_MARK = re.compile(f"[{_MARKS}]")
_JOINER = "\u200d"
_OPENING = r"(\[{<“‘«「『（【〈《〔［｛"
_CLOSING = r"\"'”’»)\]」』）】〉》〕］｝"
_SENTENCE_END = re.compile(rf"[.!?…]++[{_CLOSING}]*+(?=\s)|[。！？｡．]++[{_CLOSING}]*+")
# A pause in text without spaces. An ASCII mark before more ASCII is not a pause: `1,5`, `http://`.
_PAUSE = re.compile(
    rf"[、，。！？；：…‥—｡､．၊။។៖]++[{_CLOSING}]*+|(?<![,;:!?])[,;:!?]++[{_CLOSING}]*+(?=[^!-~])"
)
# Where a word that is too long is cut: after punctuation, but before an opening bracket or quote.
_PUNCTUATION = rf"[^\w\s{_OPENING}{_MARKS}]"
_BREAK = re.compile(rf"(?<!{_PUNCTUATION}){_PUNCTUATION}++(?![{_MARKS}])|(?<=\w)(?=[{_OPENING}])")
_SPACE = re.compile(r"\s+")
# Scripts without spaces between words: Thai to Khmer, kana, ideographs.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")

LONGEST_LETTER = 48  # characters, with its marks; a family of emoji has at most about 15

Count = Callable[[str], int]
LastEnd = Callable[[int, int, int], int]


class Limits(NamedTuple):
    """The size of one window, and the overlap of two neighbours."""

    tokens: int
    overlap: int
    characters: int


def windows(text: str, limits: Limits, count: Count) -> Iterator[tuple[int, int]]:
    """The start and end of each window. `text` begins and ends with a word."""
    cutter = _Cutter(text, limits, count)
    start = done = 0
    while done < len(text):
        start, end = cutter.window(start, done)
        yield start, end
        done = cutter.next_word(end)
        start = cutter.overlap(start, end, done)


class _Cutter:
    """Cuts one text, and estimates its tokens per character on the way."""

    def __init__(self, text: str, limits: Limits, count: Count) -> None:
        self.text = text
        self.limits = limits
        self.count = count
        self.density = (
            0.27  # tokens per character: an estimate for the next window, from the last one
        )
        self.spaced = text.isascii() or not _UNSPACED.search(text)

    def window(self, start: int, done: int) -> tuple[int, int]:
        """The window that begins at `start`, or later if necessary, and ends after `done`."""
        for last_end, first_end in (
            (self._last_word_end, self._word_end),
            (self._last_part_end, self._part_end),
        ):
            end = self._largest_end(start, done, last_end)
            if end > done:
                return start, end
            end = first_end(done, done + self.limits.characters)
            if end > done and self._fits(start, end):
                return start, end
            if start < done < end and self._fits(done, end):
                return self.window(done, done)  # there is no room for the overlap
        return self._inside_part(start, done)

    def next_word(self, at: int) -> int:
        space = _SPACE.match(self.text, at)
        return space.end() if space else at

    def overlap(self, start: int, end: int, done: int) -> int:
        """The start of the next window: back by the overlap, at a line, a sentence or a word."""
        room = self.limits.overlap
        if not room or done >= len(self.text):
            return done
        share = min(0.9, max(0.5, room / self.limits.tokens))
        lowest = max(start + 1, end - int(self.limits.characters * share))
        best = done
        at = end - int(room / self.density * 0.9)
        for _ in range(4):
            at = self._word_start(max(at, lowest), end)
            if at >= min(best, end):
                break
            tokens = self.count(self.text[at:end])
            if tokens <= room:
                best = at
                if at == lowest or tokens * 10 >= room * 6:
                    break
            at = end - max(1, int((end - at) * room / max(tokens, 1) * 0.97))
        return self._line_or_sentence_start(best, end) if best < done else done

    def _largest_end(self, start: int, done: int, last_end: LastEnd) -> int:
        """The end of about the largest window from `start`; `done` if nothing more fits.

        `last_end` returns the best end after `done` and up to a guess.
        """
        most = self.limits.tokens
        hard = min(len(self.text), start + self.limits.characters)
        guess = min(hard, start + max(1, int(most / self.density * 0.93)))
        found = done
        for _ in range(8):
            end = last_end(start, done, guess)
            if end <= found:
                break
            tokens = self.count(self.text[start:end])
            self.density = max(tokens, 1) / (end - start)
            better = start + int(most / self.density * 0.93)
            if tokens <= most:
                found = end
                if guess == hard or tokens * 10 >= most * 7 or better <= guess:
                    break
                guess = min(hard, better)
            else:
                guess = min(end - 1, better)
                if guess <= found:
                    break
        return found

    def _last_word_end(self, start: int, done: int, guess: int) -> int:
        """The best end of a window up to `guess`; `done` if there is none."""
        text = self.text
        if guess == len(text):
            return guess
        floor = max(done, start + (guess - start) // 2)
        line = text.rfind("\n", floor + 1, guess + 1)
        if line != -1:
            return self._trimmed(line, done)
        ends = [match.end() for match in _SENTENCE_END.finditer(text, floor, guess + 1)]
        while ends and not floor < ends[-1] <= guess:
            ends.pop()
        if ends:
            return ends[-1]
        word = max(text.rfind(" ", done + 1, guess + 1), text.rfind("\n", done + 1, guess + 1))
        if pause := self._last_pause(max(word, done), guess):
            return pause
        return self._trimmed(word, done) if word != -1 else done

    def _trimmed(self, end: int, done: int) -> int:
        while end > done + 1 and self.text[end - 1].isspace():
            end -= 1
        return end

    def _last_pause(self, after: int, guess: int) -> int:
        """The end of the last pause up to `guess`, if the script there has no spaces; else 0."""
        if self.spaced or not _UNSPACED.search(self.text, after, guess):
            return 0
        return self._last_match(_PAUSE, after, guess)

    def _last_part_end(self, start: int, done: int, guess: int) -> int:
        """The last place up to `guess` where a too long word may be cut; `done` if none."""
        if guess == len(self.text):
            return guess
        return self._last_match(_BREAK, done, guess) or done

    def _last_match(self, pattern: re.Pattern[str], after: int, guess: int) -> int:
        """The end of the last match that ends after `after` and up to `guess`; else 0."""
        last = 0
        for match in pattern.finditer(self.text, after, guess + 1):  # one more, to find its end
            if after < match.end() <= guess:
                last = match.end()
        return last

    def _inside_part(self, start: int, done: int) -> tuple[int, int]:
        """A window that ends between two letters, because the part at `done` is too long."""
        most = self.limits.tokens
        room = min(self.limits.characters, max(1, int(most / self.density)))
        end = min(len(self.text), start + room)
        while end > done:
            end = self._letter_end(end, done)
            size = end - start
            tokens = self.count(self.text[start:end])
            self.density = max(tokens, 1) / size
            if tokens <= most or size == 1:
                return start, end
            end = start + max(1, min(size - 1, size * most // tokens))
        return self.window(done, done)  # the overlap leaves no room

    def _letter_end(self, end: int, done: int) -> int:
        """The end of the last whole letter up to `end`. If there are more marks and joiners in a
        row than any letter has, the cut is made between them."""
        at = end
        while at > done + 1 and self._is_within_letter(at):
            at -= 1
            if end - at >= LONGEST_LETTER:
                return end
        return end if at == done + 1 and self._is_within_letter(at) else at

    def _is_within_letter(self, at: int) -> bool:
        return bool(_MARK.match(self.text, at)) or self.text[at - 1] == _JOINER

    def _word_end(self, at: int, limit: int) -> int:
        """Where the word at `at` ends; `at` itself if that is beyond the limit."""
        space = _SPACE.search(self.text, at, limit + 1)
        end = space.start() if space else len(self.text)
        if not self.spaced and _UNSPACED.search(self.text, at, min(end, limit)):
            pause = _PAUSE.search(self.text, at, min(end, limit + 1))
            end = pause.end() if pause else end
        return end if end <= limit else at

    def _part_end(self, at: int, limit: int) -> int:
        """Where the first part of the word at `at` ends; `at` itself if beyond the limit."""
        part = _BREAK.search(self.text, at + 1, limit + 1)
        end = part.end() if part else len(self.text)
        return end if end <= limit else at

    def _fits(self, start: int, end: int) -> bool:
        fits = end - start <= self.limits.characters
        return fits and self.count(self.text[start:end]) <= self.limits.tokens

    def _word_start(self, at: int, end: int) -> int:
        """The first word that begins at `at` or later; `end` if none does before that."""
        if self.text[at - 1].isspace():
            return self.next_word(at)
        space = _SPACE.search(self.text, at, end)
        until = space.start() if space else end
        if self.spaced or not _UNSPACED.search(self.text, at, until):
            return space.end() if space else end
        pause = _PAUSE.search(self.text, at - 1, until)
        if pause and pause.end() < end:
            return self.next_word(pause.end())
        if space:
            return space.end()
        while at < end and self._is_within_letter(at):
            at += 1
        return at

    def _line_or_sentence_start(self, at: int, end: int) -> int:
        """The first line or sentence in the first half of the overlap; `at` if there is none."""
        if self.text[at - 1] == "\n":
            return at
        half = at + (end - at) // 2
        line = self.text.find("\n", at, half)
        if line != -1:
            return self.next_word(line)
        sentence = _SENTENCE_END.search(self.text, at, half)
        return self.next_word(sentence.end()) if sentence else at
