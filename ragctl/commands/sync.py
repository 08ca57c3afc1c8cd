"""`ragctl sync`: bring the index up to date with what changed; next to nothing if nothing did."""

import argparse

from ragctl import index_job

EXAMPLES = (
    ("ragctl sync", "index what changed since the last time"),
    ("ragctl sync --accept-deletions", "really remove very many notes that vanished at once"),
)


def options(parser: argparse.ArgumentParser) -> None:
    index_job.options(parser)
    parser.add_argument(
        "--accept-deletions",
        action="store_true",
        help="remove notes from the index though very many vanished at once",
    )


def run(args: argparse.Namespace) -> int:
    more = {"accept_deletions": True} if args.accept_deletions else {}
    return index_job.run(args.home, "sync", args, **more)
