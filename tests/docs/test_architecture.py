"""docs/architecture.md and docs/glossary.md: no package or actor is missing, every path exists."""

import re
from pathlib import Path

from tests.test_import_graph import ACTORS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


def test_the_table_has_every_package_and_no_other() -> None:
    named = re.findall(r"^\| `(rag[\w/]+)/` \|", PAGE, re.M)
    there = {
        path.parent.relative_to(ROOT).as_posix()
        for package in ("ragd", "ragctl")
        for path in (ROOT / package).rglob("__init__.py")
    }
    assert len(named) == len(set(named))
    assert set(named) == there - {"ragd"}


def test_the_table_has_every_actor_beside_its_package() -> None:
    rows = re.findall(r"^\| `(ragd/[\w/]+)/` \|.*\| ([^|]*)\|$", PAGE, re.M)
    named = {
        f"{package.replace('/', '.')}.{actor}"
        for package, cell in rows
        for actor in re.findall(r"`(\w+)`", cell)
    }
    assert named == set(ACTORS)


def test_every_path_on_the_page_exists() -> None:
    paths = re.findall(r"`((?:ragd|ragctl|tests|chaos|bench|pages)/[\w./]*)`", PAGE)
    assert len(paths) > 50
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_word_of_the_glossary_has_a_module_that_exists() -> None:
    rows = re.findall(r"^\| ([a-z ]+) \| .* \| `((?:ragd|ragctl)/[\w./]+)` \|$", GLOSSARY, re.M)
    assert len(rows) == GLOSSARY.count("\n|") - 2  # all rows but the heading and its rule
    assert [path for _, path in rows if not (ROOT / path).exists()] == []
    words = [word for word, _ in rows]
    assert words == sorted(words) and len(words) >= 20
