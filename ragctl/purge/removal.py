"""Removing what is ragd's, step by step by open folder, no link followed, and nothing else.

Without `remove` it only looks. What is not ours, what is a link, and what the system does not let
go are named. Doing it twice is harmless, so a crash in the middle is mended by doing it again.
"""

import os
import stat
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import NamedTuple

from ragctl.purge.owned_files import LAST, RULES, Folder, folder_in

_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
IS_POSSIBLE = {os.open, os.stat, os.unlink, os.rmdir} <= os.supports_dir_fd  # not on Windows


class Sum(NamedTuple):
    """One thing of ours, and what is in it."""

    path: str
    files: int
    size_bytes: int


class Tally:
    """What was found (and, if it was to be, removed)."""

    def __init__(self, *others: "Tally") -> None:
        self.ours: list[Sum] = []
        self.foreign: list[str] = []  # neither ours nor touched
        self.stuck: list[str] = []  # ours, but the system says no
        for other in others:
            self.ours += other.ours
            self.foreign += other.foreign
            self.stuck += other.stuck


class _Count:
    files = size_bytes = 0


def sweep(root: str, rules: str, *, remove: bool, keep: Collection[str] = ()) -> Tally:
    """All of ours in this folder but what is to be kept, and then the folder itself if nothing is
    left in it; nothing is said of a folder without anything of ours.

    The folder may be given by way of a link: that was the user's choice, and it stays.
    """
    tally = Tally()
    try:
        handle = os.open(root, _FLAGS)
    except OSError:  # not there, no folder, or not to be opened: then nothing of ours is in it
        return tally
    try:
        left = _entries(handle, root, RULES[rules], tally, keep, remove)
    finally:
        os.close(handle)
    if not tally.ours and not tally.stuck:
        return Tally()
    if remove and not left and not os.path.islink(root):
        with suppress(OSError):  # it is empty: one that cannot go does no harm
            os.rmdir(root)
    return tally


def _entries(
    handle: int, root: str, rule: Folder, tally: Tally, keep: Collection[str], remove: bool
) -> bool:
    """Each thing in the top folder is told on its own. Whether something is left."""
    left = False
    for name in sorted(os.listdir(handle), key=lambda name: (_place(name), name)):
        count, path = _Count(), os.path.join(root, name)
        if name in keep:
            tally.foreign.append(path)
            left = True
            continue
        gone = _entry(handle, name, path, rule, tally, count, remove)
        if count.files or gone:
            tally.ours.append(Sum(path, count.files, count.size_bytes))
        left = left or not gone
    return left


def _place(name: str) -> int:
    return LAST.index(name) + 1 if name in LAST else 0


def _entry(
    handle: int, name: str, path: str, rule: Folder, tally: Tally, count: _Count, remove: bool
) -> bool:
    """Whether it is gone, or would be."""
    try:
        found = os.stat(name, dir_fd=handle, follow_symlinks=False)
    except FileNotFoundError:
        return True
    inner = folder_in(rule, name)
    if stat.S_ISDIR(found.st_mode) and inner is not None:
        return _folder(handle, name, path, RULES[inner], tally, count, remove)
    is_file = stat.S_ISREG(found.st_mode) or stat.S_ISSOCK(found.st_mode)
    if not is_file or not rule.files.fullmatch(name):
        tally.foreign.append(path)
        return False
    count.files += 1
    count.size_bytes += found.st_size
    return not remove or _attempt(lambda: os.unlink(name, dir_fd=handle), path, tally)


def _folder(
    handle: int, name: str, path: str, rule: Folder, tally: Tally, count: _Count, remove: bool
) -> bool:
    try:
        inside = os.open(name, _FLAGS | _NO_LINK, dir_fd=handle)
    except OSError:
        tally.stuck.append(path)
        return False
    try:
        names = sorted(os.listdir(inside))
        gone = [
            _entry(inside, one, os.path.join(path, one), rule, tally, count, remove)
            for one in names
        ]
    finally:
        os.close(inside)
    if not all(gone):
        return False
    return not remove or _attempt(lambda: os.rmdir(name, dir_fd=handle), path, tally)


def _attempt(do: Callable[[], None], path: str, tally: Tally) -> bool:
    try:
        do()
    except FileNotFoundError:
        return True
    except OSError:
        tally.stuck.append(path)
        return False
    return True
