"""Asks the person at an MCP client whether to show withheld passages, and tells the daemon.

Only clients that can ask (elicitation) are asked. The model has no part in it: nothing is released
unless the client says that the person accepted.
"""

from typing import Any
from urllib.parse import quote

import anyio
import anyio.to_thread
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types import RequestId

from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure
from ragctl.views.render import clean, counted
from ragd.errors import RagdError, StartupError
from ragd.paths import Home
from ragd.protocol.asker import is_shared_chat

ASKED_CHARACTERS = 200
NO_FIELDS: dict[str, Any] = {"type": "object", "properties": {}}  # accept or decline is enough
_DECISIONS = {"accept": True, "decline": False}
_VERBS = {"notes": "read"}

Waiting = dict[str, Any]


class ConsentQuestions:
    """Asks in the client. Requests to the daemon are the user's own here: they have no headers."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def ask(self, session: ServerSession, approval_id: str, call: RequestId | None) -> bool:
        """Whether it was decided, so that the call should be repeated."""
        if not can_ask(session):
            return False
        try:
            waiting = await anyio.to_thread.run_sync(self._find, approval_id)
            if waiting is None:
                return True  # decided meanwhile, with `ragctl approve`
            with anyio.fail_after(max(1, waiting["expires_in_s"])):
                said = await session.elicit_form(question_text(waiting), NO_FIELDS, call)
            release = _DECISIONS.get(said.action)
            if release is None:
                return False  # the person closed the question
            await anyio.to_thread.run_sync(self._decide, approval_id, release)
        except (TimeoutError, MCPError, ValueError):
            return False  # the client did not ask, or its answer is not valid
        except (Failure, StartupError, RagdError, OSError):
            return False  # the daemon did not decide; the answer names `ragctl approve`
        return True

    def _find(self, approval_id: str) -> Waiting | None:
        answer = call_daemon(
            self._home, "GET", "/v1/approvals", start=False, skip_version_notice=True
        )
        found: list[Waiting] = answer.data["approvals"]
        return next((one for one in found if one["id"] == approval_id), None)

    def _decide(self, approval_id: str, release: bool) -> None:
        target, body = f"/v1/approvals/{quote(approval_id, safe='')}", {"release": release}
        answer = call_daemon(
            self._home, "POST", target, body, start=False, skip_version_notice=True
        )
        if answer.envelope.get("data") is None:
            raise RagdError("APPROVAL_NOT_FOUND")  # or it cannot be recorded: it is not released


def can_ask(session: ServerSession) -> bool:
    """Whether the client declared that it can ask with a form."""
    declared = session.client_capabilities
    if declared is None or declared.elicitation is None:
        return False
    ways = declared.elicitation
    return ways.form is not None or ways.url is None  # earlier clients name no way


def question_text(waiting: Waiting) -> str:
    """The question to the person. What was asked is a model's text: one line, quoted, last."""
    what = counted(waiting["withheld"], "sensitive passage")
    kinds = ", ".join(clean(kind) for kind in waiting["kinds"])
    about = f" ({kinds})" if kinds else ""
    who = f"The assistant `{clean(waiting['agent'])}`" if waiting["agent"] else "The assistant"
    chat = waiting["chat"]
    warning = f" Others read this chat ({clean(chat)})." if is_shared_chat(chat) else ""
    verb = _VERBS.get(waiting["tool"], "search for")
    asked = clean(waiting["asked"][: ASKED_CHARACTERS + 1])
    if len(waiting["asked"]) > ASKED_CHARACTERS:
        asked = f"{asked[:ASKED_CHARACTERS]} …"
    return (
        f"Show {what}{about} of your notes? {who} gets them once.{warning} "
        f"It asked to {verb}: “{asked}”"
    )
