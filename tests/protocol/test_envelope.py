"""The one format of every answer."""

import json

import pytest

from ragd.errors import CODES, SEVERITY, RagdError, worse
from ragd.protocol.envelope import Envelope, Meta, encode, error_body, refusal_envelope


def test_all_fields_are_always_present() -> None:
    assert json.loads(encode(Envelope("healthy", None, None, Meta()))) == {
        "status": "healthy",
        "data": None,
        "error": None,
        "meta": {
            "query_time_ms": 0,
            "chunks_scanned": 0,
            "index_version": "",
            "vault_mtime": None,
        },
    }


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("health", SEVERITY)
def test_a_refusal_has_no_data_and_the_worse_of_health_and_its_own_state(
    code: str, health: str
) -> None:
    envelope = refusal_envelope(RagdError(code), health, Meta())
    own = CODES[code].status
    assert envelope.status == (health if own is None else worse(health, own))
    assert envelope.data is None
    assert envelope.error is not None
    assert envelope.error.code == code


def test_a_refusal_of_the_request_itself_keeps_the_health() -> None:
    refusals = {code for code, kind in CODES.items() if kind.status is None}
    assert refusals == {
        "INVALID_REQUEST",
        "SECURITY_VIOLATION",
        "UNKNOWN_DIRECTORY",
        "UNKNOWN_COLLECTION",
        "JOB_NOT_FOUND",
        "APPROVAL_NOT_FOUND",
        "VERSION_MISMATCH",
        "TOKEN_REFUSED",
        "SIGN_IN_NEEDED",
        "TOO_MANY_REQUESTS",
        "READ_ONLY",
        "INTERNAL",
    }
    for code in refusals:
        for health in SEVERITY:
            assert refusal_envelope(RagdError(code), health, Meta()).status == health


@pytest.mark.parametrize("code", CODES)
def test_a_declared_error_has_a_message_and_a_suggestion(code: str) -> None:
    body = error_body(code)
    assert body.message.endswith(".")
    assert body.suggestion.endswith((".", ";"))
    assert isinstance(body.recoverable, bool)


def test_a_more_exact_message_replaces_the_declared_one() -> None:
    body = error_body("INVALID_REQUEST", "The field `x` is unknown.", "Leave it out.")
    assert (body.message, body.suggestion) == ("The field `x` is unknown.", "Leave it out.")
    why = RagdError("INVALID_REQUEST", "The field `x` is unknown.")
    error = refusal_envelope(why, "healthy", Meta()).error
    assert error is not None
    assert error.message == "The field `x` is unknown."
    assert error.suggestion == CODES["INVALID_REQUEST"].suggestion


def test_the_worse_of_two_states() -> None:
    order = ["healthy", "degraded", "unavailable"]
    for i, one in enumerate(order):
        for j, other in enumerate(order):
            assert worse(one, other) == order[max(i, j)]
