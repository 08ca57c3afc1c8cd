"""The figures of the page: ratios of the rounds, and a reason where nothing can be measured."""

from pathlib import Path

import pytest

from bench import page


def test_each_round_of_the_page_is_compared_with_the_same_round_of_the_api() -> None:
    measured = {
        "notes": 10_000,
        "few": 100,
        "search": {"page": [30.0, 12.0, 24.0], "api": [20.0, 10.0, 20.0]},
        "first": {"many": [90.0, 100.0], "few": [100.0, 100.0]},
    }
    search, paint = page.figures(measured)
    assert search.ratio == pytest.approx(1.2) and search.beside == "20.00 ms the API"
    assert paint.ratio == pytest.approx(0.95) and "10,000 notes" in paint.what


def test_without_node_there_is_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    [row] = page.rows()
    assert row.ratio is None and "make test-page" in row.beside
