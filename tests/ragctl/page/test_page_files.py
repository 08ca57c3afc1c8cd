"""The files of the page, without a browser: what they say, and what they must not contain."""

import re
from pathlib import Path

import pytest

from ragctl.bridge.static_files import TYPES
from ragd.events import TAGS

PAGE = Path(__file__).parents[3] / "ragctl" / "page"
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())
STRINGS = (PAGE / "strings.js").read_text(encoding="utf-8")
# What turns text into markup or code, and what would need another site or an inline style.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment"
    r"|\beval\(|new Function|setAttribute\(.style|importScripts|<script>|<style|\son[a-z]+="
)
NAMESPACE = "http://www.w3.org/2000/svg"


@pytest.mark.parametrize("fact", [name for name in TAGS if name != "unknown"])
def test_every_fact_has_a_sentence_and_can_be_chosen(fact: str) -> None:
    assert f"    {fact}: (" in STRINGS
    groups = STRINGS.partition("  groups: {")[2].partition("\n  },")[0]
    assert f'"{fact}"' in groups


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PAGE)) for path in FILES])
def test_no_file_makes_markup_of_text_or_names_another_site(path: Path) -> None:
    assert path.suffix in TYPES  # else it is not served
    text = path.read_text(encoding="utf-8").replace(NAMESPACE, "")
    assert not FORBIDDEN.findall(text)
    assert not re.findall(r"https?://[^\s\"'`)]+", text)


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".js"])
def test_every_module_that_is_imported_exists(path: Path) -> None:
    for name in re.findall(r"""(?:from|import\()\s*"(\.[^"]+)""", path.read_text("utf-8")):
        assert (path.parent / name).is_file(), name


def test_what_the_page_preloads_exists() -> None:
    names = re.findall(r'href="(/[^"]+)"', (PAGE / "index.html").read_text("utf-8"))
    assert len(names) > 10
    assert [name for name in names if not (PAGE / name[1:]).is_file()] == []
