"""Facts that change, told in passing: whole days of a diary with several subjects each.

In `diary_chains`, an entry has one subject. Here a statement stands between the weather and dinner
(`diary_days.jsonl`). The halves have different authors, who did not know the rules.
"""

from pathlib import Path

import msgspec

from bench.sets.model import Question, QuestionSet, Vault

NAME = "diary-days"
_ENTRIES = Path(__file__).with_suffix(".jsonl")
_LANGUAGES = {"en": "english", "de": "multilingual"}


class Day(msgspec.Struct):
    """One entry. `said`: the part that states the fact, in `new` and `old` entries."""

    date: str
    role: str
    said: str
    text: str


class Asked(msgspec.Struct):
    """A question and the entries about its subject; exactly one of them is `new`."""

    id: str
    lang: str
    kind: str
    question: str
    notes: list[Day]

    @property
    def half(self) -> str:
        return self.id.partition("-")[0]

    def entries(self) -> dict[str, Day]:
        """The entries by the path of their note."""
        return {f"Journal/{day.date} {self.id} {at}.md": day for at, day in enumerate(self.notes)}

    def said(self, role: str) -> tuple[str, ...]:
        return tuple(day.said for day in self.notes if day.role == role)


def make() -> QuestionSet:
    questions, documents = [], dict[str, dict[str, str]]()
    for line in _ENTRIES.read_bytes().splitlines():
        one = msgspec.json.decode(line, type=Asked)
        vault, entries = f"{NAME}-{one.half}-{one.lang}", one.entries()
        texts = {path: f"{day.text}\n" for path, day in entries.items()}
        documents.setdefault(vault, {}).update(texts)
        questions.append(
            Question(
                f"{NAME}/{one.id}",
                one.question,
                f"{one.lang} {one.kind}",
                vault,
                frozenset(path for path, day in entries.items() if day.role == "new"),
                f"{one.half}:{one.id}",
                one.said("new"),
                one.said("old"),
            )
        )
    vaults = {
        name: Vault(notes, language=_LANGUAGES[name[-2:]]) for name, notes in documents.items()
    }
    return QuestionSet(NAME, questions, vaults)
