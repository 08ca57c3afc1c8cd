"""Test collections as vaults: documents become notes, questions have the notes that answer them.

It never searches: `quality` does.
"""

import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

SETS = {
    "scifact-train": "ir/scifact-train",
    "memorybank-en": "ir/memorybank-en",
    "memorybank-cn": "ir/memorybank-cn",
    "xquad-en": "share-alike/ir/xquad-en",
    "xquad-de": "share-alike/ir/xquad-de",
    "xquad-zh": "share-alike/ir/xquad-zh",
}


class Question(NamedTuple):
    """A question, its folder, and the notes that answer it."""

    id: str
    text: str
    folder: str
    answers: frozenset[str]


class Collection(NamedTuple):
    """The documents of a vault by path, and the questions about them."""

    name: str
    documents: dict[str, str]
    questions: list[Question]
    replies: Mapping[str, str] = {}  # the answer in words, by question, where the set has it


def load(data: Path, name: str, judgements: Path | None = None) -> Collection:
    """The documents of a set, and its questions that have judged answers. `judgements`: these
    instead of the set's own."""
    folder = data / SETS[name]
    documents = {_path(doc["id"]): _text(doc) for doc in _lines(folder / "docs.jsonl")}
    if (folder / "vault").is_dir():  # the notes with their properties
        documents = {path: (folder / "vault" / path).read_text("utf-8") for path in documents}
    judged: dict[str, set[str]] = {}
    for line in (judgements or folder / "qrels.tsv").read_text("utf-8").splitlines():
        question, doc, rel = line.split("\t")
        if int(rel) > 0:
            judged.setdefault(question, set()).add(_path(doc))
    questions = [
        Question(q["id"], q["text"], q.get("vault", ""), frozenset(judged[q["id"]]))
        for q in _lines(folder / "queries.jsonl")
        if q["id"] in judged
    ]
    replies = {q["id"]: q["answer"] for q in _lines(folder / "queries.jsonl") if "answer" in q}
    return Collection(name, documents, questions, replies)


def write_vault(
    documents: Mapping[str, str], vault: Path, days: Mapping[str, str] | None = None
) -> None:
    """Write the documents as notes. Notes that are equal already are not rewritten.

    `days`: the day (ISO) of a note's file time, for notes where it matters.
    """
    for existing in vault.rglob("*.md") if vault.exists() else ():
        if str(existing.relative_to(vault)) not in documents:
            existing.unlink()
    for path, text in documents.items():
        note = vault / path
        content = text.encode("utf-8", "surrogateescape")
        if not note.exists() or note.read_bytes() != content:
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_bytes(content)
        if day := (days or {}).get(path):
            moment = datetime.fromisoformat(f"{day}T12:00:00").timestamp()
            if note.stat().st_mtime != moment:
                os.utime(note, (moment, moment))


def _path(doc: str) -> str:
    return doc if doc.endswith(".md") else f"{doc}.md"


def _text(doc: dict[str, str]) -> str:
    title = doc.get("title", "")
    return f"# {title}\n\n{doc['text']}\n" if title else f"{doc['text']}\n"


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
