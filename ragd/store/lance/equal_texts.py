"""Which notes have a passage with exactly a given text.

Texts that are in memory are compared there. If they are not, or there is a condition, the table is
read. In a large table, a full-text search first finds the passages with the longest words of the
text, and only these are compared. It never ranks anything.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from ragd.store.lance.scans import Scan, Words
from ragd.store.lance.schema import SEARCH_TEXT
from ragd.store.lance.sql import both, one_of
from ragd.store.lance.table_version import TableVersion

SCANNED_ROWS = 2_500  # for each text; comparing them takes as long as a full-text search
MOST_WORDS = 8
_SHORTEST, _LONGEST = 4, 20  # characters of a word that is looked up


async def find_equal_texts(
    now: TableVersion, texts: Sequence[str], where: str | None
) -> dict[str, Mapping[str, int]]:
    """For each of these texts, the notes with a passage that is exactly that, and how many. A text
    that no passage has is left out."""
    if where is None and (known := await _find_in_memory(now, texts)) is not None:
        return known
    found: dict[str, Mapping[str, int]] = {}
    if await now.count() > SCANNED_ROWS * len(texts):
        counted = await asyncio.gather(*(_find_by_words(now, text, where) for text in texts))
        found = {text: notes for text, notes in zip(texts, counted, strict=True) if notes}
    if others := [text for text in texts if text not in found]:
        found |= await _compare_all(now, others, where)
    return found


async def _find_in_memory(
    now: TableVersion, texts: Sequence[str]
) -> dict[str, Mapping[str, int]] | None:
    """None if the texts of the table are not in memory."""
    found: dict[str, Mapping[str, int]] = {}
    for text in texts:
        notes = await now.notes_with_text(text)
        if notes is None:
            return None
        if notes:
            found[text] = Counter(notes)
    return found


async def _find_by_words(now: TableVersion, text: str, where: str | None) -> Mapping[str, int]:
    """Empty if the text has no word that full-text search finds for certain."""
    words = longest_words(text)
    if not words:
        return {}
    has_text = both(where, one_of("chunk_text", [text]))
    looked_up = Words(" ".join(words), SEARCH_TEXT, every=True)
    columns = ["_score", "source_file"]
    scan = Scan(columns, has_text, await now.count(), looked_up, filters_last=True)
    return Counter((await now.scans.read(scan))["source_file"].to_pylist())


async def _compare_all(
    now: TableVersion, texts: Sequence[str], where: str | None
) -> dict[str, Mapping[str, int]]:
    columns = ["chunk_text", "source_file"]
    rows = await now.scans.read(Scan(columns, both(where, one_of("chunk_text", texts))))
    grouped = rows.group_by(columns).aggregate([([], "count_all")])
    found: dict[str, dict[str, int]] = {}
    for row in grouped.to_pylist():
        found.setdefault(row["chunk_text"], {})[row["source_file"]] = row["count_all"]
    return dict(found)


def longest_words(text: str) -> list[str]:
    """The longest words of a text, which are the rarest on average. Only words of plain letters
    between spaces: full-text search splits those in every text in the same way."""
    words = {
        word.lower()
        for word in text.split()
        if _SHORTEST <= len(word) <= _LONGEST and word.isascii() and word.isalpha()
    }
    return sorted(words, key=lambda word: (-len(word), word))[:MOST_WORDS]
