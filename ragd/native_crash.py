"""Remembers that native code ended the process, which no fact can tell: an index that is damaged in
some way makes lance abort, whoever reads it.

The mark is a trace that the interpreter leaves as it goes down: names of functions, nothing else.
It stays until the index has been looked at from another process. kill -9 leaves none.
"""

import faulthandler
import os
from pathlib import Path


class CrashMark:
    """A file that is empty unless that happened, to the last run or to one before."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def watch(self) -> None:
        """From now on, native code that ends this process leaves the mark."""
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        faulthandler.enable(handle)  # it stays open as long as we live

    @property
    def is_set(self) -> bool:
        try:
            return self._path.stat().st_size > 0
        except OSError:
            return False

    def clear(self) -> None:
        """What may have caused it is known now, or gone."""
        if self.is_set:
            os.truncate(self._path, 0)
