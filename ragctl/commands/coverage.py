"""`ragctl coverage`: what the index has of each collection and folder, and what it lacks."""

import argparse
from urllib.parse import urlencode

from ragctl.arguments.vault_paths import WHOLE_VAULT, relative_to_vault
from ragctl.cli import add_json, at_least
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure
from ragctl.views.coverage import render_coverage
from ragctl.views.render import Ink, clean, emit_bytes
from ragd.errors import EXIT_OK, EXIT_USAGE

EXAMPLES = (
    ("ragctl coverage", "all collections, with their folders"),
    ("ragctl coverage Journal --depth 3", "a folder, with three levels of folders below it"),
    ("ragctl coverage @papers --notes", "a collection, with the notes that are directly in it"),
)
NOTES = 200


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "folder", nargs="?", metavar="FOLDER", help="a folder, or @NAME for a collection"
    )
    parser.add_argument(
        "--depth", type=at_least(0, int), metavar="N", help="levels of folders below it (1)"
    )
    parser.add_argument(
        "--notes",
        action="store_true",
        help=f"also list the notes that are directly in it, up to {NOTES}",
    )


def run(args: argparse.Namespace) -> int:
    folder = relative_to_vault(args.home, args.folder) if args.folder else ""
    folder = "@vault" if folder == WHOLE_VAULT else folder
    fields = {"folder": folder, "depth": args.depth, "notes": NOTES if args.notes else None}
    query = urlencode({name: value for name, value in fields.items() if value not in (None, "")})
    path = f"/v1/coverage?{query}" if query else "/v1/coverage"
    answer = call_daemon(args.home, "GET", path, start=True)
    if args.json:
        emit_bytes(answer.body)
    if answer.envelope.get("data") is None:
        return _report_refusal(answer.envelope.get("error") or {}, args)
    if not args.json:
        print(render_coverage(answer.data, Ink()))
    return EXIT_OK


def _report_refusal(error: dict[str, str], args: argparse.Namespace) -> int:
    if args.json:
        return EXIT_USAGE
    message, suggestion = error.get("message", ""), error.get("suggestion", "")
    if error.get("code") == "UNKNOWN_DIRECTORY":
        has_match = suggestion.startswith("Did you mean")
        suggestion = suggestion if has_match else "`ragctl coverage` shows all folders."
        message = f"{clean(args.folder)}: there is no such folder in the index."
    raise Failure(message, suggestion, EXIT_USAGE)
