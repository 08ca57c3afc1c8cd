"""The languages of a vault, from a bounded sample of its notes. It keeps no text."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from ragd.notes.languages import language_of

MOST_NOTES = 200
MOST_BYTES = 16_384  # of each note; its beginning shows its language
AGAIN_S = 3600.0

_FRONTMATTER = re.compile(r"\A\ufeff?---\r?\n.*?\r?\n---[ \t]*\r?\n", re.DOTALL)
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)

Read = Callable[[str], bytes]


def note_language(data: bytes) -> str | None:
    """The language of one note, without its frontmatter and code; None if it is unclear."""
    text = data[:MOST_BYTES].decode("utf-8", "ignore")
    return language_of(_FENCED.sub(" ", _FRONTMATTER.sub("", text, count=1)))


class LanguageSample:
    """Counts at the first scan, and again after an hour or when the vault has doubled."""

    def __init__(self, read: Read, monotonic: Callable[[], float]) -> None:
        self._read = read
        self._monotonic = monotonic
        self._at = 0.0
        self._notes = 0  # how many there were then
        self._counts: dict[str, int] = {}

    def count_languages(self, paths: Sequence[str], most: int = MOST_NOTES) -> dict[str, int]:
        """How many notes of the sample are in each language, by the last count. `most`: the size
        of the sample."""
        now = self._monotonic()
        if self._notes == 0 or len(paths) >= 2 * self._notes or now - self._at >= AGAIN_S:
            step = max(1, -(-len(paths) // most))
            found = Counter(note_language(self._read(path)) for path in sorted(paths)[::step])
            self._counts = {code: found[code] for code in sorted(filter(None, found))}
            self._at, self._notes = now, len(paths)
        return self._counts
