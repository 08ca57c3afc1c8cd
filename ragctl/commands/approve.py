"""`ragctl approve`: lists sensitive passages that agents wait for, and releases or refuses them.

It never shows the passages themselves: `ragctl show` does.
"""

import argparse
import sys
from typing import Any
from urllib.parse import quote

from ragctl.cli import add_json
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure, UsageError
from ragctl.views.approvals import render_approval, render_approvals, who_asks
from ragctl.views.render import Ink, counted, emit_bytes, print_notice, print_text
from ragd.errors import EXIT_NOTHING_FOUND, EXIT_OK
from ragd.paths import Home

EXAMPLES = (
    ("ragctl approve", "list what waits: who asks, what for, how many passages of which kinds"),
    ("ragctl approve k7m2qd", "show where the passages are, ask, and release them once"),
    ("ragctl approve k7m2qd --yes", "release without asking, for scripts"),
    ("ragctl approve --refuse k7m2qd", "refuse; the agent is told"),
)
_LIST = "/v1/approvals"


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = (
        f"{parser.description}\n\n"
        'With `security.sensitive: "block"`, an agent gets sensitive passages only after you\n'
        "agree. A request waits for five minutes. What you release, the agent can fetch\n"
        "once, with the same question, within five minutes."
    )
    parser.add_argument("id", metavar="ID", nargs="?", help="the request, as the list names it")
    parser.add_argument("--refuse", action="store_true", help="do not show the passages")
    parser.add_argument("--yes", action="store_true", help="release without asking, for scripts")


def run(args: argparse.Namespace) -> int:
    if args.id is None:
        if args.refuse or args.yes:
            raise UsageError("An ID is missing.", "Run `ragctl approve` to see what waits.")
        return _list(args.home, args.json)
    if args.refuse and args.yes:
        raise UsageError("Give --refuse or --yes, not both.", "See `ragctl approve --help`.")
    if not args.refuse and not args.yes:
        _ask(_find(args.home, args.id), args.json)
    return _decide(args.home, args.id, release=not args.refuse, as_json=args.json)


def _list(home: Home, as_json: bool) -> int:
    answer = call_daemon(home, "GET", _LIST, start=True)
    waiting = answer.data["approvals"]
    if as_json:
        emit_bytes(answer.body)
    else:
        print(render_approvals(waiting, Ink()))
    return EXIT_OK


def _find(home: Home, approval_id: str) -> dict[str, Any]:
    answer = call_daemon(home, "GET", _LIST, start=True, skip_version_notice=True)
    found: list[dict[str, Any]] = answer.data["approvals"]
    for one in found:
        if one["id"] == approval_id:
            return one
    raise Failure(
        f"No request `{approval_id}` waits for approval.",
        "Run `ragctl approve` to see what waits; after five minutes the assistant must ask again.",
        EXIT_NOTHING_FOUND,
        code="APPROVAL_NOT_FOUND",
    )


def _ask(waiting: dict[str, Any], as_json: bool) -> None:
    """Show what would be released, and ask. Raises Failure unless the user says yes."""
    if as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "This shows sensitive passages to an agent.",
            f"Type `ragctl approve {waiting['id']}` in a terminal; `--yes` releases without "
            "asking.",
        )
    print(render_approval(waiting, Ink(sys.stderr)), file=sys.stderr)
    what = counted(waiting["withheld"], "passage")
    print(f"Show {what} to {who_asks(waiting)}? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Failure(
            "Nothing was released.", f"To refuse it, run `ragctl approve --refuse {waiting['id']}`."
        )


def _decide(home: Home, approval_id: str, *, release: bool, as_json: bool) -> int:
    target = f"{_LIST}/{quote(approval_id, safe='').replace('.', '%2E')}"
    answer = call_daemon(home, "POST", target, {"release": release}, start=True)
    try:
        approval = answer.data["approval"]
    except Failure as refused:
        if refused.code == "APPROVAL_NOT_FOUND":
            refused.exit_code = EXIT_NOTHING_FOUND
        raise
    if as_json:
        emit_bytes(answer.body)
        return EXIT_OK
    what = counted(approval["withheld"], "passage")
    if not release:
        print_text(f"Refused: {what} for {who_asks(approval)}.")
        return EXIT_OK
    print_text(f"Released: {what} for {who_asks(approval)}, once, within five minutes.")
    print_notice("Tell the assistant to go on: it repeats the same call.")
    return EXIT_OK
