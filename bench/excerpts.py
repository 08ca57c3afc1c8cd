"""How often the lines that `ragctl search` shows of a long passage have the answer.

    python -m bench.excerpts [--questions 400]

Each passage is three paragraphs of an article of XQuAD in English, about the size of a chunk. Each
question is asked of its own passage, so this measures the choice of lines and not the search. The
articles with an even number are for tuning.
"""

import argparse
import asyncio
import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, pstdev
from typing import NamedTuple

from ragctl.views.excerpts import Highlighter, excerpt
from ragctl.views.render import Ink
from ragd.embed.providers.embedder_port import cosine
from ragd.embed.providers.local_model import EmbeddedEmbedder
from ragd.search.best_sentences import best_places, split_places

SOURCE = Path(__file__).parents[2] / "shared" / "data" / "share-alike" / "ir" / "xquad-en"
COLUMNS = 100
LINES = (3, 5, 8)
PARAGRAPHS = 3


class Case(NamedTuple):
    """A question, its answer, and the passage that has it."""

    question: str
    answer: str
    passage: str
    is_for_tuning: bool


def cases(count: int) -> list[Case]:
    """The same ones each time."""
    rng = random.Random(3)
    documents = [json.loads(line) for line in (SOURCE / "docs.jsonl").open()]
    articles: dict[str, list[dict[str, str]]] = {}
    for document in documents:
        articles.setdefault(document["id"].partition("p")[0], []).append(document)
    asked = {one["id"]: one for one in map(json.loads, (SOURCE / "queries.jsonl").open())}
    found = []
    for line in (SOURCE / "qrels.tsv").open():
        query, document, *_ = line.split()
        if query in asked:
            article = document.partition("p")[0]
            ids = [one["id"] for one in articles[article]]
            first = ids.index(document) - rng.randrange(PARAGRAPHS)
            first = max(0, min(first, len(ids) - PARAGRAPHS))
            texts = [one["text"] for one in articles[article][first : first + PARAGRAPHS]]
            one = asked[query]
            is_for_tuning = int(article[1:]) % 2 == 0
            found.append(Case(one["text"], one["answer"], "\n\n".join(texts), is_for_tuning))
    return rng.sample(found, min(count, len(found)))


async def best_sentences(some: list[Case]) -> list[list[str]]:
    """The best sentences of each passage, as the daemon marks them."""
    embedder = EmbeddedEmbedder()
    made = []
    try:
        for case in some:
            text, places = case.passage, split_places(case.passage)
            vectors = await embedder.embed([text[start:end] for start, end in places])
            question = await embedder.embed_query(case.question)
            words = Highlighter(case.question)
            cosines = [cosine(question, vector) for vector in vectors]

            def share(sentence: str, words: Highlighter = words) -> float:
                return len(words.matched_words(sentence)) / max(1, words.word_count)

            best = best_places(text, places, cosines, share)
            made.append([text[start:end] for start, end in best])
    finally:
        await embedder.close()
    return made


def has_answer(case: Case, lines: int, best: list[str]) -> bool:
    ink = Ink(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    ink.columns = COLUMNS
    shown = excerpt(case.passage, Highlighter(case.question), ink, lines, None, best)
    return _squeezed(case.answer) in _squeezed(" ".join(line.text for line in shown))


def _squeezed(text: str) -> str:
    return "".join(text.replace("…", "").split()).casefold()


def rows(some: list[Case], marked: list[list[str]]) -> Iterator[str]:
    for name, is_for_tuning in (("tuning half", True), ("test half", False)):
        half = [(c, best) for c, best in zip(some, marked, strict=True)]
        half = [pair for pair in half if pair[0].is_for_tuning == is_for_tuning]
        for lines in LINES:
            by_words = [has_answer(case, lines, []) for case, _ in half]
            by_sentences = [has_answer(case, lines, best) for case, best in half]
            gains = [int(b) - int(a) for a, b in zip(by_words, by_sentences, strict=True)]
            spread = pstdev(gains) / len(gains) ** 0.5
            yield (
                f"{name}, {lines} lines, {len(half)} questions: by words {mean(by_words):.3f}, "
                f"with the best sentences {mean(by_sentences):.3f} "
                f"({mean(gains):+.3f} ± {spread:.3f})"
            )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.excerpts", description=__doc__)
    parser.add_argument("--questions", type=int, default=400)
    some = cases(parser.parse_args().questions)
    for row in rows(some, asyncio.run(best_sentences(some))):
        print(row)


if __name__ == "__main__":
    main()
