"""Facts that change, in words as people write them: entries of diaries and casual questions.

`chains` is made from templates, which the rules for the newest statement know by heart. The entries
here (`diary_chains.jsonl`) were written one by one, by somebody who did not know the rules. The
first part may be used for tuning; the second was written later, for the test half.
"""

from pathlib import Path

import msgspec

from bench.sets.model import Question, QuestionSet, Vault

NAME = "diary-chains"
_ENTRIES = Path(__file__).with_suffix(".jsonl")
_LANGUAGES = {"en": "english", "de": "multilingual"}


class Asked(msgspec.Struct):
    """A question and the notes about its subject: date, role and text of each. Exactly one note is
    `new`; `old` ones state an earlier value, `other` ones something else.
    """

    id: str
    lang: str
    kind: str
    question: str
    notes: list[tuple[str, str, str]]

    @property
    def half(self) -> str:
        return self.id.partition("-")[0]

    def paths(self) -> list[str]:
        return [f"Journal/{day} {self.id} {at}.md" for at, (day, _, _) in enumerate(self.notes)]


def make() -> QuestionSet:
    questions, documents = [], dict[str, dict[str, str]]()
    for line in _ENTRIES.read_bytes().splitlines():
        one = msgspec.json.decode(line, type=Asked)
        vault = f"{NAME}-{one.half}-{one.lang}"
        told = dict(zip(one.paths(), one.notes, strict=True))
        documents.setdefault(vault, {}).update({path: f"{n[2]}\n" for path, n in told.items()})
        said = {
            role: tuple(text for _, kind, text in one.notes if kind == role)
            for role in ("new", "old")
        }
        questions.append(
            Question(
                f"{NAME}/{one.id}",
                one.question,
                f"{one.lang} {one.kind}",
                vault,
                frozenset(path for path, note in told.items() if note[1] == "new"),
                f"{one.half}:{one.id}",
                said["new"],
                said["old"],
            )
        )
    vaults = {
        name: Vault(notes, language=_LANGUAGES[name[-2:]]) for name, notes in documents.items()
    }
    return QuestionSet(NAME, questions, vaults)
