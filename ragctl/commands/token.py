"""`ragctl token`: makes, lists and revokes tokens for clients over HTTP.

It shows the secret of a token once, when it is made, and writes it nowhere.
"""

import argparse
from typing import Any

from ragctl.arguments.durations import parse_duration
from ragctl.bridge.bridge_lock import find_bridge
from ragctl.cli import add_json, one_of, require_arguments
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure, UsageError
from ragctl.views.render import Ink, clean, emit_bytes, format_table, print_notice, print_text
from ragd.errors import EXIT_NOTHING_FOUND, EXIT_OK
from ragd.paths import Home
from ragd.protocol.limits import TOKEN_EXPIRES_MAX_S

EXAMPLES = (
    ("ragctl token create phone --read-only", "it may search and read; valid for 90 days"),
    ("ragctl token create work --collections papers,wiki --expires 30d", "only in these"),
    ("ragctl token create mine --sensitive", "sensitive passages are not always withheld"),
    ("ragctl token list", "every token: what it may do, and until when"),
    ("ragctl token revoke phone", "from now on it is not accepted"),
)
DEFAULT_EXPIRES = "90d"
NEVER = "never"
_ARGUMENTS = {"create": ("NAME",), "list": (), "revoke": ("NAME",)}
_TOKENS = "/v1/tokens"


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = f"{parser.description}\n\n" + "\n".join(
        (
            "  create NAME   make a token, and show it once",
            "  list          show the tokens, without their secrets",
            "  revoke NAME   refuse it from now on",
            "",
            "A token is for an MCP client that cannot start a program and uses HTTP instead",
            "(`ragctl serve`, docs/mcp.md). It stands for the agent `token-NAME`.",
        )
    )
    parser.add_argument("action", metavar="ACTION", type=one_of(*_ARGUMENTS))
    parser.add_argument("name", metavar="NAME", nargs="?")
    parser.add_argument(
        "--collections",
        metavar="A,B",
        help="with create: only these (default: all that access rules permit, but no private ones)",
    )
    parser.add_argument(
        "--read-only", action="store_true", help="with create: tools that change nothing"
    )
    parser.add_argument(
        "--sensitive",
        action="store_true",
        help="with create: do not always withhold sensitive passages",
    )
    parser.add_argument(
        "--expires",
        metavar="TIME",
        help=f"with create: for how long, such as 30d, or `{NEVER}` (default: {DEFAULT_EXPIRES})",
    )


def run(args: argparse.Namespace) -> int:
    require_arguments("token", args.action, _ARGUMENTS[args.action], [args.name] * bool(args.name))
    limits = (args.collections, args.read_only, args.sensitive, args.expires)
    if args.action != "create" and any(limits):
        raise UsageError(
            "These options are for `ragctl token create`: the limits of a token do not change.",
            "Revoke it, and create another one.",
        )
    match args.action:
        case "create":
            return _create(args)
        case "list":
            return _list(args.home, args.json)
        case _:
            return _revoke(args.home, args.name, args.json)


def _create(args: argparse.Namespace) -> int:
    body = {
        "name": args.name,
        "collections": _collections(args.collections),
        "read_only": args.read_only,
        "sensitive": args.sensitive,
        "expires_s": _expires(args.expires or DEFAULT_EXPIRES),
    }
    answer = call_daemon(args.home, "POST", _TOKENS, body, start=True)
    made = answer.data
    if args.json:
        emit_bytes(answer.body)
        return EXIT_OK
    print_text(made["secret"])
    print_notice(f"This token is shown only now. It may {_rights(made['token'])}.")
    bridge = find_bridge(args.home)
    where = bridge["mcp_address"] if bridge else "the address of MCP that `ragctl serve` prints"
    print_notice(f"The client needs {where} and the header `Authorization: Bearer TOKEN`.")
    return EXIT_OK


def _collections(typed: str | None) -> list[str]:
    if typed is None:
        return []
    names = [name.strip() for name in typed.split(",") if name.strip()]
    if not names:
        raise UsageError("--collections names no collection.", "Write them like papers,vault.")
    return names


def _expires(typed: str) -> int | None:
    if typed.strip().lower() == NEVER:
        return None
    seconds = parse_duration(typed)
    if seconds > TOKEN_EXPIRES_MAX_S:
        raise UsageError("A token is valid for at most ten years.", f"Or write `{NEVER}`.")
    return seconds


def _list(home: Home, as_json: bool) -> int:
    answer = call_daemon(home, "GET", _TOKENS, start=True)
    tokens = answer.data["tokens"]
    if as_json:
        emit_bytes(answer.body)
    elif not tokens:
        print("There are no tokens.")
    else:
        rows = [(clean(one["name"]), f"{_until(one)}; may {_rights(one)}") for one in tokens]
        print(format_table(rows, Ink()))
    return EXIT_OK


def _revoke(home: Home, name: str, as_json: bool) -> int:
    from urllib.parse import quote

    answer = call_daemon(home, "DELETE", f"{_TOKENS}/{quote(name, safe='')}", start=True)
    if not answer.data["revoked"]:
        raise Failure(
            f"There is no token `{clean(name)}`.", "Run `ragctl token list`.", EXIT_NOTHING_FOUND
        )
    if as_json:
        emit_bytes(answer.body)
    else:
        print_text(f"The token `{clean(name)}` is not accepted any more.")
    return EXIT_OK


def _until(token: dict[str, Any]) -> str:
    if token["expired"]:
        return "expired"
    return f"until {token['expires'][:10]}" if token["expires"] else "does not expire"


def _rights(token: dict[str, Any]) -> str:
    verbs = "search and read" if token["read_only"] else "search, read and remember"
    named = token["collections"]
    where = "in " + clean(", ".join(named)) if named else "wherever an agent may"
    sensitive = "as your settings say" if token["sensitive"] else "only after `ragctl approve`"
    return f"{verbs} {where}; sensitive passages {sensitive}"
