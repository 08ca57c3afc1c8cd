"""Two versions of the code answer the same questions in turn: how fast, and do they differ.

    python -m bench.pairs --before CODE [--vault NAME …] [--questions 200] [--only SET …]
                          [--keep DIR] [--show-changes]

CODE is another checkout, for example one that `git worktree add` made. Both versions run with this
interpreter. Each indexes the vault in a home of its own, which is named after its checkout. Each
question goes to one and then to the other, and they take turns in being first. Compare the ratios:
the machine may be busy.
`made-N` is a vault of N made-up notes.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from bench.collections import SETS as COLLECTIONS
from bench.collections import load, write_vault
from bench.daemon import DATA, TOOL, VECTORS_WITHIN_S
from bench.search import Client
from bench.sets.__main__ import SETS
from bench.sets.model import Question, Vault, sample
from bench.store import NoteMaker
from bench.table import Row, ms, ratio, render
from ragd.paths import Home

HERE = Path(__file__).resolve().parents[1]
RESULTS = 5
WARM_UP = 10  # questions that are not counted
PLAIN = "plain"  # the unchanged questions of a collection
MADE = "made-"
MADE_WORDS = 60


class VaultQuestions(NamedTuple):
    """A vault and its questions."""

    vault: Vault
    questions: list[Question]


class TimedAnswer(NamedTuple):
    """The time of an answer, and its results."""

    took_s: float
    results: list[tuple[str, float, str | None]]  # citation, score, why a linked note is included


class Side:
    """A daemon of one version of the code, over a vault that both versions share."""

    def __init__(self, code: Path, vault: Path, home: Path, language: str) -> None:
        self._code = code
        self._home = Home(str(home))
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        embedding = {"provider": "embedded", "language": language}
        config: dict[str, Any] = {"vault_path": str(vault), "watch": {"rescan_s": 86400}}
        schemas = (code / "ragd" / "config_schema.py", code / "ragd" / "config" / "schema.py")
        known = any("language" in one.read_text("utf-8") for one in schemas if one.exists())
        config["embedding"] = embedding if known else {"provider": "embedded"}
        Path(self._home.config).write_text(json.dumps(config))

    def index(self) -> None:
        """Index the vault, and wait for every vector and the compaction."""
        self._ragctl("index" if not Path(self._home.vectors).exists() else "sync")
        self._ragctl("wait", "--for", "idle", "--timeout", str(VECTORS_WITHIN_S))
        quiet, seen = 0, 0
        while quiet < 5:
            time.sleep(1.0)
            seq = json.loads(self._ragctl("status", "--json"))["data"]["log"]["seq"]
            quiet, seen = (quiet + 1 if seq == seen else 0), seq

    def connect(self) -> None:
        """Called after both have indexed: the daemon closes idle connections."""
        self._client = Client(self._home)

    def ask(self, question: Question) -> TimedAnswer:
        body: dict[str, Any] = {"query": question.text, "max_results": RESULTS}
        if question.folder:
            body["directory_filter"] = [question.folder]
        began = time.perf_counter()
        envelope = self._client.post(TOOL, body)
        took = time.perf_counter() - began
        results = (envelope.get("data") or {}).get("results", [])
        return TimedAnswer(
            took, [(one["citation"], one["score"], one.get("via")) for one in results]
        )

    def stop(self) -> None:
        self._ragctl("stop")

    def _ragctl(self, *words: str) -> str:
        # `-m` puts the working directory first, so that must not be a checkout.
        environment = {
            **os.environ,
            "OBSIDIAN_RAG_HOME": self._home.root,
            "PYTHONPATH": str(self._code),
        }
        command = [sys.executable, "-m", "ragctl", *words]
        return subprocess.run(
            command, env=environment, cwd=self._home.root, check=True, capture_output=True
        ).stdout.decode()


def vaults(only: Sequence[str]) -> dict[str, VaultQuestions]:
    """All vaults that have questions."""
    found: dict[str, VaultQuestions] = {}
    for name in SETS:
        if name in only or not only:
            one = SETS[name]()
            for question in one.questions:
                vault = one.vaults[question.vault]
                found.setdefault(question.vault, VaultQuestions(vault, [])).questions.append(
                    question
                )
    if PLAIN in only or not only:
        for name in COLLECTIONS:
            collection = load(DATA, name)
            asked = found.setdefault(name, VaultQuestions(Vault(collection.documents), []))
            asked.questions.extend(
                Question(q.id, q.text, PLAIN, name, q.answers, q.id, folder=q.folder)
                for q in collection.questions
            )
    return found


def make_vault(notes: int) -> VaultQuestions:
    """Made-up notes of two passages, each with a link; and plain, exact and narrowed questions."""
    maker, source = NoteMaker(notes), random.Random(notes)
    documents = {}
    for number in range(notes):
        parts = [f"## Part {part}\n\n{maker.words(MADE_WORDS)}\n" for part in range(2)]
        parts.append(f"See [[Note {source.randrange(notes)}]].\n")
        documents[f"Folder {number % 40}/Note {number}.md"] = "\n".join(parts)
    questions = []
    texts = list(documents.values())
    for number in range(400):
        words = source.choice(texts).split("\n")[2].split()
        at = source.randrange(len(words) - 8)
        some = words[at : at + 8]
        kinds = {
            PLAIN: " ".join(source.sample(some, 5)),
            "phrase": f'"{" ".join(some[:3])}" {some[6]}',
            "not": f"{' '.join(some[:4])} -{some[5]}",
        }
        questions += [
            Question(f"{kind}-{number}", text, kind, "made", frozenset(), str(number))
            for kind, text in kinds.items()
        ]
    return VaultQuestions(Vault(documents, language="english"), questions)


def compare(asked: VaultQuestions, before: Path, place: Path, show_changes: bool) -> Iterator[Row]:
    """Ask all questions about one vault, and make a row for each kind."""
    write_vault(asked.vault.documents, place / "vault", asked.vault.days)
    sides = {
        name: Side(code, place / "vault", place / f"home-{code.name}", asked.vault.language)
        for name, code in (("before", before), ("now", HERE))
    }
    try:
        for side in sides.values():
            side.index()
        for side in sides.values():
            side.connect()
        for question in asked.questions[:WARM_UP]:
            for side in sides.values():
                side.ask(question)
        found = list(_ask_in_turn(asked.questions, sides))
    finally:
        for side in sides.values():
            side.stop()
    for kind in dict.fromkeys(question.kind for question, _, _ in found):
        yield _row(kind, [one for one in found if one[0].kind == kind])
    yield _row("all", found)
    for question, old, new in found if show_changes else ():
        if old.results != new.results:
            print(f"{question.id} {question.text!r}\n  {old.results}\n  {new.results}")


def _ask_in_turn(
    questions: Sequence[Question], sides: Mapping[str, Side]
) -> Iterator[tuple[Question, TimedAnswer, TimedAnswer]]:
    for number, question in enumerate(questions):
        order = ("before", "now") if number % 2 else ("now", "before")
        answers = {name: sides[name].ask(question) for name in order}
        yield question, answers["before"], answers["now"]


def _row(kind: str, found: Sequence[tuple[Question, TimedAnswer, TimedAnswer]]) -> Row:
    old = [before.took_s for _, before, _ in found]
    new = [now.took_s for _, _, now in found]
    same = sum(one[1].results == one[2].results for one in found)
    what = f"{kind}: p50 (p95), {same} of {len(found)} answers are the same"
    return Row(what, _shown(new), _shown(old), ratio(new, old))


def _shown(times: Sequence[float]) -> str:
    high = quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return f"{ms(median(times))} ({ms(high)})"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.pairs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--before", type=Path, required=True, help="the other checkout")
    parser.add_argument("--vault", nargs="+", default=["xquad-en"])
    parser.add_argument("--questions", type=int, default=200, help="the most for each vault")
    parser.add_argument("--only", nargs="+", choices=[*SETS, PLAIN], default=[])
    parser.add_argument("--keep", type=Path, help="leave vaults and indexes in this folder")
    parser.add_argument("--show-changes", action="store_true", help="print answers that differ")
    given = parser.parse_args()
    known = vaults(given.only)
    with tempfile.TemporaryDirectory(prefix="ragp") as scratch:
        for name in given.vault:
            number = name.removeprefix(MADE)
            asked = make_vault(int(number)) if name.startswith(MADE) else known[name]
            chosen = asked._replace(questions=sample(asked.questions, given.questions))
            place = (given.keep or Path(scratch)).absolute() / name
            rows = compare(chosen, given.before.absolute(), place, given.show_changes)
            print(f"{name}: {len(asked.vault.documents)} notes")
            print(render(list(rows)), flush=True)


if __name__ == "__main__":
    main()
