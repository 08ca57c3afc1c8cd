"""`ragctl sync`: indexes what changed; almost no work if nothing did."""

import argparse
from typing import Any

from ragctl import index_job

EXAMPLES = (
    ("ragctl sync", "index new and changed notes, and remove deleted ones"),
    ("ragctl sync --accept-deletions", "also after very many notes were deleted at once"),
    ("ragctl sync --accept-deletions papers", "only those of one collection"),
)


def options(parser: argparse.ArgumentParser) -> None:
    index_job.options(parser)
    parser.add_argument(
        "--accept-deletions",
        nargs="*",
        metavar="COLLECTION",
        help="remove notes from the index even if very many disappeared at once; in these "
        "collections, or in all (`vault` is the vault)",
    )


def run(args: argparse.Namespace) -> int:
    more: dict[str, Any] = {}
    if args.accept_deletions is not None:
        more["accept_deletions"] = True
    if names := [name.removeprefix("@") for name in args.accept_deletions or ()]:
        more["accept_in"] = names
    return index_job.run(args.home, "sync", args, **more)
