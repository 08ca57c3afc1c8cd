"""From vault to index: the cost of a sync without changes, of one saved note, of a whole vault.

The vault is made from the notes of the shared vaults, each with a unique line, about 50 MB.
Compared with a bare walk, a small vault, and the time of QMD on a similar machine.
"""

import asyncio
import os
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench.measured_daemon import MeasuredDaemon, moment
from bench.table import Row, ms, per_second, ratio

SOURCES = Path(__file__).parents[2] / "shared" / "data" / "vaults"
LARGE, SMALL = 10_000, 700
LARGE_BYTES = 50_000_000
ROUNDS = 7
EMBEDDED_CHUNKS = 1_536
QMD_S, QMD_MB = 21.0, 568.0
NO_VECTORS = {"provider": "ollama", "base_url": "http://127.0.0.1:1"}


def rows() -> Iterator[Row]:
    """All figures of this part."""
    if not SOURCES.is_dir():
        yield Row("from vault to index", "skipped: the shared vaults are missing", "")
        return
    with TemporaryDirectory(prefix="ragd-bench-") as folder:
        notes = make_notes(LARGE)
        large = MeasuredDaemon(Path(folder) / "large", embedding=NO_VECTORS)
        small = MeasuredDaemon(Path(folder) / "small", embedding=NO_VECTORS)
        write_notes(large.vault, notes)
        write_notes(small.vault, notes[:SMALL])
        with large.running(), small.running():
            yield from _index_rows(large)
            _index(small)
            yield _unchanged_sync_row(large)
            yield from _saved_note_rows(large, small)
        yield _embedding_row(Path(folder) / "embedding", notes)


def make_notes(count: int) -> list[tuple[str, str]]:
    """Names and texts: real notes, each with a unique line, cut or joined so that all together have
    about LARGE_BYTES."""
    rng = random.Random(7)
    found = [path for path in sorted(SOURCES.rglob("*.md")) if 200 < path.stat().st_size < 100_000]
    texts = [path.read_text("utf-8", "replace") for path in rng.sample(found, len(found))]
    room = LARGE_BYTES // count
    made = []
    for number in range(count):
        text = texts[number % len(texts)]
        while len(text) < room // 2:
            text += "\n" + rng.choice(texts)
        text = text[: 2 * room]
        made.append((f"Folder{number % 40:02d}/Note {number:05d}.md", f"Note {number}.\n\n{text}"))
    return made


def write_notes(vault: Path, notes: Sequence[tuple[str, str]]) -> None:
    for name, text in notes:
        path = vault / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def _index(daemon: MeasuredDaemon) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Run a full job. Returns its request, its first stored batch and its end."""
    after = daemon.status()["log"]["seq"]
    job = daemon.request_job("full")
    first: dict[str, Any] = {}
    requested: dict[str, Any] = {}
    types = ("job_requested", "batch_stored", "job_finished")
    for record in daemon.follow(after, *types):
        kind = record["event"]["type"]
        if record["event"].get("job_id") != job:
            continue
        if kind == "job_requested":
            requested = record
        elif kind == "batch_stored":
            first = first or record
        else:
            return requested, first, record
    raise RuntimeError("the daemon has ended")


def _index_rows(daemon: MeasuredDaemon) -> Iterator[Row]:
    before = daemon.cpu_s()
    requested, first, finished = _index(daemon)
    wall = moment(finished) - moment(requested)
    cpu = daemon.cpu_s() - before
    size = sum(path.stat().st_size for path in daemon.vault.rglob("*.md")) / 1e6
    what = f"text of {LARGE:,} notes, {size:.0f} MB, {finished['event']['total_chunks']:,} chunks"
    scaled = QMD_S * size / 53
    beside = f"{scaled:.1f} s QMD, elsewhere"
    yield Row(what, f"{wall:.1f} s", beside, wall / scaled, "at most 0.6")
    yield Row("  CPU time of the daemon", f"{cpu:.1f} s", "", None)
    yield Row("  memory at its peak", f"{daemon.peak_mb():.0f} MB", f"{QMD_MB:.0f} MB QMD", None)
    yield Row("  first notes can be found", ms(moment(first) - moment(requested)), "", None, "3 s")


def _unchanged_sync_row(daemon: MeasuredDaemon) -> Row:
    ours, walks = [], []
    for _ in range(ROUNDS):
        after = daemon.status()["log"]["seq"]
        job = daemon.request_job("sync")
        finished = daemon.wait_for_job(job, after)
        asked = next(daemon.follow(after, "job_requested"))
        ours.append(moment(finished) - moment(asked))
        began = time.perf_counter()
        _walk(str(daemon.vault))
        walks.append(time.perf_counter() - began)
    what = f"sync of {LARGE:,} notes, none changed"
    beside = f"{ms(median(walks))} bare scandir and stat"
    return Row(what, ms(median(ours)), beside, ratio(ours, walks), "at most 3")


def _walk(folder: str) -> int:
    seen = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                seen += _walk(entry.path)
            else:
                seen += entry.stat(follow_symlinks=False).st_size > 0
    return seen


def _saved_note_rows(large: MeasuredDaemon, small: MeasuredDaemon) -> Iterator[Row]:
    in_large, in_small = [], []
    for turn in range(ROUNDS):
        in_large.append(_save(large, turn))
        in_small.append(_save(small, turn))
    what = f"one note changed among {LARGE:,}, from its changeset to searchable"
    beside = f"{ms(median(in_small))} among {SMALL}"
    yield Row(what, ms(median(in_large)), beside, ratio(in_large, in_small), "at most 1.5")


def _save(daemon: MeasuredDaemon, turn: int) -> float:
    after = daemon.status()["log"]["seq"]
    path = daemon.vault / "Folder00" / "Note 00000.md"
    path.write_text(path.read_text() + f"\nOnce more, {turn}.\n")
    formed: float | None = None
    for record in daemon.follow(after, "job_started", "batch_stored"):
        if record["event"]["type"] == "job_started":
            formed = moment(record)
        elif formed is not None:
            daemon.wait_for_job(record["event"]["job_id"], after)
            return moment(record) - formed
    raise RuntimeError("the daemon has ended")


# Vectors


def _embedding_row(folder: Path, notes: Sequence[tuple[str, str]]) -> Row:
    """Chunks per second from the end of the text to the last vector; compared with the embedder."""
    daemon = MeasuredDaemon(folder, embedding={"provider": "embedded"})
    write_notes(daemon.vault, notes[: EMBEDDED_CHUNKS // 8])
    with daemon.running():
        after = daemon.status()["log"]["seq"]
        _, _, finished = _index(daemon)
        total = finished["event"]["total_chunks"]
        left = total
        for record in daemon.follow(after, "vectors_filled"):
            left -= sum(file["chunks"] for file in record["event"]["files"])
            if left <= 0:
                break
        took = moment(record) - moment(finished)
    texts = _embed_texts(daemon.vault)
    bare = asyncio.run(_bare(texts))
    what = f"vectors of {total:,} chunks through the whole pipeline"
    rate = total / took
    return Row(what, per_second(rate), f"{per_second(bare)} bare embedder", rate / bare, "0.9")


def _embed_texts(vault: Path) -> list[str]:
    from importlib.resources import files

    from ragd.notes.model import ChunkOptions
    from ragd.notes.parse import parse_note
    from ragd.notes.wordpiece import WordPiece

    count = WordPiece(files("ragd").joinpath("data", "vocab.txt").read_text("utf-8")).count
    texts = []
    for path in sorted(vault.rglob("*.md")):
        name = path.relative_to(vault).as_posix()
        note = parse_note(name, path.read_bytes(), ChunkOptions(), count)
        texts += [chunk.embed_text for chunk in getattr(note, "chunks", ())]
    return texts


async def _bare(texts: Sequence[str]) -> float:
    from bench.embedding import bare_rate

    return await bare_rate(texts)


def main() -> None:
    from bench.table import render

    print(render(rows()))


if __name__ == "__main__":
    main()
