"""Contexts: what is in a folder, a note or a collection, in the user's own words. Pure.

A result has the nearest context above it: the note's own, else that of its folder, and so on up to
its collection. They are one line of limited length, also if the file was edited by hand.
"""

import unicodedata

from ragd.config.schema import CONTEXT_MAX, Config
from ragd.notes.characters import one_line
from ragd.vault.collection_paths import split_path

ROOT = "/"
"""How the vault itself is named in `contexts`."""


class Contexts:
    """The contexts of one configuration, by path."""

    def __init__(self, config: Config) -> None:
        self._collections = frozenset(config.collections)
        self._words = {
            (name, ""): context_line(one.context)
            for name, one in config.collections.items()
            if one.context
        }
        for path, words in config.contexts.items():
            self._words[self._key(path)] = context_line(words)

    def nearest(self, path: str) -> str | None:
        """The context for a note at this path; None if there is none above it."""
        if not self._words:
            return None
        collection, step = self._key(path)
        while step:
            if words := self._words.get((collection, step)):
                return words
            step = step.rpartition("/")[0]
        return self.of_collection(collection) or None

    def of_collection(self, name: str) -> str:
        """The context of a collection as a whole; empty if it has none."""
        return self._words.get((name, ""), "")

    def _key(self, path: str) -> tuple[str, str]:
        """The collection, and the path in it in the form that is compared. A folder `@Papers` of
        the vault is not the collection `papers`."""
        collection, inner = split_path(path, self._collections)
        return collection, context_key(inner)


def context_key(path: str) -> str:
    """A path in the form that is compared; empty for the vault itself."""
    steps = path.replace("\\", "/").split("/")
    kept = "/".join(step for step in steps if step not in ("", "."))
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", kept).casefold())


def context_line(words: str) -> str:
    """Words as one line that is not too long."""
    return one_line(words, CONTEXT_MAX)
