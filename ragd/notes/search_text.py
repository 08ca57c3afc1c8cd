"""The text of the full-text index: a chunk with the names of its note.

This text is only searched. Results show the chunk's own text.
"""

import re

from ragd.notes.names import inner_words
from ragd.notes.stems import stems

_HANGUL = re.compile("[가-힣]{2,}")


def search_text(
    title: str,
    aliases: tuple[str, ...],
    path: str,
    tags: tuple[str, ...],
    text: str,
    stem: str = "",
    language: str | None = None,
) -> str:
    """Title, names, heading path, tags and text, a line for each kind, then Korean bigrams or the
    stems of the text's own language.

    `stem` is the file's name. Names such as `type_hints` are included whole and word by word.
    """
    lines = [title]
    if stem and stem != title:
        lines.append(stem)
    if aliases:
        lines.append(", ".join(aliases))
    if words := inner_words(" ".join(lines)):
        lines.append(" ".join(words))
    if path:
        lines.append(path)
    if tags:
        lines.append(" ".join(tags))
    if text:
        lines.append(text)
    found = "\n".join(lines)
    if not found.isascii() and _may_be_korean(found) and (pairs := hangul_bigrams(found)):
        return f"{found}\n{pairs}"
    if own := stems(found, language):
        return f"{found}\n{own}"
    return found


def hangul_bigrams(text: str) -> str:
    """All pairs of neighbouring syllables of the Korean words in `text`, separated by spaces.

    Particles are joined to Korean nouns, and an index of whole words would not find the noun alone.
    Queries use the same pairs. A word of two syllables is its own bigram and is left out.
    """
    return " ".join(
        [
            word[at : at + 2]
            for word in _HANGUL.findall(text)
            if len(word) > 2
            for at in range(len(word) - 1)
        ]
    )


def _may_be_korean(text: str) -> bool:
    """A quick check that rules out most texts: Hangul begins with one of four bytes."""
    data = text.encode()
    return b"\xea" in data or b"\xeb" in data or b"\xec" in data or b"\xed" in data
