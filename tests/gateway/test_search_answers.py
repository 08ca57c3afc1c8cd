"""The errors and hints in the envelopes of search answers."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ragd.clock import SystemClock
from ragd.folds import State
from ragd.gateway.search_answers import GuardedAnswer, SearchAnswers, search_envelope
from ragd.gateway.suggested_commands import SuggestedCommands
from ragd.health.current_health import CurrentHealth
from ragd.paths import Home
from ragd.protocol.tool_schemas import SearchRequest
from ragd.search.searcher import SearchAnswer
from tests.guard.conftest import rules_of


def error_of(data: dict[str, object], code: str) -> tuple[str, str, str]:
    answer = GuardedAnswer(data, "full_text", code, 0)
    error = search_envelope(answer, State(), CurrentHealth("healthy", ()), "", 1).error
    assert error is not None
    return error.code, error.message, error.suggestion


def test_a_question_that_was_not_sent_is_not_reported_as_withheld_passages() -> None:
    code, message, suggestion = error_of({"results": []}, "SENSITIVE_FILTERED")
    assert code == "SENSITIVE_FILTERED"
    assert "not sent" in message
    assert "token" not in suggestion


def test_withheld_passages_need_the_token() -> None:
    code, message, suggestion = error_of({"results": [], "withheld": 2}, "SENSITIVE_FILTERED")
    assert code == "SENSITIVE_FILTERED"
    assert "withheld" in message
    assert "token" in suggestion


class Hinting:
    """A search that finds nothing, and no memories."""

    def __init__(self, *hints: str) -> None:
        self._hints = list(hints)

    async def search(self, *_: Any) -> SearchAnswer:
        return SearchAnswer([], "hybrid", None, 0, hints=self._hints)

    async def find_matching(self, *_: Any) -> list[Any]:
        return []

    async def find_stale(self, *_: Any) -> dict[str, bool | None]:
        return {}

    async def known_facts(self) -> frozenset[tuple[str, str]]:
        return frozenset()


@pytest.mark.parametrize(
    ("blocks", "shown"),
    [(False, "No note has it. Did you mean `mentalhealth`?"), (True, "No note has it.")],
)
async def test_a_sensitive_name_is_not_suggested_where_such_passages_are_withheld(
    blocks: bool, shown: str
) -> None:
    guard = cast(Any, SimpleNamespace(rules=rules_of(), blocks=blocks))
    found = Hinting(
        "No note has it. Did you mean `mentalhealth`?", "No. Did you mean `birds`?", "A fact."
    )
    answers = SearchAnswers(cast(Any, found), cast(Any, found), guard, SystemClock())
    data = (await answers.answer(SearchRequest(query="x"), ())).data
    assert data["hint"].splitlines() == [shown, "No. Did you mean `birds`?", "A fact."]


def test_a_command_in_a_hint_names_the_home() -> None:
    answer = GuardedAnswer({"results": [], "hint": "Run `ragctl reindex`."}, "hybrid", None, 0)
    envelope = search_envelope(answer, State(), CurrentHealth("healthy", ()), "", 1)
    named = SuggestedCommands(Home("/tmp/other")).add_home_to_envelope(envelope)
    assert named.data["hint"] == "Run `ragctl --home /tmp/other reindex`."
