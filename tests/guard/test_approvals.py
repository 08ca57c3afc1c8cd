"""An approval is for one agent, chat, call and list of texts; it is used once and expires."""

import itertools
from collections.abc import Callable

import pytest
from msgspec import structs

from ragd.guard.approvals import (
    MOST,
    MOST_OF_ONE,
    VALID_S,
    Approval,
    Approvals,
    WithheldText,
    text_digest,
)
from ragd.protocol.asker import Asker
from ragd.protocol.tool_schemas import DateRange, NoteRequest, SearchRequest


class Moment:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def moment() -> Moment:
    return Moment()


@pytest.fixture
def approvals(moment: Moment) -> Approvals:
    count = itertools.count()
    return Approvals(moment, lambda: f"id-{next(count)}")


ASKED = SearchRequest(query="my debts", tags=["a"])
AGENT = Asker("work", "direct")
TEXTS = [
    WithheldText("Debt.md#L1-L2", ("financial_debt",), text_digest("Debt.md", "I owe Bo")),
    WithheldText("memory bo", ("health", "financial_debt"), text_digest("memory", "bo")),
]
DIGESTS = frozenset(text.digest for text in TEXTS)
NOTHING: frozenset[bytes] = frozenset()


def released(approvals: Approvals, request: SearchRequest = ASKED) -> Approval:
    approval, _ = approvals.request(request, AGENT, TEXTS)
    assert approvals.decide(approval.id, release=True) is not None
    return approval


def test_nothing_is_shown_before_a_person_released_it(approvals: Approvals) -> None:
    approvals.request(ASKED, AGENT, TEXTS)
    assert approvals.redeem(ASKED, AGENT) == NOTHING


def test_what_was_released_is_shown_once(approvals: Approvals) -> None:
    released(approvals)
    assert approvals.redeem(ASKED, AGENT) == DIGESTS
    assert approvals.redeem(ASKED, AGENT) == NOTHING


def test_the_id_cannot_be_used_as_a_token(approvals: Approvals) -> None:
    approval, _ = approvals.request(ASKED, AGENT, TEXTS)
    assert approvals.redeem(structs.replace(ASKED, confirm=approval.id), AGENT) == NOTHING


@pytest.mark.parametrize(
    "change",
    [
        lambda asked: structs.replace(asked, query="my debts "),
        lambda asked: structs.replace(asked, query="My debts"),
        lambda asked: structs.replace(asked, max_results=50),
        lambda asked: structs.replace(asked, tags=[]),
        lambda asked: structs.replace(asked, collections=["vault"]),
        lambda asked: structs.replace(asked, explain=True),
        lambda asked: structs.replace(asked, date_range=DateRange("2024-01-01")),
        lambda asked: NoteRequest(path=asked.query),
    ],
)
def test_another_call_gets_nothing_and_leaves_the_release_alone(
    approvals: Approvals, change: Callable[[SearchRequest], SearchRequest]
) -> None:
    released(approvals)
    assert approvals.redeem(change(ASKED), AGENT) == NOTHING
    assert approvals.redeem(ASKED, AGENT) == DIGESTS


@pytest.mark.parametrize(
    "other",
    [
        Asker("home", "direct"),
        Asker("work", "group"),
        Asker("work", ""),
        Asker("", ""),
        Asker("work", "direct", session="another"),
        Asker(is_owner=True, is_assistant=True),
    ],
)
def test_another_agent_or_chat_gets_nothing(approvals: Approvals, other: Asker) -> None:
    released(approvals)
    assert approvals.redeem(ASKED, other) == NOTHING
    assert approvals.request(ASKED, other, TEXTS)[1], "it needs an approval of its own"


def test_two_agents_that_ask_the_same_have_two_approvals(approvals: Approvals) -> None:
    other = Asker("home", "direct")
    first, _ = approvals.request(ASKED, AGENT, TEXTS)
    second, _ = approvals.request(ASKED, other, TEXTS)
    approvals.decide(second.id, release=True)
    approvals.decide(first.id, release=False)
    assert approvals.redeem(ASKED, AGENT) == NOTHING
    assert approvals.redeem(ASKED, other) == DIGESTS


def test_a_repeated_call_has_the_same_approval_and_is_not_kept_longer(
    approvals: Approvals, moment: Moment
) -> None:
    first, is_new = approvals.request(ASKED, AGENT, TEXTS)
    assert is_new
    moment.now += VALID_S
    assert approvals.request(ASKED, AGENT, TEXTS) == (first, False)
    moment.now += 1
    second, is_new = approvals.request(ASKED, AGENT, TEXTS)
    assert is_new and second.id != first.id


def test_a_refused_call_stays_refused_when_it_is_repeated(
    approvals: Approvals, moment: Moment
) -> None:
    approval, _ = approvals.request(ASKED, AGENT, TEXTS)
    approvals.decide(approval.id, release=False)
    again, is_new = approvals.request(ASKED, AGENT, TEXTS)
    assert (again.id, again.state, is_new) == (approval.id, "refused", False)
    assert approvals.decide(approval.id, release=True) is None
    assert approvals.waiting() == []
    moment.now += VALID_S + 1
    assert approvals.request(ASKED, AGENT, TEXTS)[1]


def test_an_id_always_means_the_texts_that_were_listed(approvals: Approvals) -> None:
    """A person agrees to a list. If the notes change meanwhile, that id must not release more."""
    first, _ = approvals.request(ASKED, AGENT, TEXTS[:1])
    second, is_new = approvals.request(ASKED, AGENT, TEXTS)
    assert is_new and second.id != first.id
    assert approvals.decide(first.id, release=True) is None
    assert [one.id for one in approvals.waiting()] == [second.id]


def test_nobody_can_release_what_has_expired(approvals: Approvals, moment: Moment) -> None:
    approval, _ = approvals.request(ASKED, AGENT, TEXTS)
    moment.now += VALID_S + 1
    assert approvals.waiting() == []
    assert approvals.decide(approval.id, release=True) is None
    assert [one.id for one in approvals.take_lapsed()] == [approval.id]
    assert approvals.take_lapsed() == []


def test_a_release_expires_too(approvals: Approvals, moment: Moment) -> None:
    approval, _ = approvals.request(ASKED, AGENT, TEXTS)
    moment.now += VALID_S
    approvals.decide(approval.id, release=True)
    moment.now += VALID_S
    released_late, _ = approvals.request(SearchRequest(query="x"), AGENT, TEXTS)
    assert approvals.redeem(ASKED, AGENT) == DIGESTS
    approvals.decide(released_late.id, release=True)
    moment.now += VALID_S + 1
    assert approvals.redeem(SearchRequest(query="x"), AGENT) == NOTHING
    assert approvals.take_lapsed() == [], "both were decided"


def test_one_agent_cannot_push_out_what_another_waits_for(approvals: Approvals) -> None:
    other = Asker("home", "direct")
    kept, _ = approvals.request(ASKED, other, TEXTS)
    for number in range(10 * MOST):
        approvals.request(SearchRequest(query=f"{number}"), AGENT, TEXTS)
    waiting = approvals.waiting()
    assert len(waiting) == MOST_OF_ONE + 1
    assert waiting[0].id == kept.id
    assert waiting[-1].asked == f"{10 * MOST - 1}", "the newest question can be approved"


def test_many_agents_together_have_a_limit(approvals: Approvals) -> None:
    approvals.request(ASKED, AGENT, TEXTS)
    for agent in range(2 * MOST):
        for number in range(2):
            asker = Asker(f"agent {agent}", "direct")
            approvals.request(SearchRequest(query=f"{number}"), asker, TEXTS)
    assert len(approvals.waiting()) == MOST
    assert len(approvals.take_lapsed()) == MOST, "this list has a limit too"


def test_an_approval_has_the_kinds_of_all_its_texts(approvals: Approvals) -> None:
    approval, _ = approvals.request(NoteRequest(path="Debt.md"), AGENT, TEXTS)
    assert approval.kinds == ["financial_debt", "health"]
    assert (approval.tool, approval.asked) == ("notes", "Debt.md")


def test_texts_that_are_cut_differently_have_different_digests() -> None:
    assert text_digest("ab", "c") != text_digest("a", "bc")
    assert text_digest("a\ud800") != text_digest("a")
