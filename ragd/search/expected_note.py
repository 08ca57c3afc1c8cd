"""Says why an expected note is not among the results: at which step of the search it fell out.

It is for the user only: it also looks at notes that are in no result, in all collections. It reads
the index and the catalog, and has no text of a note.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import UNSET, structs

from ragd.access.scope import Permits, Scope
from ragd.config.live_settings import Settings
from ragd.folds.catalog import Catalog
from ragd.protocol.citations import parse_citation
from ragd.protocol.limits import MAX_RESULTS
from ragd.search import retrieval
from ragd.search.candidate_ranking import Ranker
from ragd.search.expectation import (
    AMBIGUOUS,
    BELOW_FLOOR,
    DUPLICATE,
    FILTERED,
    FOUND,
    GONE,
    HIDDEN,
    NO_VECTOR,
    NOT_FOUND,
    NOT_INDEXED,
    NOT_NEAR,
    OTHER_COLLECTION,
    OUTRANKED,
    PRIVATE,
    ExpectedNote,
)
from ragd.search.file_check import FileCheck
from ragd.search.passage_scoring import PassageScorer, ScoredPassage
from ragd.search.query.filters import Filters, normalised
from ragd.search.query.note_lookup import link_target, notes_named
from ragd.search.query.single_filters import single_filters
from ragd.search.ranking.fusion import Candidate
from ragd.search.ranking.relevance import FLOOR
from ragd.search.ranking.result_explanation import ResultExplanation
from ragd.search.result_picker import ShownPassage
from ragd.search.retrieval import Question
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex, condition
from ragd.store.lance.sql import both, one_of
from ragd.vault.collection_paths import collection_of
from ragd.vault.files import UNKNOWN_STAT

DEEPEST = 3_200  # candidates of each lookup that are ranked to find its place
DEEPER = 4
SAME_NAME_MAX = 10


class AskedSearch(NamedTuple):
    """The search whose results lack the note. `index` has only rows in scope."""

    question: Question
    filters: Filters
    scope: Scope
    found: Sequence[ShownPassage]
    most: int


class ExpectedNotes:
    """Explains why notes were not found. `includes`: whether the configuration allows a path."""

    def __init__(
        self,
        ledger: Ledger,
        settings: Settings,
        file_check: FileCheck,
        includes: Permits,
        may_be_shown: Permits,
        ranker: Ranker,
        scorer: PassageScorer,
        serving: Callable[[], ChunkIndex | None],
    ) -> None:
        self._ledger = ledger
        self._settings = settings
        self._file_check = file_check
        self._includes = includes
        self._may_be_shown = may_be_shown
        self._ranker = ranker
        self._scorer = scorer
        self._serving = serving

    async def explain(self, name: str, search: AskedSearch) -> ExpectedNote:
        """Where the note with this name, path or link fell out of this search."""
        typed = link_target(parse_citation(name).path).strip()
        paths = await self._find_paths(typed)
        if len(paths) > 1:
            reason = f"{len(paths)} notes have this name."
            several = tuple(paths[:SAME_NAME_MAX])
            return ExpectedNote(AMBIGUOUS, reason, "Give the path of one.", candidates=several)
        if not paths:
            return await self._explain_absent(typed)
        path = paths[0]
        entry = self._catalog.files[path]
        outside = self._explain_scope(path, search.scope) or await self._explain_file(path)
        found = outside or await self._explain_indexed(path, search)
        return _with_counts(found, path, entry.chunks, entry.embedded)

    @property
    def _catalog(self) -> Catalog:
        return self._ledger.state.catalog

    async def _find_paths(self, typed: str) -> list[str]:
        files = self._catalog.files
        if typed in files:
            return [typed]
        if named := notes_named(typed, files):
            return named
        index = self._serving()
        if index is None:
            return []
        found = await index.find_by_title(normalised(typed))
        found = found or sorted({hit.source_file for hit in await index.find_by_name(typed)})
        return [path for path in found if path in files]

    async def _explain_absent(self, typed: str) -> ExpectedNote:
        """A note that the index does not have."""
        catalog = self._catalog
        known = (*catalog.skipped, *catalog.failed, *catalog.waiting)
        path = typed if typed in known else next(iter(notes_named(typed, known)), None)
        if path in catalog.skipped:
            reason = f"It is not indexed: {catalog.skipped[path]}."
            return ExpectedNote(NOT_INDEXED, reason, path=path)
        if path in catalog.failed:
            why = catalog.failures.get(path) or catalog.failed[path]
            reason = f"It is not indexed, because it could not be read: {why}."
            return ExpectedNote(NOT_INDEXED, reason, "Correct the file; it is read again.", path)
        if path in catalog.waiting:
            reason = "It is new, and not in the index yet."
            return ExpectedNote(NOT_INDEXED, reason, "Search again in a moment.", path)
        if "." in typed and not self._includes(typed):
            reason = "The configuration leaves this path out, or it is not a kind of file it reads."
            setting = "See `indexing` in `ragctl config`."
            return ExpectedNote(NOT_INDEXED, reason, setting, typed)
        stats = await self._file_check.check([typed]) if "." in typed else None
        if stats is not None and stats.get(typed) is not None:
            reason = "It is in its folder, but it was not read yet."
            return ExpectedNote(NOT_INDEXED, reason, "Run `ragctl sync`.", typed)
        reason = "No note of the index has this name or path."
        return ExpectedNote(NOT_FOUND, reason, "Check its spelling, or run `ragctl sync`.")

    def _explain_scope(self, path: str, scope: Scope) -> ExpectedNote | None:
        if scope.includes(path):
            return None
        known = self._settings.current.collections
        name = collection_of(path, known)
        how = f"Search in it: `--collection {name}`."
        if name in known and known[name].private and scope.names != {name}:
            reason = f"It is in the private collection {name}, which is searched only by name."
            return ExpectedNote(PRIVATE, reason, how)
        return ExpectedNote(OTHER_COLLECTION, f"It is in {name}, which was not searched.", how)

    async def _explain_file(self, path: str) -> ExpectedNote | None:
        if reason := self._catalog.skipped.get(path):
            return ExpectedNote(HIDDEN, f"It is not shown any more: {reason}.")
        if not self._may_be_shown(path):
            reason = "The configuration leaves it out, so it is not shown any more."
            return ExpectedNote(HIDDEN, reason, "See `indexing` in `ragctl config`.")
        stats = await self._file_check.check([path])
        if stats is not None and stats.get(path, UNKNOWN_STAT) is None:
            return ExpectedNote(GONE, "It does not exist any more, so it is not shown.")
        return None

    async def _explain_indexed(self, path: str, search: AskedSearch) -> ExpectedNote:
        for number, (row, result) in enumerate(search.found, 1):
            if row.source_file == path:
                return ExpectedNote(
                    *(FOUND, f"It is result {number}."),
                    rank=number,
                    citation=result.citation,
                    evidence=result.evidence,
                    explanation=result.explanation,
                )
            if path in result.also_in:
                return _duplicate(number)
        if left_out := await _explain_filters(path, search):
            return left_out
        if search.question.lists_everything:
            reason = "Everything within the limits is listed, newest first; it comes later."
            return ExpectedNote(OUTRANKED, reason, "Ask for more results, or for fewer notes.")
        return await self._explain_rank(path, search)

    async def _explain_rank(self, path: str, search: AskedSearch) -> ExpectedNote:
        question, depth = search.question, max(50, 2 * search.most)
        while True:
            found = await retrieval.retrieve(question, depth)
            ranked = self._ranker.rank(question, found)
            place = self._place(path, ranked, search.filters.counts_each_note)
            if place is not None or found.is_complete or depth >= DEEPEST:
                break
            depth *= DEEPER
        if place is None:
            return await self._explain_far(path, question, depth)
        scored = await self._score(question, place.candidate)
        if scored is None:
            return ExpectedNote(GONE, "Its text changed a moment ago.", "Search again.")
        return _explain_place(place, scored, search)

    def _place(self, path: str, ranked: Sequence[Candidate], each_note: bool) -> "_Place | None":
        """Where the best passage of this note is among different passages."""
        texts: dict[tuple[bytes, str], str] = {}
        for one in ranked:
            if not self._may_be_shown(one.source_file):
                continue
            key = (one.text_key, one.source_file if each_note else "")
            first = texts.setdefault(key, one.source_file)
            if one.source_file == path:
                return _Place(list(texts).index(key) + 1, one, first != path)
        return None

    async def _explain_far(self, path: str, question: Question, depth: int) -> ExpectedNote:
        """A note that no lookup found. Its own nearest passage is still compared."""
        near = await retrieval.retrieve(question.within([path]), depth)
        own = self._ranker.rank(question, near)
        scored = await self._score(question, own[0]) if own else None
        if scored is None:
            has_vector = question.retrieval != "full_text"
            entry = self._catalog.files.get(path)
            if has_vector and entry is not None and not entry.embedded:
                reason = "It has no vector yet, and none of the question's words."
                return ExpectedNote(NO_VECTOR, reason, _LATER)
            return ExpectedNote(NOT_NEAR, "It has none of the question's words.")
        reason = f"It is not among the {depth:,} nearest passages, and has too few of the words."
        found = _with_passage(ExpectedNote(NOT_NEAR, reason, _OTHER_WORDS), scored)
        explanation = found.explanation
        if explanation is not UNSET:  # it was ranked alone, so its ranks and its sum mean nothing
            found = _without_ranks(found, explanation)
        return found

    async def _score(self, question: Question, one: Candidate) -> ScoredPassage | None:
        rows = await question.index.read_chunks([one.chunk_id])
        if not rows:
            return None
        stats = await self._file_check.check([one.source_file])
        now = (stats or {}).get(one.source_file) or UNKNOWN_STAT
        return self._scorer.score_passage(question, rows[0], one, now)


_LATER = "It gets one soon: `ragctl status` shows how many are missing."
_OTHER_WORDS = "Ask in other words, or with words of the note."


class _Place(NamedTuple):
    rank: int
    candidate: Candidate
    is_duplicate: bool  # a better passage of another note has the same text


async def _explain_filters(path: str, search: AskedSearch) -> ExpectedNote | None:
    own = one_of("source_file", [path])
    if await search.question.index.count(both(own, condition(search.filters))):
        return None
    leaving = [
        name
        for name, one in single_filters(search.filters)
        if not await search.question.index.count(both(own, condition(one)))
    ]
    if not leaving:
        names = tuple(name for name, _ in single_filters(search.filters))
        reason = "No passage of it passes all filters together."
        return ExpectedNote(FILTERED, reason, "Leave out one of the filters.", filters=names)
    reason = f"No passage of it passes the filter: {'; '.join(leaving)}."
    return ExpectedNote(FILTERED, reason, "Leave that filter out.", filters=tuple(leaving))


def _explain_place(place: _Place, scored: ScoredPassage, search: AskedSearch) -> ExpectedNote:
    shown, rank = len(search.found), place.rank
    linked = sum(result.via is not None for _, result in search.found)  # each takes a place
    needed = rank + linked
    more = (
        f"Ask for at least {needed} results: `--max {needed}`." if needed <= MAX_RESULTS else None
    )
    if not scored.fits:
        reason = (
            f"It is number {rank}, but too little of it is about the question: its relevance is "
            f"{scored.relevance:.2f}, and {FLOOR} is needed."
        )
        note = ExpectedNote(BELOW_FLOOR, reason, _OTHER_WORDS, rank=rank)
    elif place.is_duplicate:
        reason = f"Another note has the same text, as number {rank}; it is shown once."
        note = ExpectedNote(DUPLICATE, reason, more if rank > shown else None, rank=rank)
    elif place.candidate.cosine is None and search.question.retrieval != "full_text":
        reason = f"It has no vector yet, so only its words counted: number {rank}."
        note = ExpectedNote(NO_VECTOR, reason, _LATER, rank=rank)
    elif place.candidate.is_superseded:
        reason = f"It is number {rank}: a newer passage has another value of the same fact."
        note = ExpectedNote(OUTRANKED, reason, more, rank=rank)
    elif rank <= shown:
        reason = f"It is number {rank}; a note that is linked with the best results has a place."
        note = ExpectedNote(OUTRANKED, reason, more, rank=rank)
    else:
        note = ExpectedNote(OUTRANKED, f"It is number {rank}; {shown} are shown.", more, rank=rank)
    return _with_passage(note, scored)


def _duplicate(number: int) -> ExpectedNote:
    reason = f"It has the same text as result {number}, which is shown once."
    return ExpectedNote(DUPLICATE, reason, rank=number)


def _with_passage(note: ExpectedNote, scored: ScoredPassage) -> ExpectedNote:
    result = scored.result
    return structs.replace(
        note,
        citation=result.citation,
        evidence=result.evidence,
        explanation=result.explanation,
    )


def _without_ranks(note: ExpectedNote, explanation: ResultExplanation) -> ExpectedNote:
    bare = ResultExplanation(explanation.matched, explanation.missing, {}, ())
    cosine = None if note.evidence is UNSET else note.evidence.get("cosine")
    return structs.replace(note, evidence={"cosine": cosine}, explanation=bare)


def _with_counts(note: ExpectedNote, path: str, passages: int, vectors: int) -> ExpectedNote:
    return structs.replace(note, path=path, passages=passages, vectors=vectors)
