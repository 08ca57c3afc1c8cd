"""docs/security.md: every test that it names exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_promise_has_the_test_that_the_page_names() -> None:
    page = (ROOT / "docs" / "security.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page)
    assert len(named) > 15
    for file, test in named:
        source = (ROOT / file).read_text()
        assert not test or f"def {test}(" in source, f"{file}::{test}"
    for row in re.findall(r"^\| (?!promise|sample|---)(.+) \|$", page.split("## Nothing")[1], re.M):
        assert "tests/" in row or re.search(r"\d", row), row


def test_no_row_stands_outside_its_table() -> None:
    page = (ROOT / "docs" / "security.md").read_text()
    for block in re.split(r"\n{2,}", page):
        if block.startswith("|"):
            assert re.match(r"\| \w+ \| \w+ \|\n\|---\|---\|\n", block), block[:80]
