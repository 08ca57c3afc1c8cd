"""The page in a real browser, compared with the API's own time for the same request.

A vault of 10,000 made-up notes, without vectors. From the key that completes a question to its
results on the screen; and the first paint, next to that of a small vault. It needs Node and what
`make test-page` installs.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from bench.table import Row, ms, ratio

FOLDER = Path(__file__).parents[1] / "tests" / "page"
GOAL = "at most 1.3"


def rows() -> Iterator[Row]:
    """All figures of this part."""
    node = shutil.which("node")
    if node is None or not (FOLDER / "node_modules").is_dir():
        yield Row("the page: not measured", "", "run `make test-page` first")
        return
    done = subprocess.run(
        [node, "measure.mjs"],
        cwd=FOLDER,
        env={**os.environ, "PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        check=True,
    )
    yield from figures(json.loads(done.stdout))


def figures(measured: dict[str, Any]) -> Iterator[Row]:
    """The rows of one run. Times are in milliseconds."""
    notes, few = f"{measured['notes']:,} notes", f"{measured['few']:,} notes"
    search, first = measured["search"], measured["first"]
    yield Row(
        f"the page, {notes}: search as you type",
        _shown(search["page"]),
        f"{_shown(search['api'])} the API",
        ratio(search["page"], search["api"]),
        GOAL,
    )
    yield Row(
        f"the page, {notes}: first paint",
        _shown(first["many"]),
        f"{_shown(first['few'])} {few}",
        ratio(first["many"], first["few"]),
        GOAL,
    )


def _shown(milliseconds: list[float]) -> str:
    return ms(median(milliseconds) / 1000)
