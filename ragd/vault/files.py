"""The vault's files: found without following links, read without leaving the vault.

It never writes, and holds nothing open between calls, so that a drive with the vault on it can be
ejected at any time. What is left out has a reason, from the closed lists here, in `walk.py`, in
`safe_open.py` and in `leftover_files.py`.
"""

import errno
from collections.abc import Iterable
from typing import Literal

from ragd.vault.file_patterns import NotePatterns
from ragd.vault.folder_rules import TEMPLATE_SETTINGS, FolderRules, template_folders
from ragd.vault.safe_open import (
    LINK,
    Moved,
    Place,
    Stat,
    Unfit,
    close,
    identity_of,
    is_empty,
    is_folder,
    is_spelled,
    look,
    open_folder,
    open_root,
    read_file,
    stat_of,
    why_unfit,
)
from ragd.vault.walk import (
    INPUT_OUTPUT,
    MOST_BYTES,
    Identity,
    Scan,
    Seen,
    Skipped,
    VaultGone,
    Walk,
    count_notes,
)

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

PERMISSION_DENIED = "permission denied"
OUTSIDE = "its path leads outside the vault"

Kind = Literal["file", "folder"]


class Missing(Exception):
    """There is no file at this path any more."""


class Unreadable(Exception):
    """The file could not be read, but may be another time; `reason` is a phrase from above."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


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
            if is_empty(root):
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

    def count_templates(self, rules: FolderRules, patterns: Iterable[str]) -> list[tuple[str, int]]:
        """Each folder of templates that is there and that no list denies, and its notes."""
        root = self._open_root()
        notes = NotePatterns(patterns)
        named = dict.fromkeys(folder.strip("/") for folder in self.template_folders())
        try:
            return [
                (folder, count_notes(root, folder.split("/"), rules, notes))
                for folder in named
                if rules.why_not(folder) is None and _kind(root, folder) == "folder"
            ]
        finally:
            close(root)

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
            return Walk(root, rules, NotePatterns(patterns)).result(identity)
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


UNKNOWN = Stat(-1, -1)
"""A file that may be there: its folder or its disk does not let it be looked at."""

_NOT_THERE = (errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL)


def _facts(root: Place, path: str) -> Stat | None:
    try:
        folder, name = _folder_of(root, path)
        try:
            found = look(folder, name)
        finally:
            close(folder)
    except (Unfit, FileNotFoundError, NotADirectoryError, UnicodeEncodeError):
        return None
    except OSError as why:
        return None if why.errno in _NOT_THERE else UNKNOWN
    if why_unfit(found, MOST_BYTES):
        return None
    return stat_of(found)


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
