"""The errors in the envelopes of search answers, and what a memory is suggested from."""

from typing import Any

from msgspec import structs

from ragd.folds import State
from ragd.gateway.search_answers import GuardedAnswer, passages_to_suggest_from, search_envelope
from ragd.guard.inspection import InspectedPassage
from ragd.health.current_health import CurrentHealth
from ragd.search.results import Result, make_result
from ragd.store.lance import ChunkRow


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
