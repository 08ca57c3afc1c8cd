"""An index in an object store that takes 20 ms for each request, next to one in a folder.

A real SeaweedFS runs on this machine, behind a proxy that waits 20 ms and counts. Both daemons have
the notes of the example vault. Questions are asked of both in turn. A save, a first index and a
fresh reader are counted in requests.

    python -m bench.object_store [--notes N]
"""

import argparse
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from bench.table import Row, ms, ratio, render
from chaos.client import ask
from examples.demo import QUESTIONS, VAULT
from ragd.paths import Home
from tests.object_store.fault_proxy import FaultProxy
from tests.object_store.machines import Machine
from tests.object_store.servers import BUCKET, environment, seaweedfs

DELAY_S = 0.02
ROUNDS = 15
SAVES = 8
IDLE_S = 30.0


def search(machine: Machine, question: str) -> float:
    """Seconds until the answer."""
    began = time.perf_counter()
    body = {"query": question, "max_results": 3}
    target = "/v1/tools/obsidian_rag_search"
    reply = ask(Home(str(machine.home)).socket, "POST", target, body)
    assert reply.data["results"], reply.body
    return time.perf_counter() - began


def configured(folder: Path, vault: Path, **more: object) -> Machine:
    machine = Machine(folder, environment())
    machine.configure(vault_path=str(vault), health={"probe_s": 30}, **more)
    return machine


def rows(notes: int = 0) -> Iterator[Row]:
    with TemporaryDirectory(prefix="ragd-bench-") as made:
        folder = Path(made)
        vault = folder / "vault"
        shutil.copytree(VAULT, vault)
        for number in range(notes):
            text = f"# Note {number}\n\nWord{number % 97} and word{number % 89}: entry {number}.\n"
            (vault / f"made-{number % 50:02d}").mkdir(exist_ok=True)
            (vault / f"made-{number % 50:02d}" / f"{number}.md").write_text(text)
        with seaweedfs(folder) as endpoint, FaultProxy(endpoint).running() as proxy:
            proxy.delay_s = DELAY_S
            yield from _measured(folder, vault, proxy)


def _measured(folder: Path, vault: Path, proxy: FaultProxy) -> Iterator[Row]:
    options = {"endpoint": proxy.endpoint, "allow_http": True}
    store = {"path": f"s3://{BUCKET}/bench", "options": options}
    near = configured(folder / "near" / "h", vault)
    far = configured(folder / "far" / "h", vault, vector_store=store)
    reader = Machine(folder / "reader" / "h", environment())
    try:
        near_s, far_s = _timed(near, "index"), _timed(far, "index")
        yield Row("first index", f"{far_s:.1f} s", f"{near_s:.1f} s in a folder", far_s / near_s)
        yield Row("  its requests", _counted(proxy), "")
        near.wait_for(lambda: near.codes() == [])
        far.wait_for(lambda: far.codes() == [])
        yield from _searches("search of the writer", far, near)
        yield from _saves(vault, far, near, proxy)
        reader.run("init", "--reader", f"s3://{BUCKET}/bench", "--endpoint", proxy.endpoint)
        proxy.requests.clear()
        began = time.perf_counter()
        for question in QUESTIONS:
            reader.run("search", *question)
        took = time.perf_counter() - began
        yield Row("fresh reader, the demo's questions", f"{took:.1f} s", "a minute", took / 60)
        yield Row("  its requests", _counted(proxy), "")
        yield from _searches("search of the reader", reader, near)
        proxy.requests.clear()
        time.sleep(IDLE_S)
        yield Row("writer and reader at rest", f"{_counted(proxy)} in {IDLE_S:.0f} s", "")
    finally:
        for machine in (near, far, reader):
            machine.stop()
            machine.kill()


def _timed(machine: Machine, *words: str) -> float:
    began = time.perf_counter()
    machine.run(*words)
    return time.perf_counter() - began


def _counted(proxy: FaultProxy) -> str:
    found = ", ".join(f"{count} {name}" for name, count in sorted(proxy.requests.items()))
    total = proxy.total
    proxy.requests.clear()
    return f"{total} ({found})"


def _searches(what: str, far: Machine, near: Machine) -> Iterator[Row]:
    """Warm: each question was asked before."""
    questions = [question for question, *_ in QUESTIONS]
    for question in questions:
        search(near, question)
        search(far, question)
    pairs = [(search(far, q), search(near, q)) for _ in range(ROUNDS) for q in questions]
    ours, beside = [one for one, _ in pairs], [other for _, other in pairs]
    compared = ratio(ours, beside)
    yield Row(f"{what}, p50", ms(median(ours)), f"{ms(median(beside))} in a folder", compared, "2")
    last = quantiles(ours, n=20)[-1], quantiles(beside, n=20)[-1]
    yield Row(f"{what}, p95", ms(last[0]), f"{ms(last[1])} in a folder", last[0] / last[1])


def _saves(vault: Path, far: Machine, near: Machine, proxy: FaultProxy) -> Iterator[Row]:
    ours, beside, requests = [], [], []
    for number in range(SAVES):
        near.run("sync")
        far.run("sync")
        far.wait_for(lambda: far.answer("status")["data"]["chunks_pending"] == 0)
        time.sleep(7.0)  # until compaction has ended
        proxy.requests.clear()
        text = f"The platypus of day {number} was seen at the weir.\n"
        (vault / f"Save {number}.md").write_text(text)
        ours.append(_timed(far, "sync"))
        requests.append(proxy.total)
        beside.append(_timed(near, "sync"))
    compared = ratio(ours, beside)
    yield Row("save of one note", ms(median(ours)), f"{ms(median(beside))} in a folder", compared)
    yield Row("  its requests", f"{median(requests):.0f}, at most {max(requests)}", "")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.object_store", description=__doc__)
    parser.add_argument("--notes", type=int, default=0, help="notes besides the example vault's")
    print(render(rows(parser.parse_args().notes)))


if __name__ == "__main__":
    main()
