"""The rows of one version of the table that have a phrase: looked up once, known by their ids.

In a large table, full text says first which passages have all words of the phrase, and only these
are compared. It never ranks anything.

Full text takes `obsidian.md` for one word, so a passage that has `obsidian` only in there is not
compared. If no other passage has the phrase, all of them are compared after all.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from ragd.adapters.lance_store import libraries
from ragd.adapters.lance_store.schema import SEARCH_TEXT
from ragd.adapters.lance_store.snapshot import Snapshot
from ragd.adapters.lance_store.sql import both, condition
from ragd.search.conditions import PHRASE, Condition
from ragd.search.filters import Filters

SCANNED_ROWS = 10_000  # of a smaller table all rows are compared: 20 ms
LISTED = 256  # rows that a condition names one by one; it slows down with many
MOST_KEPT = 1_000_000  # row ids of all phrases together: 8 MB


class Allowed(Struct, frozen=True):
    """Row ids, sorted. `only`: no others may be found; None: all may but those in `without`."""

    only: Any
    without: Any

    @property
    def listed(self) -> str | None:
        """The condition that names all rows that may be found, if they are few."""
        if self.only is None or len(self.only) > LISTED:
            return None
        return (
            f"_rowid IN ({', '.join(map(str, self.only.tolist()))})" if len(self.only) else "FALSE"
        )

    def keeps(self, row_ids: Any) -> Any:
        """Which of these rows may be found, as flags."""
        is_in = libraries.numpy().isin
        if self.only is not None:
            return is_in(row_ids, self.only)
        return is_in(row_ids, self.without, invert=True)


async def allowed(now: Snapshot, phrases: Sequence[Condition]) -> Allowed:
    """The rows that have these phrases, and not those that are negated."""
    numpy = libraries.numpy()
    only, without = None, numpy.array([], dtype="u8")
    for one in phrases:
        for phrase in one.values:
            rows = await having(now, phrase)
            if one.negated:
                without = numpy.union1d(without, rows)
            else:
                only = rows if only is None else numpy.intersect1d(only, rows)
    if only is not None:
        only = numpy.setdiff1d(only, without)
    return Allowed(only, without)


async def count(now: Snapshot, where: str | None, phrases: Sequence[Condition]) -> int:
    """How many rows meet the condition and are allowed."""
    if where is not None or not phrases:
        return await now.count(both(where, condition(Filters(conditions=tuple(phrases)))))
    found = await allowed(now, phrases)
    return await now.count() - len(found.without) if found.only is None else len(found.only)


async def having(now: Snapshot, phrase: str) -> Any:
    """The ids of the rows that have this phrase in their text, title or headings, sorted."""
    found = now.phrases.get(phrase)
    if found is None:
        found = await _looked_up(now, phrase)
        if sum(map(len, now.phrases.values())) + len(found) > MOST_KEPT:
            now.phrases.clear()
        now.phrases[phrase] = found
    return found


async def _looked_up(now: Snapshot, phrase: str) -> Any:
    has_it = condition(Filters(conditions=(Condition(PHRASE, (phrase,)),)))
    rows = await now.count()
    if rows > SCANNED_ROWS and _is_found_by_words(phrase):
        fts = libraries.lancedb().query
        words = fts.MatchQuery(phrase, SEARCH_TEXT, operator=fts.FullTextOperator.AND)
        query = now.table.query().nearest_to_text(words).limit(rows)
        found = _row_ids(await now.run_query(query.where(has_it).postfilter().select(["_score"])))
        if len(found):
            return found
    return _row_ids(await now.run_query(now.table.query().where(has_it).select(["chunk_index"])))


def _row_ids(found: Any) -> Any:
    return libraries.numpy().sort(found["_rowid"].to_numpy())


def _is_found_by_words(phrase: str) -> bool:
    """Whether full text compares its letters as a phrase does: of the Latin and the Cyrillic script
    without exceptions. Other scripts have no spaces, or letters with more than two forms."""
    return all(c < "\u0250" or "\u0400" <= c <= "\u045f" for c in phrase) and "\u00b5" not in phrase
