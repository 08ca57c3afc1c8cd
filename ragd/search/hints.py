"""The hints of an answer: why results are missing, and what helps. It ranks nothing."""

from collections.abc import Mapping

from ragd.embed.providers.model_choice import LANGUAGE_NAMES, READ_BY_MULTILINGUAL
from ragd.search.dates import NamedTime
from ragd.search.dates.time_messages import explain_no_note_of_time, explain_unknown_event
from ragd.search.prepared_query import PreparedQuery
from ragd.search.question_dates import has_passages_of_time
from ragd.search.retrieval import Question

ENGLISH = "en"
FEW_NOTES = 3  # in another language; fewer are not worth another model
MOST_NAMED = 3  # languages
MULTILINGUAL_COMMANDS = "`ragctl config set embedding.language multilingual`, then `ragctl reindex`"
ENGLISH_ONLY = (
    f"This index understands English only. For other languages, run {MULTILINGUAL_COMMANDS}."
)


async def find_hints(
    prepared: PreparedQuery,
    named: NamedTime,
    question: Question,
    is_answered: bool,
    is_unsure: bool = False,
) -> list[str]:
    """The hints for an answer, each of one or two sentences."""
    hints = list(prepared.hints)
    if named.unknown_event:
        hints.append(explain_unknown_event(named.unknown_event))
    spans = question.spans
    if spans and not is_answered and not await has_passages_of_time(question.index, spans):
        hints.append(explain_no_note_of_time(spans))
    if not is_understood(question):
        hints.append(ENGLISH_ONLY)
    elif (
        question.model_language == "english"
        and question.where is None  # how many notes pass a filter is not counted
        and (is_unsure or not is_answered)
    ):
        counts = await question.index.count_notes_in(READ_BY_MULTILINGUAL)
        hints += _explain_unread_notes(counts)
    return hints


def _explain_unread_notes(counts: Mapping[str, int]) -> list[str]:
    """That notes in other languages are found by words only: the answer may be in one of them."""
    total = sum(counts.values())
    if total < FEW_NOTES:
        return []
    most = sorted(counts, key=lambda code: (-counts[code], code))
    names = [LANGUAGE_NAMES[code] for code in most[:MOST_NAMED]]
    names += ["others"] * (len(most) > MOST_NAMED)
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
    listed = LANGUAGE_NAMES[most[0]] if len(most) == 1 else f"other languages: {listed}"
    # Without numbers: some of these notes may be hidden, deleted or denied since the last sync.
    return [
        f"Some notes are in {listed}. This index finds them by words only. To find them by "
        f"meaning, run {MULTILINGUAL_COMMANDS}."
    ]


def is_understood(question: Question) -> bool:
    """Whether the index's model understands the language of the question."""
    return question.model_language != "english" or question.language in (None, ENGLISH)
