"""Results from a hostile note contain no tags, no scripts and no invisible characters."""

import json
import re
import unicodedata
from pathlib import Path

import pytest

from ragd.notes.model import Note
from tests.notes.conftest import Parse, parse, shared, wordpiece

__all__ = ["parse", "shared", "wordpiece"]

# As a browser reads it: a name up to a space, `/` or `>`, then attributes. `<https://…>` and
# `List<String>` begin so as well and stay: no element has such a name, and they have no attribute.
# A closing tag without its `>` closes nothing.
TAG = re.compile(r"<(?!/[^>]*\Z)/?([A-Za-z][^\s/>]*)([^>]*)")
_NAMES = """
a animate audio body br button details div embed form frame frameset head html iframe img input
isindex keygen marquee math meta noscript p select span script style svg table td template textarea
video xmp
"""
ELEMENTS = frozenset(_NAMES.split())
ACTING = re.compile(r"""[\s/"'](?:on[a-z]+|style)\s*=""", re.IGNORECASE)


def tags(text: str) -> list[str]:
    """Text that a browser would treat as an element or a script."""
    found = [
        match.group()
        for match in TAG.finditer(text)
        if match.group(1).lower() in ELEMENTS or ACTING.search(match.group(2))
    ]
    return found + re.findall(r"(?is)<!--.*?-->|<!doctype|<\?xml", text)


MAY_JOIN = "\u200c\u200d"  # Persian and emoji need them
# Formats by their class, but drawn: signs that Arabic, Syriac and Kaithi numbers stand under.
DRAWN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"


def shown(note: Note) -> list[str]:
    """Every text of a note that a result may contain."""
    texts = [note.title, *note.aliases, *note.tags]
    for chunk in note.chunks:
        texts += [
            chunk.text,
            chunk.section or "",
            chunk.heading_path,
            chunk.date or "",
            *chunk.tags,
        ]
    return texts


def hidden(text: str) -> list[str]:
    """Characters that show nothing, or turn what follows: controls, formats, lone surrogates."""
    odd = [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in "\n"]
    return [c for c in odd if c not in MAY_JOIN + DRAWN]


def dressings(text: str) -> list[str]:
    """A hostile text in the places a note has for text."""
    return [
        text,
        f"# {text}\n\nbody",
        f"- {text}\n- [ ] {text}",
        f"| a | b |\n|---|---|\n| {text} | x |",
        f"a `{text}` b",
        f"> [!note] {text}\n> {text}",
        f"[[{text}|{text}]] and [{text}]({text})",
        f"---\ntitle: {json.dumps(text)}\naliases: [{json.dumps(text)}]\ntags: [a]\n---\nbody",
        f"#{text}\n%%{text}%% <!-- {text} -->",
        "\u200b".join(text),
        text.replace("<", "<\u202e").replace("script", "scr\u00adipt"),
    ]


@pytest.mark.parametrize("code_blocks", ["remove", "keep"])
@pytest.mark.parametrize("name", ["xss", "naughty_strings"])
def test_no_hostile_string_comes_through(
    shared: Path, parse: Parse, name: str, code_blocks: str
) -> None:
    lines = (shared / "security" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 200
    for line in lines:
        for dressed in dressings(json.loads(line)["text"]):
            raw = dressed.encode("utf-8", "surrogatepass")
            for text in shown(parse(raw, code_blocks=code_blocks)):
                assert tags(text) == [], (line, text)
                assert hidden(text) == [], (line, text)


def test_the_guard_of_this_test_sees_what_it_looks_for() -> None:
    assert tags("a <script> <IMG/src=x> </iframe> <svg\nonload=x") and tags("<x onclick=a>")
    assert tags("a < b <3 <https://a.b/c> List<String> <svg\\fonload=alert(1)>") == []
    assert hidden("a\u202eb\u200b\x1b\U000e0041") == ["\u202e", "\u200b", "\x1b", "\U000e0041"]
    assert hidden("👩\u200d💻\n") == []
