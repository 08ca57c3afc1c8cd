"""`ragctl index`: read the whole vault into the index. On a new machine it sets up first."""

import argparse

from ragctl import indexing

EXAMPLES = (
    ("ragctl index", "read every note again and bring the index up to date"),
    ("ragctl index --no-wait", "ask for it and come back at once"),
)


def options(parser: argparse.ArgumentParser) -> None:
    indexing.options(parser)


def run(args: argparse.Namespace) -> int:
    return indexing.run(args.home, "full", args)
