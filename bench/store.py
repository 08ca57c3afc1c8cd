"""The store's figures, as ratios from one run: `python -m bench.store [--quick]`.

Times depend on the machine and its load; compare only figures of the same line.
"""

import argparse
import asyncio
import gc
import hashlib
import itertools
import os
import random
import statistics
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from ragd.embed.providers.embedder_port import Vector, VectorSpace, pack
from ragd.notes.model import Chunk
from ragd.store.lance import ChunkIndex, FileRows, IndexIdentity, LanceStore
from ragd.store.lance.table_indexes import coverage

DIMENSIONS = 384
CHUNKS = 7  # of a note: 10,000 notes of 53 MB make about 77,000 chunks
BATCH_NOTES = 600  # about 4,096 rows


class NoteMaker:
    """Notes of made-up words with natural frequencies."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)
        letters = "abcdefghijklmnopqrstuvwxyz"
        self._words = [
            "".join(self._source.choices(letters, k=self._source.randint(3, 10)))
            for _ in range(20_000)
        ]
        self._weights = list(
            itertools.accumulate(1 / rank for rank in range(1, len(self._words) + 1))
        )

    def words(self, count: int) -> str:
        return " ".join(self._source.choices(self._words, cum_weights=self._weights, k=count))

    def note(self, number: int, revision: int = 0) -> FileRows:
        path = f"Folder {number % 40}/Note {number}.md"
        chunks = [self._chunk(path, part, revision) for part in range(CHUNKS)]
        digest = hashlib.sha256(f"{path} {revision}".encode()).hexdigest()
        now = "2026-11-16T12:00:00.000000Z"
        return FileRows(path, digest, 10**18 + number, now, f"Note {number}", chunks)

    def _chunk(self, path: str, part: int, revision: int) -> Chunk:
        text = self.words(110)
        chunk_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{path} {part} {revision}"))
        tags = (f"#tag{part}", f"#area/{hash(path) % 30}")
        digest = hashlib.sha256(text.encode()).hexdigest()
        search = f"{path} {text}"
        return Chunk(chunk_id, part, text, None, "", 1, 9, "2024-01-15", tags, digest, text, search)

    def vector(self) -> Vector:
        return pack(self._source.gauss(0, 1) for _ in range(DIMENSIONS))


def identity(generation: str) -> IndexIdentity:
    space = VectorSpace("bench", "none", "0", DIMENSIONS)
    return IndexIdentity(generation, space, "f", "v")


async def timed(work: Awaitable[object]) -> float:
    """The duration in milliseconds."""
    start = time.perf_counter()
    await work
    return 1_000 * (time.perf_counter() - start)


async def times(count: int, work: Callable[[int], Awaitable[object]]) -> list[float]:
    """The duration of each of `count` calls in milliseconds."""
    return [await timed(work(number)) for number in range(count)]


def p50(took: Sequence[float]) -> float:
    return statistics.median(took)


def memory_mb() -> float:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def print_row(what: str, figures: str) -> None:
    print(f"{what:<44} {figures}", flush=True)


class Stopwatch:
    """Wall and CPU time (of all threads) spent in its blocks."""

    def __init__(self) -> None:
        self.wall_s = self.cpu_s = 0.0

    def __enter__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def __exit__(self, *failure: object) -> None:
        self.wall_s += time.perf_counter() - self._wall
        self.cpu_s += time.process_time() - self._cpu


def watch_indexing(index: ChunkIndex) -> Stopwatch:
    """Measure how long the writer extends its indexes."""
    watch = Stopwatch()
    extend = index._writer.extend

    def timed() -> bool:
        with watch:
            return extend()

    index._writer.extend = timed  # type: ignore[method-assign]
    return watch


async def fill_table(
    store: LanceStore, maker: NoteMaker, generation: str, notes: int
) -> tuple[ChunkIndex, float]:
    """A table with `notes` notes, and the seconds it took to store them."""
    index = await store.create(identity(generation))
    whole, indexing = Stopwatch(), watch_indexing(index)
    for start in range(0, notes, BATCH_NOTES):
        drafts = [maker.note(number) for number in range(start, min(notes, start + BATCH_NOTES))]
        with whole:
            await index.replace(drafts)
    covered = coverage(index._writer.dataset)
    print_row(
        f"bulk text, {notes} notes, {notes * CHUNKS} chunks",
        f"{notes * CHUNKS / whole.wall_s:.0f} rows/s  {whole.wall_s:.1f} s wall "
        f"{whole.cpu_s:.1f} s CPU, of it indexes {indexing.wall_s:.1f} s {indexing.cpu_s:.1f} s; "
        f"{len(covered.segments)} segments, {covered.fresh} rows outside, RSS {memory_mb():.0f} MB",
    )
    return index, whole.wall_s


async def newest(store: LanceStore) -> str:
    """The generation that serves."""
    complete = [known.name for known in await store.list_generations() if known.complete]
    return complete[-1]


async def measure_changed_note(
    tables: dict[int, ChunkIndex], maker: NoteMaker, count: int
) -> dict[int, float]:
    """One changed note, from the call until it is searchable: p50 for each table.

    The tables take turns, so that other load on the machine affects them equally.
    """
    took: dict[int, list[float]] = {notes: [] for notes in tables}
    for revision in range(1, count + 1):
        for notes, index in tables.items():
            changed = maker.note(revision * 37 % notes, revision)
            took[notes].append(await timed(index.replace([changed])))
    for notes, index in tables.items():
        many = await timed(index.maintain())
        await index.replace([maker.note(notes // 2, count + 1)])
        one = await timed(index.maintain())
        print_row(
            f"one changed note among {notes}",
            f"p50 {p50(took[notes]):.1f} ms, max {max(took[notes]):.1f}; maintain after {count} "
            f"such {many:.0f} ms, after one {one:.0f} ms",
        )
    return {notes: p50(each) for notes, each in took.items()}


async def text_p50(
    index: ChunkIndex, unchanged: ChunkIndex, maker: NoteMaker, count: int
) -> tuple[float, float]:
    """Full-text p50 of a table and of an unchanged one, in turn."""
    queries = [maker.words(5) for _ in range(count)]
    took: tuple[list[float], list[float]] = ([], [])
    for query in queries:
        for table, each in zip((index, unchanged), took, strict=True):
            each.append(await timed(table.find_by_words(query, 20)))
    return p50(took[0]), p50(took[1])


async def measure_fill(
    index: ChunkIndex, unchanged: ChunkIndex, maker: NoteMaker, rows: int, count: int
) -> None:
    """Full-text p50 before and after `rows` vectors are filled in."""
    missing = [
        row["chunk_id"] async for row in index.read_rows(["chunk_id"], where="vector IS NULL")
    ]
    before = await text_p50(index, unchanged, maker, count)
    took = []
    for start in range(0, min(rows, len(missing)), 1_024):
        vectors = {chunk_id: maker.vector() for chunk_id in missing[start : start + 1_024]}
        took.append(await timed(index.fill(vectors)))
    after = await text_p50(index, unchanged, maker, count)
    print_row(
        f"fill {min(rows, len(missing))} vectors, 1,024 at a time",
        f"p50 {p50(took):.0f} ms, max {max(took):.0f}",
    )
    print_row(
        "full-text p50 before and after measure_fill",
        f"{before[0]:.1f} ms, {after[0]:.1f} ms (an unchanged table {before[1]:.1f}, "
        f"{after[1]:.1f}): {after[0] / after[1] / (before[0] / before[1]):.2f} times (limit 2)",
    )


async def vectors(index: ChunkIndex, maker: NoteMaker, count: int) -> None:
    """Vector search without and with its index."""
    queries = [maker.vector() for _ in range(count)]
    flat = p50(await times(count, lambda number: index.find_by_vector(queries[number], 10)))
    training = await times(1, lambda _: index.maintain())
    indexed = p50(await times(count, lambda number: index.find_by_vector(queries[number], 10)))
    print_row(
        "vector search flat, then with the index",
        f"{flat:.1f} ms, {indexed:.1f} ms: {flat / indexed:.1f} times; "
        f"trained in {training[0] / 1000:.1f} s",
    )


async def measure_growth(index: ChunkIndex, maker: NoteMaker, notes: int, replaces: int) -> None:
    """Memory and descriptors over many replaces, twice as many searches, and maintenance."""
    marks = []
    for number in range(replaces):
        await index.replace([maker.note(number * 37 % notes, 10_000 + number)])
        await index.find_by_words(maker.words(5), 20)
        await index.find_by_vector(maker.vector(), 20)
        if number % 10 == 9:
            await index.maintain(keep_s=30)
        if number % (replaces // 8) == replaces // 8 - 1:
            gc.collect()
            marks.append((memory_mb(), descriptors()))
    print_row(
        f"{replaces} replaces, {2 * replaces} searches",
        "RSS "
        + " ".join(f"{rss:.0f}" for rss, _ in marks)
        + " MB;  descriptors "
        + " ".join(str(fds) for _, fds in marks),
    )


async def run(quick: bool) -> None:
    many, endure, count = (2_000, 160, 40) if quick else (10_000, 1_000, 100)
    maker = NoteMaker(7)
    with tempfile.TemporaryDirectory(prefix="bench-store") as folder:
        store = LanceStore(Path(folder) / "vectors.lance")
        small, _ = await fill_table(store, maker, "01A", 700)
        await measure_growth(small, maker, 700, endure)
        large, wall = await fill_table(store, maker, "01B", many)
        for index in (small, large):
            await index.maintain()
        found = await measure_changed_note({700: small, many: large}, maker, count)
        print_row(
            f"one note among {many}, compared with 700",
            f"{found[many] / found[700]:.2f} times (limit 1.5); "
            f"{100 * found[many] / (1_000 * wall):.2f} % of the bulk (limit 10)",
        )
        await measure_fill(large, small, maker, 60_000, count)
        await vectors(large, maker, count // 2)
        print_row("at the end", f"RSS {memory_mb():.0f} MB, {descriptors()} descriptors")
        small.close()
        large.close()
        store.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the notes")
    asyncio.run(run(parser.parse_args().quick))
