"""`ragctl serve`: serves the page, and MCP over HTTP, to programs on this machine.

Another address must be asked for, and then other machines reach MCP alone, with a token.
"""

import argparse
import ipaddress
import sys

from ragctl.bridge.bridge_lock import find_bridge, stop_bridge
from ragctl.cli import add_json, at_least
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure, UsageError
from ragctl.views.render import emit_json, print_notice
from ragd.errors import EXIT_NOT_RUNNING, EXIT_OK
from ragd.paths import Home

EXAMPLES = (
    ("ragctl serve", "serve until Ctrl-C; prints the addresses of the page and of MCP"),
    ("ragctl serve --port 0", "on any free port"),
    ("ragctl serve --listen 192.168.1.20", "also MCP, with a token, for other machines"),
    ("ragctl serve --status", "whether it runs, and where (exit 3 if it does not)"),
    ("ragctl serve --stop", "end it; it may have been started by `ragctl open`"),
)
_PORT_MAX = 65535
_WARNING = (
    "Machines that reach {} can now use MCP with a token; the page stays on this machine. "
    "Nothing is encrypted on the way: whoever can read the traffic has the token and the "
    "passages. Use this only in a network that you trust, or behind a program that adds TLS."
)


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = (
        f"{parser.description}\n\n"
        "It listens on this machine only. `ragctl open` opens the page in your browser: only a\n"
        "browser that gets in this way sees anything. MCP clients need a token\n"
        "(`ragctl token create`)."
    )
    parser.add_argument(
        "--port",
        metavar="N",
        type=at_least(0, int),
        help="the port; 0: any free one (default: 8427, or a free one if it is in use)",
    )
    parser.add_argument(
        "--listen",
        metavar="ADDR",
        help="also answer MCP clients of other machines, under this address; needs a token",
    )
    parser.add_argument("--status", action="store_true", help="show whether it runs, and where")
    parser.add_argument("--stop", action="store_true", help="end the one that runs")


def run(args: argparse.Namespace) -> int:
    if args.port is not None and args.port > _PORT_MAX:
        raise UsageError(f"A port is at most {_PORT_MAX}.", "See `ragctl serve --help`.")
    if sys.platform == "win32":
        raise Failure("`ragctl serve` does not work on Windows.")
    if args.status or args.stop:
        if args.port is not None or args.listen is not None or (args.status and args.stop):
            raise UsageError("--status and --stop stand alone.", "See `ragctl serve --help`.")
        return _stop(args.home, args.json) if args.stop else _status(args.home, args.json)
    if args.json:
        raise UsageError("--json is for --status and --stop.", "See `ragctl serve --help`.")
    listen = _address(args.listen) if args.listen is not None else None
    call_daemon(args.home, "GET", "/v1/status", start=True)
    if listen is not None:
        _require_token(args.home)
    from ragctl.bridge.run_bridge import run_bridge

    run_bridge(args.home, None if args.port is None else int(args.port), listen, _report)
    return EXIT_OK


def _report(page: str, mcp: list[str]) -> None:
    for address in (page, *mcp):
        print(address, flush=True)
    for address in mcp[1:]:
        print_notice(_WARNING.format(address))
    print_notice("Open the page with `ragctl open`. Ctrl-C ends this.")


def _address(typed: str) -> str:
    """One address of this machine, as `Host` will name it. Not a name, and not all addresses: then
    nobody could say which hosts are ours."""
    try:
        found = ipaddress.ip_address(typed)
    except ValueError:
        raise UsageError(
            f"{typed!r} is not an address.", "Give one such as 192.168.1.20; not a name."
        ) from None
    if found.is_unspecified or found.is_multicast:
        raise UsageError(
            f"{typed} does not name one address of this machine.",
            "Give the one under which clients reach it, such as 192.168.1.20.",
        )
    if found.is_loopback:
        raise UsageError("It listens on this machine anyway.", "Leave --listen out.")
    return str(found)


def _require_token(home: Home) -> None:
    answer = call_daemon(home, "GET", "/v1/tokens", start=False, skip_version_notice=True)
    tokens = answer.data["tokens"]
    if all(one["expired"] for one in tokens):
        raise Failure(
            "--listen lets other machines in, and each of their requests needs a token; there is "
            "none.",
            "Make one first: `ragctl token create NAME --read-only`.",
        )


def _status(home: Home, as_json: bool) -> int:
    bridge = find_bridge(home)
    if as_json:
        found = bridge or {}
        state = {"running": bridge is not None, "address": found.get("address")}
        emit_json({**state, "mcp_address": found.get("mcp_address"), "pid": found.get("pid")})
    elif bridge:
        print(f"It runs. The page: {bridge['address']}, MCP: {bridge['mcp_address']}")
    else:
        print("It does not run.")
    return EXIT_OK if bridge else EXIT_NOT_RUNNING


def _stop(home: Home, as_json: bool) -> int:
    was_running = stop_bridge(home)
    if as_json:
        emit_json({"was_running": was_running})
    else:
        print("It has ended." if was_running else "It did not run.")
    return EXIT_OK
