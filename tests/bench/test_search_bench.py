"""The measures of the benchmarks: nDCG, plain BM25, nonsense questions."""

import math
from pathlib import Path

import pytest

from bench.bm25 import Bm25, tokens
from bench.floor import nonsense
from bench.judging import Figures, judged
from bench.quality import BEGIN, END, write_into


def test_figures_of_one_answer() -> None:
    assert judged(["a", "b", "c"], frozenset("a")) == Figures(1.0, 1.0, 1.0)
    assert judged(["x", "a"], frozenset("a")) == Figures(1 / math.log2(3), 1.0, 0.5)
    assert judged([], frozenset("ab")) == Figures(0.0, 0.0, 0.0)
    assert judged([*"xxxxxxxxxx", "a"], frozenset("a")).ndcg == 0.0
    half = judged(["a", "x"], frozenset("ab"))
    assert half.recall == 0.5 and half.ndcg == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_plain_bm25_by_hand() -> None:
    index = Bm25({"a/1": "apple apple pear", "a/2": "pear plum", "b/1": "fig"})
    assert index.search("apple pear", 10) == ["a/1", "a/2"]
    assert index.search("pear fig", 10, "b/") == ["b/1"]
    assert index.search("nothing", 10) == []
    assert tokens("机器学习 and 2 Go_s") == ["机器", "器学", "学习", "and", "2", "go", "s"]


def test_nonsense_is_always_the_same() -> None:
    assert nonsense() == nonsense() and len(set(nonsense())) > 100


def test_the_tables_go_between_their_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_into(page, "new \\1")
    assert page.read_text() == f"before\n{BEGIN}\nnew \\1\n{END}\nafter\n"
