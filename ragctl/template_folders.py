"""Which folders of a vault hold templates, and how many notes are in each. It never writes."""

import os
from typing import NamedTuple

from ragd.notes.folders import TEMPLATE_SETTINGS, template_folders
from ragd.notes.patterns import NotePatterns

_SETTINGS_MAX_BYTES = 1024 * 1024


class TemplateFolder(NamedTuple):
    """One that is there; its path is relative to the vault."""

    path: str
    notes: int


def found_in(vault: str, patterns: tuple[str, ...]) -> list[TemplateFolder]:
    """The folders that Obsidian's own settings in this vault name."""
    settings = [_read(os.path.join(vault, *path.split("/"))) for path in TEMPLATE_SETTINGS]
    named = dict.fromkeys(folder.strip("/") for folder in template_folders(settings))
    return [
        TemplateFolder(folder, _count(os.path.join(vault, *folder.split("/")), patterns))
        for folder in named
        if os.path.isdir(os.path.join(vault, *folder.split("/")))
    ]


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_SETTINGS_MAX_BYTES)
    except OSError:
        return b""


def _count(folder: str, patterns: tuple[str, ...]) -> int:
    match = NotePatterns(patterns).match
    count = 0
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        count += sum(match("", name) and not name.startswith(".") for name in files)
    return count
