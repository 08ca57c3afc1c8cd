"""What a bounded sample of a root's notes shows: their languages, and how much of them is code.

It keeps no text.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ragd.notes.characters import visible
from ragd.notes.documents.kinds import WRITTEN_KINDS, kind_of
from ragd.notes.languages import language_of
from ragd.notes.markdown.fences import code_characters

MOST_NOTES = 200
LANGUAGE_BYTES = 16_384  # of each note; its beginning shows its language
CODE_BYTES = 131_072  # of each note; a fence that is cut off does not count
AGAIN_S = 3600.0

_FRONTMATTER = re.compile(r"\A\ufeff?---\r?\n.*?\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)

Read = Callable[[str], bytes]


class Sampled(NamedTuple):
    """What a sample showed."""

    languages: dict[str, int]  # how many notes of it are in each
    code_percent: int | None  # of its text; None without text


def note_language(data: bytes) -> str | None:
    """The language of one note, without its frontmatter and code; None if it is unclear."""
    text = data[:LANGUAGE_BYTES].decode("utf-8", "ignore")
    return language_of(_FENCED.sub(" ", _FRONTMATTER.sub("", text, count=1)))


def code_share(data: bytes) -> tuple[int, int]:
    """How many characters of a note are fenced code, and how many it has; without spaces."""
    text = visible(data[:CODE_BYTES].decode("utf-8", "ignore"))
    body = _FRONTMATTER.sub("", text, count=1)
    return code_characters(body), len("".join(body.split()))


class NoteSample:
    """Reads notes at the first scan, and again after an hour or when the root has doubled."""

    def __init__(self, read: Read, monotonic: Callable[[], float]) -> None:
        self._read = read
        self._monotonic = monotonic
        self._at = 0.0
        self._files = 0  # how many there were then
        self.last = Sampled({}, None)

    def is_due(self, files: int) -> bool:
        """Whether a root with so many files is to be read again."""
        is_old = self._monotonic() - self._at >= AGAIN_S
        return self._files == 0 or files >= 2 * self._files or is_old

    def measure(self, paths: Sequence[str], most: int = MOST_NOTES) -> Sampled:
        """What the last sample showed. `paths`: all files of the root; `most`: how many notes of
        them a new sample reads."""
        if self.is_due(len(paths)):
            written = sorted(path for path in paths if kind_of(path).name in WRITTEN_KINDS)
            step = max(1, -(-len(written) // most))
            self.last = _sampled(self._read(path) for path in written[::step])
            self._at, self._files = self._monotonic(), len(paths)
        return self.last


def _sampled(notes: Iterable[bytes]) -> Sampled:
    languages: Counter[str] = Counter()
    code = whole = 0
    for data in notes:
        if language := note_language(data):
            languages[language] += 1
        share = code_share(data)
        code, whole = code + share[0], whole + share[1]
    percent = round(100 * code / whole) if whole else None
    return Sampled(dict(sorted(languages.items())), percent)
