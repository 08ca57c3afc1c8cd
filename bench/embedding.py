"""How fast the embedded model is by itself: chunks per second, query latency, memory.

    python -m bench.embedding [--chunks 64] [--vault DIR]
    python -m bench.embedding --quality DIR [--window 256] [--join 500] [--cut]
        [--language multilingual] [--questions DIR]

Beside it runs the carrier's own graph, on the same chunks in the same minute: on a shared machine
only the ratio means something. With `--quality`, how well the vectors alone find the documents of a
test collection (docs.jsonl, queries.jsonl, qrels.tsv), as nDCG@10.
"""

import argparse
import asyncio
import importlib
import json
import math
import os
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import ragd
from ragd.adapters.embedded import EmbeddedEmbedder
from ragd.notes.wordpiece import WordPiece

CHUNK_TOKENS = 500
_MODULES = {"english": "minilm", "multilingual": "multilingual"}
WARM_UP = 8


def pieces() -> WordPiece:
    return WordPiece(_vocabulary())


def invented_chunks(count: int, tokens: int = CHUNK_TOKENS, seed: int = 1) -> list[str]:
    """Chunks of so many tokens, of common words in no order. Always the same."""
    source = random.Random(seed)
    words = [entry for entry in _vocabulary().split("\n")[2000:12000] if entry.isalpha()]
    return [" ".join(source.choices(words, k=tokens)) for _ in range(count)]


def chunks_of(vault: Path, count: int, tokens: int = CHUNK_TOKENS) -> list[str]:
    """Stretches of so many tokens from the notes of a vault."""
    known = pieces()
    found: list[str] = []
    for note in sorted(vault.rglob("*.md")):
        words = note.read_text("utf-8", "replace").split()
        while words and len(found) < count:
            taken = len(words)
            while known.count(" ".join(words[:taken])) > tokens:
                taken = taken * 7 // 8 or 1
                if taken == 1:
                    break
            found.append(" ".join(words[:taken]))
            words = words[taken:]
        if len(found) == count:
            break
    return found


async def bare_rate(texts: Sequence[str], embedder: EmbeddedEmbedder | None = None) -> float:
    """Chunks per second of the embedder and nothing else, its start not counted."""
    mine = embedder or EmbeddedEmbedder()
    try:
        await mine.embed(texts[:WARM_UP])
        started = time.perf_counter()
        await mine.embed(texts)
        return len(texts) / (time.perf_counter() - started)
    finally:
        if embedder is None:
            await mine.close()


def plain_rate(texts: Sequence[str], batch: int = 4) -> float:
    """Chunks per second of the carrier's own graph: whole chunks, padded batches, all threads."""
    import numpy as np

    from ragd.embed_worker import weights

    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    onnxruntime: Any = importlib.import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        str(weights.path()), options, providers=["CPUExecutionProvider"]
    )
    known = pieces()

    def run(some: Sequence[str]) -> None:
        ids = [[known.start_id, *known.ids(text)[:510], known.end_id] for text in some]
        width = max(map(len, ids))
        padded = np.array([row + [known.pad_id] * (width - len(row)) for row in ids])
        mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in ids])
        given = {
            "input_ids": padded,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(padded),
        }
        session.run(None, given)

    run(texts[:batch])
    started = time.perf_counter()
    for at in range(0, len(texts), batch):
        run(texts[at : at + batch])
    return len(texts) / (time.perf_counter() - started)


async def query_ms(embedder: EmbeddedEmbedder, count: int = 50) -> float:
    """The median time of a short question, in milliseconds."""
    times = []
    for number in range(count):
        started = time.perf_counter()
        await embedder.embed_query(f"what did we decide about the garden fence in week {number}?")
        times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times)


def peak_mb(pid: int | None) -> float:
    """The most memory that process ever held, in megabytes (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


async def report(texts: Sequence[str]) -> None:
    """Print the figures for these chunks."""
    embedder = EmbeddedEmbedder()
    try:
        started = time.perf_counter()
        await embedder.embed_query("load")
        print(f"start            {time.perf_counter() - started:8.2f} s")
        rates = []
        for _ in range(3):
            rates.append((await bare_rate(texts, embedder), plain_rate(texts[: len(texts) // 2])))
        ours, plain = max(rates)[0], max(rate for _, rate in rates)
        print(f"bare embedder    {ours:8.1f} chunks/s (best of 3)")
        print(f"carrier's graph  {plain:8.1f} chunks/s (best of 3)")
        ratio = statistics.median(mine / theirs for mine, theirs in rates)
        print(f"ratio            {ratio:8.2f} (median of 3 pairs)")
        print(f"query p50        {await query_ms(embedder):8.1f} ms")
        print(f"worker, peak     {peak_mb(embedder.worker_pid):8.0f} MB")
    finally:
        await embedder.close()


class Collection(NamedTuple):
    """Chunks, the documents in each, and what is looked for: questions and their documents."""

    chunks: list[str]
    holds: list[frozenset[str]]
    questions: list[dict[str, Any]]
    wanted: dict[str, set[str]]


def collection(folder: Path, most: int = 2000, join: int = 0) -> Collection:
    """All documents that are wanted and some that are not; `join` packs them into long chunks."""
    wanted: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines():
        question, document, relevance = line.split("\t")
        if int(relevance) > 0:
            wanted.setdefault(question, set()).add(document)
    documents = _lines(folder / "docs.jsonl")
    needed = set().union(*wanted.values())
    others = [document for document in documents if document["id"] not in needed]
    random.Random(4).shuffle(others)
    kept = [document for document in documents if document["id"] in needed]
    kept += others[: max(0, most - len(kept))]
    pairs = [
        (f"{document['title']}\n{document['text']}", frozenset({document["id"]}))
        for document in kept
    ]
    if join:
        pairs = joined(pairs, join)
    questions = _lines(folder / "queries.jsonl")
    return Collection(
        [text for text, _ in pairs],
        [ids for _, ids in pairs],
        [question for question in questions if question["id"] in wanted],
        wanted,
    )


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]


def joined(
    pairs: list[tuple[str, frozenset[str]]], tokens: int
) -> list[tuple[str, frozenset[str]]]:
    """Documents of different matter, packed into chunks of at most so many tokens."""
    random.Random(6).shuffle(pairs)
    known, packed = pieces(), [("", frozenset[str]())]
    for text, ids in pairs:
        last, held = packed[-1]
        if last and known.count(last) + known.count(text) > tokens:
            packed.append((text, ids))
        else:
            packed[-1] = (f"{last}\n\n{text}".strip(), held | ids)
    return packed


def ndcg(found: Sequence[frozenset[str]], wanted: set[str], there: set[frozenset[str]]) -> float:
    """How good a ranking of ten is, from 0 to 1; a chunk is right if it holds a wanted document."""
    gains = [1 / math.log2(rank + 2) for rank in range(10)]
    right = sum(gain for held, gain in zip(found, gains, strict=False) if held & wanted)
    return right / sum(gains[: sum(1 for held in there if held & wanted)])


def quality(
    folder: Path,
    window: int,
    join: int,
    cut: bool,
    language: str = "english",
    asked: Path | None = None,
) -> float:
    """nDCG@10 of the vectors alone, with windows of so many tokens, or with only the first.
    `asked`: the questions are those of another folder, about the same documents."""
    module = importlib.import_module(f"ragd.embed_worker.{_MODULES[language]}")
    vars(module)["WINDOW"] = window
    model, given = module.load(), collection(folder, join=join)
    if asked is not None:
        given = given._replace(questions=collection(asked).questions)
    if cut:
        known = vars(model)["_pieces"]
        first = SimpleNamespace(
            ids=lambda text: known.ids(text)[: window - 2],
            start_id=getattr(known, "start_id", None),
            end_id=getattr(known, "end_id", None),
        )
        vars(model)["_pieces"] = first
    chunks = model.embed(given.chunks)
    asked = model.embed([question["text"] for question in given.questions])
    scores = []
    for question, row in zip(given.questions, asked @ chunks.T, strict=True):
        vault = question.get("vault", "")  # some collections hold several vaults
        order = [place for place in (-row).argsort() if _inside(vault, given.holds[place])]
        found = [given.holds[place] for place in order[:10]]
        scores.append(ndcg(found, given.wanted[question["id"]], set(given.holds)))
    return statistics.mean(scores)


def _inside(vault: str, held: frozenset[str]) -> bool:
    return not vault or any(document.startswith(f"{vault}/") for document in held)


def _vocabulary() -> str:
    return (Path(ragd.__file__).parent / "data" / "vocab.txt").read_text("utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--chunks", type=int, default=64)
    parser.add_argument("--vault", type=Path)
    parser.add_argument("--quality", type=Path)
    parser.add_argument("--window", type=int, default=256)
    parser.add_argument("--join", type=int, default=0)
    parser.add_argument("--cut", action="store_true")
    parser.add_argument("--language", choices=list(_MODULES), default="english")
    parser.add_argument(
        "--questions", type=Path, help="a folder with the same questions, translated"
    )
    given = parser.parse_args()
    if given.quality:
        found = quality(
            given.quality, given.window, given.join, given.cut, given.language, given.questions
        )
        print(f"nDCG@10          {found:8.4f}")
        return
    texts = chunks_of(given.vault, given.chunks) if given.vault else invented_chunks(given.chunks)
    asyncio.run(report(texts))


if __name__ == "__main__":
    main()
