"""The tools and the notes for MCP clients: each call is forwarded to the daemon. Over stdio here;
ragctl/bridge/mcp_route.py does the same over HTTP.

Only the protocol is on stdout. A daemon that is down is started. A failure is an answer with the
next step; it never ends the server. It may stand for an agent: the daemon then answers from the
collections that the agent may search, and no argument of a tool can change that. It never counts as
the user's consent: the person is asked in the client, or with `ragctl approve`.
"""

import functools
import json
import secrets
from collections.abc import Callable
from typing import Any, NamedTuple

import anyio
import anyio.to_thread
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
)

from ragctl.daemon.client import Answer
from ragctl.daemon.start import describe_version_mismatch
from ragctl.failure import Failure, describe_os_error
from ragctl.mcp import note_resources
from ragctl.mcp.answers import INSTRUCTIONS, render_answer
from ragctl.mcp.change_questions import ask_before_change
from ragctl.mcp.consent import ConsentQuestions, can_ask
from ragctl.mcp.daemon_calls import DaemonCalls
from ragctl.mcp.tool_hints import SEARCH, announced_tool
from ragctl.views.render import add_home_option
from ragd import __version__
from ragd.errors import RagdError, StartupError
from ragd.paths import Home
from ragd.protocol import tool_schemas
from ragd.protocol.asker import assistant_headers
from ragd.protocol.collection_list import describe_collections

_REFUSED = (
    "The user did not agree, so nothing was changed. Do not repeat this call unless the user asks "
    "for it."
)

Context = ServerRequestContext[Any]


def serve(home: Home, agent: str | None = None, chat: str | None = None) -> None:
    """Serve until the client closes the connection. `agent`: the agent that it stands for; None:
    the user. `chat`: the kind of chat of that agent. Each server is a conversation of its own: what
    is released to one client is not for another."""
    anyio.run(_serve, Forwarder(home, assistant_headers(agent, chat, secrets.token_hex(16))))


def build_server(forwarder_for: Callable[[Context], "Forwarder"]) -> Server[Any]:
    """The server. `forwarder_for`: who forwards a request, which depends on who sent it."""

    async def list_tools(
        context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return await forwarder_for(context).list_tools(context, params)

    async def call_tool(
        context: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        return await forwarder_for(context).call_tool(context, params)

    async def list_resources(
        context: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return await forwarder_for(context).list_resources(context, params)

    async def list_resource_templates(
        context: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=[note_resources.note_template()])

    async def read_resource(
        context: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        return await forwarder_for(context).read_resource(context, params)

    return Server(
        "ragd",
        version=__version__,
        title="Obsidian notes (ragd)",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_resource_templates,
        on_read_resource=read_resource,
    )


async def _serve(forwarder: "Forwarder") -> None:
    server = build_server(lambda context: forwarder)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


class ForwardedCall(NamedTuple):
    """The result of a call, and the approval that it waits for, if it does."""

    result: CallToolResult
    approval: str | None = None


class Forwarder:
    """Forwards each call in a thread of its own, so that a slow one does not delay the others.

    `is_local`: the user started the client here. Only then may it start the daemon, and only then
    does a person's answer in the client count as the user's consent.
    """

    def __init__(self, home: Home, headers: dict[str, str], *, is_local: bool = True) -> None:
        self._calls = DaemonCalls(home, headers, start=is_local)
        self._consent = ConsentQuestions(home) if is_local else None
        self._version_reported = False

    async def list_tools(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        published = await anyio.to_thread.run_sync(self._read_tools, abandon_on_cancel=True)
        asks = can_ask(context.session)
        return ListToolsResult(tools=[announced_tool(one, client_asks=asks) for one in published])

    async def call_tool(
        self, context: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        decided = await ask_before_change(context, params)
        if isinstance(decided, InputRequiredResult):
            return decided
        if decided == "refused":
            return _result(_REFUSED, is_error=True)
        call = functools.partial(self._call, params.name, params.arguments or {})
        made = await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
        if made.approval is None or self._consent is None:
            return made.result
        if await self._consent.ask(context.session, made.approval, context.request_id):
            made = await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
        return made.result

    async def list_resources(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        if params is not None and params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "The list has one page, so there is no such cursor.")
        find = functools.partial(note_resources.list_notes, self._calls)
        return ListResourcesResult(
            resources=await anyio.to_thread.run_sync(find, abandon_on_cancel=True)
        )

    async def read_resource(
        self, context: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        version = context.protocol_version
        read = functools.partial(note_resources.read_note, self._calls, params.uri, version)
        found = await anyio.to_thread.run_sync(read, abandon_on_cancel=True)
        if found.approval is None or self._consent is None:
            return found.result
        if await self._consent.ask(context.session, found.approval, context.request_id):
            found = await anyio.to_thread.run_sync(read, abandon_on_cancel=True)
        return found.result

    def _read_tools(self) -> list[dict[str, Any]]:
        """The daemon's tools, because its version may differ. Without an answer, ragctl's own: a
        call of one then reports the reason."""
        try:
            found = list(self._calls.get("/v1/tools")["tools"])
        except Exception:
            return tool_schemas.published_tools()
        try:
            words = describe_collections(self._calls.get("/v1/collections")["collections"])
        except Exception:  # an earlier version of the daemon: the plain descriptions
            return found
        return [_with_collections(one, words) for one in found] if words else found

    def _call(self, name: str, arguments: dict[str, Any]) -> ForwardedCall:
        if name not in tool_schemas.TOOLS:
            known = ", ".join(tool_schemas.TOOLS)
            return ForwardedCall(
                _result(f"There is no such tool. The tools are: {known}.", is_error=True)
            )
        try:
            answer = self._calls.call_tool(name, arguments)
            text = render_answer(name, answer.envelope)
            data = answer.envelope.get("data")
        except (Failure, StartupError, RagdError) as why:
            return _failed_call(add_home_option(why.message), add_home_option(why.suggestion))
        except OSError as why:
            return _failed_call(describe_os_error(why), add_home_option("Run `ragctl doctor`."))
        except Exception as why:  # the client must get an answer
            return _failed_call(f"Something went wrong inside ragctl ({type(why).__name__}).", "")
        lines = [text, *self._version_notice(answer)]
        return ForwardedCall(_result("\n".join(lines), is_error=data is None), _waits_for(data))

    def _version_notice(self, answer: Answer) -> list[str]:
        """That the versions of daemon and ragctl differ; only once."""
        sentence = "" if self._version_reported else describe_version_mismatch(answer)
        self._version_reported = True
        return [f"Tell the user: {add_home_option(sentence)}"] if sentence else []


def _with_collections(published: dict[str, Any], words: str) -> dict[str, Any]:
    """The search tool says which collections there are."""
    if published["name"] != SEARCH:
        return published
    return {**published, "description": f"{published['description']} {words}"}


def _waits_for(data: Any) -> str | None:
    """The approval that would show more. A refused one is not asked for again."""
    if not isinstance(data, dict) or data.get("refused"):
        return None
    return data.get("approval")


def _failed_call(message: str, suggestion: str) -> ForwardedCall:
    """What went wrong, and the next step."""
    error = {"error": {"message": message, "suggestion": suggestion}}
    text = json.dumps(error, ensure_ascii=False)
    said = f"{text}\nTell the user: {message} {suggestion}".rstrip()
    return ForwardedCall(_result(said, is_error=True))


def _result(text: str, *, is_error: bool) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], is_error=is_error)
