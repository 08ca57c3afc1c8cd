"""Combines the evidence for each candidate into one order. Pure.

A candidate has one field for each kind of evidence. `order` turns the fields into one weight and
sorts by it. To use new evidence, add a field to `Candidate`, its weight to `FusionWeights`, and its
part to `_weigh`.

By weights (the default), words count in proportion to the best match, and meaning by how far a
passage stands out from the crowd: a model that cannot read a question gives all passages much the
same cosine, and so has little say. By ranks (`rrf`), both lookups count alike, however sure they
are. docs/retrieval.md has the measurements.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from ragd.embed.providers.embedder_port import Vector
from ragd.search.ranking.cosine_scale import USUAL

RANK_CONSTANT = 60
CROWD = 50  # the crowd is the 50th nearest passage by meaning
TITLE = 0.2  # what a name with all words of the question adds
NOTE = 0.1  # what the best note by words adds to its passages
UNREAD = 0.3  # what meaning still weighs when the model knows no word of the question


class FoundPassage(Protocol):
    """What one lookup found."""

    @property
    def chunk_id(self) -> str: ...

    @property
    def source_file(self) -> str: ...

    @property
    def text_key(self) -> bytes: ...

    @property
    def score(self) -> float: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def vector(self) -> Vector | None: ...


class Candidate(Struct):
    """A passage that some lookup found, and all evidence for it. `weight` follows from the rest."""

    chunk_id: str
    source_file: str
    text_key: bytes = b""  # the same for passages with the same text
    cosine: float | None = None
    unit_cosine: float | None = None  # of its unit that is nearest; None: it has no units
    bm25: float | None = None
    vector_rank: int | None = None  # from 1; None: not among the nearest
    text_rank: int | None = None  # from 1; None: not among the best by words
    title_cover: float = 0.0  # share of the question's words in the note's names, rare ones more
    cover: float | None = None  # part of the question's words, rare ones more; None: not needed
    note_words: float = 0.0  # BM25 of the whole note, as a part of the best note's
    exact_title: bool = False  # the question is the name of the note
    tagged: bool = False  # the passage itself, not only its note, carries a tag that is asked for
    text: str = ""
    title: str = ""  # of its note
    date: str | None = None  # the passage's own
    closeness: float = 0.0  # of its date to the time that the question names, from 0 to 1
    recency: float = 0.0  # 1 for the newest candidate, less for older ones; without a date 0.5
    chain: str = ""  # the newest passage that states the same of the same subject, by its chunk id
    is_superseded: bool = False  # a newer passage of the chain has another date
    unwanted: float = 0.0  # share of the excluded words that it has, from 0 to 1
    weight: float = 0.0
    above_crowd: float | None = None  # how far it is nearer than the crowd
    lead: float = 0.0  # its weight, as a part of the best one


class FusionWeights(Struct, frozen=True):
    """What each kind of evidence counts. `by_ranks`: reciprocal ranks instead of scores."""

    vector: float = 0.5
    text: float = 0.5
    title: float = 0.0
    note: float = 0.0
    cover: float = 0.0
    timely: float = 1.3  # as a part of the best weight
    recency: float = 0.05  # as a part of the best weight
    unwanted: float = 0.6  # what is taken off, as a part of the best weight
    by_ranks: bool = False
    reach: float = (
        USUAL.reach
    )  # this far above the crowd, a cosine weighs as much as the best words


class _Scale(Struct, frozen=True):
    """What scores are measured by: the crowd's cosine and the best BM25."""

    crowd: float
    best_bm25: float


def gather(
    vector: Sequence[FoundPassage], text: Sequence[FoundPassage], named: Sequence[FoundPassage] = ()
) -> dict[str, Candidate]:
    """The candidates of all lookups by chunk id, each with its scores and ranks.

    `named` are passages of the notes whose name is the question.
    """
    found: dict[str, Candidate] = {}
    for hit in (*vector, *text, *named):
        if hit.chunk_id not in found:
            found[hit.chunk_id] = Candidate(hit.chunk_id, hit.source_file, hit.text_key)
    for rank, hit in enumerate(vector, 1):
        found[hit.chunk_id].cosine = hit.score
        found[hit.chunk_id].vector_rank = rank
    for rank, hit in enumerate(text, 1):
        found[hit.chunk_id].bm25 = hit.score
        found[hit.chunk_id].text_rank = rank
    notes = {hit.source_file for hit in named}
    for one in found.values():
        one.exact_title = one.source_file in notes
    return found


def without_cosine(found: dict[str, Candidate], hits: Iterable[FoundPassage]) -> dict[str, Vector]:
    """The vectors of candidates that only words or names found, by chunk id."""
    return {
        hit.chunk_id: hit.vector
        for hit in hits
        if hit.vector is not None and found[hit.chunk_id].cosine is None
    }


def add_cosines(found: dict[str, Candidate], cosines: Mapping[str, float]) -> None:
    """Give candidates that only words or names found the cosine to the question, too."""
    for chunk_id, cosine in cosines.items():
        found[chunk_id].cosine = cosine


def add_unit_cosines(found: dict[str, Candidate], cosines: Mapping[str, float]) -> None:
    """Give candidates the cosine of their nearest unit to the question."""
    for chunk_id, cosine in cosines.items():
        found[chunk_id].unit_cosine = cosine


def nearness(one: Candidate) -> float | None:
    """How near a passage is in meaning: the mean of its own cosine and its nearest unit's."""
    if one.cosine is None or one.unit_cosine is None:
        return one.cosine
    return (one.cosine + one.unit_cosine) / 2


def add_titles(
    found: dict[str, Candidate],
    hits: Iterable[FoundPassage],
    cover: Callable[[Sequence[str]], float],
) -> None:
    """Note how far the question names each candidate's note. `cover` says it of names."""
    covers: dict[str, float] = {}
    for hit in hits:
        if hit.source_file not in covers:
            covers[hit.source_file] = cover(hit.names)
        found[hit.chunk_id].title_cover = covers[hit.source_file]


def add_covers(
    found: dict[str, Candidate], hits: Iterable[FoundPassage], covered: Callable[[str], float]
) -> None:
    """Note which part of the question each candidate has, with the names of its note. `covered`
    says it of a text."""
    for hit in hits:
        one = found[hit.chunk_id]
        if one.cover is None:
            one.cover = covered(" ".join((*hit.names, one.text)))


def add_note_words(found: dict[str, Candidate]) -> None:
    """Estimate the BM25 of whole notes by their passages: the second counts half, and so on."""
    notes: dict[str, list[float]] = {}
    for one in found.values():
        if one.bm25 is not None:
            notes.setdefault(one.source_file, []).append(one.bm25)
    sums = {
        note: sum(score / 2**place for place, score in enumerate(sorted(scores, reverse=True)))
        for note, scores in notes.items()
    }
    best = max(sums.values(), default=0.0)
    for one in found.values():
        one.note_words = sums.get(one.source_file, 0.0) / best if best > 0 else 0.0


def mark_tagged(found: dict[str, Candidate], tagged: Collection[str]) -> None:
    """Note which of the candidates carry a tag that is asked for."""
    for chunk_id in tagged:
        if chunk_id in found:
            found[chunk_id].tagged = True


def order(found: Iterable[Candidate], weights: FusionWeights) -> list[Candidate]:
    """Best first: an exact title, then what carries the tag asked for, then by weight."""
    candidates = list(found)
    scale = _scale(candidates)
    for one in candidates:
        one.weight = _weigh(one, weights, scale)
    best = max((one.weight for one in candidates), default=0.0)
    for one in candidates:
        one.weight += best * (weights.timely * one.closeness + weights.recency * one.recency)
        one.weight -= best * weights.unwanted * one.unwanted
    top = max((one.weight for one in candidates), default=0.0)
    for one in candidates:
        near = nearness(one)
        one.above_crowd = None if near is None else near - scale.crowd
        one.lead = one.weight / top if top > 0 else 0.0
    candidates.sort(key=lambda one: (not one.tagged, -one.weight, one.chunk_id))
    return titles_first(candidates)


def trust(readable: float) -> float:
    """What meaning weighs if the model knows this part of the question's words."""
    return UNREAD + (1 - UNREAD) * readable


def crowd_cosine(candidates: Iterable[Candidate]) -> float:
    """How near the crowd is: the least near of the 50 best by meaning."""
    nearest = [
        near
        for one in candidates
        if (near := nearness(one)) is not None
        and one.vector_rank is not None
        and one.vector_rank <= CROWD
    ]
    return min(nearest, default=0.0)


def _scale(candidates: Sequence[Candidate]) -> _Scale:
    bm25 = [one.bm25 for one in candidates if one.bm25 is not None]
    return _Scale(crowd_cosine(candidates), max(bm25, default=0.0))


def _weigh(one: Candidate, weights: FusionWeights, scale: _Scale) -> float:
    unit = 1.0
    if weights.by_ranks:
        unit = 1 / (RANK_CONSTANT + 1)
        ranks = [rank for rank in (one.vector_rank, one.text_rank) if rank is not None]
        weight = sum(1 / (RANK_CONSTANT + rank) for rank in ranks)
    else:
        weight = 0.0
        if (near := nearness(one)) is not None:
            weight += weights.vector * (near - scale.crowd) / weights.reach
        if one.bm25 is not None and scale.best_bm25 > 0:
            weight += weights.text * one.bm25 / scale.best_bm25
    weight += unit * (weights.title * one.title_cover + weights.note * one.note_words)
    weight += unit * weights.cover * (one.cover or 0.0)
    return weight


def titles_first(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Of each note whose name is the question, the best passage before everything else."""
    first: dict[str, Candidate] = {}
    for one in ranked:
        if one.exact_title:
            first.setdefault(one.source_file, one)
    chosen = {one.chunk_id for one in first.values()}
    return [*first.values(), *(one for one in ranked if one.chunk_id not in chosen)]
