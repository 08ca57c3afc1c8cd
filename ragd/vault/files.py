"""The vault's files: found without following links, read without leaving the vault.

It never writes, and keeps nothing open between calls, so a drive with the vault can be ejected at
any time. Skipped files have a reason from the closed lists here, in `walk.py`, `safe_open.py` and
`leftover_files.py`.
"""

import errno
from collections.abc import Iterable, Iterator
from typing import Literal

from ragd.notes.documents.kinds import kind_of
from ragd.vault.file_patterns import NotePatterns
from ragd.vault.folder_rules import TEMPLATE_SETTINGS, FolderRules, template_folders
from ragd.vault.safe_open import (
    LINK,
    ChangedWhileRead,
    FileStat,
    OpenFolder,
    SkipPath,
    close,
    file_stat,
    has_exact_name,
    is_empty,
    is_folder,
    open_folder,
    open_root,
    read_file,
    read_part,
    root_identity,
    stat_entry,
    why_skipped,
)
from ragd.vault.walk import (
    INPUT_OUTPUT,
    NoteFile,
    RootIdentity,
    SkippedPath,
    VaultGone,
    Walk,
    WalkResult,
    count_notes,
)

__all__ = [
    "ChangedWhileRead",
    "FileStat",
    "FileUnreadable",
    "NoteFile",
    "NoteMissing",
    "PathKind",
    "RootIdentity",
    "SkipPath",
    "SkippedPath",
    "VaultFiles",
    "VaultGone",
    "WalkResult",
]

PERMISSION_DENIED = "permission denied"
OUTSIDE = "its path leads outside the vault"

PathKind = Literal["file", "folder"]


class NoteMissing(Exception):
    """There is no file at this path."""


class FileUnreadable(Exception):
    """The file cannot be read now, but perhaps later; `reason` is a phrase from a closed list."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class VaultFiles:
    """A folder of notes on the disk."""

    def __init__(self, root: str) -> None:
        self.root = root

    def identity(self) -> RootIdentity:
        """The device and inode of the root. Another device means that another disk is mounted."""
        root = self._open_root()
        try:
            return root_identity(root)
        finally:
            close(root)

    def verify(self, expected: RootIdentity | None) -> None:
        """Raises VaultGone unless the root exists, on the expected device, and is not empty."""
        root = self._open_root()
        try:
            if expected is not None and expected[0] != root_identity(root)[0]:
                raise VaultGone("moved")
            if is_empty(root):
                raise VaultGone("empty")
        except OSError:
            raise VaultGone("unreadable") from None
        finally:
            close(root)

    def template_folders(self) -> tuple[str, ...]:
        """The folders that this vault's Obsidian settings name as templates."""
        found: list[bytes] = []
        for path in TEMPLATE_SETTINGS:
            try:
                found.append(self.read(path)[0])
            except (NoteMissing, ChangedWhileRead, SkipPath, FileUnreadable):
                continue
        return template_folders(found)

    def count_templates(self, rules: FolderRules, patterns: Iterable[str]) -> list[tuple[str, int]]:
        """Each folder of templates that exists and is not denied, and how many notes it has."""
        root = self._open_root()
        notes = NotePatterns(patterns)
        named = dict.fromkeys(folder.strip("/") for folder in self.template_folders())
        try:
            return [
                (folder, count_notes(root, folder.split("/"), rules, notes))
                for folder in named
                if rules.why_skipped(folder) is None and _kind(root, folder) == "folder"
            ]
        finally:
            close(root)

    def scan(
        self,
        rules: FolderRules,
        patterns: Iterable[str],
        expected: RootIdentity | None = None,
        prefix: str = "",
    ) -> WalkResult:
        """Every note of the vault, and what was skipped. `prefix`: what the paths of notes are to
        begin with.

        With `expected`, a root on another device raises VaultGone, as a missing one does.
        """
        root = self._open_root()
        try:
            identity = root_identity(root)
            if expected is not None and expected[0] != identity[0]:
                raise VaultGone("moved")
            return Walk(root, rules, NotePatterns(patterns), prefix).run(identity)
        finally:
            close(root)

    def read(self, path: str) -> tuple[bytes, FileStat]:
        """The whole file as it was at one moment, and its size and times then. A file that is too
        large for its kind is skipped.

        Raises NoteMissing, ChangedWhileRead, SkipPath, FileUnreadable or VaultGone.
        """
        root = self._open_root()
        try:
            folder, name = _open_parent(root, path)
            try:
                return read_file(folder, name, kind_of(name).most_bytes)
            finally:
                close(folder)
        except (FileNotFoundError, NotADirectoryError, UnicodeEncodeError):
            raise NoteMissing(path) from None
        except PermissionError:
            raise FileUnreadable(PERMISSION_DENIED) from None
        except OSError as failure:
            if failure.errno == errno.ELOOP:
                raise SkipPath(LINK) from None
            if failure.errno == errno.ENAMETOOLONG:
                raise NoteMissing(path) from None
            raise FileUnreadable(INPUT_OUTPUT) from None
        finally:
            close(root)

    def read_part(self, path: str, first: int, most: int) -> bytes:
        """Some bytes of a file. Raises OSError, SkipPath or VaultGone."""
        root = self._open_root()
        try:
            folder, name = _open_parent(root, path)
            try:
                return read_part(folder, name, first, most)
            finally:
                close(folder)
        finally:
            close(root)

    def stat(self, paths: Iterable[str]) -> list[tuple[str, FileStat | None]]:
        """The size and times of each of these notes now; None for one that does not exist."""
        found: dict[str, FileStat | None] = dict.fromkeys(paths)
        groups: dict[str, list[str]] = {}
        for path in found:
            groups.setdefault(path[: path.rfind("/") + 1], []).append(path)
        root = self._open_root()
        try:
            for folder, group in groups.items():
                found.update(_stat_group(root, folder, group))
            return list(found.items())
        finally:
            close(root)

    def kinds(self, paths: Iterable[str]) -> dict[str, PathKind]:
        """What is at each of these paths. Paths without an entry of exactly that name are left out.

        Everything but a folder counts as a file, even a link. Raises VaultGone.
        """
        root = self._open_root()
        try:
            found = [(path, _kind(root, path)) for path in paths]
            return {path: kind for path, kind in found if kind is not None}
        finally:
            close(root)

    def _open_root(self) -> OpenFolder:
        try:
            return open_root(self.root)
        except (FileNotFoundError, NotADirectoryError):
            raise VaultGone("missing") from None
        except OSError:
            raise VaultGone("unreadable") from None


def _open_parent(root: OpenFolder, path: str) -> tuple[OpenFolder, str]:
    """The open folder of a file, to be closed by the caller, and the file's name."""
    folder, name = _open_folder_of(root, path), path.rpartition("/")[2]
    if not has_exact_name(folder, name):
        close(folder)
        raise FileNotFoundError(name)
    return folder, name


def _open_folder_of(root: OpenFolder, path: str) -> OpenFolder:
    """The open folder of a file, to be closed by the caller."""
    steps = path.split("/")
    if any(map(_leads_outside, steps)):
        raise SkipPath(OUTSIDE)
    return open_folder(root, steps[:-1], exactly=True)


def _leads_outside(step: str) -> bool:
    return step in ("", ".", "..") or "\0" in step


UNKNOWN_STAT = FileStat(-1, -1)
"""A file that may exist: its folder or the disk does not give its size and times."""

_NO_SUCH_FILE = (errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL)


def _stat_group(
    root: OpenFolder, parent: str, paths: Iterable[str]
) -> Iterator[tuple[str, FileStat | None]]:
    """The size and times of notes of one folder, which is opened once."""
    try:
        folder = _open_folder_of(root, f"{parent}-")
    except (OSError, SkipPath, UnicodeEncodeError) as why:
        yield from ((path, _without_stat(why)) for path in paths)
        return
    try:
        for path in paths:
            yield path, _stat(folder, path[len(parent) :])
    finally:
        close(folder)


def _stat(folder: OpenFolder, name: str) -> FileStat | None:
    """The size and times of a note in its open folder."""
    if _leads_outside(name):
        return None
    try:
        if not has_exact_name(folder, name):
            return None
        found = stat_entry(folder, name)
    except (OSError, UnicodeEncodeError) as why:
        return _without_stat(why)
    if why_skipped(found, kind_of(name).most_bytes):
        return None
    return file_stat(found)


def _without_stat(why: Exception) -> FileStat | None:
    """What is known of a note whose status could not be read."""
    if isinstance(why, OSError) and not isinstance(why, FileNotFoundError | NotADirectoryError):
        return None if why.errno in _NO_SUCH_FILE else UNKNOWN_STAT
    return None


def _kind(root: OpenFolder, path: str) -> PathKind | None:
    try:
        folder, name = _open_parent(root, path)
        try:
            return "folder" if is_folder(stat_entry(folder, name)) else "file"
        finally:
            close(folder)
    except (SkipPath, FileNotFoundError, NotADirectoryError, UnicodeEncodeError):
        return None
    except OSError as failure:  # it may exist; a later read finds out
        return None if failure.errno == errno.ENAMETOOLONG else "file"
