"""Whether two versions of ragd give the same answers.

    python -m bench.answers HOME QUESTIONS FILE

QUESTIONS is a JSON list of texts. The first run, with one version, writes the answers of the daemon
of HOME to FILE. A later run, with another version over the same index, compares its answers with
them: the same passages in the same order, with the same scores.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from bench.daemon import TOOL
from ragctl.daemon.client import request
from ragd.paths import Home

RESULTS = 10
SAME_SCORE = 0.0005
SHOWN = 5

Answer = list[tuple[str, float]]  # citations and scores


def answers_of(home: Home, questions: list[str]) -> dict[str, Answer]:
    """The answer to each question."""
    found: dict[str, Answer] = {}
    for question in questions:
        body: dict[str, Any] = {"query": question, "max_results": RESULTS, "explain": True}
        results = request(home, "POST", TOOL, body, 60.0).data["results"]
        found[question] = [(_named(one), one["score"]) for one in results]
    return found


def _named(result: dict[str, Any]) -> str:
    marks = ("citation", "also_in_total", "via", "superseded_by", "best_part", "stale")
    return "|".join(str(result.get(mark)) for mark in marks)


def differences(before: dict[str, Answer], now: dict[str, Answer]) -> list[str]:
    """A line for each answer that is not the same."""
    found = []
    for question, old in before.items():
        new = now[question]
        if [name for name, _ in old] != [name for name, _ in new]:
            added = {name for name, _ in new}.difference(name for name, _ in old)
            found.append(f"{question!r}: {'other passages' if added else 'another order'}")
        elif any(abs(a - b) > SAME_SCORE for (_, a), (_, b) in zip(old, new, strict=True)):
            found.append(f"{question!r}: other scores")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.answers", description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    questions = json.loads(given.questions.read_text("utf-8"))
    now = answers_of(Home(str(given.home)), questions)
    if not given.file.exists():
        given.file.write_text(json.dumps(now), "utf-8")
        print(f"{len(now)} answers written")
        return
    before = {
        one: [(n, s) for n, s in old] for one, old in json.loads(given.file.read_text()).items()
    }
    found = differences(before, now)
    print(f"{len(found)} of {len(before)} answers differ")
    for line in found[:SHOWN]:
        print(line)


if __name__ == "__main__":
    main()
