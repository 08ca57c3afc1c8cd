"""`python -m bench`: all figures, one table."""

import argparse
from collections.abc import Callable, Iterator

from bench import cold, log, pipeline, saves, search
from bench.table import Row, show

ROOMS: dict[str, Callable[[], Iterator[Row]]] = {
    "log": log.rows,
    "cold": cold.rows,
    "pipeline": pipeline.rows,
    "saves": saves.rows,
    "search": search.rows,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", choices=ROOMS, help="one room")
    only = parser.parse_args().only
    rows = [row for name, room in ROOMS.items() if only in (None, name) for row in room()]
    print(show(rows))
    print("\nRatios count: both sides ran by turns in this run, on this machine, as it was.")


if __name__ == "__main__":
    main()
