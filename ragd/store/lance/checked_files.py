"""Remembers which files of a table a check found whole, so that the next one reads only others.

A file is the same if its inode, size and times are. Lance adds files and removes them, and never
writes to one again: if one has changed, everything is read. Damage that changes none of these is
found by the next whole check: the first one of a run, and then one in an hour. It never reads a
file itself.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

WHOLE_EVERY_S = 3600.0

Stamp = tuple[int, int, int, int]  # inode, size, and the times of the last write and change


class CheckedFiles:
    """The files of one table as of the last check that found nothing wrong. One thread at a time
    may use it."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._checked: tuple[object, ...] = ()  # what the last check was about
        self._folder: dict[str, Stamp] = {}  # everything in the folder before that check
        self._whole: dict[str, Stamp] = {}  # the files that the version of that check names
        self._whole_check_at: float | None = None
        self._now: dict[str, Stamp] = {}

    def begin(self, table: Path, *about: object) -> bool:
        """Call it before a check. True: nothing has changed since the last one, so there is
        nothing to check. `about`: what else the answer depends on."""
        self._now = read_stamps(table)
        checked = (table, *about)
        if self._checked[:1] != checked[:1] or self._is_whole_check_due() or self._has_changed():
            self.forget()
        is_same = self._checked == checked and self._folder == self._now and bool(self._now)
        self._checked = checked
        return is_same

    def _is_whole_check_due(self) -> bool:
        last = self._whole_check_at
        return last is None or self._monotonic() - last >= WHOLE_EVERY_S

    def _has_changed(self) -> bool:
        """Whether a file that was whole is another one now."""
        now = self._now
        return any(now.get(name, stamp) != stamp for name, stamp in self._whole.items())

    def is_whole(self, name: str) -> bool:
        """Whether this file was whole at an earlier check and has not changed."""
        stamp = self._whole.get(name)
        return stamp is not None and stamp == self._now.get(name)

    def passed(self, names: Iterable[str]) -> None:
        """The check found nothing wrong with a version of these files."""
        if not self._whole:
            self._whole_check_at = self._monotonic()
        self._folder = self._now
        self._whole = {name: self._now[name] for name in names if name in self._now}

    def forget(self) -> None:
        """The next check reads everything."""
        self._folder, self._whole, self._whole_check_at = {}, {}, None
        self._checked = ()


def read_stamps(table: Path) -> dict[str, Stamp]:
    """Everything in the folder of a table, by its path in it. A file that is removed meanwhile may
    be left out."""
    found: dict[str, Stamp] = {}
    pending = [("", str(table))]
    while pending:
        prefix, folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append((f"{prefix}{entry.name}/", entry.path))
                    else:
                        stat = entry.stat(follow_symlinks=False)
                        times = stat.st_mtime_ns, stat.st_ctime_ns
                        found[prefix + entry.name] = (entry.inode(), stat.st_size, *times)
        except OSError:
            continue
    return found
