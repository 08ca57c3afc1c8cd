"""Removes ragd's own files and nothing else, through open folder handles and without links.

Without `remove` it only lists them. Other files, links, and files that the system does not let
ragctl remove are reported. It can be repeated, so after a crash run it again.
"""

import os
import stat
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import NamedTuple

from ragctl.purge.owned_files import REMOVED_LAST, RULES, OwnedFolderRules, find_folder_rules

_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
IS_POSSIBLE = {os.open, os.stat, os.unlink, os.rmdir} <= os.supports_dir_fd  # not on Windows


class OwnedItem(NamedTuple):
    """A file or folder of ragd, and what is in it."""

    path: str
    files: int
    size_bytes: int


class PurgeResult:
    """What was found, and with `remove` what was removed."""

    def __init__(self, *others: "PurgeResult") -> None:
        self.owned: list[OwnedItem] = []
        self.foreign: list[str] = []  # not ragd's, and left alone
        self.not_removed: list[str] = []  # ragd's, but the system refuses to remove it
        for other in others:
            self.owned += other.owned
            self.foreign += other.foreign
            self.not_removed += other.not_removed


class _Count:
    files = size_bytes = 0


def purge_folder(root: str, rules: str, *, remove: bool, keep: Collection[str] = ()) -> PurgeResult:
    """Remove ragd's files in this folder except `keep`, then the folder itself if it is empty.

    The result is empty for a folder without ragd's files. The folder may be a link, which is the
    user's choice and stays.
    """
    result = PurgeResult()
    try:
        handle = os.open(root, _FLAGS)
    except OSError:  # missing, not a folder, or not readable: treated as empty
        return result
    try:
        left = _purge_entries(handle, root, RULES[rules], result, keep, remove)
    finally:
        os.close(handle)
    if not result.owned and not result.not_removed:
        return PurgeResult()
    if remove and not left and not os.path.islink(root):
        with suppress(OSError):  # it is empty, so it may also stay
            os.rmdir(root)
    return result


def _purge_entries(
    handle: int,
    root: str,
    rule: OwnedFolderRules,
    result: PurgeResult,
    keep: Collection[str],
    remove: bool,
) -> bool:
    """Handle each entry of the top folder on its own. Whether something is left."""
    left = False
    for name in sorted(os.listdir(handle), key=lambda name: (_removal_order(name), name)):
        count, path = _Count(), os.path.join(root, name)
        if name in keep:
            result.foreign.append(path)
            left = True
            continue
        gone = _purge_entry(handle, name, path, rule, result, count, remove)
        if count.files or gone:
            result.owned.append(OwnedItem(path, count.files, count.size_bytes))
        left = left or not gone
    return left


def _removal_order(name: str) -> int:
    return REMOVED_LAST.index(name) + 1 if name in REMOVED_LAST else 0


def _purge_entry(
    handle: int,
    name: str,
    path: str,
    rule: OwnedFolderRules,
    result: PurgeResult,
    count: _Count,
    remove: bool,
) -> bool:
    """Whether it is gone, or would be with `remove`."""
    try:
        found = os.stat(name, dir_fd=handle, follow_symlinks=False)
    except FileNotFoundError:
        return True
    inner = find_folder_rules(rule, name)
    if stat.S_ISDIR(found.st_mode) and inner is not None:
        return _purge_subfolder(handle, name, path, RULES[inner], result, count, remove)
    is_file = stat.S_ISREG(found.st_mode) or stat.S_ISSOCK(found.st_mode)
    if not is_file or not rule.files.fullmatch(name):
        result.foreign.append(path)
        return False
    count.files += 1
    count.size_bytes += found.st_size
    return not remove or _try_removal(lambda: os.unlink(name, dir_fd=handle), path, result)


def _purge_subfolder(
    handle: int,
    name: str,
    path: str,
    rule: OwnedFolderRules,
    result: PurgeResult,
    count: _Count,
    remove: bool,
) -> bool:
    try:
        inside = os.open(name, _FLAGS | _NO_LINK, dir_fd=handle)
    except OSError:
        result.not_removed.append(path)
        return False
    try:
        names = sorted(os.listdir(inside))
        gone = [
            _purge_entry(inside, one, os.path.join(path, one), rule, result, count, remove)
            for one in names
        ]
    finally:
        os.close(inside)
    if not all(gone):
        return False
    return not remove or _try_removal(lambda: os.rmdir(name, dir_fd=handle), path, result)


def _try_removal(do: Callable[[], None], path: str, result: PurgeResult) -> bool:
    try:
        do()
    except FileNotFoundError:
        return True
    except OSError:
        result.not_removed.append(path)
        return False
    return True
