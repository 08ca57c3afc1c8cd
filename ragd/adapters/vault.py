"""The vault's files: found without following links, read without leaving the vault.

It never writes, and holds nothing open between calls, so that a drive with the vault on it can be
ejected at any time. What is left out has a reason, from the closed lists here, in `beneath.py` and
in `notes/leftovers.py`.
"""

import errno
import os
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from ragd.adapters.beneath import (
    LINK,
    Moved,
    Place,
    Stat,
    Unfit,
    close,
    identity_of,
    is_folder,
    is_spelled,
    look,
    open_folder,
    open_root,
    read_file,
    why_unfit,
)
from ragd.notes import leftovers
from ragd.notes.folders import TEMPLATE_SETTINGS, TEMPLATES, FolderRules, template_folders
from ragd.notes.patterns import NotePatterns

__all__ = [
    "Identity",
    "Kind",
    "Missing",
    "Moved",
    "Scan",
    "Seen",
    "Skipped",
    "Stat",
    "Unfit",
    "Unreadable",
    "Vault",
    "VaultGone",
]

MOST_BYTES = 10 * 1024 * 1024
DEEPEST = 128  # folders; a folder is opened from the root again, so depth costs its square
LONGEST_PATH = 1000  # characters: a path has to fit into a record of the log, many times

NAME_NOT_UTF8 = "its name is not valid UTF-8"
PATH_TOO_LONG = "its path is too long"
FOLDER_UNREADABLE = "the folder cannot be read"
FOLDER_TOO_DEEP = "the folder is nested too deeply"
PERMISSION_DENIED = "permission denied"
INPUT_OUTPUT = "the disk reported an error"
OUTSIDE = "its path leads outside the vault"

Gone = Literal["missing", "empty", "unreadable", "moved"]
Identity = tuple[int, int]  # device and inode of the root
Kind = Literal["file", "folder"]


class VaultGone(Exception):
    """The vault's root is not what it was: nothing may be concluded about its notes."""

    def __init__(self, reason: Gone) -> None:
        self.reason: Gone = reason
        super().__init__(reason)


class Missing(Exception):
    """There is no file at this path any more."""


class Unreadable(Exception):
    """The file could not be read, but may be another time; `reason` is a phrase from above."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class Seen(Struct, frozen=True, gc=False):
    """A note on the disk; `path` is relative to the vault, with `/`."""

    path: str
    size: int
    mtime_ns: int


class Skipped(Struct, frozen=True, gc=False):
    """A file or folder that is left out, and why."""

    path: str
    reason: str


class Scan(Struct, frozen=True):
    """What a walk found.

    `unknown` are folders that could not be listed: notes that are believed to be in them may still
    be there, and must not be taken for deleted.
    """

    seen: list[Seen]
    skipped: list[Skipped]
    unknown: list[str]
    identity: Identity


class Vault:
    """A folder of notes."""

    def __init__(self, root: str) -> None:
        self.root = root

    def identity(self) -> Identity:
        """The device and inode of the root: another device means that another disk is there."""
        root = self._open_root()
        try:
            return identity_of(root)
        finally:
            close(root)

    def verify(self, expected: Identity | None) -> None:
        """Raises VaultGone unless the root is there, on the expected device, not empty."""
        root = self._open_root()
        try:
            if expected is not None and expected[0] != identity_of(root)[0]:
                raise VaultGone("moved")
            with os.scandir(root) as entries:
                if next(entries, None) is None:
                    raise VaultGone("empty")
        except OSError:
            raise VaultGone("unreadable") from None
        finally:
            close(root)

    def template_folders(self) -> tuple[str, ...]:
        """The folders that Obsidian's settings in this vault name as templates."""
        found: list[bytes] = []
        for path in TEMPLATE_SETTINGS:
            try:
                found.append(self.read(path)[0])
            except (Missing, Moved, Unfit, Unreadable):
                continue
        return template_folders(found)

    def scan(
        self, rules: FolderRules, patterns: Iterable[str], expected: Identity | None = None
    ) -> Scan:
        """Every note of the vault, and what was left out.

        With `expected`, a root on another device raises VaultGone, as a missing one does.
        """
        root = self._open_root()
        try:
            identity = identity_of(root)
            if expected is not None and expected[0] != identity[0]:
                raise VaultGone("moved")
            return _Walk(root, rules, NotePatterns(patterns)).result(identity)
        finally:
            close(root)

    def read(self, path: str, most_bytes: int = MOST_BYTES) -> tuple[bytes, Stat]:
        """The whole file as it was at one moment, and the facts about it at that moment.

        Raises Missing, Moved, Unfit (left out on purpose), Unreadable or VaultGone.
        """
        root = self._open_root()
        try:
            folder, name = _folder_of(root, path)
            try:
                return read_file(folder, name, most_bytes)
            finally:
                close(folder)
        except (FileNotFoundError, NotADirectoryError, UnicodeEncodeError):
            raise Missing(path) from None
        except PermissionError:
            raise Unreadable(PERMISSION_DENIED) from None
        except OSError as failure:
            if failure.errno == errno.ELOOP:
                raise Unfit(LINK) from None
            if failure.errno == errno.ENAMETOOLONG:
                raise Missing(path) from None
            raise Unreadable(INPUT_OUTPUT) from None
        finally:
            close(root)

    def stat(self, paths: Iterable[str]) -> list[tuple[str, Stat | None]]:
        """The facts about each of these notes as it is now; None for one that is not there."""
        root = self._open_root()
        try:
            return [(path, _facts(root, path)) for path in paths]
        finally:
            close(root)

    def kinds(self, paths: Iterable[str]) -> dict[str, Kind]:
        """What is at each of these paths; left out where nothing is, or only in another spelling.

        Anything that is no folder is a file here, a link too. Raises VaultGone.
        """
        root = self._open_root()
        try:
            found = [(path, _kind(root, path)) for path in paths]
            return {path: kind for path, kind in found if kind is not None}
        finally:
            close(root)

    def _open_root(self) -> Place:
        try:
            return open_root(self.root)
        except (FileNotFoundError, NotADirectoryError):
            raise VaultGone("missing") from None
        except OSError:
            raise VaultGone("unreadable") from None


class _Walk:
    """One look at all folders; each is opened from the root again, so that few are open at once."""

    def __init__(self, root: Place, rules: FolderRules, patterns: NotePatterns) -> None:
        self._root = root
        self._rules = rules
        self._patterns = patterns
        self._seen: list[Seen] = []
        self._skipped: list[Skipped] = []
        self._unknown: list[str] = []
        self._pending: list[list[str]] = []

    def result(self, identity: Identity) -> Scan:
        try:
            if not self._list(self._root, []):
                raise VaultGone("empty")
        except OSError:
            raise VaultGone("unreadable") from None
        while self._pending:
            self._enter(self._pending.pop())
        return Scan(self._seen, self._skipped, self._unknown, identity)

    def _enter(self, steps: list[str]) -> None:
        try:
            folder = open_folder(self._root, steps)
            try:
                self._list(folder, steps)
            finally:
                close(folder)
        except (FileNotFoundError, NotADirectoryError):
            return  # gone since its parent was listed
        except Unfit as unfit:
            self._skip("/".join(steps), unfit.reason)
        except OSError:
            self._unknown.append("/".join(steps))
            self._skip("/".join(steps), FOLDER_UNREADABLE)

    def _list(self, folder: Place, steps: list[str]) -> int:
        """Takes down what is in one folder, and says how many entries that are."""
        prefix = "".join([step + "/" for step in steps])
        here = self._rules.holds_notes(prefix[:-1])
        match = self._patterns.match
        entries = 0
        with os.scandir(folder) as listing:
            for entry in listing:
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
        reason = leftovers.why_not(name)
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
                    self._seen.append(Seen(path, found.st_size, found.st_mtime_ns))
                    return
        self._skip(path, reason)

    def _folder(self, prefix: str, name: str, steps: list[str]) -> None:
        path = prefix + name
        reason = self._rules.why_not(path)
        if reason == TEMPLATES:
            self._skip(path, reason)
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
        awaited = leftovers.placeholder_of(name)
        if awaited and self._patterns.match(prefix, awaited):
            self._skip(prefix + name, leftovers.PLACEHOLDER)
        elif "." not in name and entry.is_symlink():
            self._skip(prefix + name, LINK)

    def _skip(self, path: str, reason: str) -> None:
        if not _is_utf8(path):
            path = os.fsencode(path).decode("utf-8", "backslashreplace")
        shown = path if len(path) <= LONGEST_PATH else path[:LONGEST_PATH] + "…"
        self._skipped.append(Skipped(shown, reason))


def _folder_of(root: Place, path: str) -> tuple[Place, str]:
    """The open folder that a file lies in, to be closed, and the file's name."""
    *steps, name = path.split("/")
    if any(step in ("", ".", "..") or "\0" in step for step in (*steps, name)):
        raise Unfit(OUTSIDE)
    folder = open_folder(root, steps, exactly=True)
    if not is_spelled(folder, name):
        close(folder)
        raise FileNotFoundError(name)
    return folder, name


def _facts(root: Place, path: str) -> Stat | None:
    try:
        folder, name = _folder_of(root, path)
        try:
            found = look(folder, name)
        finally:
            close(folder)
    except (Unfit, OSError, UnicodeEncodeError):
        return None
    if why_unfit(found, MOST_BYTES):
        return None
    return Stat(found.st_size, found.st_mtime_ns)


def _kind(root: Place, path: str) -> Kind | None:
    try:
        folder, name = _folder_of(root, path)
        try:
            return "folder" if is_folder(look(folder, name)) else "file"
        finally:
            close(folder)
    except (Unfit, FileNotFoundError, NotADirectoryError, UnicodeEncodeError):
        return None
    except OSError as failure:  # it may be there: whoever reads it finds out
        return None if failure.errno == errno.ENAMETOOLONG else "file"


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
