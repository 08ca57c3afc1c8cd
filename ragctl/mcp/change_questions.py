"""Asks the person at an MCP client before a model changes or erases its memory.

Only clients that can ask (elicitation) are asked; then nothing changes unless the person accepts.
For the others, the tool's description and hints leave it to the client's own permission prompt.
"""

import hashlib
import json
from typing import Any, Literal

import anyio
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)

from ragctl.mcp.consent import NO_FIELDS, can_ask
from ragctl.mcp.tool_hints import MEMORY_FORGET, asks_first
from ragctl.views.render import clean, counted

ASKED_WITHIN_S = 300.0
NAME_CHARACTERS = 120
LINE_CHARACTERS = 200
_KEY = "agree"  # of the question, in the protocol that sends it with the answer

Decision = Literal["call", "refused"]


async def ask_before_change(
    context: ServerRequestContext[Any], params: CallToolRequestParams
) -> Decision | InputRequiredResult:
    """Whether to call this tool. A client that cannot get a request gets the question as a result,
    and repeats the call with the answer."""
    if not asks_first(params.name) or not can_ask(context.session):
        return "call"
    arguments = params.arguments or {}
    if context.session.can_send_request:
        return await _ask_now(context, change_question(params.name, arguments))
    state = _digest(params.name, arguments)
    said = (params.input_responses or {}).get(_KEY)
    if params.request_state == state and isinstance(said, ElicitResult):
        return "call" if said.action == "accept" else "refused"
    return InputRequiredResult(
        input_requests={
            _KEY: ElicitRequest(
                params=ElicitRequestFormParams(
                    message=change_question(params.name, arguments), requested_schema=NO_FIELDS
                )
            )
        },
        request_state=state,
    )


async def _ask_now(context: ServerRequestContext[Any], question: str) -> Decision:
    try:
        with anyio.fail_after(ASKED_WITHIN_S):
            said = await context.session.elicit_form(question, NO_FIELDS, context.request_id)
    except (TimeoutError, MCPError, ValueError):
        return "refused"  # the client did not ask, or its answer is not valid
    return "call" if said.action == "accept" else "refused"


def change_question(tool: str, arguments: dict[str, Any]) -> str:
    """The question to the person. What the model wrote is quoted, on one line, and cut."""
    path = _quoted(arguments.get("path"), NAME_CHARACTERS)
    if tool == MEMORY_FORGET:
        if arguments.get("path") is not None:
            return f"Erase this note of the assistant's memory for good: {path}?"
        key = _quoted(arguments.get("key"), NAME_CHARACTERS)
        return f"Erase this remembered fact for good: {key}?"
    text = str(arguments.get("text", ""))
    lines = [line for line in text.splitlines() if line.strip()]
    first = _quoted(lines[0].strip() if lines else "", LINE_CHARACTERS)
    rest = f" … ({counted(len(lines) - 1, 'more line')})" if len(lines) > 1 else ""
    if arguments.get("append"):
        return f"Add to the note {path} of the assistant's memory: {first}{rest}?"
    return f"Write the note {path} of the assistant's memory, replacing what it has: {first}{rest}?"


def _quoted(said: Any, most: int) -> str:
    text = clean(str(said if said is not None else ""))
    return f"“{text[:most]} …”" if len(text) > most else f"“{text}”"


def _digest(name: str, arguments: dict[str, Any]) -> str:
    """Binds an answer to the call that was asked about."""
    call = json.dumps([name, arguments], sort_keys=True).encode()
    return hashlib.sha256(call).hexdigest()
