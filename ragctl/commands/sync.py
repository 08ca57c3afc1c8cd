"""`ragctl sync`: indexes what changed; almost no work if nothing did."""

import argparse

from ragctl import index_job

EXAMPLES = (
    ("ragctl sync", "index new and changed notes, and remove deleted ones"),
    ("ragctl sync --accept-deletions", "also after very many notes were deleted at once"),
)


def options(parser: argparse.ArgumentParser) -> None:
    index_job.options(parser)
    parser.add_argument(
        "--accept-deletions",
        action="store_true",
        help="remove notes from the index even if very many disappeared at once",
    )


def run(args: argparse.Namespace) -> int:
    more = {"accept_deletions": True} if args.accept_deletions else {}
    return index_job.run(args.home, "sync", args, **more)
