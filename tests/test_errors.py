"""Every error has one code, one sentence, a suggestion, and says whether it can be retried."""

import re

import pytest

from ragd import errors
from ragd.errors import (
    CODES,
    DEGRADED,
    HEALTHY,
    SEVERITY,
    UNAVAILABLE,
    AlreadyRunning,
    ConfigError,
    LogFailed,
    LogUnreadable,
    PermissionRefused,
    RagdError,
    StartupError,
    worse,
)
from ragd.folds.health_reasons import REASONS

# The error normalisation matrix of the transport layer: code, status, recoverable.
MATRIX = [
    ("OLLAMA_UNREACHABLE", DEGRADED, True),
    ("INDEX_NOT_FOUND", UNAVAILABLE, True),
    ("INDEX_CORRUPTED", UNAVAILABLE, True),
    ("SECURITY_VIOLATION", None, False),
    ("SENSITIVE_FILTERED", DEGRADED, True),
    ("INDEXER_FAILED", UNAVAILABLE, True),
]
# What the design adds to the matrix and to the health reasons.
ADDED = ["INVALID_REQUEST", "UNKNOWN_DIRECTORY", "UNKNOWN_COLLECTION", "JOB_NOT_FOUND", "TIMEOUT"]
ADDED += ["VERSION_MISMATCH", "INTERNAL", "APPROVAL_NOT_FOUND", "VECTORS_REQUIRED", "READ_ONLY"]
ADDED += ["TOKEN_REFUSED", "SIGN_IN_NEEDED", "TOO_MANY_REQUESTS", "NOT_RUNNING"]


@pytest.mark.parametrize("code", CODES)
def test_a_code_has_a_sentence_a_suggestion_and_a_valid_status(code: str) -> None:
    kind = CODES[code]
    assert re.fullmatch(r"[A-Z]+(_[A-Z]+)*", code)
    assert kind.message[0].isupper() or kind.message[0] == "`"
    assert kind.message.endswith(".")
    assert "\n" not in kind.message + kind.suggestion
    assert kind.suggestion.endswith(".")
    assert kind.status in (None, DEGRADED, UNAVAILABLE)
    assert isinstance(kind.recoverable, bool)


@pytest.mark.parametrize(("code", "status", "recoverable"), MATRIX)
def test_the_matrix_of_the_contract_holds(code: str, status: str | None, recoverable: bool) -> None:
    kind = CODES[code]
    assert kind.recoverable is recoverable
    if code == "INDEXER_FAILED":  # degraded while a usable index serves, see docs/architecture.md
        reason = next(reason for reason in REASONS if reason.code == code)
        assert (kind.status, reason.without_index) == (DEGRADED, status)
    else:
        assert kind.status == status


def test_the_codes_are_those_of_the_matrix_the_health_reasons_and_the_design() -> None:
    reasons = {reason.code for reason in REASONS}
    assert set(CODES) == reasons | {code for code, _, _ in MATRIX} | set(ADDED)


def test_every_command_that_a_suggestion_names_is_a_command() -> None:
    commands = {"ragctl", "ollama"}
    for kind in CODES.values():
        for quoted in re.findall(r"`([^`]+)`", kind.suggestion):
            assert quoted.split()[0] in commands | {"vault_path"}, quoted


def test_the_worse_of_two_states_does_not_depend_on_their_order() -> None:
    order = [HEALTHY, DEGRADED, UNAVAILABLE]
    assert sorted(SEVERITY, key=SEVERITY.__getitem__) == order
    for i, mild in enumerate(order):
        for bad in order[i:]:
            assert worse(mild, bad) == worse(bad, mild) == bad


def test_an_error_says_what_its_code_says_unless_it_knows_better() -> None:
    plain = RagdError("TIMEOUT")
    assert (plain.message, plain.suggestion) == (CODES["TIMEOUT"].message, plain.kind.suggestion)
    assert str(plain) == plain.message
    precise = RagdError("INVALID_REQUEST", "`query` is missing.", "Give a question.")
    assert (precise.code, precise.message, precise.suggestion) == (
        *("INVALID_REQUEST", "`query` is missing.", "Give a question."),
    )


def test_a_code_that_is_not_declared_cannot_be_raised() -> None:
    with pytest.raises(KeyError):
        RagdError("NO_SUCH_CODE")


@pytest.mark.parametrize(
    ("kind", "exit_code"),
    [
        (StartupError, 1),
        (AlreadyRunning, 73),
        (LogFailed, 74),
        (PermissionRefused, 77),
        (ConfigError, 78),
        (LogUnreadable, 78),
    ],
)
def test_what_keeps_the_daemon_from_starting_has_its_exit_code(
    kind: type[StartupError], exit_code: int
) -> None:
    why = kind("It cannot start.", "Do this.")
    assert why.exit_code == exit_code
    assert str(why) == "It cannot start. Do this."
    assert str(kind("It cannot start.")) == "It cannot start."


def test_exit_codes_are_distinct() -> None:
    codes = [value for name, value in vars(errors).items() if name.startswith("EXIT_")]
    assert len(set(codes)) == len(codes)
