"""A token is valid once, for five minutes, for the call it was issued for."""

import itertools
from collections.abc import Callable

import msgspec
import pytest

from ragd.guard import confirmation
from ragd.guard.confirmation import Confirmations
from ragd.protocol.tool_schemas import DateRange, SearchRequest


class Time:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def tokens(time: Time) -> Confirmations:
    count = itertools.count()
    return Confirmations(time, lambda: f"token-{next(count)}")


ASKED = SearchRequest(query="my debts", tags=["a"])


def test_the_same_call_with_the_token_is_confirmed_once(tokens: Confirmations) -> None:
    token = tokens.issue_token(ASKED)
    confirmed = msgspec.structs.replace(ASKED, confirm=token)
    assert tokens.redeem(token, confirmed)
    assert not tokens.redeem(token, confirmed)


@pytest.mark.parametrize(
    "change",
    [
        lambda asked: msgspec.structs.replace(asked, query="my debts "),
        lambda asked: msgspec.structs.replace(asked, max_results=50),
        lambda asked: msgspec.structs.replace(asked, tags=[]),
        lambda asked: msgspec.structs.replace(asked, directory_filter=["Journal"]),
        lambda asked: msgspec.structs.replace(asked, date_range=DateRange("2024-01-01")),
    ],
)
def test_another_call_is_refused_and_the_token_is_used_up(
    tokens: Confirmations, change: Callable[[SearchRequest], SearchRequest]
) -> None:
    token = tokens.issue_token(ASKED)
    assert not tokens.redeem(token, change(ASKED))
    assert not tokens.redeem(token, ASKED)


def test_a_token_is_valid_for_five_minutes(tokens: Confirmations, time: Time) -> None:
    first, second = tokens.issue_token(ASKED), tokens.issue_token(ASKED)
    time.now += 299.9
    assert tokens.redeem(first, ASKED)
    time.now += 0.2
    assert not tokens.redeem(second, ASKED)


@pytest.mark.parametrize("token", ["", "token-1", "Token-0", "token-0 ", "\ud800", "x" * 100_000])
def test_unknown_tokens_confirm_nothing(tokens: Confirmations, token: str) -> None:
    assert not Confirmations(lambda: 0.0, str).redeem(token, ASKED)
    good = tokens.issue_token(ASKED)
    assert good == "token-0" and not tokens.redeem(token, ASKED)
    assert tokens.redeem(good, ASKED)


def test_their_number_is_limited_and_the_oldest_is_dropped(tokens: Confirmations) -> None:
    given = [tokens.issue_token(ASKED) for _ in range(confirmation.MOST_TOKENS + 1)]
    assert [tokens.redeem(token, ASKED) for token in given] == [False] + [
        True
    ] * confirmation.MOST_TOKENS


def test_no_token_and_no_query_is_kept(tokens: Confirmations) -> None:
    token = tokens.issue_token(ASKED)
    kept = repr(vars(tokens))
    assert token not in kept and "debts" not in kept
