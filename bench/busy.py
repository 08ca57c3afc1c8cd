"""Searches while the daemon works: text is first indexed, vectors are made, the worker starts.

    python -m bench.busy [--notes 10000] [--vectors 200]

The same questions are asked while the daemon works and when it is idle, in one run. "By words only"
is a search without the question's vector; "refused" is one without an answer.
"""

import argparse
import itertools
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bench import estimates, pipeline
from bench.measured_daemon import MeasuredDaemon, moment
from bench.search import TOOL, Client
from bench.table import Row, ms, per_second

NOTES, VECTOR_NOTES = 10_000, 200
ROUNDS = 100
PAUSE_S = 0.05  # between two questions
TEXT_STORED = ("vectors", "finished")
STARTS = 5
LONG_PAUSE_S = 120.0
WORDS = ("backup", "python", "terminal", "project", "water", "history", "memory", "network", "list")


class Asked(NamedTuple):
    """One question: how long its answer took, and how it was answered."""

    took_s: float
    retrieval: str  # "hybrid" or "full_text"; empty: refused
    found: int


def rows(notes: int = NOTES, vector_notes: int = VECTOR_NOTES) -> Iterator[Row]:
    """All figures of this part."""
    if not pipeline.SOURCES.is_dir():
        yield Row("searches while the daemon works", "skipped: the shared vaults are missing", "")
        return
    with TemporaryDirectory(prefix="ragd-bench-") as folder:
        made = pipeline.make_notes(NOTES)[:notes]
        yield from _text_rows(Path(folder) / "text", made)
        yield from _vector_rows(Path(folder) / "vectors", made[:vector_notes])
        yield from _first_question_rows(Path(folder) / "first", made[:50])
        yield from estimates.rows(Path(folder) / "estimate", made[: 2 * vector_notes])


def ask(client: Client, question: str) -> Asked:
    began = time.perf_counter()
    envelope = client.post(TOOL, {"query": question, "max_results": 5})
    took = time.perf_counter() - began
    data = envelope["data"]
    if not data:
        return Asked(took, "", 0)
    return Asked(took, envelope["meta"]["retrieval"], len(data["results"]))


def questions() -> Iterator[str]:
    """Different ones, without an end: no answer comes from a cache."""
    for number in itertools.count():
        first, second = WORDS[number % len(WORDS)], WORDS[number // len(WORDS) % len(WORDS)]
        yield f"what about the {first} and the {second} number {number}"


def ask_while(client: Client, goes_on: Callable[[], bool], most: int = 10_000) -> list[Asked]:
    asked: list[Asked] = []
    for question in itertools.islice(questions(), most):
        if not goes_on():
            break
        asked.append(ask(client, question))
        time.sleep(PAUSE_S)
    return asked


def p95(asked: Sequence[Asked]) -> float:
    return quantiles([one.took_s for one in asked], n=20)[-1]


def _times(asked: Sequence[Asked]) -> str:
    return f"{ms(median(one.took_s for one in asked))} / {ms(p95(asked))}"


def _compared(what: str, busy: Sequence[Asked], idle: Sequence[Asked], goal: str) -> Row:
    ratio = p95(busy) / p95(idle)
    return Row(f"{what}, p50 / p95", _times(busy), f"{_times(idle)} idle", ratio, goal)


# Text


def _text_rows(folder: Path, notes: Sequence[tuple[str, str]]) -> Iterator[Row]:
    daemon = MeasuredDaemon(folder, embedding=pipeline.NO_VECTORS)
    pipeline.write_notes(daemon.vault, notes)
    with daemon.running():
        client = Client(daemon.home)
        after, cpu = daemon.status()["log"]["seq"], daemon.cpu_s()
        began = time.perf_counter()
        job = daemon.request_job("full")
        found_at = 0.0
        while not found_at:
            if ask(client, " ".join(WORDS)).found:
                found_at = time.perf_counter() - began
            time.sleep(PAUSE_S)
        busy = ask_while(client, lambda: daemon.job(job)["phase"] not in TEXT_STORED)
        finished = daemon.wait_for_job(job, after)
        requested = next(daemon.follow(after, "job_requested"))
        cpu = daemon.cpu_s() - cpu
        idle = ask_while(Client(daemon.home), lambda: True, ROUNDS)
        peak = daemon.peak_mb()
    took = moment(finished) - moment(requested)
    what = f"text of {len(notes):,} notes, with questions"
    yield Row(what, f"{took:.1f} s", f"{cpu:.1f} s CPU of the daemon, {peak:.0f} MB", None)
    yield Row("  first notes are found", ms(found_at), "", None, "1 s")
    yield _compared("  search meanwhile", busy, idle, "at most 4")
    refused = sum(not one.retrieval for one in busy)
    yield Row("  refused, of those", f"{refused} of {len(busy)}", "", None, "none")


# Vectors


def _vector_rows(folder: Path, notes: Sequence[tuple[str, str]]) -> Iterator[Row]:
    daemon = MeasuredDaemon(folder, embedding={"provider": "embedded"})
    pipeline.write_notes(daemon.vault, notes)
    with daemon.running():
        after = daemon.status()["log"]["seq"]
        job = daemon.request_job("full")
        finished = daemon.wait_for_job(job, after)
        total = finished["event"]["total_chunks"]
        _wait_until(lambda: daemon.status()["chunks_embedded"] > 0)
        client = Client(daemon.home)
        ask(client, "warm up")
        began, had = time.perf_counter(), daemon.status()["chunks_embedded"]
        busy_cpu = _cpu_of_children(daemon)
        busy = ask_while(client, lambda: daemon.status()["chunks_embedded"] < total, ROUNDS)
        _wait_until(lambda: daemon.status()["chunks_embedded"] >= total)
        took = time.perf_counter() - began
        cpu = _cpu_of_children(daemon) - busy_cpu
        idle = ask_while(Client(daemon.home), lambda: True, ROUNDS)
    yield _compared("search while vectors are made", busy, idle, "at most 2")
    words_only = sum(one.retrieval != "hybrid" for one in busy)
    yield Row("  by words only, of those", f"{words_only} of {len(busy)}", "", None, "none")
    rate, per_cpu = (total - had) / took, (total - had) / cpu
    beside = f"{per_second(per_cpu)} and CPU of the worker"
    yield Row(f"  vectors of {total - had:,} chunks", per_second(rate), beside, None)


def _wait_until(holds: Callable[[], bool]) -> None:
    while not holds():
        time.sleep(0.1)


def _cpu_of_children(daemon: MeasuredDaemon) -> float:
    """The CPU time of the daemon's worker processes that run now."""
    return sum(cpu_s(pid) for pid in daemon.children())


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# The first question after a pause


def _first_question_rows(folder: Path, notes: Sequence[tuple[str, str]]) -> Iterator[Row]:
    daemon = MeasuredDaemon(folder, embedding={"provider": "embedded"})
    pipeline.write_notes(daemon.vault, notes)
    with daemon.running():
        after = daemon.status()["log"]["seq"]
        daemon.wait_for_job(daemon.request_job("full"), after)
        _wait_until(lambda: daemon.status()["chunks_pending"] == 0)
        warm = ask_while(Client(daemon.home), lambda: True, ROUNDS)
        time.sleep(LONG_PAUSE_S)
        first = ask(Client(daemon.home), "the first question after a pause")
        workers = daemon.status()["process"]
        started = [_ask_without_worker(daemon, number) for number in range(STARTS)]
    usual = median(one.took_s for one in warm)
    beside = f"{ms(usual)} warm"
    pause = f"{LONG_PAUSE_S / 60:.0f} minutes"
    ratio = first.took_s / usual
    yield Row(f"first search after {pause}", ms(first.took_s), beside, ratio, "at most 2")
    kept = f"{workers['workers_bytes'] / 1e6:.0f} MB"
    yield Row("  memory of the worker that is kept", kept, "", None)
    took = median(one.took_s for one in started)
    yield Row("  the same, when the worker had ended", ms(took), beside, took / usual)


def _ask_without_worker(daemon: MeasuredDaemon, number: int) -> Asked:
    for pid in daemon.children():
        os.kill(pid, signal.SIGKILL)
    _wait_until(lambda: not daemon.children())
    return ask(Client(daemon.home), f"the first question {number}")


def main() -> None:
    from bench.table import render

    parser = argparse.ArgumentParser(prog="python -m bench.busy", description=__doc__)
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--vectors", type=int, default=VECTOR_NOTES)
    parsed = parser.parse_args()
    for row in rows(parsed.notes, parsed.vectors):  # each as soon as it is measured
        print(render([row]), flush=True)


if __name__ == "__main__":
    main()
