"""Which file names are notes, by the configured patterns. Upper and lower case are the same.

It never reads the disk.
"""

import fnmatch
import re
from collections.abc import Iterable

_SUFFIX = re.compile(r"\*\.[^*?\[\]/]+")


class NotePatterns:
    """The compiled patterns. A pattern with `/` in it is matched against the whole path."""

    def __init__(self, patterns: Iterable[str]) -> None:
        listed = [pattern.lower() for pattern in patterns]
        others = [pattern for pattern in listed if not _SUFFIX.fullmatch(pattern)]
        self._suffixes = tuple(pattern[1:] for pattern in listed if _SUFFIX.fullmatch(pattern))
        self._names = _any_of([pattern for pattern in others if "/" not in pattern])
        self._paths = _any_of([pattern.lstrip("/") for pattern in others if "/" in pattern])

    def match(self, prefix: str, name: str) -> bool:
        """Whether a file is a note. `prefix` is its folder with a `/`, or empty at the top."""
        if name.endswith(self._suffixes):
            return True
        small = name.lower()
        return bool(
            small.endswith(self._suffixes)
            or (self._names and self._names.match(small))
            or (self._paths and self._paths.match(prefix.lower() + small))
        )


def _any_of(patterns: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(map(fnmatch.translate, patterns))) if patterns else None
