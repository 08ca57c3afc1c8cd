"""Asks ragd, QMD and bare LanceDB the same questions in turns, and compares what it takes."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from bench.peers import ragd_side
from bench.peers.bare_lancedb import BareLanceDb
from bench.peers.qmd import Qmd, QmdClient
from bench.peers.vault import Questions
from bench.search import TOOL, Client, SearchDaemon
from bench.table import Row, ms, ratio

WARM_UP = 10
CLIENTS = 10
EACH = 20  # questions of each client
MANY = 500

Ask = Callable[[str], float]


def times(
    questions: Sequence[str], daemon: SearchDaemon, qmd: Qmd, bare: BareLanceDb, label: str
) -> Iterator[Row]:
    """One client: each question goes to each program, one after another."""
    ours, keywords = Client(daemon.home), QmdClient(qmd)
    for question in questions[:WARM_UP]:  # the first starts the model, and may take too long
        ours.post(TOOL, {"query": question})
    taken: list[tuple[float, float, float]] = []
    for question in questions:
        taken.append((ours.search(question), keywords.search(question), bare.search(question)))
    ragd, other, alone = map(list, zip(*taken[WARM_UP:], strict=True))
    found = f"QMD found {keywords.found / len(questions):.0%}"
    for name, beside in ((f"QMD keywords ({found})", other), ("bare LanceDB", alone)):
        what = f"{label}, beside {name}"
        yield Row(f"{what}: p50", ms(median(ragd)), ms(median(beside)), ratio(ragd, beside))
        high, low = _p95(ragd), _p95(beside)
        yield Row(f"{what}: p95", ms(high), ms(low), high / low, "below 1")


def throughput(
    questions: Sequence[str], daemon: SearchDaemon, qmd: Qmd, label: str
) -> Iterator[Row]:
    """Ten clients at once, each with one question after another; both programs in turns."""
    rates: dict[str, list[float]] = {"ragd": [], "qmd": []}
    for turn in range(3):
        some = questions[turn * CLIENTS * EACH :] or questions
        rates["ragd"].append(_rate([Client(daemon.home).search for _ in range(CLIENTS)], some))
        rates["qmd"].append(_rate([QmdClient(qmd).search for _ in range(CLIENTS)], some))
    ours, other = median(rates["ragd"]), median(rates["qmd"])
    named = f"{label}, {CLIENTS} clients at once"
    yield Row(named, f"{ours:.0f}/s", f"{other:.0f}/s", ours / other, "at least 1")


def memory_and_disk(
    questions: Sequence[str], daemon: SearchDaemon, qmd: Qmd, vault: Path, label: str
) -> Iterator[Row]:
    """After many questions: the daemons' memory, and what each has on the disk."""
    ours, other = Client(daemon.home), QmdClient(qmd)
    for number in range(MANY):
        ours.search(questions[number % len(questions)])
        other.search(questions[number % len(questions)])
    held, beside = daemon.rss_mb, ragd_side.process_tree_mb(qmd.pid)
    yield Row(f"{label}, memory", f"{held:.0f} MB", f"{beside:.0f} MB", held / beside)
    notes, home = ragd_side.size_mb(vault), Path(daemon.home.root)
    index, cache = ragd_side.size_mb(Path(daemon.home.vectors)), ragd_side.size_mb(home)
    theirs = qmd.size_bytes / (1 << 20)
    yield Row(
        f"{label}, disk: index (all) for {notes:.0f} MB of notes",
        f"{index:.0f} MB ({cache:.0f})",
        f"{theirs:.0f} MB, without vectors",
        index / notes,
    )


def ask_all(
    questions: Questions,
    daemon: SearchDaemon,
    qmd: Qmd,
    bare: BareLanceDb,
    count: int,
    label: str,
) -> Iterator[Row]:
    """All figures of one vault."""
    yield from times(questions.topical[:count], daemon, qmd, bare, f"{label}, topic words")
    yield from times(questions.rare[:count], daemon, qmd, bare, f"{label}, rare words")
    yield from throughput(questions.topical[count:], daemon, qmd, f"{label}, topic words")
    yield from throughput(questions.rare[count:], daemon, qmd, f"{label}, rare words")


def describe_load() -> str:
    """The load of the machine, as a sentence."""
    return f"Load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."


def _rate(asks: Sequence[Ask], questions: Sequence[str]) -> float:
    """Searches per second of all clients together."""

    def run(number: int) -> None:
        for turn in range(EACH):
            asks[number](questions[(number * EACH + turn) % len(questions)])

    began = perf_counter()
    with ThreadPoolExecutor(len(asks)) as pool:
        list(pool.map(run, range(len(asks))))
    return len(asks) * EACH / (perf_counter() - began)


def _p95(taken: Sequence[float]) -> float:
    return quantiles(taken, n=20)[-1]
