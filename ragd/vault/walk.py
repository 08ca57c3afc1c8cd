"""Lists all folders of a vault: every note, and every skipped path with a reason.

It follows no link and opens no file.
"""

import os
import stat
from typing import Literal

from msgspec import Struct

from ragd.notes.documents.kinds import KINDS, is_growing, kind_of, known_kind
from ragd.vault import leftover_files
from ragd.vault.collection_paths import VAULT
from ragd.vault.disk_waits import disk_answered, waits_for_disk
from ragd.vault.file_patterns import NotePatterns
from ragd.vault.folder_rules import NAME_TAKEN, TEMPLATES, FolderRules
from ragd.vault.safe_open import (
    HAS_PLAIN_FILES,
    LINK,
    OpenFolder,
    SkipPath,
    change_time,
    close,
    open_folder,
    why_skipped,
)

DEEPEST = 128  # folders; each folder is opened from the root, so cost grows with the square
MOST_TEMPLATES = 8  # reported folders of templates: they have to fit in a record
ANSWERS = 64  # entries of a folder after which the disk counts as responding
SMALLEST_LIMIT = min(kind.most_bytes for kind in KINDS.values())
LONGEST_PATH = 1000  # characters: many paths have to fit in one record of the log

NAME_NOT_UTF8 = "its name is not valid UTF-8"
PATH_TOO_LONG = "its path is too long"
FOLDER_UNREADABLE = "the folder cannot be read"
FOLDER_TOO_DEEP = "the folder is nested too deeply"
INPUT_OUTPUT = "the disk reported an error"

GoneReason = Literal[
    "missing",
    "empty",
    "unreadable",
    "moved",
    "overlaps",
    "locked",  # this one and the others are said of a database
    "damaged",
    "unknown_format",
]
RootIdentity = tuple[int, int]  # device and inode of the root


class VaultGone(Exception):
    """A root is missing or not the same: nothing is known about its notes."""

    def __init__(self, reason: GoneReason, collection: str = VAULT) -> None:
        self.reason: GoneReason = reason
        self.collection = collection  # whose root it is
        super().__init__(reason)


class NoteFile(Struct, frozen=True, gc=False):
    """A note on the disk. `path` is relative to the vault, with `/`."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int = 0  # 0 where the system has none


class SkippedPath(Struct, frozen=True, gc=False):
    """A file or folder that was skipped, and why."""

    path: str
    reason: str


class WalkResult(Struct, frozen=True):
    """What a walk found.

    Notes in `unreadable_folders` may still exist, so they do not count as deleted. `folders` were
    listed; the root is not among them. Only the paths of `notes` begin as was asked.
    """

    notes: list[NoteFile]
    skipped: list[SkippedPath]
    unreadable_folders: list[str]
    identity: RootIdentity
    folders: list[str]
    templates: list[tuple[str, int]]  # skipped folders of templates, and notes in each
    not_included: dict[str, int]  # files of a known kind that no pattern includes, by kind


class Walk:
    """One walk. Each folder is opened from the root again, so that few are open at once."""

    def __init__(
        self, root: OpenFolder, rules: FolderRules, patterns: NotePatterns, prefix: str = ""
    ) -> None:
        """`prefix`: what the paths of notes begin with."""
        self._root = root
        self._prefix = prefix
        self._rules = rules
        self._patterns = patterns
        self._notes: list[NoteFile] = []
        self._skipped: list[SkippedPath] = []
        self._unreadable_folders: list[str] = []
        self._folders: list[str] = []
        self._templates: list[list[str]] = []
        self._pending: list[list[str]] = []
        self._not_included: dict[str, int] = {}

    def run(self, identity: RootIdentity) -> WalkResult:
        """List everything. Raises VaultGone if the root is empty or cannot be read."""
        try:
            if not self._list(self._root, []):
                raise VaultGone("empty")
        except OSError:
            raise VaultGone("unreadable") from None
        while self._pending:
            self._list_folder(self._pending.pop())
        templates = [
            ("/".join(steps), count_notes(self._root, steps, self._rules, self._patterns))
            for steps in self._templates[:MOST_TEMPLATES]
        ]
        return WalkResult(
            self._notes,
            self._skipped,
            self._unreadable_folders,
            identity,
            self._folders,
            templates,
            self._not_included,
        )

    def _list_folder(self, steps: list[str]) -> None:
        try:
            folder = open_folder(self._root, steps)
            try:
                self._list(folder, steps)
                self._folders.append("/".join(steps))
            finally:
                close(folder)
        except (FileNotFoundError, NotADirectoryError):
            return  # removed since its parent was listed
        except SkipPath as unfit:
            self._skip("/".join(steps), unfit.reason)
        except OSError:
            self._unreadable_folders.append("/".join(steps))
            self._skip("/".join(steps), FOLDER_UNREADABLE)

    @waits_for_disk
    def _list(self, folder: OpenFolder, steps: list[str]) -> int:
        """Collect what is in one folder; returns the number of its entries."""
        within = "".join([step + "/" for step in steps])
        here = self._rules.holds_notes(within[:-1])
        whole = self._prefix + within
        match = self._patterns.match
        notes = self._notes
        entries = 0
        with os.scandir(folder) as listing:
            for entry in listing:
                if entries % ANSWERS == 0:
                    disk_answered()
                entries += 1
                name = entry.name
                if entry.is_dir(follow_symlinks=False):
                    self._add_folder(within, name, steps)
                elif here and match(within, name):
                    note = _plain_note(whole, name, entry)
                    if note is not None:
                        notes.append(note)
                    else:
                        self._add_file(within, name, entry)
                elif here:
                    self._add_other(within, name, entry)
        return entries

    def _add_file(self, within: str, name: str, entry: os.DirEntry[str]) -> None:
        """Add a file that may have to be skipped."""
        path = within + name
        reason = leftover_files.why_skipped(name)
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
                reason = why_skipped(found, kind_of(name).most_bytes)
                if reason is None:
                    ctime_ns = change_time(found)
                    size, mtime_ns = found.st_size, found.st_mtime_ns
                    self._notes.append(NoteFile(self._prefix + path, size, mtime_ns, ctime_ns))
                    return
        self._skip(path, reason)

    def _add_folder(self, within: str, name: str, steps: list[str]) -> None:
        path = within + name
        reason = self._rules.why_skipped(path)
        if reason == TEMPLATES:
            self._skip(path, reason)
            self._templates.append([*steps, name])
        elif reason == NAME_TAKEN:
            self._skip(path, reason)
        elif reason is not None:
            return  # the configuration excludes it, so it is not reported
        elif not _is_utf8(name):
            self._skip(path, NAME_NOT_UTF8)
        elif len(steps) >= DEEPEST or len(path) > LONGEST_PATH:
            self._skip(path, FOLDER_TOO_DEEP)
        else:
            self._pending.append([*steps, name])

    def _add_other(self, within: str, name: str, entry: os.DirEntry[str]) -> None:
        """Report an entry that is not a note or folder if it replaces one: a cloud placeholder, or
        a link. Count it if a pattern could include it."""
        kind = known_kind(name)
        is_counted = kind is not None and not is_growing(name)
        if kind is not None and is_counted and leftover_files.why_skipped(name) is None:
            self._not_included[kind.name] = self._not_included.get(kind.name, 0) + 1
        awaited = leftover_files.placeholder_of(name)
        if awaited and self._patterns.match(within, awaited):
            self._skip(within + name, leftover_files.PLACEHOLDER)
        elif "." not in name and entry.is_symlink():
            self._skip(within + name, LINK)

    def _skip(self, path: str, reason: str) -> None:
        if not _is_utf8(path):
            path = os.fsencode(path).decode("utf-8", "backslashreplace")
        shown = path if len(path) <= LONGEST_PATH else path[:LONGEST_PATH] + "…"
        self._skipped.append(SkippedPath(shown, reason))


def _plain_note(prefix: str, name: str, entry: os.DirEntry[str]) -> NoteFile | None:
    """The file, if nothing about it can be a reason to skip it: that is so for nearly all. Else
    None, and `_add_file` finds the reason."""
    path = prefix + name
    if not name.isascii() or len(path) > LONGEST_PATH or leftover_files.why_skipped(name):
        return None
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    size = found.st_size
    if found.st_mode & 0o170000 != stat.S_IFREG or size > SMALLEST_LIMIT or not HAS_PLAIN_FILES:
        return None
    return NoteFile(path, size, found.st_mtime_ns, found.st_ctime_ns)


def count_notes(
    root: OpenFolder, steps: list[str], rules: FolderRules, patterns: NotePatterns
) -> int:
    """How many notes are in a skipped folder, at any depth."""
    count, pending = 0, [steps]
    while pending:
        steps = pending.pop()
        try:
            folder = open_folder(root, steps)
        except (OSError, SkipPath, UnicodeEncodeError):
            continue
        within = "".join([step + "/" for step in steps])
        try:
            with os.scandir(folder) as listing:
                for entry in listing:
                    name = entry.name
                    if not entry.is_dir(follow_symlinks=False):
                        count += (
                            patterns.match(within, name)
                            and leftover_files.why_skipped(name) is None
                        )
                    elif len(steps) < DEEPEST and not rules.why_skipped(within + name):
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
