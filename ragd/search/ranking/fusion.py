"""Combines the evidence for each candidate into one order. Pure.

A candidate has one field for each kind of evidence. `order` turns the fields into one weight and
sorts by it. To use new evidence, add a field to `Candidate`, its weight to `FusionWeights`, and its
part to `_weigh`.

By weights (the default), words count in proportion to the best match, less if no passage has most
of the question's words, and meaning by how far a passage is above the background, the 50th nearest
passage. A model that cannot read a question gives all passages nearly the same cosine, so it has
little effect. By ranks (`rrf`), both lookups count the same, however certain they are.
docs/retrieval.md has the measurements.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct, structs

from ragd.embed.providers.embedder_port import VectorView
from ragd.search.ranking.cosine_scale import DEFAULT_SCALE

RANK_CONSTANT = 60
BACKGROUND_RANK = 50  # by meaning
TITLE = 0.2  # added if a name of the note has all words of the question
NOTE = 0.1  # added to the passages of the best note by words
UNREAD = 0.3  # the weight of meaning if the model knows no word of the question
LEAST_TRUST = 0.25  # the factor for words if no passage has any of them
TRUST_EXPONENT = 1.5  # of the largest share of the question that a passage has


class FoundPassage(Protocol):
    """A hit of one lookup."""

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
    def vector(self) -> VectorView | None: ...

    @property
    def language(self) -> str | None: ...


class Candidate(Struct):
    """A passage that some lookup found, and all evidence for it. `weight` is computed from it.

    Its numbers are the keys of `evidence` in an explained result.
    """

    chunk_id: str
    source_file: str
    text_key: bytes = b""  # the same for passages with the same text
    cosine: float | None = None
    unit_cosine: float | None = None  # of its nearest unit; None: it has no units
    unit_place: float | None = None  # where in the passage that unit is, from 0 to 1
    bm25: float | None = None
    vector_rank: int | None = None  # from 1; None: not among the nearest
    text_rank: int | None = None  # from 1; None: not among the best by words
    title_cover: float = 0.0  # weighted share of the question's words in the note's names
    cover: float | None = None  # weighted share of the question's words; None: not needed
    nearby: float = 0.0  # weighted share of the question's words that stand near each other
    note_words: float = 0.0  # BM25 of the whole note, relative to the best note
    exact_title: bool = False  # the question is the name of the note
    tagged: bool = False  # the passage itself, not only its note, has a requested tag
    text: str = ""
    title: str = ""  # of its note
    date: str | None = None  # of the passage
    file_day: str | None = None  # day of its file's time; only if the passage has no date
    stated_month: str = ""  # of its statement of the asked fact; only if the passage has no date
    closeness: float = 0.0  # of its date to the time that the question names, from 0 to 1
    recency: float = 0.0  # 1 for the newest candidate, less for older ones; without a date 0.5
    likely: float = 0.0  # how likely it states the asked fact, from 0 to 1
    likely_newest: float = 0.0  # 1 for the newest that probably states the asked fact
    chain: str = ""  # chunk id of the newest passage with the same fact about the same subject
    is_superseded: bool = False  # a newer passage of the chain has another date
    is_foreign: bool = False  # in another language than the question, so no word can match
    unwanted: float = 0.0  # share of the excluded words that it has, from 0 to 1
    weight: float = 0.0
    above_crowd: float | None = None  # its nearness minus the background's
    lead: float = 0.0  # its weight, relative to the best one
    # The parts of its weight, which add up to it.
    from_meaning: float = 0.0
    from_words: float = 0.0
    from_title: float = 0.0
    from_note: float = 0.0  # from the words of the whole note
    from_cover: float = 0.0  # from the share of the question that it has
    from_nearby: float = 0.0  # from the share of the question that stands in one place
    from_time: float = 0.0
    from_recency: float = 0.0
    from_unwanted: float = 0.0
    place: int | None = None  # in the ranking of all candidates, from 1


class FusionWeights(Struct, frozen=True):
    """The weight of each kind of evidence. `by_ranks`: reciprocal ranks instead of scores."""

    vector: float = 0.5
    text: float = 0.5
    title: float = 0.0
    note: float = 0.0
    cover: float = 0.0
    nearby: float = 0.0
    timely: float = 1.5  # relative to the best weight
    untimely: float = 0.3  # subtracted from passages of other times, relative to the best weight
    recency: float = 0.05  # relative to the best weight
    likely_newest: float = 1.1  # relative to the best weight
    unwanted: float = 0.6  # subtracted, relative to the best weight
    by_ranks: bool = False
    reach: float = DEFAULT_SCALE.reach  # see `CosineScale`
    foreign: float = 0.0  # added to `vector` for passages in another language than the question


class _Scale(Struct, frozen=True):
    """The reference values of scores: the background cosine and the best BM25."""

    background: float
    best_bm25: float


def gather(
    vector: Sequence[FoundPassage], text: Sequence[FoundPassage], named: Sequence[FoundPassage] = ()
) -> dict[str, Candidate]:
    """The candidates of all lookups by chunk id, each with its scores and ranks.

    `named`: passages of notes whose name is the question.
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


def vectors_without_cosine(
    found: dict[str, Candidate], hits: Iterable[FoundPassage]
) -> dict[str, VectorView]:
    """The vectors of candidates that were found only by words or names, by chunk id."""
    return {
        hit.chunk_id: hit.vector
        for hit in hits
        if hit.vector is not None and found[hit.chunk_id].cosine is None
    }


def add_cosines(found: dict[str, Candidate], cosines: Mapping[str, float]) -> None:
    """Set the cosine of candidates that were found only by words or names."""
    for chunk_id, cosine in cosines.items():
        found[chunk_id].cosine = cosine


def add_units(found: dict[str, Candidate], nearest: Mapping[str, tuple[float, float]]) -> None:
    """Set the cosine and the place of each candidate's nearest unit."""
    for chunk_id, (cosine, place) in nearest.items():
        found[chunk_id].unit_cosine = cosine
        found[chunk_id].unit_place = place


def nearness(one: Candidate) -> float | None:
    """How near a passage is in meaning: the mean of its cosine and its nearest unit's."""
    if one.cosine is None or one.unit_cosine is None:
        return one.cosine
    return (one.cosine + one.unit_cosine) / 2


def best_cosine(one: Candidate) -> float | None:
    """The passage's cosine, or its nearness if that is more: the answer may be one sentence of a
    long passage."""
    near = nearness(one)
    return near if near is None or one.cosine is None else max(one.cosine, near)


def add_titles(
    found: dict[str, Candidate],
    hits: Iterable[FoundPassage],
    cover: Callable[[Sequence[str]], float],
) -> None:
    """Set how far the question names each candidate's note. `cover` computes it from names."""
    covers: dict[str, float] = {}
    for hit in hits:
        if hit.source_file not in covers:
            covers[hit.source_file] = cover(hit.names)
        found[hit.chunk_id].title_cover = covers[hit.source_file]


def add_covers(
    found: dict[str, Candidate], hits: Iterable[FoundPassage], covered: Callable[[str], float]
) -> None:
    """Set the share of the question that each candidate has, with the names of its note. `covered`
    computes it from a text."""
    for hit in hits:
        one = found[hit.chunk_id]
        if one.cover is None:
            one.cover = covered(" ".join((*hit.names, one.text)))


def add_nearby(
    found: dict[str, Candidate],
    hits: Iterable[FoundPassage],
    nearby: Callable[[Sequence[str], str], float],
) -> None:
    """Set the share of the question that stands in one place, of each candidate that words found.
    `nearby` computes it from the names of the note and a text."""
    for hit in hits:
        one = found[hit.chunk_id]
        if one.bm25 is not None and not one.nearby:
            one.nearby = nearby(hit.names, one.text)


def add_note_words(found: dict[str, Candidate]) -> None:
    """Estimate the BM25 of whole notes from their passages: the second counts half, and so on."""
    notes: dict[str, list[float]] = {}
    for one in found.values():
        if one.bm25 is not None:
            notes.setdefault(one.source_file, []).append(one.bm25)
    sums = {
        note: sum(score * 0.5**place for place, score in enumerate(sorted(scores, reverse=True)))
        for note, scores in notes.items()
    }
    best = max(sums.values(), default=0.0)
    for one in found.values():
        one.note_words = sums.get(one.source_file, 0.0) / best if best > 0 else 0.0


def mark_tagged(found: dict[str, Candidate], tagged: Collection[str]) -> None:
    """Mark the candidates that have a requested tag."""
    for chunk_id in tagged:
        if chunk_id in found:
            found[chunk_id].tagged = True


def mark_foreign(
    found: dict[str, Candidate], hits: Iterable[FoundPassage], language: str | None
) -> None:
    """Mark the candidates in another language than the question, where both are known."""
    for hit in hits:
        is_known = hit.language is not None and language is not None
        found[hit.chunk_id].is_foreign = is_known and hit.language != language


def order(found: Iterable[Candidate], weights: FusionWeights) -> list[Candidate]:
    """Best first: exact titles, then passages with a requested tag, then by weight."""
    candidates = list(found)
    scale = _scale(candidates)
    for one in candidates:
        _weigh(one, weights, scale)
    best = max((one.weight for one in candidates), default=0.0)
    names_time = any(one.closeness > 0 for one in candidates)
    for one in candidates:
        is_untimely = names_time and one.date and not one.closeness
        one.from_time = best * (
            -weights.untimely if is_untimely else weights.timely * one.closeness
        )
        newer = weights.recency * one.recency + weights.likely_newest * one.likely_newest
        one.from_recency = best * newer
        one.from_unwanted = -best * weights.unwanted * one.unwanted
        one.weight += one.from_time + one.from_recency + one.from_unwanted
    top = max((one.weight for one in candidates), default=0.0)
    for one in candidates:
        near = nearness(one)
        one.above_crowd = None if near is None else near - scale.background
        one.lead = one.weight / top if top > 0 else 0.0
    candidates.sort(key=lambda one: (not one.tagged, -one.weight, one.chunk_id))
    return titles_first(candidates)


def trust_words(
    weights: FusionWeights, found: Iterable[Candidate], one_word: float
) -> FusionWeights:
    """The weights, with less for words if even the best passage has few words of the question.

    Then the question is in other words than its answer, and the best match of words is there by
    chance, but it would weigh as much as a full one. `one_word`: the share of a single word, which
    each passage that words found has at least, perhaps in another form.
    """
    shares = (max(one_word, one.cover or 0.0) for one in found if one.bm25 is not None)
    factor = max(LEAST_TRUST, max(shares, default=1.0) ** TRUST_EXPONENT)
    return structs.replace(weights, text=weights.text * factor, note=weights.note * factor)


def vector_trust(readable: float) -> float:
    """The weight of meaning if the model knows this share of the question's words."""
    return UNREAD + (1 - UNREAD) * readable


def background_cosine(candidates: Iterable[Candidate]) -> float:
    """How near an ordinary passage is: the least near of the 50 best by meaning."""
    nearest = [
        near
        for one in candidates
        if (near := nearness(one)) is not None
        and one.vector_rank is not None
        and one.vector_rank <= BACKGROUND_RANK
    ]
    return min(nearest, default=0.0)


def _scale(candidates: Sequence[Candidate]) -> _Scale:
    bm25 = [one.bm25 for one in candidates if one.bm25 is not None]
    return _Scale(background_cosine(candidates), max(bm25, default=0.0))


def _weigh(one: Candidate, weights: FusionWeights, scale: _Scale) -> None:
    """Set the weight and its parts, without those that depend on the other candidates."""
    unit = 1.0
    if weights.by_ranks:
        unit = 1 / (RANK_CONSTANT + 1)
        one.from_meaning, one.from_words = _of_rank(one.vector_rank), _of_rank(one.text_rank)
    else:
        if (near := nearness(one)) is not None:
            by_meaning = weights.vector + (weights.foreign if one.is_foreign else 0.0)
            one.from_meaning = by_meaning * (near - scale.background) / weights.reach
        if one.bm25 is not None and scale.best_bm25 > 0:
            one.from_words = weights.text * one.bm25 / scale.best_bm25
    one.from_title = unit * weights.title * one.title_cover
    one.from_note = unit * weights.note * one.note_words
    one.from_cover = unit * weights.cover * (one.cover or 0.0)
    one.from_nearby = unit * weights.nearby * one.nearby
    one.weight = one.from_meaning + one.from_words + (one.from_title + one.from_note)
    one.weight += one.from_cover + one.from_nearby


def _of_rank(rank: int | None) -> float:
    return 0.0 if rank is None else 1 / (RANK_CONSTANT + rank)


def number_places(ranked: Sequence[Candidate]) -> None:
    """Set the place of each candidate of a ranking."""
    for place, one in enumerate(ranked, 1):
        one.place = place


def titles_first(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Moves the best passage of each note whose name is the question to the top."""
    first: dict[str, Candidate] = {}
    for one in ranked:
        if one.exact_title:
            first.setdefault(one.source_file, one)
    chosen = {one.chunk_id for one in first.values()}
    return [*first.values(), *(one for one in ranked if one.chunk_id not in chosen)]
