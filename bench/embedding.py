"""How fast the embedded English models alone are: chunks per second, query latency, memory.

    python -m bench.embedding [--chunks 64] [--vault DIR]
    python -m bench.embedding --quality DIR [--window 256] [--join 500] [--cut]
        [--model granite] [--questions DIR]

Both take turns on the same chunks: on a shared machine only the ratio is meaningful. `--quality`
measures how well the vectors of one model find the documents of a test collection
(docs.jsonl, queries.jsonl, qrels.tsv), as nDCG@10.
"""

import argparse
import asyncio
import importlib
import json
import math
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import ragd
from ragd.embed.providers.local_model import EmbeddedEmbedder
from ragd.embed.worker import GRANITE, MINILM
from ragd.notes.wordpiece import WordPiece

CHUNK_TOKENS = 500
MODELS = ("granite", "minilm", "multilingual")  # modules of ragd.embed.worker
WARM_UP = 8
ROUNDS = 5


def pieces() -> WordPiece:
    return WordPiece(_vocabulary())


def made_up_chunks(count: int, tokens: int = CHUNK_TOKENS, seed: int = 1) -> list[str]:
    """Chunks of about `tokens` tokens: common words in random order. Always the same."""
    source = random.Random(seed)
    words = [entry for entry in _vocabulary().split("\n")[2000:12000] if entry.isalpha()]
    return [" ".join(source.choices(words, k=tokens)) for _ in range(count)]


def chunks_of(vault: Path, count: int, tokens: int = CHUNK_TOKENS) -> list[str]:
    """Pieces of at most `tokens` tokens from the notes of a vault."""
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
    """Chunks per second of the embedder alone, without its start."""
    mine = embedder or EmbeddedEmbedder()
    try:
        await mine.embed_passages(texts[:WARM_UP])
        started = time.perf_counter()
        await mine.embed_passages(texts)
        return len(texts) / (time.perf_counter() - started)
    finally:
        if embedder is None:
            await mine.close()


async def query_ms(embedder: EmbeddedEmbedder, count: int = 50) -> float:
    """The median time of a short question, in milliseconds."""
    times = []
    for number in range(count):
        started = time.perf_counter()
        await embedder.embed_query(f"what did we decide about the garden fence in week {number}?")
        times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times)


def peak_mb(pid: int | None) -> float:
    """The peak memory of a process, in megabytes (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


async def report(texts: Sequence[str]) -> None:
    """Print the figures for these chunks, of both English models."""
    embedders = {model.name: EmbeddedEmbedder(model=model) for model in (GRANITE, MINILM)}
    rates: dict[str, list[float]] = {name: [] for name in embedders}
    try:
        for name, embedder in embedders.items():
            started = time.perf_counter()
            await embedder.embed_query("load")
            print(f"{name}: start {time.perf_counter() - started:.2f} s")
        for _ in range(ROUNDS):
            for name, embedder in embedders.items():
                rates[name].append(await bare_rate(texts, embedder))
        for name, embedder in embedders.items():
            print(
                f"{name}: {max(rates[name]):.1f} chunks/s (best of {ROUNDS}), "
                f"query p50 {await query_ms(embedder):.1f} ms, "
                f"worker, peak {peak_mb(embedder.worker_pid):.0f} MB"
            )
        pairs = zip(rates[GRANITE.name], rates[MINILM.name], strict=True)
        ratio = statistics.median(new / old for new, old in pairs)
        print(f"ratio {ratio:.2f} (median of {ROUNDS} pairs)")
    finally:
        for embedder in embedders.values():
            await embedder.close()


class Collection(NamedTuple):
    """Chunks, the documents in each, the questions, and the documents that answer them."""

    chunks: list[str]
    holds: list[frozenset[str]]
    questions: list[dict[str, Any]]
    wanted: dict[str, set[str]]


def collection(folder: Path, most: int = 2000, join: int = 0) -> Collection:
    """All documents that answer a question and some others; `join` packs them in long chunks."""
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
    """Unrelated documents, packed in chunks of at most `tokens` tokens."""
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
    """The nDCG@10 of a ranking. A chunk is right if it holds a wanted document."""
    gains = [1 / math.log2(rank + 2) for rank in range(10)]
    right = sum(gain for held, gain in zip(found, gains, strict=False) if held & wanted)
    return right / sum(gains[: sum(1 for held in there if held & wanted)])


def quality(
    folder: Path,
    window: int,
    join: int,
    cut: bool,
    model_name: str = "granite",
    asked: Path | None = None,
) -> float:
    """nDCG@10 of the vectors alone, with windows of `window` tokens; `cut` uses the first only.
    `asked`: a folder with other questions about the same documents."""
    module = importlib.import_module(f"ragd.embed.worker.{model_name}")
    vars(module)["WINDOW"] = window
    model, given = module.load(), collection(folder, join=join)
    if asked is not None:
        given = given._replace(questions=collection(asked).questions)
    if cut:
        known = model.pieces
        first = SimpleNamespace(
            ids=lambda text: known.ids(text)[: window - 2],
            sentences=lambda text: (known.ids(text)[: window - 2], [0]),
            start_id=getattr(known, "start_id", None),
            end_id=getattr(known, "end_id", None),
        )
        model.pieces = first
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
    parser.add_argument("--model", choices=MODELS, default="granite")
    parser.add_argument(
        "--questions", type=Path, help="a folder with the same questions, translated"
    )
    given = parser.parse_args()
    if given.quality:
        found = quality(
            given.quality, given.window, given.join, given.cut, given.model, given.questions
        )
        print(f"nDCG@10          {found:8.4f}")
        return
    texts = chunks_of(given.vault, given.chunks) if given.vault else made_up_chunks(given.chunks)
    asyncio.run(report(texts))


if __name__ == "__main__":
    main()
