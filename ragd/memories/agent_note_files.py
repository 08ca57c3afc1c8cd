"""The files of agents' own notes, with their last contents: written whole, erased for good.

Each agent has a folder. It is synchronous: call it in a thread, one call at a time. It never
touches a file outside its two folders.
"""

import contextlib
import os
import shutil
from pathlib import Path
from typing import NamedTuple

from ragd.errors import RagdError
from ragd.runtime.durable_files import (
    make_directory,
    private_directory,
    replace_file,
    sync_directory,
)
from ragd.vault.containment import contained_path
from ragd.vault.leftover_files import why_skipped

VERSIONS = 10  # earlier contents that are kept of each note
NOTE_BYTES_MAX = 1024 * 1024
NOTES_MAX = 10_000  # of one agent
STEPS_MAX = 8  # of a path
STEP_BYTES_MAX = 240  # file systems take 255, and the name of a temporary file is longer
SUFFIX = ".md"
_TEMPORARY = ".tmp"


class WrittenNote(NamedTuple):
    """A note as it is now."""

    size: int  # in bytes
    versions: int  # earlier contents that are kept
    is_new: bool


class AgentNoteFiles:
    """The notes in `root`, and their earlier contents in `versions`."""

    def __init__(self, root: Path, versions: Path) -> None:
        self._root = root
        self._versions = versions

    def has_folder(self, agent: str) -> bool:
        return (self._root / agent).is_dir()

    def write(self, agent: str, inner: str, text: str, *, append: bool) -> WrittenNote:
        """Replace a note, or add to it; create it if there is none. When this returns, it is on
        the disk. Raises RagdError for a note that would become too large, OSError for the disk."""
        note = self._root / agent / inner
        self._refuse_links(agent, inner)
        before = _read(note)
        data = text.encode()
        if append and before is not None:
            data = before + (b"" if before.endswith(b"\n") or not before else b"\n") + data
        if len(data) > NOTE_BYTES_MAX:
            raise _refused(f"A note may have {NOTE_BYTES_MAX // 1024:,} KiB.", "Begin a new one.")
        if before is None:
            self._refuse_too_many(agent)
        if data != before:
            if before is not None:
                self._keep_version(agent, inner, before)
            _make_folders(self._root, note.parent)
            replace_file(note, data)
            self._drop_old_versions(agent, inner)
        return WrittenNote(len(data), len(self._version_files(agent, inner)), before is None)

    def erase(self, agent: str, inner: str) -> bool:
        """Erase a note and its earlier contents. False if there was none. When this returns, no
        file here has its text."""
        note, versions = self._root / agent / inner, self._versions / agent / inner
        self._refuse_links(agent, inner)
        if note.is_dir():
            raise _is_folder()
        was_there = note.is_file() or versions.is_dir()
        if versions.is_dir():
            shutil.rmtree(versions)
            sync_directory(versions.parent)
        for path in (note, _temporary(note)):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
        if note.parent.is_dir():
            sync_directory(note.parent)
        return was_there

    def remove_leftovers(self) -> None:
        """Remove what an interrupted write left: temporary files, and too many earlier contents."""
        for folder in (self._root, self._versions):
            for path in folder.rglob(f".*{_TEMPORARY}") if folder.is_dir() else ():
                with contextlib.suppress(OSError):
                    path.unlink()

    def _refuse_links(self, agent: str, inner: str) -> None:
        """Raises RagdError if a link would lead to a file that is not ours: one that stands for a
        note, or for a folder on the way to it."""
        for top in (self._root, self._versions):
            path = top / agent
            for step in ("", *inner.split("/")):
                path /= step
                if path.is_symlink():
                    raise _refused("A link is in the way.", "Choose another name.")

    def _keep_version(self, agent: str, inner: str, data: bytes) -> None:
        folder = self._versions / agent / inner
        _make_folders(self._versions, folder)
        known = self._version_files(agent, inner)
        if known and known[-1].read_bytes() == data:
            return  # an interrupted write kept it already
        number = int(known[-1].stem) + 1 if known else 1
        replace_file(folder / f"{number:08}{SUFFIX}", data)

    def _drop_old_versions(self, agent: str, inner: str) -> None:
        for path in self._version_files(agent, inner)[:-VERSIONS]:
            path.unlink(missing_ok=True)

    def _version_files(self, agent: str, inner: str) -> list[Path]:
        folder = self._versions / agent / inner
        if not folder.is_dir():
            return []
        return sorted(path for path in folder.iterdir() if path.stem.isdecimal())

    def _refuse_too_many(self, agent: str) -> None:
        count = sum(len(files) for _, _, files in os.walk(self._root / agent))
        if count >= NOTES_MAX:
            raise _refused(f"An agent may have {NOTES_MAX:,} notes.", "Forget some of them first.")


def note_path(typed: str) -> str:
    """The path of a note in an agent's folder. Raises RagdError for one that no note may have."""
    inner = contained_path(typed)
    steps = inner.split("/")
    if not inner.endswith(SUFFIX) or len(steps[-1]) <= len(SUFFIX):
        raise _refused(
            "A note of an agent is Markdown.", f"Give it a name that ends in `{SUFFIX}`."
        )
    if len(steps) > STEPS_MAX or any(step.startswith((".", "@")) for step in steps):
        raise _refused(
            "The field `path` is not valid.",
            f"Use at most {STEPS_MAX - 1} folders, none of which begins with a dot or an @.",
        )
    if why_skipped(steps[-1]) is not None or not inner.isprintable():
        raise _refused("A note cannot have this name.", "Choose a plain name.")
    if any(len(step.encode()) > STEP_BYTES_MAX for step in steps):
        raise _refused("The name is too long.", "Choose a shorter name.")
    return inner


def _make_folders(top: Path, folder: Path) -> None:
    private_directory(top)
    missing = [one for one in (folder, *folder.parents) if one.is_relative_to(top)]
    for one in reversed(missing):
        make_directory(one)


def _read(note: Path) -> bytes | None:
    try:
        return note.read_bytes()
    except FileNotFoundError:
        return None
    except (IsADirectoryError, NotADirectoryError):
        raise _is_folder() from None


def _temporary(note: Path) -> Path:
    return note.with_name(f".{note.name}{_TEMPORARY}")


def _is_folder() -> RagdError:
    return _refused("There is a folder of this name.", "Choose another name.")


def _refused(message: str, suggestion: str) -> RagdError:
    return RagdError("INVALID_REQUEST", message, suggestion)
