"""Windows over a long text: so many tokens each, overlapping, cut where a reader would cut.

It never loses a word, nor cuts one unless it alone is too long: it ends a window with a line, else
with a sentence, else with a word; inside a word only where no window can hold it, or where its
script has no spaces. What it looks at for one window does not grow with the text.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

# Marks that belong to the letter before them: no cut before one.
_MARK = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd"
    "\u0a01-\u0a03\u0a3c-\u0a4d\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c4d\u0d00-\u0d03"
    "\u0d3b-\u0d4d\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u102b-\u103e\u17b6-\u17d3\u200c\u200d"
    "\u20d0-\u20ff\u3099\u309a\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]"
)
_SENTENCE_END = re.compile(r"[.!?…]++[\"'”’»)\]]*+(?=\s)|[。！？｡．]++[”’」』）】]*+")
_CLAUSE_END = re.compile(r"[^\w\s]++")
_SPACE = re.compile(r"\s+")
# Scripts without spaces between words: Thai to Khmer, kana, ideographs.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")

Count = Callable[[str], int]


class Limits(NamedTuple):
    """What fits into one window, and what two neighbours share."""

    tokens: int
    overlap: int
    characters: int


def windows(text: str, limits: Limits, count: Count) -> Iterator[tuple[int, int]]:
    """From where to where each window goes. `text` begins and ends with a word."""
    cutter = _Cutter(text, limits, count)
    start = done = 0
    while done < len(text):
        start, end = cutter.window(start, done)
        yield start, end
        done = cutter.next_word(end)
        start = cutter.overlap(start, end, done)


class _Cutter:
    """One text and how many tokens its characters make, as far as it was seen."""

    def __init__(self, text: str, limits: Limits, count: Count) -> None:
        self.text = text
        self.limits = limits
        self.count = count
        self.density = 0.27  # tokens a character: a guess for the next window, from the last one

    def window(self, start: int, done: int) -> tuple[int, int]:
        """The window that begins at `start`, or later if need be, and goes beyond `done`."""
        end = self._fitting(start, done)
        if end > done:
            return start, end
        end = self._word_end(done, start + self.limits.characters)
        if end > done and self._holds(start, end):
            return start, end
        if start < done:  # a long word, which leaves no room for the overlap
            return self.window(done, done)
        return start, self._inside_word(start)

    def next_word(self, at: int) -> int:
        space = _SPACE.match(self.text, at)
        return space.end() if space else at

    def overlap(self, start: int, end: int, done: int) -> int:
        """Where the next window begins: so many tokens back, at a line, a sentence or a word."""
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
        return self._reader_start(best, end) if best < done else done

    def _fitting(self, start: int, done: int) -> int:
        """The end of the largest window from `start`, well enough; `done` if nothing more fits."""
        most = self.limits.tokens
        hard = min(len(self.text), start + self.limits.characters)
        guess = min(hard, start + max(1, int(most / self.density * 0.93)))
        found = done
        for _ in range(8):
            end = self._boundary(start, done, guess)
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

    def _boundary(self, start: int, done: int, guess: int) -> int:
        """The best place to end a window at `guess` or before it; `done` if there is none."""
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
        if word <= floor and _UNSPACED.search(text, floor, guess):
            return self._between_letters(floor, guess)
        return self._trimmed(word, done) if word != -1 else done

    def _trimmed(self, end: int, done: int) -> int:
        while end > done + 1 and self.text[end - 1].isspace():
            end -= 1
        return end

    def _between_letters(self, floor: int, guess: int) -> int:
        """A cut inside a run without spaces: after a mark of punctuation, else between letters."""
        ends = [match.end() for match in _CLAUSE_END.finditer(self.text, floor, guess)]
        at = ends[-1] if ends else guess
        while at > floor + 1 and _MARK.match(self.text, at):
            at -= 1
        return at

    def _inside_word(self, start: int) -> int:
        """The end of what fits of a word that is too long for any window."""
        most = self.limits.tokens
        end = min(len(self.text), start + self.limits.characters)
        while True:
            end = max(start + 1, self._between_letters(start + (end - start) // 2, end))
            tokens = self.count(self.text[start:end])
            if tokens <= most or end == start + 1:
                return end
            end = start + max(1, min(end - start - 1, (end - start) * most // tokens))

    def _word_end(self, at: int, limit: int) -> int:
        """Where the word at `at` ends; `at` itself if that is beyond the limit."""
        space = _SPACE.search(self.text, at, limit + 1)
        if space:
            return space.start()
        return len(self.text) if len(self.text) <= limit else at

    def _holds(self, start: int, end: int) -> bool:
        fits = end - start <= self.limits.characters
        return fits and self.count(self.text[start:end]) <= self.limits.tokens

    def _word_start(self, at: int, end: int) -> int:
        """The first word that begins at `at` or later; `end` if none does before that."""
        if self.text[at - 1].isspace():
            return self.next_word(at)
        space = _SPACE.search(self.text, at, end)
        if space:
            return space.end()
        if not _UNSPACED.search(self.text, at, end):
            return end
        while at < end and _MARK.match(self.text, at):
            at += 1
        return at

    def _reader_start(self, at: int, end: int) -> int:
        """The first line or sentence that begins in the first half of the overlap, if one does."""
        if self.text[at - 1] == "\n":
            return at
        half = at + (end - at) // 2
        line = self.text.find("\n", at, half)
        if line != -1:
            return self.next_word(line)
        sentence = _SENTENCE_END.search(self.text, at, half)
        return self.next_word(sentence.end()) if sentence else at
