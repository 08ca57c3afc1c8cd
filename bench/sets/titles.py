"""Titles, file names and aliases of the real vaults: the note of that name must come first."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bench.daemon import DATA
from bench.sets import vaults
from bench.sets.model import Question, QuestionSet, sample

NAME = "titles"
MOST_OF_A_VAULT = 400  # of both halves together
_PARTS = re.compile(r"[_\-. ]+|(?<=[a-z0-9])(?=[A-Z])")
_DATED = re.compile(r"\d{4}[-_]?\d\d|/newsletter/")


def make(data: Path = DATA) -> QuestionSet:
    questions: list[Question] = []
    for name in vaults.REAL:
        questions += sample(_questions(name, data), MOST_OF_A_VAULT)
    return QuestionSet(NAME, questions, {n: vaults.real(n, data) for n in vaults.REAL}, False)


def words_of(name: str) -> str:
    """A file's name as a person would say it: `type_hints` is "type hints"."""
    return " ".join(part.lower() for part in _PARTS.split(name) if part)


def _questions(vault: str, data: Path) -> Iterator[Question]:
    """Notes with equal names are all right. Notes whose name is a date are not asked for."""
    documents = vaults.real(vault, data).documents
    named: dict[tuple[str, str], set[str]] = defaultdict(set)
    said: dict[str, set[str]] = defaultdict(set)  # any way to say it: the notes
    for path, text in documents.items():
        if _DATED.search(path):
            continue
        title, stem = vaults.title(path, text), vaults.stem(path)
        for kind, name in (("title", title), ("file name", words_of(stem)), *_aliases(text)):
            said[name.lower()].add(path)
            if kind != "file name" or name not in (title.lower(), stem.lower()):
                named[kind, name].add(path)
    for kind, name in named:
        if sum(character.isalpha() for character in name) > 1:
            answers = frozenset(said[name.lower()])
            identity = f"titles/{vault}/{kind}/{name}"
            yield Question(identity, name, kind, vault, answers, f"{vault} {min(answers)}")


def _aliases(text: str) -> Iterator[tuple[str, str]]:
    given = vaults.properties(text).get("aliases") or ()
    if isinstance(given, str):
        given = given.split(",")
    for alias in given if isinstance(given, list) else ():
        if isinstance(alias, str) and alias.strip():
            yield "alias", alias.strip()
