"""What must not grow with the vault: a save, a sync, an idle minute and a start, at 700, 10,000 and
100,000 notes.

Three real daemons take turns, so that load on the machine affects all of them. The notes are small
and made up. Vectors are not made: their cost does not depend on the size of the vault.
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import measured_daemon
from bench.measured_daemon import MeasuredDaemon
from bench.roots import NO_VECTORS, TOOL
from bench.search import Client
from bench.store import NoteMaker
from bench.table import Row, ms, ratio
from ragctl.failure import Failure

SIZES = (700, 10_000, 100_000)
WORDS = 40
SAVES = 15
SYNCS = 9
STARTS = 3
IDLE_S = 120.0
SETTLED_S = 60.0  # for the compaction that follows an index
READY_WITHIN_S = 120.0


def rows() -> Iterator[Row]:
    """All figures of this part."""
    measured_daemon.WITHIN_S = READY_WITHIN_S
    with TemporaryDirectory(prefix="ragd-bench-") as folder:
        daemons = {size: _prepared(Path(folder) / str(size), size) for size in SIZES}
        for daemon in daemons.values():
            with daemon.running():
                _run_job(daemon, "full")
                time.sleep(SETTLED_S)
        yield Row("load average of the machine", f"{os.getloadavg()[0]:.1f}", "")
        yield from _measure_starts(daemons)
        with daemons[SIZES[0]].running(), daemons[SIZES[1]].running(), daemons[SIZES[2]].running():
            time.sleep(SETTLED_S)
            yield from _measure_syncs(daemons)
            yield from _measure_saves(daemons)
            time.sleep(SETTLED_S)
            yield from _measure_idle(daemons)
        yield Row("load average of the machine", f"{os.getloadavg()[0]:.1f}", "")


def _prepared(place: Path, size: int) -> MeasuredDaemon:
    daemon = MeasuredDaemon(place, embedding=NO_VECTORS)
    maker = NoteMaker(1)
    for number in range(size):
        path = daemon.vault / f"Folder {number % 100}" / f"Note {number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f"# Note {number}\n\n{maker.words(WORDS)}\n\n## More\n\n{maker.words(WORDS)}\n"
        )
    return daemon


# Starts


def _measure_starts(daemons: dict[int, MeasuredDaemon]) -> Iterator[Row]:
    took = _in_turn(STARTS, daemons, _start)
    for size in SIZES:
        goal = "at most 1.5 s" if size == SIZES[-1] else ""
        yield _row(f"start to the first answer, {size:,} notes", took, size, goal)


def _start(daemon: MeasuredDaemon) -> float:
    """Seconds from the command until a search has found something."""
    began = time.perf_counter()
    with daemon.running(settled=False):
        while time.perf_counter() - began < READY_WITHIN_S:
            try:
                if _search(Client(daemon.home), "note"):
                    return time.perf_counter() - began
            except (OSError, Failure):
                pass
            time.sleep(0.005)
    raise RuntimeError("the daemon did not answer")


# Syncs


def _measure_syncs(daemons: dict[int, MeasuredDaemon]) -> Iterator[Row]:
    took = _in_turn(SYNCS, daemons, lambda daemon: _run_job(daemon, "sync"))
    walks = _in_turn(SYNCS, daemons, lambda daemon: _walk(daemon.vault))
    for size in SIZES:
        median = statistics.median(took[size])
        beside = f"{ms(statistics.median(walks[size]))} a walk with scandir and stat"
        share = ratio(took[size], walks[size])
        yield Row(f"sync, none changed, {size:,} notes", ms(median), beside, share, "at most 1.5")


def _walk(root: Path) -> float:
    """Seconds to list all files with their sizes and times."""
    began = time.perf_counter()
    pending = [str(root)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
    return time.perf_counter() - began


def _run_job(daemon: MeasuredDaemon, mode: str) -> float:
    """How long a job takes, from its request to the record that ends it."""
    after = daemon.status()["log"]["seq"]
    job = daemon.request_job(mode)
    finished = daemon.wait_for_job(job, after)
    asked = next(daemon.follow(after, "job_requested"))
    return measured_daemon.moment(finished) - measured_daemon.moment(asked)


# Saves


def _measure_saves(daemons: dict[int, MeasuredDaemon]) -> Iterator[Row]:
    took = _in_turn(SAVES, daemons, _save)
    for size in SIZES:
        goal = "at most 1.5, 150 ms" if size == SIZES[-1] else ""
        yield _row(f"a saved note is found, {size:,} notes", took, size, goal)


def _save(daemon: MeasuredDaemon) -> float:
    """Seconds from a save until a search finds its new word; the daemon waits for nothing."""
    after = daemon.status()["log"]["seq"]
    client = Client(daemon.home)
    began = time.perf_counter()
    word = f"saved{time.time_ns()}"
    (daemon.vault / "Folder 0" / "saved.md").write_text(f"# Saved\n\nThe word is {word}.\n")
    for record in daemon.follow(after, "batch_stored"):
        files: list[dict[str, Any]] = record["event"]["files"]
        if any(file["path"].endswith("saved.md") for file in files) and _search(client, word):
            return time.perf_counter() - began
    raise RuntimeError("the daemon has ended")


def _search(client: Client, question: str) -> list[Any]:
    answer = client.post(TOOL, {"query": question, "max_results": 5})
    return list((answer["data"] or {}).get("results", ()))


# Idle


def _measure_idle(daemons: dict[int, MeasuredDaemon]) -> Iterator[Row]:
    before = {size: daemon.cpu_s() for size, daemon in daemons.items()}
    time.sleep(IDLE_S)
    for size, daemon in daemons.items():
        share = (daemon.cpu_s() - before[size]) / IDLE_S
        yield Row(f"idle CPU, {size:,} notes", f"{share:.3%}", "", None, "under 0.1 %")


def _in_turn(
    rounds: int, daemons: dict[int, MeasuredDaemon], measure: Callable[[MeasuredDaemon], float]
) -> dict[int, list[float]]:
    took: dict[int, list[float]] = {size: [] for size in daemons}
    for number in range(rounds + 1):
        for size, daemon in daemons.items():
            seconds = measure(daemon)
            if number:  # the first round warms up
                took[size].append(seconds)
    return took


def _row(what: str, took: dict[int, list[float]], size: int, goal: str) -> Row:
    median, smallest = statistics.median(took[size]), took[SIZES[0]]
    beside = f"{ms(statistics.median(smallest))} with {SIZES[0]:,} notes"
    return Row(what, ms(median), beside, ratio(took[size], smallest), goal)
