"""The shared real vaults and parallel texts, read where they are. It never copies them."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from bench.collections import Collection, load
from bench.daemon import DATA
from bench.sets.model import Vault, order_of

REAL = ("lyz-blue-book", "vaultofknowledge", "kepano-obsidian", "obsidian-tasks-demo")
LANGUAGES = ("en", "de", "zh")
HELD_OUT_OF = "lyz-blue-book"
HELD_OUT = 20
HELD_OUT_IN = 12  # notes at most that have the word
SECTION = re.compile(r"^(?=#+ )", re.M)
WORD = re.compile(r"[^\W_]+")
_FRONTMATTER = re.compile(r"\A---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.S)

_REPEATED = re.compile(r"/newsletter/\d{4}(?:_w\d+|_\d\d_\d\d)?\.md$")
_FENCED = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.S | re.M)


@cache
def whole(name: str, data: Path = DATA) -> Mapping[str, str]:
    """The notes of a shared vault, with the bytes that they have.

    Not templates; and of newsletters that say the same by day, week, month and year, only those of
    a month: the others would make the index twice as large.
    """
    folder = data / "vaults" / name
    paths = sorted(path.relative_to(folder) for path in folder.rglob("*.md"))
    return {
        str(path): (folder / path).read_bytes().decode("utf-8", "surrogateescape")
        for path in paths
        if path.parts[0] != "Templates"
        and not any(p.startswith(".") for p in path.parts)
        and not _REPEATED.search(str(path))
    }


@cache
def real(name: str, data: Path = DATA) -> Vault:
    """A shared vault as the sets use it: without the notes that are held out."""
    documents = whole(name, data)
    if name != HELD_OUT_OF:
        return Vault(documents)
    held = held_out(data)
    words = re.compile("|".join(map(re.escape, held.values())))
    return Vault({p: _without(text, words) for p, text in documents.items() if p not in held})


@cache
def held_out(data: Path = DATA) -> Mapping[str, str]:
    """Notes of one vault that are left out, so that questions to them have no answer there.

    Each is named by one word that few other notes have; their sections with it are left out, too.
    """
    documents = whole(HELD_OUT_OF, data)
    having: dict[str, set[str]] = defaultdict(set)
    for path, text in documents.items():
        for word in set(WORD.findall(f"{path} {text}".lower())):
            having[word].add(path)
    found = {
        path: word
        for path in documents
        if (word := stem(path).lower()).isalpha()
        and len(word) > 4
        and len(having[word]) <= HELD_OUT_IN
        and all(word not in other.lower() for other in documents if other != path)
        and "newsletter" not in path
    }
    chosen = sorted(found, key=order_of)[:HELD_OUT]
    return {path: found[path] for path in sorted(chosen)}


def _without(text: str, words: re.Pattern[str]) -> str:
    """A note without its sections that have one of the words, and without what is below them."""
    if not words.search(text.lower()):
        return text
    kept, dropped_level = [], 0
    for section in SECTION.split(text):
        level = len(section) - len(section.lstrip("#"))
        if dropped_level and (level == 0 or level > dropped_level):
            continue
        dropped_level = 0
        if words.search(section.lower()):
            dropped_level = level or 7
        else:
            kept.append(section)
    return "".join(kept)


@cache
def xquad(language: str, data: Path = DATA) -> Collection:
    return load(data, f"xquad-{language}")


def properties(text: str) -> dict[str, Any]:
    """The frontmatter; nothing if there is none, or none that YAML can read."""
    match = _FRONTMATTER.match(text)
    if match is None:
        return {}
    try:
        found = yaml.safe_load(match.group(1))
    except (yaml.YAMLError, ValueError):
        return {}
    return {str(k): v for k, v in found.items()} if isinstance(found, dict) else {}


def body(text: str) -> str:
    """What is below the frontmatter."""
    return _FRONTMATTER.sub("", text, count=1)


def prose(text: str) -> str:
    """What is below the frontmatter, without code blocks: the daemon does not index these."""
    return without_code(body(text))


def without_code(text: str) -> str:
    return _FENCED.sub("", text)


def stem(path: str) -> str:
    return Path(path).stem


def title(path: str, text: str) -> str:
    """What a reader calls the note: its `title` property, or else the file's name."""
    given = properties(text).get("title")
    return given.strip() if isinstance(given, str) and given.strip() else stem(path)
