"""`ragctl mcp`: the four tools for any MCP client, over stdin and stdout."""

import argparse
import os
import sys
from importlib.util import find_spec

from ragctl.failure import Failure
from ragctl.views.render import emit_json, print_notice
from ragd.errors import EXIT_OK
from ragd.paths import Home, default_home

EXAMPLES = (
    ("ragctl mcp --config", "print the JSON for an MCP client's configuration"),
    ("ragctl mcp", "serve; an MCP client runs this"),
)
HOW_TO_INSTALL = (
    "Install the package `mcp` next to ragd: `pipx inject ragd 'mcp>=2.3,<3'`, or in a "
    "clone `uv tool install . --with 'mcp>=2.3,<3'` or `pip install '.[mcp]'`."
)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config", action="store_true", help="print the JSON to paste into an MCP client, and exit"
    )


def run(args: argparse.Namespace) -> int:
    if args.config:
        emit_json(client_configuration(args.home))
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
    serve(args.home)
    return EXIT_OK


def client_configuration(home: Home) -> dict[str, object]:
    """The command for a client, with an absolute path, because its PATH may not be the shell's."""
    program = sys.argv[0]
    if os.path.basename(program) in ("ragctl", "ragctl.exe"):
        command, args = os.path.abspath(program), ["mcp"]
    else:
        command, args = sys.executable, ["-m", "ragctl", "mcp"]
    if home.root != default_home() or "OBSIDIAN_RAG_HOME" in os.environ:
        args += ["--home", home.root]
    return {"mcpServers": {"obsidian": {"command": command, "args": args}}}
