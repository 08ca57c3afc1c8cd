"""`python -m bench`: all figures, one table."""

import argparse
from collections.abc import Callable, Iterator

from bench import (
    agent_notes,
    busy,
    cold,
    coverage,
    log,
    page,
    pipeline,
    roots,
    saves,
    search,
    steady,
)
from bench.table import Row, render

PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "log": log.rows,
    "cold": cold.rows,
    "pipeline": pipeline.rows,
    "saves": saves.rows,
    "roots": roots.rows,
    "agent-notes": agent_notes.rows,
    "steady": steady.rows,
    "coverage": coverage.rows,
    "search": search.rows,
    "busy": busy.rows,
    "page": page.rows,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="run one part only")
    only = parser.parse_args().only
    rows = [row for name, part in PARTS.items() if only in (None, name) for row in part()]
    print(render(rows))
    print("\nCompare the ratios: both sides took turns in this run, on the same machine.")


if __name__ == "__main__":
    main()
