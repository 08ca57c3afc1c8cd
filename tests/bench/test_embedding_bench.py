"""The commands of docs/retrieval.md run, on a collection of three documents."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.embedding import (
    Collection,
    bare_rate,
    chunks_of,
    collection,
    made_up_chunks,
    ndcg,
)

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = {
        "cat": "The cat sleeps on the windowsill.",
        "money": "Quarterly revenue fell by three percent.",
        "tea": "Green tea is steeped at eighty degrees.",
    }
    lines = [json.dumps({"id": key, "title": "", "text": text}) for key, text in documents.items()]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    questions = {"q1": "where is the kitten?", "q2": "how hot should the water be?"}
    lines = [json.dumps({"id": key, "text": text}) for key, text in questions.items()]
    (tmp_path / "queries.jsonl").write_text("\n".join(lines))
    (tmp_path / "qrels.tsv").write_text("q1\tcat\t1\nq2\ttea\t1\nq2\tmoney\t0\n")
    return tmp_path


@pytest.mark.parametrize("extra", [[], ["--window", "128", "--join", "9", "--cut"]])
def test_quality_is_measured(folder: Path, extra: list[str]) -> None:
    command = [sys.executable, "-m", "bench.embedding", "--quality", str(folder), *extra]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    assert said.split() == ["nDCG@10", "1.0000"]


async def test_speed_is_measured() -> None:
    texts = made_up_chunks(2, tokens=10)
    assert await bare_rate(texts) > 0


def test_a_collection_holds_what_is_wanted_and_joins_it(folder: Path) -> None:
    apart, together = collection(folder), collection(folder, join=500)
    assert isinstance(apart, Collection)
    assert (len(apart.chunks), len(together.chunks)) == (3, 1)
    assert together.holds == [frozenset({"cat", "money", "tea"})]
    assert apart.wanted == {"q1": {"cat"}, "q2": {"tea"}}


def test_a_ranking_is_worth_less_the_later_the_right_one_comes() -> None:
    cat, tea = frozenset({"cat"}), frozenset({"tea"})
    assert ndcg([cat, tea], {"cat"}, {cat, tea}) == 1
    assert 0.6 < ndcg([tea, cat], {"cat"}, {cat, tea}) < 0.7
    assert ndcg([tea], {"cat"}, {cat, tea}) == 0


def test_chunks_are_cut_from_notes_or_invented(folder: Path) -> None:
    (folder / "note.md").write_text("one two three " * 300)
    assert len(chunks_of(folder, 3, tokens=100)) == 3
    assert made_up_chunks(2, 20) == made_up_chunks(2, 20)
