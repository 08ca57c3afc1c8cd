"""How well questions find their notes, with a real daemon and with plain BM25.

    python -m bench.quality [--data DIR] [--keep DIR] [--only SET …] [--write docs/retrieval.md]

Each collection becomes a vault; a daemon indexes it and answers every question several times: by
words only, by meaning only, and by both. Notes count, not passages: a note has the rank of its
best passage. `--keep` keeps vaults, indexes and figures, so that the next run embeds nothing again
and, with `--only`, shows the previous figures of the others; `--write` puts the tables in the page.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import msgspec

from bench import floor
from bench.bm25 import Bm25
from bench.collections import SETS, Collection, Question, load
from bench.daemon import DATA, Daemon
from bench.judging import TOP, Figures, judged

WAYS = {
    "full text": {"fusion": "weighted", "vector_weight": 0, "text_weight": 1},
    "vectors": {"fusion": "weighted", "vector_weight": 1, "text_weight": 0},
    "hybrid": {},
}
BEGIN, END = "<!-- bench.quality begins -->", "<!-- bench.quality ends -->"

Ask = Callable[[Question], Sequence[str]]


def figures(collection: Collection, ask: Ask) -> Figures:
    each = [judged(ask(question), question.answers) for question in collection.questions]
    return Figures(*(fmean(column) for column in zip(*each, strict=True)))


class Measured(NamedTuple):
    """The results of one collection: the figures of each way, and the effect of the floor."""

    figures: dict[str, Figures]
    floor: floor.Effect


def measure(collection: Collection, place: Path) -> Measured:
    """Measure every way of searching this collection, and the effect of the floor."""
    plain = Bm25(collection.documents)
    found = {
        "plain BM25": figures(
            collection, lambda q: plain.search(q.text, TOP, f"{q.folder}/" if q.folder else "")
        )
    }
    daemon = Daemon(place)
    daemon.index(collection.documents)
    try:
        for name, way in WAYS.items():
            daemon.search_by(way)
            found[name] = figures(collection, daemon.ask)
            print(f"{collection.name}: {name} {found[name].ndcg:.4f}", file=sys.stderr, flush=True)
    finally:
        daemon.stop()
    return Measured(found, floor.effect(collection, Path(daemon.home.vectors)))


def tables(measured: dict[str, Measured]) -> Iterable[str]:
    """All results as tables for the page."""
    ways = ["plain BM25", *WAYS]
    for title, field in (("nDCG@10", "ndcg"), ("recall@10", "recall"), ("MRR", "mrr")):
        yield _line([title, *ways])
        yield "|---" * (1 + len(ways)) + "|"
        for name, found in measured.items():
            values = {way: getattr(found.figures[way], field) for way in ways}
            best = max(values.values())
            yield _line([name, *(_shown(values[way], best) for way in ways)])
        yield ""
    yield from floor.table({name: found.floor for name, found in measured.items()})


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _shown(value: float, best: float) -> str:
    shown = f"{value:.3f}".removeprefix("0")
    return f"**{shown}**" if value >= best - 0.0005 else shown


def write_into(page: Path, text: str) -> None:
    """Put the tables between their marks."""
    old = page.read_text("utf-8")
    between = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.S)
    assert between.search(old), f"{page} has no marks for the tables"
    page.write_text(between.sub(lambda _: f"{BEGIN}\n{text}\n{END}", old), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    found: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory(prefix="ragq") as scratch:
        for name in SETS:
            place = (given.keep or Path(scratch)) / name
            kept = place / "figures.json"
            if name in given.only:
                found[name] = measure(load(given.data, name), place)
                kept.write_bytes(msgspec.json.encode(found[name]))
            elif kept.exists():
                found[name] = msgspec.json.decode(kept.read_bytes(), type=Measured)
    text = "\n".join(tables(found))
    print(text)
    if given.write:
        write_into(given.write, text)


if __name__ == "__main__":
    main()
