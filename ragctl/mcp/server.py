"""The four tools for MCP clients, over stdio: each call is handed on to the daemon's socket.

Only the protocol is on stdout. A daemon that is down is started; whatever fails is an answer with
the next step, never an end of the server.
"""

import json
from typing import Any

import anyio
import anyio.to_thread
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from ragctl.daemon.client import Answer
from ragctl.daemon.start import call_daemon, call_daemon_when_ready, describe_version_mismatch
from ragctl.failure import Failure, describe_os_error
from ragctl.mcp.answers import INSTRUCTIONS, SEARCH, told
from ragctl.views.render import add_home_option
from ragd import __version__
from ragd.errors import RagdError, StartupError
from ragd.paths import Home
from ragd.protocol import tool_schemas

# Neither reaches out of this machine; indexing changes nothing of the user's; a memory of the same
# key takes the place of the former one.
_TITLES = {
    "obsidian_rag_search": "Search notes",
    "obsidian_rag_index": "Index notes",
    "obsidian_rag_status": "Status of the index",
    "obsidian_rag_memory_store": "Remember a fact",
}
_READS = ("obsidian_rag_search", "obsidian_rag_status")
_REPLACES = ("obsidian_rag_memory_store",)

Context = ServerRequestContext[Any]


def serve(home: Home) -> None:
    """Until the client has had enough."""
    anyio.run(_serve, Forwarder(home))


async def _serve(forwarder: "Forwarder") -> None:
    server = Server(
        "ragd",
        version=__version__,
        title="Obsidian notes (ragd)",
        instructions=INSTRUCTIONS,
        on_list_tools=forwarder.list_tools,
        on_call_tool=forwarder.call_tool,
    )
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


class Forwarder:
    """Hands calls on, each in a thread, so that one that waits holds up no other."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._told_version = False

    async def list_tools(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        published = await anyio.to_thread.run_sync(self._published, abandon_on_cancel=True)
        return ListToolsResult(tools=[_tool(one) for one in published])

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        return await anyio.to_thread.run_sync(
            self._call, params.name, params.arguments or {}, abandon_on_cancel=True
        )

    def _published(self) -> list[dict[str, Any]]:
        """As the daemon has them; it may be of another version. Ours, where it does not answer:
        whoever calls one is told why."""
        try:
            found = call_daemon(
                self._home, "GET", "/v1/tools", start=True, skip_version_notice=True
            ).data["tools"]
            return list(found)
        except Exception:
            return tool_schemas.published_tools()

    def _call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        if name not in tool_schemas.TOOLS:
            known = ", ".join(tool_schemas.TOOLS)
            return _result(f"There is no tool of this name. There are: {known}.", is_error=True)
        try:
            answer = self._asked(name, arguments)
            text = told(name, answer.envelope)
            is_error = answer.envelope.get("data") is None
        except (Failure, StartupError, RagdError) as why:
            return _failed(add_home_option(why.message), add_home_option(why.suggestion))
        except OSError as why:
            return _failed(describe_os_error(why), add_home_option("Run `ragctl doctor`."))
        except Exception as why:  # the edge: a client is owed an answer
            return _failed(f"Something went wrong inside ragctl ({type(why).__name__}).", "")
        return _result("\n".join([text, *self._version(answer)]), is_error=is_error)

    def _asked(self, name: str, arguments: dict[str, Any]) -> Answer:
        target = f"/v1/tools/{name}"
        # Only a search needs the index, which a daemon that has just begun has not opened yet.
        asking = call_daemon_when_ready if name == SEARCH else call_daemon
        # A read that a stopping daemon cut off is asked again; a token counts only once.
        harmless = name in _READS and not arguments.get("confirm")
        return asking(
            self._home,
            "POST",
            target,
            arguments,
            start=True,
            skip_version_notice=True,
            idempotent=harmless,
        )

    def _version(self, answer: Answer) -> list[str]:
        """Once: that the daemon is of another version than we are."""
        said = "" if self._told_version else describe_version_mismatch(answer)
        self._told_version = True
        return [f"Tell the user: {add_home_option(said)}"] if said else []


def _tool(published: dict[str, Any]) -> Tool:
    name = published["name"]
    reads = name in _READS
    return Tool(
        name=name,
        title=_TITLES.get(name),
        description=published["description"],
        input_schema=published["parameters"],
        annotations=ToolAnnotations(
            read_only_hint=reads,
            destructive_hint=name in _REPLACES,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _failed(message: str, suggestion: str) -> CallToolResult:
    """What went wrong, and the next thing to type."""
    said = json.dumps({"error": {"message": message, "suggestion": suggestion}}, ensure_ascii=False)
    return _result(f"{said}\nTell the user: {message} {suggestion}".rstrip(), is_error=True)


def _result(text: str, *, is_error: bool) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], is_error=is_error)
