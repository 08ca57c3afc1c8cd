"""`ragctl reindex`: builds a new index while the old one serves, then switches to it."""

import argparse

from ragctl import index_job

EXAMPLES = (
    ("ragctl reindex", "after a change of the embedding model, or damage to the index"),
    ("ragctl reindex --no-wait", "start the job and return at once"),
)


def options(parser: argparse.ArgumentParser) -> None:
    index_job.options(parser)


def run(args: argparse.Namespace) -> int:
    return index_job.run(args.home, "reindex", args)
