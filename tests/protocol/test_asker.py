"""Who sends a request, by its headers."""

import pytest

from ragd.errors import RagdError
from ragd.protocol.asker import (
    AGENT_HEADER,
    ASSISTANT_HEADER,
    CHAT_HEADER,
    OWNER,
    SESSION_HEADER,
    Asker,
    asker_headers,
    assistant_headers,
    read_asker,
)


def test_a_request_without_headers_is_the_users() -> None:
    assert read_asker(None, None) == OWNER
    assert asker_headers(None) == {}


@pytest.mark.parametrize(
    ("agent", "chat", "found"),
    [
        ("", None, Asker()),
        (None, "group", Asker(chat="group")),
        (None, "", Asker()),
        ("Work", "Direct", Asker("work", "direct")),
    ],
)
def test_any_of_the_headers_makes_an_agent(
    agent: str | None, chat: str | None, found: Asker
) -> None:
    assert read_asker(agent, chat) == found
    assert not found.is_owner


@pytest.mark.parametrize(("session", "assistant"), [("s", None), (None, "1"), ("", None), ("", "")])
def test_an_assistant_has_the_users_access_and_is_not_the_person(
    session: str | None, assistant: str | None
) -> None:
    found = read_asker(None, None, session, assistant)
    assert found.is_owner and not found.is_person
    assert OWNER.is_person and not read_asker("a", None, session, assistant).is_owner


def test_conversations_of_one_agent_are_told_apart() -> None:
    one, other = (assistant_headers("a", "direct", session)[SESSION_HEADER] for session in "xy")
    assert read_asker("a", "direct", one) != read_asker("a", "direct", other)
    assert assistant_headers(None, None, "x").keys() == {ASSISTANT_HEADER, SESSION_HEADER}


def test_any_name_survives_the_way_through_a_header() -> None:
    headers = asker_headers("Büro\r\nX-Ragd-Agent: 研究 %41", "group")
    assert all(value.isascii() and value.isprintable() for value in headers.values())
    read = read_asker(headers[AGENT_HEADER], headers[CHAT_HEADER])
    assert read == Asker("büro\r\nx-ragd-agent: 研究 %41", "group")


@pytest.mark.parametrize("agent", ["a" * 201, "%ff"])
def test_a_value_that_is_not_valid_is_refused(agent: str) -> None:
    with pytest.raises(RagdError) as why:
        read_asker(agent, None)
    assert why.value.code == "INVALID_REQUEST"
    assert AGENT_HEADER in why.value.message
