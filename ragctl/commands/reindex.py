"""`ragctl reindex`: a new index beside the old one, which serves until the new one is whole."""

import argparse

from ragctl import index_job

EXAMPLES = (
    ("ragctl reindex", "after another embedding model was set, or the index was damaged"),
    ("ragctl reindex --no-wait", "ask for it and come back at once"),
)


def options(parser: argparse.ArgumentParser) -> None:
    index_job.options(parser)


def run(args: argparse.Namespace) -> int:
    return index_job.run(args.home, "reindex", args)
