"""A regular expression that is compiled when it is first used. Pure.

Long patterns take milliseconds to compile, and a daemon that starts needs few of them. A pattern
with a mistake raises at its first use, so each needs a test that uses it.
"""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property


class LatePattern:
    """The methods of `re.Pattern` that are used here."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.search(text, start, end)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self.compiled.match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self.compiled.fullmatch(text)

    def finditer(
        self, text: str, start: int = 0, end: int = sys.maxsize
    ) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text, start, end)

    def findall(self, text: str) -> list[str]:
        return self.compiled.findall(text)

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str) -> str:
        return self.compiled.sub(new, text)

    def split(self, text: str) -> list[str]:
        return self.compiled.split(text)
