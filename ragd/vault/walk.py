"""One look at all folders of a vault: every note, and what is left out, with a reason.

It follows no link, and opens no file.
"""

import os
from typing import Literal

from msgspec import Struct

from ragd.vault import leftover_files
from ragd.vault.disk_waits import disk_answered, on_disk
from ragd.vault.file_patterns import NotePatterns
from ragd.vault.folder_rules import TEMPLATES, FolderRules
from ragd.vault.safe_open import LINK, Place, Unfit, change_time, close, open_folder, why_unfit

MOST_BYTES = 10 * 1024 * 1024
DEEPEST = 128  # folders; a folder is opened from the root again, so depth costs its square
MOST_TEMPLATES = 8  # folders of templates that are told: they have to fit into a record
LONGEST_PATH = 1000  # characters: a path has to fit into a record of the log, many times

NAME_NOT_UTF8 = "its name is not valid UTF-8"
PATH_TOO_LONG = "its path is too long"
FOLDER_UNREADABLE = "the folder cannot be read"
FOLDER_TOO_DEEP = "the folder is nested too deeply"
INPUT_OUTPUT = "the disk reported an error"

Gone = Literal["missing", "empty", "unreadable", "moved"]
Identity = tuple[int, int]  # device and inode of the root


class VaultGone(Exception):
    """The vault's root is not what it was: nothing may be concluded about its notes."""

    def __init__(self, reason: Gone) -> None:
        self.reason: Gone = reason
        super().__init__(reason)


class Seen(Struct, frozen=True, gc=False):
    """A note on the disk; `path` is relative to the vault, with `/`."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int = 0  # 0 where the system has none


class Skipped(Struct, frozen=True, gc=False):
    """A file or folder that is left out, and why."""

    path: str
    reason: str


class Scan(Struct, frozen=True):
    """What a walk found.

    `unknown` are folders that could not be listed: notes that are believed to be in them may still
    be there, and must not be taken for deleted. `folders` were listed, the root is not among them.
    """

    seen: list[Seen]
    skipped: list[Skipped]
    unknown: list[str]
    identity: Identity
    folders: list[str]
    templates: list[tuple[str, int]]  # template folders that were left out, and notes in each


class Walk:
    """One look at all folders; each is opened from the root again, so that few are open at once."""

    def __init__(self, root: Place, rules: FolderRules, patterns: NotePatterns) -> None:
        self._root = root
        self._rules = rules
        self._patterns = patterns
        self._seen: list[Seen] = []
        self._skipped: list[Skipped] = []
        self._unknown: list[str] = []
        self._folders: list[str] = []
        self._templates: list[list[str]] = []
        self._pending: list[list[str]] = []

    def result(self, identity: Identity) -> Scan:
        try:
            if not self._list(self._root, []):
                raise VaultGone("empty")
        except OSError:
            raise VaultGone("unreadable") from None
        while self._pending:
            self._enter(self._pending.pop())
        templates = [
            ("/".join(steps), count_notes(self._root, steps, self._rules, self._patterns))
            for steps in self._templates[:MOST_TEMPLATES]
        ]
        return Scan(self._seen, self._skipped, self._unknown, identity, self._folders, templates)

    def _enter(self, steps: list[str]) -> None:
        try:
            folder = open_folder(self._root, steps)
            try:
                self._list(folder, steps)
                self._folders.append("/".join(steps))
            finally:
                close(folder)
        except (FileNotFoundError, NotADirectoryError):
            return  # gone since its parent was listed
        except Unfit as unfit:
            self._skip("/".join(steps), unfit.reason)
        except OSError:
            self._unknown.append("/".join(steps))
            self._skip("/".join(steps), FOLDER_UNREADABLE)

    @on_disk
    def _list(self, folder: Place, steps: list[str]) -> int:
        """Takes down what is in one folder, and says how many entries that are."""
        prefix = "".join([step + "/" for step in steps])
        here = self._rules.holds_notes(prefix[:-1])
        match = self._patterns.match
        entries = 0
        with os.scandir(folder) as listing:
            for entry in listing:
                disk_answered()
                entries += 1
                name = entry.name
                if entry.is_dir(follow_symlinks=False):
                    self._folder(prefix, name, steps)
                elif here and match(prefix, name):
                    self._file(prefix, name, entry)
                elif here:
                    self._other(prefix, name, entry)
        return entries

    def _file(self, prefix: str, name: str, entry: os.DirEntry[str]) -> None:
        path = prefix + name
        reason = leftover_files.why_not(name)
        if reason is None and not name.isascii() and not _is_utf8(name):
            reason = NAME_NOT_UTF8
        if reason is None and len(path) > LONGEST_PATH:
            reason = PATH_TOO_LONG
        if reason is None:
            try:
                found = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                return
            except OSError:
                reason = INPUT_OUTPUT
            else:
                reason = why_unfit(found, MOST_BYTES)
                if reason is None:
                    ctime_ns = change_time(found)
                    self._seen.append(Seen(path, found.st_size, found.st_mtime_ns, ctime_ns))
                    return
        self._skip(path, reason)

    def _folder(self, prefix: str, name: str, steps: list[str]) -> None:
        path = prefix + name
        reason = self._rules.why_not(path)
        if reason == TEMPLATES:
            self._skip(path, reason)
            self._templates.append([*steps, name])
        elif reason is not None:
            return  # the configuration says so: nobody needs to be told
        elif not _is_utf8(name):
            self._skip(path, NAME_NOT_UTF8)
        elif len(steps) >= DEEPEST or len(path) > LONGEST_PATH:
            self._skip(path, FOLDER_TOO_DEEP)
        else:
            self._pending.append([*steps, name])

    def _other(self, prefix: str, name: str, entry: os.DirEntry[str]) -> None:
        """What is neither a folder nor called like a note may still stand for one of them."""
        awaited = leftover_files.placeholder_of(name)
        if awaited and self._patterns.match(prefix, awaited):
            self._skip(prefix + name, leftover_files.PLACEHOLDER)
        elif "." not in name and entry.is_symlink():
            self._skip(prefix + name, LINK)

    def _skip(self, path: str, reason: str) -> None:
        if not _is_utf8(path):
            path = os.fsencode(path).decode("utf-8", "backslashreplace")
        shown = path if len(path) <= LONGEST_PATH else path[:LONGEST_PATH] + "…"
        self._skipped.append(Skipped(shown, reason))


def count_notes(root: Place, steps: list[str], rules: FolderRules, patterns: NotePatterns) -> int:
    """How many notes are in a folder that is left out, at any depth."""
    count, pending = 0, [steps]
    while pending:
        steps = pending.pop()
        try:
            folder = open_folder(root, steps)
        except (OSError, Unfit, UnicodeEncodeError):
            continue
        prefix = "".join([step + "/" for step in steps])
        try:
            with os.scandir(folder) as listing:
                for entry in listing:
                    name = entry.name
                    if not entry.is_dir(follow_symlinks=False):
                        count += (
                            patterns.match(prefix, name) and leftover_files.why_not(name) is None
                        )
                    elif len(steps) < DEEPEST and not rules.why_not(prefix + name):
                        pending.append([*steps, name])
        except OSError:
            continue
        finally:
            close(folder)
    return count


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
