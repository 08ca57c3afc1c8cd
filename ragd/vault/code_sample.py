"""How much of a vault is fenced code, from a bounded sample of its notes. It keeps no text."""

import re
from collections.abc import Callable, Sequence

from ragd.notes.characters import visible
from ragd.notes.markdown.fences import code_characters
from ragd.vault.language_sample import AGAIN_S, MOST_NOTES, Read

MOST_BYTES = 131_072  # of each note; a fence that is cut off does not count

_FRONTMATTER = re.compile(r"\A\ufeff?---\n.*?\n---[ \t]*(?:\n|\Z)", re.DOTALL)


def code_share(data: bytes) -> tuple[int, int]:
    """How many characters of a note are fenced code, and how many it has; without spaces."""
    text = visible(data[:MOST_BYTES].decode("utf-8", "ignore"))
    body = _FRONTMATTER.sub("", text, count=1)
    return code_characters(body), len("".join(body.split()))


class CodeSample:
    """Measures at the first scan, and again after an hour or when the vault has doubled."""

    def __init__(self, read: Read, monotonic: Callable[[], float]) -> None:
        self._read = read
        self._monotonic = monotonic
        self._at = 0.0
        self._notes = 0  # how many there were then
        self._percent: int | None = None

    def percent(self, paths: Sequence[str]) -> int | None:
        """How much of the text is code, in per cent, by the last measurement; None without text."""
        now = self._monotonic()
        if self._notes == 0 or len(paths) >= 2 * self._notes or now - self._at >= AGAIN_S:
            step = max(1, -(-len(paths) // MOST_NOTES))
            shares = [code_share(self._read(path)) for path in sorted(paths)[::step]]
            code, whole = sum(one for one, _ in shares), sum(one for _, one in shares)
            self._percent = round(100 * code / whole) if whole else None
            self._at, self._notes = now, len(paths)
        return self._percent
