"""`ragctl mcp`: the tools for any MCP client, over stdin and stdout."""

import argparse
import os
import sys
from importlib.util import find_spec

from ragctl.failure import Failure, UsageError
from ragctl.views.render import emit_json, print_notice
from ragd.errors import EXIT_OK
from ragd.paths import Home, default_home
from ragd.protocol.limits import AGENT_MAX_CHARS, CHAT_MAX_CHARS

EXAMPLES = (
    ("ragctl mcp --config", "print the JSON for an MCP client's configuration"),
    ("ragctl mcp", "serve; an MCP client runs this"),
    ("ragctl mcp --config --agent work", "as the agent `work`: it sees what it may search"),
)
HOW_TO_INSTALL = (
    "Install the package `mcp` next to ragd: `pipx inject ragd 'mcp>=2.3,<3'`, or in a "
    "clone `uv tool install . --with 'mcp>=2.3,<3'` or `pip install '.[mcp]'`."
)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config", action="store_true", help="print the JSON to paste into an MCP client, and exit"
    )
    parser.add_argument(
        "--agent",
        metavar="NAME",
        help="stand for this agent: only the collections that it may search (docs/access.md)",
    )
    parser.add_argument(
        "--chat", metavar="KIND", help="the kind of the agent's chat: direct, group or channel"
    )


def run(args: argparse.Namespace) -> int:
    if args.chat is not None and args.agent is None:
        raise UsageError("--chat needs --agent.", "Type `ragctl mcp --agent NAME --chat KIND`.")
    for name, value, most in (
        ("--agent", args.agent, AGENT_MAX_CHARS),
        ("--chat", args.chat, CHAT_MAX_CHARS),
    ):
        if value is not None and not 0 < len(value.strip()) <= most:
            raise UsageError(f"{name} needs a name of at most {most} characters.")
    if args.config:
        emit_json(client_configuration(args.home, args.agent, args.chat))
        if find_spec("mcp") is None:
            print_notice(
                f"The server cannot start yet: the package `mcp` is not installed. {HOW_TO_INSTALL}"
            )
        return EXIT_OK
    try:
        from ragctl.mcp.server import serve
    except ModuleNotFoundError as why:
        raise Failure(
            f"The MCP server needs a package that is not installed ({why.name}).",
            HOW_TO_INSTALL,
        ) from None
    if sys.stdin.isatty():
        print_notice("This is for MCP clients: see `ragctl mcp --config`. Ctrl-C ends it.")
    serve(args.home, args.agent, args.chat)
    return EXIT_OK


def client_configuration(
    home: Home, agent: str | None = None, chat: str | None = None
) -> dict[str, object]:
    """The command for a client, with an absolute path, because its PATH may not be the shell's."""
    program = sys.argv[0]
    if os.path.basename(program) in ("ragctl", "ragctl.exe"):
        command, args = os.path.abspath(program), ["mcp"]
    else:
        command, args = sys.executable, ["-m", "ragctl", "mcp"]
    if home.root != default_home() or "OBSIDIAN_RAG_HOME" in os.environ:
        args += ["--home", home.root]
    for option, value in (("--agent", agent), ("--chat", chat)):
        args += [option, value] if value is not None else []
    return {"mcpServers": {"obsidian": {"command": command, "args": args}}}
