"""Five collections compared with one vault that has the same notes: index, sync, save, search.

Two real daemons take turns, so that load on the machine affects both. Vectors are not made: their
cost does not depend on where a note is. Searches are by words, and begin when both tables are
compacted: before that, they differ in their fragments and in what the word index has of them.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.measured_daemon import MeasuredDaemon, moment
from bench.search import Client
from bench.store import NoteMaker
from bench.table import Row, ms, ratio

NOTES = 10_000
ROOTS = 5
WORDS = 120
ROUNDS = 25
SEARCHES = 600
WARM_UP = 10  # searches that are not counted
QUIET_S = 10.0  # without a new fact: compaction follows a write after five seconds
TOOL = "/v1/tools/obsidian_rag_search"
NO_VECTORS = {"provider": "ollama", "base_url": "http://127.0.0.1:1"}
GOAL = "at most 1.1"


def rows() -> Iterator[Row]:
    """All figures of this part."""
    with TemporaryDirectory(prefix="ragd-bench-") as folder:
        place = Path(folder)
        many_roots = [place / "many" / "vault", *(place / f"root{n}" for n in range(1, ROOTS))]
        collections = {root.name: {"path": str(root)} for root in many_roots[1:]}
        one = MeasuredDaemon(place / "one", embedding=NO_VECTORS)
        many = MeasuredDaemon(place / "many", embedding=NO_VECTORS, collections=collections)
        maker = NoteMaker(1)
        for number in range(NOTES):
            text = f"# Note {number}\n\n{maker.words(WORDS)}\n\n## More\n\n{maker.words(WORDS)}\n"
            name = f"Folder {number % 8}/Note {number}.md"
            _write(one.vault / f"part{number % ROOTS}" / name, text)
            _write(many_roots[number % ROOTS] / name, text)
        with one.running(), many.running():
            yield from _compare(one, many, maker, many_roots[-1])


def _compare(
    one: MeasuredDaemon, many: MeasuredDaemon, maker: NoteMaker, root: Path
) -> Iterator[Row]:
    _run_job(one, "full")
    _run_job(many, "full")
    full = _in_turn(3, lambda: _run_job(many, "full"), lambda: _run_job(one, "full"))
    yield _row(f"text of {NOTES:,} notes in {ROOTS} collections, read again", *full)
    sync = _in_turn(ROUNDS, lambda: _run_job(many, "sync"), lambda: _run_job(one, "sync"))
    yield _row("  sync, none changed", *sync)
    place = one.vault / f"part{ROOTS - 1}"
    saved = _in_turn(ROUNDS, lambda: _save(many, root), lambda: _save(one, place))
    yield _row("  a saved note", *saved)
    _wait_until_quiet(many, one)
    questions = [maker.words(4) for _ in range(WARM_UP + SEARCHES)]
    searches = _in_turn(len(questions), _search_each(many, questions), _search_each(one, questions))
    yield _row("  search by words", *(times[WARM_UP:] for times in searches))


def _row(what: str, ours: list[float], beside: list[float]) -> Row:
    median = sorted(ours)[len(ours) // 2]
    other = sorted(beside)[len(beside) // 2]
    return Row(what, ms(median), f"{ms(other)} one vault", ratio(ours, beside), GOAL)


def _in_turn(
    rounds: int, ours: Callable[[], float], beside: Callable[[], float]
) -> tuple[list[float], list[float]]:
    """Each side is first in every other round."""
    first: list[float] = []
    second: list[float] = []
    for number in range(rounds):
        for side in ((ours, beside), (beside, ours))[number % 2]:
            (first if side is ours else second).append(side())
    return first, second


def _run_job(daemon: MeasuredDaemon, mode: str) -> float:
    """How long a job takes, from its request to the record that ends it."""
    after = daemon.status()["log"]["seq"]
    job = daemon.request_job(mode)
    finished = daemon.wait_for_job(job, after)
    asked = next(daemon.follow(after, "job_requested"))
    return moment(finished) - moment(asked)


def _save(daemon: MeasuredDaemon, folder: Path) -> float:
    """How long it takes from a save until the note is stored."""
    after = daemon.status()["log"]["seq"]
    began = time.time()
    _write(folder / "Folder 0" / "saved.md", f"# Saved\n\nAt {began}.\n")
    for record in daemon.follow(after, "batch_stored"):
        files: list[dict[str, Any]] = record["event"]["files"]
        if any(file["path"].endswith("saved.md") for file in files):
            return moment(record) - began
    raise RuntimeError("the daemon has ended")


def _wait_until_quiet(*daemons: MeasuredDaemon) -> None:
    """Until none of them has recorded a fact for some time."""
    seen: list[int] = []
    while (now := [daemon.status()["log"]["seq"] for daemon in daemons]) != seen:
        seen = now
        time.sleep(QUIET_S)


def _search_each(daemon: MeasuredDaemon, questions: Sequence[str]) -> Callable[[], float]:
    """A function that searches for the next question and returns how long it took."""
    client, left = Client(daemon.home), iter(questions)

    def search() -> float:
        question = next(left)
        began = time.perf_counter()
        client.post(TOOL, {"query": question, "max_results": 5})
        return time.perf_counter() - began

    return search


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
