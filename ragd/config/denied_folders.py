"""Adds a folder of the vault to the deny list of a configuration, or takes it off.

It reads no file, and changes only `indexing.deny_dirs`. A name on that list without a slash applies
at any depth.
"""

import re
import unicodedata

from ragd.config.schema import IndexingSettings
from ragd.config.validation import JsonObject

_MAGIC = re.compile(r"([*?\[])")


def with_denied(settings: JsonObject, folder: str, *, never: bool) -> JsonObject:
    """The settings with this folder on the deny list, or without it. Other entries stay."""
    indexing = settings.get("indexing")
    indexing = dict(indexing) if isinstance(indexing, dict) else {}
    listed = indexing.get("deny_dirs", list(IndexingSettings().deny_dirs))
    entry = deny_entry(folder)
    kept = [one for one in listed if not (isinstance(one, str) and _same(one, entry))]
    indexing["deny_dirs"] = [*kept, entry] if never else kept
    return {**settings, "indexing": indexing}


def deny_entry(folder: str) -> str:
    """The folder as the deny list names it: its characters are no pattern."""
    return _MAGIC.sub(r"[\1]", folder)


def _same(one: str, other: str) -> bool:
    return _comparable(one) == _comparable(other)


def _comparable(entry: str) -> str:
    return unicodedata.normalize("NFC", entry.strip().strip("/")).casefold()
