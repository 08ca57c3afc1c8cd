"""`ragctl serve`: serves the page, and MCP over HTTP, to programs on this machine."""

import argparse
import sys

from ragctl.cli import at_least
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure, UsageError
from ragctl.views.render import print_notice
from ragd.errors import EXIT_OK

EXAMPLES = (
    ("ragctl serve", "serve until Ctrl-C; prints the address"),
    ("ragctl serve --port 0", "on any free port"),
)
DEFAULT_PORT = 8427
_PORT_MAX = 65535


def options(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        f"{parser.description}\n\n"
        "It listens on this machine only. `ragctl open` opens the page in your browser: only a\n"
        "browser that gets in this way sees anything."
    )
    parser.add_argument(
        "--port",
        metavar="N",
        type=at_least(0, int),
        default=DEFAULT_PORT,
        help=f"the port (default: {DEFAULT_PORT}; 0: any free one)",
    )


def run(args: argparse.Namespace) -> int:
    if args.port > _PORT_MAX:
        raise UsageError(f"A port is at most {_PORT_MAX}.", "See `ragctl serve --help`.")
    if sys.platform == "win32":
        raise Failure("`ragctl serve` does not work on Windows.")
    from ragctl.bridge.run_bridge import run_bridge

    call_daemon(args.home, "GET", "/v1/status", start=True)
    run_bridge(args.home, int(args.port), _report)
    return EXIT_OK


def _report(address: str) -> None:
    print(address, flush=True)
    print_notice("Open the page with `ragctl open`. Ctrl-C ends this.")
