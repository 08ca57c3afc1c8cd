"""The errors in the envelopes of search answers."""

from ragd.folds import State
from ragd.gateway.search_answers import GuardedAnswer, search_envelope
from ragd.health.current_health import CurrentHealth


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
