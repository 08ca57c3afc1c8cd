"""The words of a query, as many as a full-text search can handle. Pure."""

from ragd.notes.names import inner_words
from ragd.notes.search_text import hangul_bigrams
from ragd.protocol.limits import QUERY_READ_CHARS

QUERY_WORDS = 128  # the cost of a full-text query grows with its words: 100 KB took half a minute


def query_words(text: str) -> str:
    """The distinct words of a query. Korean words are also split into pairs of syllables, and names
    such as `type_hints` into their words."""
    clean = text[:QUERY_READ_CHARS].encode("utf-8", "ignore").decode("utf-8")
    clean = f"{clean} {' '.join(inner_words(clean))} {hangul_bigrams(clean)}"
    words: dict[str, str] = {}
    room = QUERY_READ_CHARS
    for word in clean.split():
        if len(words) == QUERY_WORDS or room <= 0:
            break
        word = word[:room]  # a Chinese text may be one long word
        if word.casefold() not in words:
            words[word.casefold()] = word
            room -= len(word) + 1
    return " ".join(words.values())
