"""How soon a search finds what an agent has just written, with the waits that are the default.

A real daemon without vectors, with 1,000 notes in its vault. Each round writes a note with a word
of its own, and searches for that word until it is found.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench.measured_daemon import MeasuredDaemon
from bench.search import Client
from bench.store import NoteMaker
from bench.table import Row, ms

NOTES = 1_000
WORDS = 120
ROUNDS = 20
WITHIN_S = 30.0
WRITE = "/v1/tools/obsidian_rag_memory_write"
SEARCH = "/v1/tools/obsidian_rag_memory_search"
NO_VECTORS = {"provider": "ollama", "base_url": "http://127.0.0.1:1"}


def rows() -> Iterator[Row]:
    """All figures of this part."""
    with TemporaryDirectory(prefix="ragd-bench-") as folder:
        daemon = MeasuredDaemon(Path(folder), embedding=NO_VECTORS, watch={"rescan_s": 86_400})
        _write_notes(daemon.vault)
        with daemon.running():
            daemon.wait_for_job(daemon.request_job("full"), 0)
            client = Client(daemon.home)
            took = [_write_and_find(client, number) for number in range(ROUNDS)]
    yield Row("an agent's note, from write to found", ms(median(took)), "", None, "under 1 s")
    yield Row("  the slowest", ms(max(took)), "", None, "under 1 s")


def _write_notes(vault: Path) -> None:
    maker = NoteMaker(seed=1)
    for number in range(NOTES):
        (vault / f"Note {number}.md").write_text(maker.words(WORDS))


def _write_and_find(client: Client, number: int) -> float:
    word = f"kingfisher{chr(97 + number)}{number}"
    began = time.perf_counter()
    path = f"memory/bench-{number}.md"
    written = _data(client.post(WRITE, {"path": path, "text": f"The user saw a {word}.\n"}))
    while time.perf_counter() - began < WITHIN_S:
        found = _data(client.post(SEARCH, {"query": word}))
        if written["path"] in str(found):
            return time.perf_counter() - began
    raise RuntimeError(f"{written['path']} was not found")


def _data(envelope: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] | None = envelope["data"]  # with a hint that vectors are missing
    assert data is not None, envelope["error"]
    return data
