"""The hints of an answer: why results are missing, and what helps. It ranks nothing."""

from ragd.search.dates import NamedTime
from ragd.search.dates.time_messages import explain_no_note_of_time, explain_unknown_event
from ragd.search.prepared_query import PreparedQuery
from ragd.search.question_dates import has_passages_of_time
from ragd.search.retrieval import Question

ENGLISH = "en"
ENGLISH_ONLY = (
    "This index understands English only. For other languages, run "
    "`ragctl config set embedding.language multilingual`, then `ragctl reindex`."
)


async def find_hints(
    prepared: PreparedQuery, named: NamedTime, question: Question, is_answered: bool
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
    return hints


def is_understood(question: Question) -> bool:
    """Whether the index's model understands the language of the question."""
    return question.model_language != "english" or question.language in (None, ENGLISH)
