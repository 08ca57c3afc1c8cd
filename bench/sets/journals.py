"""Questions about a person's diary that name no date, as people ask an assistant.

The collections judge only the questions that name a date. `journals.tsv` has the days that answer
the others, found by reading all ten days of each person, without a search. A Chinese question and
its English twin are in the same half.
"""

from pathlib import Path

from bench.collections import load
from bench.daemon import DATA
from bench.sets.model import Question, QuestionSet, Vault

NAME = "journals"
COLLECTIONS = ("memorybank-en", "memorybank-cn")
_JUDGED = Path(__file__).with_suffix(".tsv")


def make(data: Path = DATA) -> QuestionSet:
    questions: list[Question] = []
    found: dict[str, Vault] = {}
    for name in COLLECTIONS:
        collection = load(data, name, _JUDGED)
        found[name] = Vault(collection.documents)
        for one in collection.questions:
            days = sorted(path.rpartition("/")[2] for path in one.answers)
            number = one.id.rpartition("_")[2]
            questions.append(
                Question(
                    f"{NAME}/{name}/{one.id}",
                    one.text,
                    name,
                    name,
                    one.answers,
                    f"{NAME} {number} {' '.join(days)}",
                    folder=one.folder,
                )
            )
    return QuestionSet(NAME, questions, found)
