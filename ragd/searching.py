"""One search: both legs side by side, fused, and nothing in it that is not in the vault any more.

It reads, and records nothing. What it cannot do well it does less well, and says why.
"""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from ragd.adapters.lance_store import ChunkIndex, Hit, Row, condition
from ragd.embedding import Vector
from ragd.errors import UNAVAILABLE, RagdError
from ragd.ledger import Ledger
from ragd.presence import Facts, Presence, is_stale
from ragd.presence import Notes as LookedAt
from ragd.protocol.tools import SearchRequest
from ragd.query_vectors import QueryVectors
from ragd.search import filters as limits
from ragd.search.about import About, about
from ragd.search.filters import Filters
from ragd.search.fusion import Candidate, by_ranks, by_weights
from ragd.search.relevance import FLOOR, relevance
from ragd.search.results import Result, result
from ragd.serving import Serving
from ragd.settings import Settings
from ragd.status import Reason

WITHIN_S = 8.0
DEPTH = 50  # candidates of each leg, to begin with
DEEPER = 4  # so many times as many, when notes of some of them are gone
DEEPEST = 12_800
QUERY_CHARACTERS = 2_000  # what is longer is no question; its beginning says what it is about


class Notes(LookedAt, Protocol):
    """The vault under the configuration in force."""

    def concerns(self, path: str) -> bool: ...

    def enters(self, folder: str) -> bool: ...

    def count_tokens(self, text: str) -> int: ...


class Served(Struct, frozen=True):
    """What a search found, and how. `code`: why it was less than a whole search, if it was."""

    found: list[tuple[Row, Result]]
    retrieval: str
    code: str | None
    chunks_scanned: int


class _Question(Struct):
    """What is looked for, where; the vector comes while the words are looked up."""

    text: str
    about: About
    index: ChunkIndex
    where: str | None
    by_words: bool
    by_meaning: bool = True
    vector: Vector | None = None
    code: str | None = None

    @property
    def retrieval(self) -> str:
        if self.vector is None:
            return "full_text"
        return "hybrid" if self.by_words else "vector"


class _Legs(Struct, frozen=True):
    """What each leg found; `whole`: neither was cut off at its depth."""

    vector: list[Hit]
    text: list[Hit]
    whole: bool


class Searcher:
    """Answers questions from the index that serves."""

    def __init__(
        self,
        ledger: Ledger,
        settings: Settings,
        serving: Serving,
        vectors: QueryVectors,
        notes: Notes,
    ) -> None:
        self._ledger = ledger
        self._settings = settings
        self._serving = serving
        self._vectors = vectors
        self._notes = notes
        self._presence = Presence(notes)

    def close(self) -> None:
        self._presence.close()

    async def search(self, request: SearchRequest, health: Sequence[Reason]) -> Served:
        """The passages for a question. Raises RagdError for what is refused or cannot be served."""
        _check(request)  # before a word is said about what there is
        index = self._index(health)
        try:
            async with asyncio.timeout(WITHIN_S):
                return await self._search(request, index, health)
        except TimeoutError:
            raise RagdError("TIMEOUT") from None
        except Exception:
            now = self._serving.index
            if now is None or now is index:
                raise
        return await self._search(request, now, health)  # the index was switched meanwhile

    def _index(self, health: Sequence[Reason]) -> ChunkIndex:
        for reason in health:
            if reason.state == UNAVAILABLE:
                raise RagdError(reason.code)
        if self._serving.index is None:
            raise RagdError("STARTING")
        return self._serving.index

    async def _search(
        self, request: SearchRequest, index: ChunkIndex, health: Sequence[Reason]
    ) -> Served:
        where = condition(await self._filters(request, index))
        wish = self._settings.current.search
        question = _Question(
            request.query,
            about(request.query[:QUERY_CHARACTERS], self._notes.count_tokens),
            index,
            where,
            by_words=wish.fusion != "weighted" or wish.text_weight > 0,
            by_meaning=not _is_blank(request.query),
        )
        counting = asyncio.create_task(index.count(where))
        try:
            found = await self._collect(question, request.max_results, health)
            return Served(found, question.retrieval, question.code, await counting)
        finally:
            counting.cancel()

    async def _filters(self, request: SearchRequest, index: ChunkIndex) -> Filters:
        """What is asked for, in the index's own spelling."""
        days = request.date_range
        folders = limits.asked_directories(request.directory_filter)
        tags = limits.asked_tags(request.tags)
        known = await index.directories() if folders else ()
        return Filters(
            limits.known_directories(folders, known, self._notes.enters) if folders else None,
            days.start if days is not None else None,
            days.to if days is not None else None,
            limits.known_tags(tags, await index.tags()) if tags else None,
        )

    # The legs

    async def _legs(self, question: _Question, depth: int, health: Sequence[Reason]) -> _Legs:
        vector, text = await asyncio.gather(
            self._by_meaning(question, depth, health), self._by_words(question, depth)
        )
        return _Legs(vector, text, len(vector) < depth and len(text) < depth)

    async def _by_meaning(
        self, question: _Question, depth: int, health: Sequence[Reason]
    ) -> list[Hit]:
        if question.by_meaning and question.vector is None:
            catalog = self._ledger.state.catalog
            asked = await self._vectors.of(question.text, question.index, catalog, health)
            question.vector, question.code = asked.vector, asked.code
            question.by_meaning = asked.vector is not None
        if question.vector is None:
            return []
        return await question.index.vector_leg(question.vector, depth, question.where)

    async def _by_words(self, question: _Question, depth: int) -> list[Hit]:
        if not question.by_words:
            return []
        return await question.index.text_leg(question.about.telling, depth, question.where)

    def _fused(self, legs: _Legs) -> list[Candidate]:
        wish = self._settings.current.search
        if wish.fusion == "weighted":
            return by_weights(legs.vector, legs.text, wish.vector_weight, wish.text_weight)
        return by_ranks(legs.vector, legs.text)

    # What becomes of the candidates

    async def _collect(
        self, question: _Question, most: int, health: Sequence[Reason]
    ) -> list[tuple[Row, Result]]:
        """The best that are really there; places of those that are not are filled from below."""
        depth = max(DEPTH, 2 * most)
        while True:
            legs = await self._legs(question, depth, health)
            ranked = self._fused(legs)
            kept, dropped = await self._keep(question, ranked, most)
            if len(kept) == most or not dropped or legs.whole or depth >= DEEPEST:
                return kept
            depth *= DEEPER

    async def _keep(
        self, question: _Question, ranked: Sequence[Candidate], most: int
    ) -> tuple[list[tuple[Row, Result]], int]:
        """At most so many results, and how many candidates were dropped for not being there."""
        permitted = [one for one in ranked if self._notes.concerns(one.source_file)]
        dropped = len(ranked) - len(permitted)
        kept: list[tuple[Row, Result]] = []
        for start in range(0, len(permitted), most):
            some = permitted[start : start + most]
            facts = await self._presence.look({one.source_file for one in some})
            there = {
                one.chunk_id: one.cosine
                for one in some
                if facts is None or facts[one.source_file] is not None
            }
            rows = await question.index.fetch(list(there))
            dropped += len(some) - len(rows)
            found = [(row, self._result(row, question, there[row.chunk_id], facts)) for row in rows]
            good = [(row, one) for row, one in found if one.score >= FLOOR]
            kept += good
            if len(kept) >= most or (rows and not good):
                break
        return kept[:most], dropped

    def _result(
        self, row: Row, question: _Question, cosine: float | None, facts: Facts | None
    ) -> Result:
        now = facts[row.source_file] if facts is not None else None
        stale = now is not None and is_stale(row, now, self._ledger.state.catalog.files)
        words = question.about.share_in(row.title, row.heading_path, row.chunk_text)
        score = relevance(cosine, words, question.about.readable)
        vault = self._settings.vault.name
        return result(row, score, vault, stale=stale, unverified=now is None)


def _check(request: SearchRequest) -> None:
    """RagdError for what no index could answer."""
    limits.asked_directories(request.directory_filter)
    limits.asked_tags(request.tags)
    if request.date_range is not None:
        limits.check_days(request.date_range.start, request.date_range.to)


def _is_blank(query: str) -> bool:
    """Whether there is nothing in it that could mean something."""
    return not any(character.isalnum() for character in query)
