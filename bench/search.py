"""Searches through the socket, compared with the same LanceDB calls in one process and with numpy.

    python -m bench.search [--chunks 3400 60000] [--rounds 100]

A real daemon indexes a vault of made-up notes. Its vectors are made up too and are put in the
embedding cache before, so that only the queries are embedded. Both sides embed the query and take
turns: compare only figures of the same line.
"""

import argparse
import asyncio
import http.client
import json
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files as resources
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np

from bench import measured_daemon
from bench.store import NoteMaker, newest
from bench.table import Row, ms, ratio, render
from ragd.embed.embedding_cache import EmbeddingCache
from ragd.embed.providers.embedder_port import Vector, pack, unpack
from ragd.embed.providers.local_model import SPACE, EmbeddedEmbedder
from ragd.embed.worker import ENGLISH
from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import parse_note
from ragd.notes.wordpiece import WordPiece
from ragd.paths import Home
from ragd.store.lance import LanceStore, one_of
from ragd.store.lance.query_words import query_words

SIZES = (3_400, 60_000)
ROUNDS = 100
SECTIONS = 10  # of a note; each is a passage
WORDS = 90
DEPTH = 50
RESULTS = 5
CLIENTS = 10
MANY = 1_000
GOAL = "at most 1.3"
TOOL = "/v1/tools/obsidian_rag_search"
WAYS: dict[str, dict[str, Any]] = {
    "hybrid": {},
    "vectors": {"fusion": "weighted", "vector_weight": 1, "text_weight": 0},
    "full text": {"fusion": "weighted", "vector_weight": 0, "text_weight": 1},
}
COLUMNS = [
    *("chunk_id", "chunk_text", "source_file", "section", "date", "tags", "chunk_index"),
    *("start_line", "end_line", "title", "heading_path"),
]


def make_vault(vault: Path, chunks: int, maker: NoteMaker) -> None:
    """Notes of ten passages each."""
    for number in range(chunks // SECTIONS):
        parts = [f"## Part {part}\n\n{maker.words(WORDS)}\n" for part in range(SECTIONS)]
        note = vault / f"Folder {number % 40}" / f"Note {number}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text("\n".join(parts), "utf-8")


def hashes_of(vault: Path) -> list[str]:
    """The content hash of each passage of the vault."""
    count = WordPiece(resources("ragd").joinpath("data", "vocab.txt").read_text("utf-8")).count
    found: list[str] = []
    for file in sorted(vault.rglob("*.md")):
        path = file.relative_to(vault).as_posix()
        note = parse_note(path, file.read_bytes(), ChunkOptions(), count)
        assert isinstance(note, Note)
        found += [chunk.content_hash for chunk in note.chunks]
    return found


async def fill_cache(hashes: Sequence[str], home: Home) -> np.ndarray[Any, Any]:
    """Cache a vector for every passage, near one of 200 topics. Returns them as a matrix."""
    source = np.random.default_rng(1)
    topics = source.standard_normal((200, ENGLISH.dimensions), dtype=np.float32)
    cache = EmbeddingCache(Path(home.embedding_cache))
    rows: list[np.ndarray[Any, Any]] = []
    waiting: dict[str, Vector] = {}
    for content in hashes:
        made = topics[source.integers(200)] + 0.7 * source.standard_normal(ENGLISH.dimensions)
        rows.append((made / np.linalg.norm(made)).astype(np.float32))
        waiting[content] = pack(rows[-1].tolist())
        if len(waiting) >= 2_000:
            await cache.put_many(SPACE.identity, waiting)
            waiting = {}
    await cache.put_many(SPACE.identity, waiting)
    await cache.close()
    return np.stack(rows)


class SearchDaemon:
    """A real daemon over a made-up vault."""

    def __init__(self, home: Home, vault: Path) -> None:
        self.home = home
        self._vault = vault
        self.configure({})

    def configure(self, way: dict[str, Any]) -> None:
        config = {
            "vault_path": str(self._vault),
            "embedding": {"provider": "embedded"},
            "watch": {"rescan_s": 86400},
            "search": way,
        }
        Path(self.home.config).write_text(json.dumps(config))

    def ragctl(self, *words: str) -> str:
        environment = measured_daemon.environment(self.home.root)
        command = [sys.executable, "-m", "ragctl", *words]
        return subprocess.run(
            command, env=environment, check=True, capture_output=True
        ).stdout.decode()

    def search_by(self, way: dict[str, Any]) -> None:
        self.configure(way)
        Client(self.home).post("/v1/reload", {})

    @property
    def rss_mb(self) -> float:
        pid = json.loads(self.ragctl("status", "--json"))["data"]["pid"]
        status = Path(f"/proc/{pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


class Client:
    """One connection that stays open, as in the plugin."""

    def __init__(self, home: Home) -> None:
        self._http = http.client.HTTPConnection("ragd")
        self._http.sock = socket.socket(socket.AF_UNIX)
        self._http.sock.connect(home.socket)

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        self._http.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        found: dict[str, Any] = json.loads(self._http.getresponse().read())
        return found

    def search(self, question: str) -> float:
        """Search, and return the seconds it took."""
        began = time.perf_counter()
        envelope = self.post(TOOL, {"query": question, "max_results": RESULTS})
        took = time.perf_counter() - began
        assert envelope["error"] is None, envelope["error"]
        return took


class DirectSearch:
    """The same LanceDB calls without ragd: both searches at once, then the best rows."""

    def __init__(self, table: Any, match: Any, indexed: bool) -> None:
        self._table = table
        self._match = match
        self._indexed = indexed
        self.embedder = EmbeddedEmbedder()

    async def search(self, way: str, question: str) -> float:
        began = time.perf_counter()
        searches: list[Awaitable[Any]] = []
        if way != "full text":
            vector = list(unpack(await self.embedder.embed_query(question)))
            query = self._table.query().nearest_to(vector).distance_type("cosine").limit(DEPTH)
            if self._indexed:
                query = query.minimum_nprobes(20).maximum_nprobes(0).refine_factor(5)
            searches.append(query.select(["chunk_id", "source_file", "_distance"]).to_arrow())
        if way != "vectors":
            match = self._match(query_words(question), "search_text")
            query = self._table.query().nearest_to_text(match).limit(DEPTH)
            searches.append(query.select(["chunk_id", "source_file", "_score"]).to_arrow())
        found = await asyncio.gather(*searches)
        best = [row["chunk_id"] for part in found for row in part.slice(0, RESULTS).to_pylist()]
        wanted = self._table.query().where(one_of("chunk_id", best[:RESULTS])).select(COLUMNS)
        (await wanted.to_arrow()).to_pylist()
        return time.perf_counter() - began


async def open_direct(vectors: Path) -> DirectSearch:
    import lancedb

    store = LanceStore(vectors)
    folder = vectors / await newest(store)
    store.close()
    session = lancedb.Session(64 << 20, 32 << 20)
    connection = await lancedb.connect_async(str(folder.absolute()), session=session)
    table = await connection.open_table("obsidian_chunks")
    names = [index.name for index in await table.list_indices()]
    return DirectSearch(table, lancedb.query.MatchQuery, "vector_idx" in names)


def brute_force(matrix: np.ndarray[Any, Any], vector: np.ndarray[Any, Any]) -> float:
    began = time.perf_counter()
    scores = matrix @ vector
    best = np.argpartition(-scores, DEPTH)[:DEPTH]
    best[np.argsort(-scores[best])]
    return time.perf_counter() - began


async def measure(chunks: int, rounds: int, place: Path) -> list[Row]:
    home, vault, maker = Home(str(place / "h")), place / "vault", NoteMaker(chunks)
    make_vault(vault, chunks, maker)
    matrix = await fill_cache(hashes_of(vault), home)
    daemon = SearchDaemon(home, vault)
    began = time.perf_counter()
    daemon.ragctl("index")
    indexed_s = time.perf_counter() - began
    try:
        await _wait_until_settled(daemon)
        return [
            Row(f"{chunks:,} chunks: indexed, vectors from the cache", f"{indexed_s:.0f} s", ""),
            *await _compare(daemon, Path(home.vectors), matrix, chunks, rounds, maker),
        ]
    finally:
        daemon.ragctl("stop")


async def _wait_until_settled(daemon: SearchDaemon) -> None:
    """Wait for the compaction and, if the store is large, for its vector index."""
    quiet, seen = 0, 0
    while quiet < 8:
        await asyncio.sleep(1.0)
        seq = json.loads(daemon.ragctl("status", "--json"))["data"]["log"]["seq"]
        quiet, seen = (quiet + 1 if seq == seen else 0), seq


async def _compare(
    daemon: SearchDaemon,
    vectors: Path,
    matrix: np.ndarray[Any, Any],
    chunks: int,
    rounds: int,
    maker: NoteMaker,
) -> list[Row]:
    rows: list[Row] = []
    direct = await open_direct(vectors)
    questions = [maker.words(random.Random(n).randint(3, 9)) for n in range(rounds)]
    client = Client(daemon.home)
    before = daemon.rss_mb
    for way, settings in WAYS.items():
        daemon.search_by(settings)
        ours, beside = [], []
        for number, question in enumerate(questions):
            one, other = client.search(question), await direct.search(way, question)
            if number >= 5:  # the first ones warm up
                ours.append(one)
                beside.append(other)
        named = f"{chunks:,} chunks: {way}, p50 (p95)"
        rows.append(Row(named, _shown(ours), _shown(beside), ratio(ours, beside), GOAL))
    flat = [brute_force(matrix, matrix[n % len(matrix)]) for n in range(rounds)]
    rows.append(Row(f"{chunks:,} chunks: vectors, numpy in one thread", "", _shown(flat)))
    daemon.search_by({})
    rows.append(await _measure_clients(daemon, direct, questions, chunks))
    client = Client(daemon.home)  # the daemon has closed the idle connection
    for number in range(MANY):
        client.search(questions[number % rounds])
    after = daemon.rss_mb
    grown = f"{before:.0f} MB before"
    rows.append(Row(f"{chunks:,} chunks: RSS after {MANY:,} more", f"{after:.0f} MB", grown))
    await direct.embedder.close()
    return rows


async def _measure_clients(
    daemon: SearchDaemon, direct: DirectSearch, questions: Sequence[str], chunks: int
) -> Row:
    """Ten clients at once, each with one query after another."""

    def search_all(client: Client) -> list[float]:
        return [client.search(question) for question in questions[:20]]

    with ThreadPoolExecutor(CLIENTS) as pool:
        clients = [Client(daemon.home) for _ in range(CLIENTS)]
        loop = asyncio.get_running_loop()
        found = await asyncio.gather(*(loop.run_in_executor(pool, search_all, c) for c in clients))

    async def search_directly() -> list[float]:
        return [await direct.search("hybrid", question) for question in questions[:20]]

    beside = await asyncio.gather(*(search_directly() for _ in range(CLIENTS)))
    ours, other = (sorted(t for one in each for t in one) for each in (found, beside))
    named = f"{chunks:,} chunks: hybrid, {CLIENTS} clients at once, p50 (p95)"
    return Row(named, _shown(ours), _shown(other), median(ours) / median(other))


def _shown(times: Sequence[float]) -> str:
    return f"{ms(median(times))} ({ms(quantiles(times, n=20)[-1])})"


def rows(sizes: Sequence[int] = SIZES, rounds: int = ROUNDS) -> Iterator[Row]:
    """All figures of this part."""
    for chunks in sizes:
        with tempfile.TemporaryDirectory(prefix="ragb") as scratch:
            place = Path(scratch)
            (place / "h").mkdir(mode=0o700)
            yield from asyncio.run(measure(chunks, rounds, place))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    print(render(rows(given.chunks, given.rounds)))


if __name__ == "__main__":
    main()
