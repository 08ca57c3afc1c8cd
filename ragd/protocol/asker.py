"""Who sends a request: the user, or an agent in some kind of chat. Pure.

Headers say it. They are not fields of a tool's request, so a model cannot set them with the
arguments of a tool. A request without them is the user's own.
"""

from urllib.parse import quote, unquote

from msgspec import Struct

from ragd.errors import RagdError
from ragd.protocol.limits import AGENT_MAX_CHARS, CHAT_MAX_CHARS, SESSION_MAX_CHARS

AGENT_HEADER = "X-Ragd-Agent"
CHAT_HEADER = "X-Ragd-Chat"
SESSION_HEADER = "X-Ragd-Session"  # which conversation it is; only compared, never shown
TOKEN_HEADER = "X-Ragd-Token"  # noqa: S105  (of an agent; the token says who it is)
ASSISTANT_HEADER = "X-Ragd-Assistant"  # present: a program asks for the user; no person typed it


_ALONE = ("direct", "")  # kinds of chat that only the user reads; empty: not known


def is_shared_chat(chat: str) -> bool:
    """Whether others than the user read a chat of this kind."""
    return chat not in _ALONE


class Asker(Struct, frozen=True):
    """The user (`is_owner`), or an agent. Names are in the form that is compared."""

    agent: str = ""  # empty: an agent without a name
    chat: str = ""  # direct, group, channel; empty: not known
    is_owner: bool = False
    session: str = ""  # which conversation of the agent; empty: not known
    is_assistant: bool = False  # has the user's access, but cannot consent for the user
    token: str = ""  # the name of the agent's token; empty: it has none
    only_in: frozenset[str] | None = None  # the collections of its token; None: the token has none
    is_read_only: bool = False  # by its token
    sees_sensitive: bool = True  # False: sensitive text is withheld from it, whatever is configured

    @property
    def is_person(self) -> bool:
        """Whether the request is the user's own consent."""
        return self.is_owner and not self.is_assistant


OWNER = Asker(is_owner=True)

OWNERS_AGENT = "main"
"""Whose notes the user means who names no agent. It is the name of OpenClaw's first agent."""


def asker_headers(agent: str | None, chat: str | None = None) -> dict[str, str]:
    """The headers of a request that an agent makes; none for the user, who has no agent's name."""
    if agent is None:
        return {}
    return {AGENT_HEADER: quote(agent, safe=""), CHAT_HEADER: quote(chat or "", safe="")}


def token_headers(secret: str, session: str) -> dict[str, str]:
    """The headers of a program that asks with a token."""
    return {TOKEN_HEADER: quote(secret, safe=""), SESSION_HEADER: quote(session, safe="")}


def read_session(session: str | None) -> str:
    """The conversation from the value of its header. Raises RagdError if it is not valid."""
    return _read(SESSION_HEADER, session or "", SESSION_MAX_CHARS)


def assistant_headers(agent: str | None, chat: str | None, session: str) -> dict[str, str]:
    """The headers of a program that asks for a model: as this agent, or with the user's access."""
    asker = asker_headers(agent, chat) or {ASSISTANT_HEADER: "1"}
    return {**asker, SESSION_HEADER: quote(session, safe="")}


def read_asker(
    agent: str | None,
    chat: str | None,
    session: str | None = None,
    assistant: str | None = None,
) -> Asker:
    """The asker from the values of the headers. Raises RagdError for a value that is not valid.

    One header is enough to be an agent: a client that knows only the kind of chat is not the user.
    One that knows only the session is an assistant.
    """
    if agent is None and chat is None and session is None and assistant is None:
        return OWNER
    conversation = read_session(session)
    if agent is None and chat is None:
        return Asker(is_owner=True, is_assistant=True, session=conversation)
    return Asker(
        _read(AGENT_HEADER, agent or "", AGENT_MAX_CHARS),
        _read(CHAT_HEADER, chat or "", CHAT_MAX_CHARS),
        session=conversation,
    )


def comparable(name: str) -> str:
    """The name of an agent or a chat in the form that is compared."""
    return name.strip().casefold()


def _read(header: str, value: str, most: int) -> str:
    try:
        found = unquote(value, errors="strict")
    except UnicodeDecodeError:
        raise RagdError("INVALID_REQUEST", f"The header `{header}` is not valid UTF-8.") from None
    if len(found) > most:
        raise RagdError(
            "INVALID_REQUEST", f"The header `{header}` is longer than {most} characters."
        )
    return comparable(found)
