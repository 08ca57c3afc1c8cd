"""Searches of agents that find sensitive passages, in a real daemon: what is shown, and when."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ragctl.daemon.client import request
from ragd.protocol.asker import asker_headers, assistant_headers
from tests.daemon.searches import TOOL, WITHIN_S, ParsedAnswer, Vault, serve_text
from tests.daemon.wire import check_envelope

WORK = asker_headers("work", "direct")
NOTES = {
    "Debt.md": "I owe Bo 70 dollars for the kayak.\n",
    "Loan.md": "I owe Ada 900 dollars for the kayak trailer.\n",
    "Kayak.md": "The kayak is red.\n",
}


def ask(vault: Vault, query: str, headers: dict[str, str], **more: Any) -> ParsedAnswer:
    answer = request(vault.home, "POST", TOOL, {"query": query, **more}, WITHIN_S, headers)
    return ParsedAnswer(answer.status, check_envelope(answer.body))


def release(vault: Vault, approval: str) -> ParsedAnswer:
    return vault.post(f"/v1/approvals/{approval}", {"release": True})


@pytest.fixture(scope="module")
def kayaks() -> Iterator[Vault]:
    with serve_text(NOTES, security={"sensitive": "block"}) as vault:
        yield vault


@pytest.mark.parametrize("headers", [WORK, assistant_headers(None, None, "s1")])
def test_a_search_shows_what_needs_no_consent_then_what_was_released(
    kayaks: Vault, headers: dict[str, str]
) -> None:
    first = ask(kayaks, "kayak", headers)
    assert (first.code, first.files, first.data["withheld"]) == (
        "SENSITIVE_FILTERED",
        ["Kayak.md"],
        2,
    )
    assert "confirm" not in first.data and "dollars" not in json.dumps(first.envelope)
    (listed,) = kayaks.get("/v1/approvals").data["approvals"]
    assert sorted(listed["citations"]) == ["Debt.md#L1-L1", "Loan.md#L1-L1"]
    assert (listed["asked"], listed["kinds"]) == ("kayak", ["financial_debt"])
    assert release(kayaks, first.data["approval"]).status == 200
    assert ask(kayaks, "kayak red", headers).data["withheld"] == 2, "a changed question"
    second = ask(kayaks, "kayak", headers)
    assert set(second.files) == set(NOTES) and "withheld" not in second.data
    third = ask(kayaks, "kayak", headers)
    assert third.files == ["Kayak.md"] and third.data["approval"] != first.data["approval"]
    for waits in kayaks.get("/v1/approvals").data["approvals"]:
        kayaks.post(f"/v1/approvals/{waits['id']}", {"release": False})


def test_a_sensitive_passage_that_was_not_listed_stays_withheld() -> None:
    with serve_text(NOTES, security={"sensitive": "block"}) as vault:
        release(vault, ask(vault, "kayak", WORK).data["approval"])
        vault.write("New.md", "I owe Cy 5 dollars for a kayak paddle.\n")
        vault.index_text()
        vault.until(lambda: vault.search("paddle").data.get("withheld"))
        found = ask(vault, "kayak", WORK)
        assert set(found.files) == set(NOTES) and found.data["withheld"] == 1
        (waits,) = vault.get("/v1/approvals").data["approvals"]
        assert waits["citations"] == ["New.md#L1-L1"]


def test_a_listed_passage_whose_words_have_changed_stays_withheld() -> None:
    with serve_text(NOTES, security={"sensitive": "block"}) as vault:
        release(vault, ask(vault, "kayak", WORK).data["approval"])
        vault.write("Debt.md", "I owe Bo 99 dollars for the kayak.\n")
        vault.index_text()
        found = ask(vault, "kayak", WORK)
        assert set(found.files) == {"Kayak.md", "Loan.md"}
        (waits,) = vault.get("/v1/approvals").data["approvals"]
        assert waits["citations"] == ["Debt.md#L1-L1"]


def test_a_restart_forgets_what_waits_and_what_was_released() -> None:
    with serve_text(NOTES, security={"sensitive": "block"}) as vault:
        first, other = (ask(vault, query, WORK).data["approval"] for query in ("kayak", "Bo"))
        release(vault, first)
        vault.end()
        vault.start()
        vault.until(lambda: ask(vault, "kayak", WORK).data)
        assert ask(vault, "kayak", WORK).data["withheld"] == 2
        assert vault.post(f"/v1/approvals/{other}", {"release": True}).status == 404


def test_a_group_chat_needs_an_approval_of_its_own(kayaks: Vault) -> None:
    group = asker_headers("work", "group")
    direct = ask(kayaks, "the kayak", WORK).data["approval"]
    shared = ask(kayaks, "the kayak", group).data["approval"]
    assert direct != shared
    chats = {one["id"]: one["chat"] for one in kayaks.get("/v1/approvals").data["approvals"]}
    assert (chats[direct], chats[shared]) == ("direct", "group")
    release(kayaks, direct)
    assert ask(kayaks, "the kayak", group).data["withheld"] == 2
    assert "withheld" not in ask(kayaks, "the kayak", WORK).data


def test_guessing_ids_and_sending_the_id_back_shows_nothing(kayaks: Vault) -> None:
    approval = ask(kayaks, "a kayak", WORK).data["approval"]
    guesses: list[Callable[[], ParsedAnswer]] = [
        lambda: ask(kayaks, "a kayak", WORK, confirm=approval),
        lambda: ask(kayaks, "a kayak", WORK, approval=approval),
        lambda: ask(kayaks, "a kayak", {**WORK, "X-Ragd-Approval": approval}),
        lambda: ask(kayaks, "a kayak", {**WORK, "X-Ragd-Owner": "1"}),
    ]
    for guess in guesses:
        assert "dollars" not in json.dumps(guess().envelope)
    assert [one["id"] for one in kayaks.get("/v1/approvals").data["approvals"]].count(approval)
