"""Which folders of a vault are read, by the configuration and by Obsidian's settings.

It never reads the disk: a folder is its path, relative to the vault, with `/`. A denied folder
stays denied in any spelling: upper or lower case, composed or decomposed.
"""

import fnmatch
import re
import unicodedata
from collections.abc import Iterable

import msgspec

HIDDEN = "it is a hidden folder"
DENIED = "its folder is on the deny list"
NOT_ALLOWED = "its folder is not on the allow list"
TEMPLATES = "it is a folder of templates"
NAME_TAKEN = "a collection has its name"

MOST_REMEMBERED = 10_000

TEMPLATE_SETTINGS = (
    ".obsidian/templates.json",
    ".obsidian/plugins/templater-obsidian/data.json",
)


class FolderRules:
    """The allow and deny lists. A plain name on the deny list applies at any depth."""

    def __init__(
        self,
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        templates: Iterable[str] = (),
        taken: Iterable[str] = (),
    ) -> None:
        """`taken`: folders whose paths belong to a collection."""
        self._allow = tuple(filter(None, map(_normalised, allow)))
        denied = [entry for entry in map(_normalised, deny) if entry]
        plain = [entry for entry in denied if not _is_pattern(entry)]
        self._deny = frozenset(plain)
        self._deny_pattern = _any_of([entry for entry in denied if _is_pattern(entry)])
        self._templates = frozenset(filter(None, map(_normalised, templates)))
        self._taken = frozenset(taken)
        self._permitted: dict[str, bool] = {}  # folder -> may hold notes; at most MOST_REMEMBERED

    def why_skipped(self, folder: str) -> str | None:
        """Why this folder is skipped, if it is. The folders above it are assumed to be read."""
        name = folder.rpartition("/")[2]
        if name.startswith("."):
            return HIDDEN
        if folder in self._taken:
            return NAME_TAKEN
        path = _normalised(folder)
        name = path.rpartition("/")[2]
        if path in self._deny or name in self._deny:
            return DENIED
        if self._deny_pattern and (
            self._deny_pattern.fullmatch(path) or self._deny_pattern.fullmatch(name)
        ):
            return DENIED
        if path in self._templates:
            return TEMPLATES
        if self._allow and not any(
            _is_within(path, entry) or _is_within(entry, path) for entry in self._allow
        ):
            return NOT_ALLOWED
        return None

    def holds_notes(self, folder: str) -> bool:
        """Whether files directly in this folder may be notes; the vault itself is ``."""
        if not self._allow:
            return True
        path = _normalised(folder)
        return any(_is_within(path, entry) for entry in self._allow)

    def permits(self, note: str) -> bool:
        """Whether a note at this path may be in the index."""
        folder = note.rpartition("/")[0]
        known = self._permitted.get(folder)
        if known is None:
            known = self.holds_notes(folder) and self._is_read(folder)
            if len(self._permitted) >= MOST_REMEMBERED:
                self._permitted.clear()
            self._permitted[folder] = known
        return known

    def _is_read(self, folder: str) -> bool:
        steps = folder.split("/") if folder else []
        above = ["/".join(steps[:depth]) for depth in range(1, len(steps) + 1)]
        return all(self.why_skipped(path) is None for path in above)


def template_folders(settings: Iterable[bytes]) -> tuple[str, ...]:
    """The folders in which Obsidian or Templater keep templates, from their settings files."""
    found: list[str] = []
    for data in settings:
        try:
            read = _template_settings.decode(data)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            continue
        found += [folder for folder in (read.folder, read.templates_folder) if _normalised(folder)]
    return tuple(found)


class _TemplateSettings(msgspec.Struct, frozen=True):
    folder: str = ""
    templates_folder: str = ""


# Made at import: msgspec crashes when two threads prepare the same type at once.
_template_settings = msgspec.json.Decoder(_TemplateSettings)


def _normalised(path: str) -> str:
    """The path in the spelling that is compared; empty for the vault itself."""
    steps = path.replace("\\", "/").split("/")
    kept = "/".join(step for step in steps if step not in ("", "."))
    return kept if kept.isascii() and kept.islower() else _casefolded(kept)


def _casefolded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _is_pattern(entry: str) -> bool:
    return any(mark in entry for mark in "*?[")


def _any_of(patterns: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(map(fnmatch.translate, patterns))) if patterns else None
