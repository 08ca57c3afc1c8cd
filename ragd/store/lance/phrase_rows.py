"""The ids of the rows that have a phrase, looked up once in each version of the table.

In a large table, a full-text search first finds the passages with all words of the phrase, and only
these are compared. For an excluded phrase, only the rows that a search found are compared. It never
ranks anything.

Full-text search treats `obsidian.md` as one word, so a passage with `obsidian` only in that word is
not compared. If no other passage has the phrase, all passages are compared.
"""

from collections.abc import Sequence
from typing import Any

from ragd.search.query.conditions import PHRASE, Condition
from ragd.search.query.filters import Filters
from ragd.store.lance import libraries
from ragd.store.lance.scans import Scan, Words
from ragd.store.lance.schema import SEARCH_TEXT
from ragd.store.lance.sql import both, condition
from ragd.store.lance.table_version import TableVersion

SCANNED_ROWS = 10_000  # in a smaller table all rows are compared: 20 ms
LISTED = 256  # rows that a condition names one by one; it slows down with many
MOST_KEPT = 1_000_000  # row ids of all phrases together: 8 MB


async def having_all(now: TableVersion, phrases: Sequence[str]) -> Any:
    """The ids of the rows that have each of these phrases, sorted; None: no phrase is given."""
    found = None
    for phrase in phrases:
        rows = await having(now, phrase)
        found = rows if found is None else libraries.numpy().intersect1d(found, rows)
    return found


async def has_row(now: TableVersion, row_ids: Any, where: str | None) -> bool:
    """Whether one of these rows meets the condition."""
    if where is None or not len(row_ids):
        return bool(len(row_ids))
    if (some := listed(row_ids)) is not None:
        return await now.count(both(where, some)) > 0
    found = await now.scans.read(_rows_with(where))
    return bool(libraries.numpy().isin(row_ids, _row_ids(found)).any())


def listed(row_ids: Any) -> str | None:
    """The condition that names these rows, if they are few."""
    if len(row_ids) > LISTED:
        return None
    return f"_rowid IN ({', '.join(map(str, row_ids))})" if len(row_ids) else "FALSE"


async def without(now: TableVersion, phrases: Sequence[str], row_ids: Sequence[int]) -> set[int]:
    """Those of these rows that have none of the phrases. Only these rows are compared."""
    if not phrases:
        return set(row_ids)
    has_none = condition(Filters(conditions=tuple(Condition(PHRASE, (p,), True) for p in phrases)))
    found: set[int] = set()
    for start in range(0, len(row_ids), LISTED):
        some = listed(row_ids[start : start + LISTED])
        scan = _rows_with(both(some, has_none))
        found.update((await now.scans.read(scan))["_rowid"].to_pylist())
    return found


async def having(now: TableVersion, phrase: str) -> Any:
    """The ids of the rows that have this phrase in their text, title or headings, sorted."""
    found = now.phrases.get(phrase)
    if found is None:
        found = await _find_phrase(now, phrase)
        if sum(map(len, now.phrases.values())) + len(found) > MOST_KEPT:
            now.phrases.clear()
        now.phrases[phrase] = found
    return found


async def _find_phrase(now: TableVersion, phrase: str) -> Any:
    has_it = condition(Filters(conditions=(Condition(PHRASE, (phrase,)),)))
    rows = await now.count()
    if rows > SCANNED_ROWS and _is_found_by_words(phrase):
        words = Words(phrase, SEARCH_TEXT, every=True)
        scan = Scan(["_score"], has_it, rows, words, with_row_id=True, filters_last=True)
        found = _row_ids(await now.scans.read(scan))
        if len(found):
            return found
    return _row_ids(await now.scans.read(_rows_with(has_it)))


def _rows_with(where: str | None) -> Scan:
    return Scan([], where, with_row_id=True)


def _row_ids(found: Any) -> Any:
    return libraries.numpy().sort(found["_rowid"].to_numpy())


def _is_found_by_words(phrase: str) -> bool:
    """Whether full-text search compares its letters as a phrase does. That is so for Latin and
    Cyrillic letters. Other scripts have no spaces, or letters with more than two forms."""
    return all(c < "\u0250" or "\u0400" <= c <= "\u045f" for c in phrase) and "\u00b5" not in phrase
