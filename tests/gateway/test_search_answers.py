"""The errors and hints in the envelopes of search answers."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec import structs

from ragd.access.scope import EVERYTHING
from ragd.folds import State
from ragd.gateway.consent import Agreement
from ragd.gateway.search_answers import (
    GuardedAnswer,
    SearchAnswers,
    passages_to_suggest_from,
    search_envelope,
)
from ragd.gateway.suggested_commands import SuggestedCommands
from ragd.guard.inspection import InspectedPassage
from ragd.health.current_health import CurrentHealth
from ragd.paths import Home
from ragd.protocol.asker import OWNER
from ragd.protocol.tool_schemas import SearchRequest
from ragd.search.results import Result, make_result
from ragd.search.searcher import SearchAnswer
from ragd.store.lance import ChunkRow
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

    async def known_facts(self, *_: Any) -> frozenset[tuple[str, str]]:
        return frozenset()


@pytest.mark.parametrize(
    ("blocks", "shown"),
    [(False, "No note has it. Did you mean `marlowe`?"), (True, "No note has it.")],
)
async def test_no_name_is_suggested_where_sensitive_passages_are_withheld(
    blocks: bool, shown: str
) -> None:
    """The name may be known from a withheld passage alone."""
    guard = cast(Any, SimpleNamespace(rules=rules_of(), blocks=lambda asker: blocks))
    found = Hinting("No note has it. Did you mean `marlowe`?", "A fact.")
    consent = SimpleNamespace(find_agreement=lambda *_: Agreement())
    answers = SearchAnswers(cast(Any, found), cast(Any, found), guard, cast(Any, consent))
    data = (await answers.answer(SearchRequest(query="x"), (), EVERYTHING, OWNER)).data
    assert data["hint"].splitlines() == [shown, "A fact."]


def test_a_command_in_a_hint_names_the_home() -> None:
    answer = GuardedAnswer({"results": [], "hint": "Run `ragctl reindex`."}, "hybrid", None, 0)
    envelope = search_envelope(answer, State(), CurrentHealth("healthy", ()), "", 1)
    named = SuggestedCommands(Home("/tmp/other")).add_home_to_envelope(envelope)
    assert named.data["hint"] == "Run `ragctl --home /tmp/other reindex`."


def test_a_memory_is_suggested_only_from_the_best_results_that_are_likely_right() -> None:
    def passage(number: int, **fields: Any) -> tuple[ChunkRow, Result, InspectedPassage]:
        where: Any = ("", None, None, [], 0, 1, "", "", "", "", 1, 1, "", "")
        row = ChunkRow(f"{number}", "", f"{number}.md", *where)
        result = structs.replace(make_result(row, 0.9, "vault"), **fields)
        return row, result, InspectedPassage((), False)

    def from_which(*passages: tuple[ChunkRow, Result, InspectedPassage]) -> list[str]:
        return [row.source_file for row, _ in passages_to_suggest_from(passages)]

    good = [passage(number) for number in range(5)]
    assert from_which(*good) == ["0.md", "1.md", "2.md"]
    assert from_which(passage(0, score=0.5), passage(1, score=0.4999)) == ["0.md"]
    assert from_which(passage(0, superseded_by="1.md#L1-L1"), good[1]) == ["1.md"]
    assert from_which(passage(0, via="linked from “A”"), good[1]) == ["1.md"]
