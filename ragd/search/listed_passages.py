"""Lists the passages of a named time, or all passages within the filters, newest first.

It reads the index. It scores nothing: a list has no words to compare.
"""

from collections.abc import Collection, Sequence

from msgspec import structs

from ragd.search.query.filters import Filters
from ragd.search.question_dates import LISTED, find_passages_of_time
from ragd.search.ranking.diversity import spread_over_notes
from ragd.search.ranking.fusion import Candidate
from ragd.search.retrieval import Question
from ragd.store.lance import ChunkHit, condition


async def find_listed_passages(
    question: Question, filters: Filters
) -> tuple[list[ChunkHit], frozenset[str]]:
    """The passages, newest first, and the ids of those that carry a requested tag themselves."""
    hits = await _find_newest(question, filters)
    if not filters.tags:
        return hits, frozenset()
    tagged = await _find_newest(question, structs.replace(filters, tag_column="tags"))
    own = {hit.chunk_id: hit for hit in tagged}
    return [*tagged, *(hit for hit in hits if hit.chunk_id not in own)], frozenset(own)


async def _find_newest(question: Question, filters: Filters) -> list[ChunkHit]:
    if question.spans:
        return await find_passages_of_time(question.index, filters, question.spans)
    return await question.index.find_newest(LISTED, condition(filters) or "TRUE")


def order_listed(newest: Sequence[Candidate], tagged: Collection[str]) -> list[Candidate]:
    """The passages in the order of the list; `newest` are newest first.

    With a tag filter, passages that carry the tag come first: one for each day of each note, then
    the others of these days. The filter also lets through the other passages of these notes.
    """
    if not tagged:
        return spread_over_notes(newest)
    first: list[Candidate] = []
    further: list[Candidate] = []
    taken: set[tuple[str, str | None]] = set()
    for one in newest:
        if one.chunk_id in tagged:
            day = (one.source_file, one.date)
            (further if day in taken else first).append(one)
            taken.add(day)
    return [*first, *further, *(one for one in newest if one.chunk_id not in tagged)]
