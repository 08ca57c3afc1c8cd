"""Questions of collections whose right documents are known: claims, and journals of many people."""

from pathlib import Path

from bench.collections import load
from bench.daemon import DATA
from bench.sets.model import Question, QuestionSet, Vault, sample

NAME = "judged"
COLLECTIONS = ("scifact-train", "memorybank-en", "memorybank-cn")
QUESTIONS = 200  # of each


def make(data: Path = DATA) -> QuestionSet:
    questions: list[Question] = []
    found: dict[str, Vault] = {}
    for name in COLLECTIONS:
        collection = load(data, name)
        found[name] = Vault(collection.documents)
        asked = (
            Question(
                f"{NAME}/{name}/{one.id}",
                one.text,
                name,
                name,
                one.answers,
                f"{name} {min(one.answers)}",
                folder=one.folder,
            )
            for one in collection.questions
        )
        questions += sample(asked, QUESTIONS)
    return QuestionSet(NAME, questions, found)
