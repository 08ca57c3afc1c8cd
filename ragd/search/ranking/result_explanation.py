"""Says in words why a passage has its place: its ranks, its words, its time, and their sum. Pure.

It has no text of a note and no name of another note: only numbers, and words of the question.
"""

from collections.abc import Sequence

from msgspec import Struct, structs

from ragd.search.dates import Span
from ragd.search.ranking.fusion import Candidate

PARTS = {  # what fusion adds up, in the words of an explanation
    "from_meaning": "meaning",
    "from_words": "words",
    "from_title": "title",
    "from_note": "note",
    "from_cover": "cover",
    "from_nearby": "nearby",
    "from_time": "time",
    "from_recency": "recency",
    "from_unwanted": "excluded",
}
LEAST_SHOWN = 0.005  # a smaller part is 0.00 in a sentence

LISTED = "The question has only limits, so everything within them is listed, newest first."
LINKED = "It is not among the best by itself: it is linked with one of them and fits the question."


class ResultExplanation(Struct, frozen=True):
    """Why a passage has its place. `parts` add up to its weight, which decides the order."""

    matched: tuple[str, ...]  # words of the question that the passage or the names of its note have
    missing: tuple[str, ...]  # words of the question that it does not have
    parts: dict[str, float]
    sentences: tuple[str, ...]


class ExplainedQuestion(Struct, frozen=True):
    """What an explanation needs to know about the question."""

    has_vector: bool
    spans: tuple[Span, ...]  # the time that it names
    is_list: bool  # everything within the filters is listed


def explain_result(
    found: Candidate,
    words: tuple[tuple[str, ...], tuple[str, ...]],
    question: ExplainedQuestion,
    day: str | None,
) -> ResultExplanation:
    """The explanation of one passage. `words`: of the question, those that it has and those that it
    does not have. `day`: the date of the passage, or of its file."""
    matched, missing = words
    parts = {name: round(getattr(found, field), 4) for field, name in PARTS.items()}
    if question.is_list:
        return ResultExplanation(matched, missing, parts, (LISTED,))
    sentences = (
        _meaning(found, question.has_vector),
        _words(found, matched, missing),
        *_names(found),
        *(_time(found, day, question.spans) if question.spans else ()),
        *_statements(found),
        *_unwanted(found),
        _sum(found, parts),
    )
    return ResultExplanation(matched, missing, parts, sentences)


def linked_explanation(explanation: ResultExplanation) -> ResultExplanation:
    """The explanation of a linked note: it was ranked among linked notes only."""
    return structs.replace(explanation, sentences=(LINKED,))


def _meaning(found: Candidate, has_vector: bool) -> str:
    if not has_vector:
        return "Meaning: not compared, because the question has no vector."
    if found.cosine is None:
        return "Meaning: not compared, because the passage has no vector yet."
    numbers = f"cosine {found.cosine:.2f}"
    if found.above_crowd is not None:
        way = "above" if found.above_crowd >= 0 else "below"
        numbers += f", {abs(found.above_crowd):.2f} {way} an ordinary passage"
    if found.vector_rank is None:
        return f"Meaning: not among the nearest passages ({numbers})."
    return f"Meaning: number {found.vector_rank} of the nearest passages ({numbers})."


def _words(found: Candidate, matched: Sequence[str], missing: Sequence[str]) -> str:
    rank = "not among the best" if found.text_rank is None else f"number {found.text_rank}"
    if not matched:
        if found.text_rank is None:
            return "Words: it has none of the question's words."
        return f"Words: {rank}, by another form of a word, an alias or a tag."
    lacking = f", but not {join_words(missing)}" if missing else ""
    return f"Words: {rank}; it has {join_words(matched)}{lacking}."


def _names(found: Candidate) -> list[str]:
    if found.exact_title:
        said = ["Name: the question is the name of the note, so its best passage comes first."]
    elif found.title_cover > 0:
        said = [f"Name: the note's name has {found.title_cover:.0%} of the question's words."]
    else:
        said = []
    return [*said, "Tag: the passage itself has the requested tag."] if found.tagged else said


def _time(found: Candidate, day: str | None, spans: Sequence[Span]) -> list[str]:
    if day is None:
        return ["Time: it has no date, so the time that the question names does not count."]
    if any(span.start.isoformat() <= day <= span.end.isoformat() for span in spans):
        return [f"Time: {day} is in the time that the question names."]
    if found.closeness > 0:
        return [f"Time: {day} is near the time that the question names."]
    if found.from_time < 0:
        return [f"Time: {day} is outside the time that the question names, so it counts less."]
    return [f"Time: {day} is outside the time that the question names."]


def _statements(found: Candidate) -> list[str]:
    if found.is_superseded:
        return ["Newer: another passage has a newer value of the same fact, so it comes first."]
    if found.chain and found.chain == found.chunk_id:
        return ["Newest: it has the newest value of a fact, so it comes before older values."]
    return []


def _unwanted(found: Candidate) -> list[str]:
    return ["Excluded: it has words that the question excludes."] if found.unwanted > 0 else []


def _sum(found: Candidate, parts: dict[str, float]) -> str:
    shown = [(name, value) for name, value in parts.items() if abs(value) >= LEAST_SHOWN]
    added = " ".join(
        f"{'-' if value < 0 else '+'} {abs(value):.2f} {name}" for name, value in shown
    ).removeprefix("+ ")
    place = "" if found.place is None else f", place {found.place} of all candidates"
    return f"Together: {found.weight:.2f} = {added or '0'}{place}."


def join_words(words: Sequence[str]) -> str:
    """Words of the question in a sentence: `tea, milk and rye`."""
    quoted = [f"“{word}”" for word in words]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
