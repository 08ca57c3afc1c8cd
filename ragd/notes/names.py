"""Names of notes: the key that they are compared by, and the words in them. Pure."""

import re
import unicodedata

LONGEST_KEY = 300

_WORD = re.compile(r"[^\W_]+[+#]*")  # `C`, `C#` and `C++` are three names
_COMBINING = re.compile("[\u0300-\u036f]+")
_APART = re.compile(r"[\s\-/]+")  # full-text search also splits words at these
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=\d)(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])")
_INNER = re.compile(r"[_.\s]+")


def name_key(name: str) -> str:
    """A name in the form that is compared: without case, accents and separators. Empty if it has no
    letters."""
    normalised = unicodedata.normalize("NFKD", name[:LONGEST_KEY].casefold())
    bare = unicodedata.normalize("NFC", _COMBINING.sub("", normalised))
    return "".join(_WORD.findall(bare))


def inner_words(name: str) -> list[str]:
    """The words in compound names: `type`, `hints` in `type_hints`, `typeHints` and `type.hints`.

    Full-text search treats each of these as one word.
    """
    if "_" not in name and "." not in name and not _HUMP.search(name):
        return []  # most names: nothing in them is a compound
    found: list[str] = []
    for piece in _APART.split(name):
        parts = [part for part in _INNER.split(_HUMP.sub(" ", piece)) if part]
        if len(parts) > 1 and any(part.isalpha() for part in parts):
            found += parts
    return found
