"""CONTRIBUTING.md and the index of the pages: what they name is there, what they type works."""

import re
from pathlib import Path

import pytest

from tests.docs.test_docs import needs_model, run, user

__all__ = ["user"]

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
DOCS = ROOT / "docs"


def typed(program: str) -> list[str]:
    """The commands in its indented blocks, without their comments."""
    return [
        line.strip().partition("  #")[0].strip()
        for line in re.findall(rf"^    ({program} .*)$", PAGE, re.M)
    ]


def test_every_target_of_make_that_it_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = set(re.findall(r"\bmake ([a-z-]+)(?=`|\s+#)", PAGE))
    assert len(named) > 6
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_every_file_that_it_names_exists() -> None:
    for name in re.findall(r"`((?:ragd|ragctl|tests|bench)/[\w./]+)`", PAGE):
        assert "VERB" in name or (ROOT / name).exists(), name


@needs_model
@pytest.mark.slow
@pytest.mark.timeout(120)
def test_the_commands_for_debugging_work(user: Path) -> None:
    assert run(user, "ragctl index --vault ~/Notes").returncode == 0
    lines = typed("ragctl")
    assert len(lines) > 6
    for line in lines:
        done = run(user, line)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        assert done.stdout.strip(), line


def test_every_page_is_in_the_index_and_every_link_of_every_page_leads_somewhere() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for page in DOCS.iterdir():
        assert page.name == "README.md" or f"({page.name})" in index, page.name
    for page in [*DOCS.glob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "README.md"]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
