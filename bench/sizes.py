"""One large vault of made-up notes: first index, searches, a save, a sync, a start, memory, disk.

    python -m bench.sizes [--passages 500000] [--store]

Its vectors are made up by a server with Ollama's API. With `--store` the index is in an object
store on this machine (SeaweedFS; `make test-store` installs it). Each figure is printed as soon as
it is known. 500,000 passages need about 6 GB of disk space.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from bench import made_vectors, measured_daemon
from bench.measured_daemon import MeasuredDaemon, moment
from bench.peers.ragd_side import size_mb
from bench.peers.vault import SECTIONS, Questions, VaultMaker
from bench.search import TOOL, Client
from bench.table import Row, ms, per_second, render
from ragctl.failure import Failure
from tests.object_store import servers

PASSAGES = 500_000
QUESTIONS = 110
WARM_UP = 10
MEANWHILE = 20  # of each kind
PARTS = 5  # of the vectors; after each, searches are measured
SAVES = 7
SYNCS = 3
QUIET_S = 30.0  # without a new fact: compaction and the vector index are done
READY_WITHIN_S = 300.0
VECTORS_WITHIN_S = 7_200.0


def rows(passages: int, in_store: bool, scratch: Path) -> Iterator[Row]:
    """All figures of one vault."""
    measured_daemon.WITHIN_S = READY_WITHIN_S
    with ExitStack() as stack:
        settings: dict[str, Any] = {"embedding": stack.enter_context(made_vectors.server())}
        if in_store:
            folder = scratch / "store"
            folder.mkdir()
            endpoint = stack.enter_context(servers.seaweedfs(folder))
            os.environ.update(servers.environment())
            options = {"endpoint": endpoint, "allow_http": True}
            settings["vector_store"] = {"path": f"s3://{servers.BUCKET}/sizes", "options": options}
        daemon = MeasuredDaemon(scratch / "one", **settings)
        asked = VaultMaker(1).write(daemon.vault, passages // SECTIONS)
        yield Row("load average of the machine", f"{os.getloadavg()[0]:.1f}", "")
        with daemon.running():
            yield from _first_index(daemon, passages, asked)
            yield from _searches(daemon, asked)
            yield from _changes(daemon)
            yield _memory(daemon)
        yield _disk(daemon, in_store, scratch)
        yield _start(daemon)
        yield Row("load average of the machine", f"{os.getloadavg()[0]:.1f}", "")


def _first_index(daemon: MeasuredDaemon, passages: int, asked: Questions) -> Iterator[Row]:
    began, after = time.perf_counter(), daemon.status()["log"]["seq"]
    job = daemon.request_job("full")
    finished = daemon.wait_for_job(job, after)
    requested = next(daemon.follow(after, "job_requested"))
    took, made = moment(finished) - moment(requested), finished["event"]["total_chunks"]
    each = f"{per_second(made / took)}, {daemon.cpu_s():.0f} s CPU of the daemon"
    yield Row(f"text of {made:,} passages", f"{took:.0f} s", each)
    for part in range(1, PARTS + 1):
        _wait_for_vectors(daemon, made * part // PARTS)
        if part < PARTS:
            yield _search_meanwhile(daemon, asked)
    took = time.perf_counter() - began
    what = f"{daemon.cpu_s():.0f} s CPU of the daemon, {daemon.peak_mb():.0f} MB at its peak"
    yield Row("  with all vectors (made up, not by a model)", f"{took:.0f} s", what)
    seen, since = -1, time.monotonic()
    while time.monotonic() - since < QUIET_S:
        seq = daemon.status()["log"]["seq"]
        if seq != seen:
            seen, since = seq, time.monotonic()
        time.sleep(1.0)
    yield Row("  and compacted", f"{time.perf_counter() - began - QUIET_S:.0f} s", "")


def _search_meanwhile(daemon: MeasuredDaemon, asked: Questions) -> Row:
    """Searches while vectors are made. Each answer says that some are missing."""
    made, client, took = _vectors(daemon), Client(daemon.home), []
    for question in (*asked.topical[-MEANWHILE:], *asked.rare[-MEANWHILE:]):
        began = time.perf_counter()
        answer = client.post(TOOL, {"query": question})
        took.append(time.perf_counter() - began)
        if answer["data"] is None:
            raise RuntimeError(answer["error"]["code"])
    times = f"{ms(median(took))} / {_p95(took)}"
    return Row("  search meanwhile: p50 / p95", times, f"with {made:,} vectors")


def _wait_for_vectors(daemon: MeasuredDaemon, number: int) -> None:
    _wait_until(lambda: _vectors(daemon) >= number, VECTORS_WITHIN_S)


def _vectors(daemon: MeasuredDaemon) -> int:
    return int(daemon.status()["chunks_embedded"])


def _searches(daemon: MeasuredDaemon, asked: Questions) -> Iterator[Row]:
    for name, questions in (("topic words", asked.topical), ("rare words", asked.rare)):
        client = Client(daemon.home)
        for question in questions[:WARM_UP]:
            client.post(TOOL, {"query": question})
        cpu = daemon.cpu_s()
        took = [client.search(question) for question in questions[WARM_UP:QUESTIONS]]
        each = (daemon.cpu_s() - cpu) / len(took)
        beside = f"{ms(each)} CPU of the daemon"
        yield Row(f"search, {name}: p50 / p95", f"{ms(median(took))} / {_p95(took)}", beside)


def _changes(daemon: MeasuredDaemon) -> Iterator[Row]:
    saves = [_save(daemon, number) for number in range(SAVES)][1:]
    yield Row("a saved note is found", ms(median(saves)), f"slowest {ms(max(saves))}")
    syncs = [_sync(daemon) for _ in range(SYNCS)]
    yield Row("a sync, none changed", ms(median(syncs)), "")


def _save(daemon: MeasuredDaemon, number: int) -> float:
    after, client = daemon.status()["log"]["seq"], Client(daemon.home)
    began, word = time.perf_counter(), f"saved{number}x{time.time_ns()}"
    (daemon.vault / "saved.md").write_text(f"# Saved\n\nThe word is {word}.\n")
    for record in daemon.follow(after, "batch_stored"):
        files = record["event"]["files"]
        if any(file["path"] == "saved.md" for file in files) and _found(client, word):
            return time.perf_counter() - began
    raise RuntimeError("the daemon has ended")


def _found(client: Client, question: str) -> bool:
    answer = client.post(TOOL, {"query": question})
    return bool((answer["data"] or {}).get("results"))


def _sync(daemon: MeasuredDaemon) -> float:
    after = daemon.status()["log"]["seq"]
    finished = daemon.wait_for_job(daemon.request_job("sync"), after)
    return moment(finished) - moment(next(daemon.follow(after, "job_requested")))


def _memory(daemon: MeasuredDaemon) -> Row:
    assert daemon.process is not None
    lines = Path(f"/proc/{daemon.process.pid}/status").read_text().splitlines()
    held = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
    return Row("memory", f"{held:.0f} MB", f"{daemon.peak_mb():.0f} MB at its peak")


def _disk(daemon: MeasuredDaemon, in_store: bool, scratch: Path) -> Row:
    index = size_mb(scratch / "store" / "weed") if in_store else size_mb(Path(daemon.home.vectors))
    notes = size_mb(daemon.vault)
    others = size_mb(Path(daemon.home.root)) - (0 if in_store else index)
    beside = f"{notes:,.0f} MB of notes; {others:,.0f} MB of log and cache"
    return Row("index on disk", f"{index:,.0f} MB", beside, index / notes)


def _start(daemon: MeasuredDaemon) -> Row:
    """From the command until a search has found something."""
    began = time.perf_counter()
    with daemon.running(settled=False):
        while time.perf_counter() - began < READY_WITHIN_S:
            try:
                if _found(Client(daemon.home), "saved"):
                    return Row("start to the first answer", ms(time.perf_counter() - began), "")
            except (OSError, Failure):
                pass
            time.sleep(0.01)
    raise RuntimeError("the daemon did not answer")


def _wait_until(holds: Callable[[], bool], within_s: float) -> None:
    end = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError("it took too long")
        time.sleep(0.5)


def _p95(taken: Sequence[float]) -> str:
    return ms(quantiles(taken, n=20)[-1])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.sizes", description=__doc__)
    parser.add_argument("--passages", type=int, default=PASSAGES)
    parser.add_argument("--store", action="store_true", help="the index is in an object store")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="ragd-bench-") as scratch:
        for row in rows(given.passages, given.store, Path(scratch)):
            print(render([row]), flush=True)


if __name__ == "__main__":
    main()
