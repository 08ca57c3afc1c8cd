"""One typo in a question: the same note must come back as for the question without it.

Questions to XQuAD with a typo in their rarest word, and names of notes of real vaults together
with one of their headings, with a typo in the name. Both forms are asked, so the loss is paired.
The mistyped word is in no note.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.daemon import DATA
from bench.sets import vaults
from bench.sets.model import Question, QuestionSet, Vault, order_of

NAME = "typos"
SEED = 50
COUNTS = {"xquad-en": 200, "lyz-blue-book": 150, "vaultofknowledge": 150}
SHORTEST = 5  # letters of a word that gets a typo
RARE = 15  # notes at most that have the word
HEADINGS = 2  # asked for of one note
GENERAL = ("references", "links", "sources", "introduction", "usage")
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_HEADING = re.compile(r"^#{1,4} (.+)$", re.M)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def make(data: Path = DATA, seed: int = SEED) -> QuestionSet:
    source = random.Random(seed)
    english = vaults.xquad("en", data)
    found = {"xquad-en": Vault(english.documents)}
    found |= {name: vaults.real(name, data) for name in COUNTS if name != "xquad-en"}
    questions: list[Question] = []
    for name, count in COUNTS.items():
        documents = found[name].documents
        having = _having(documents)
        if name == "xquad-en":
            single = {q.text: (q.text, q.answers, min(q.answers)) for q in english.questions}
            asked = list(single.values())
        else:
            asked = list(_named(documents, having))
        asked.sort(key=lambda one: order_of(f"{name} {one[0]}"))
        pairs = (_pair(name, one, having, source) for one in asked)
        made = [pair for pair in pairs if pair][:count]
        questions += [question for pair in made for question in pair]
    return QuestionSet(NAME, questions, found, False)


def mistyped(word: str, kind: str, source: random.Random) -> str:
    """The word with one slip of the finger, not in its first letter."""
    at = source.randrange(1, len(word) - 1)
    if kind == "transposition":
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == "omission":
        return word[:at] + word[at + 1 :]
    if kind == "doubling":
        return word[:at] + word[at] + word[at:]
    for row in ROWS:
        if (place := row.find(word[at].lower())) >= 0:
            near = row[max(0, place - 1) : place] + row[place + 1 : place + 2]
            return word[:at] + source.choice(near) + word[at + 1 :]
    return word


KINDS = ("keyboard", "transposition", "omission", "doubling")


def _having(documents: Mapping[str, str]) -> dict[str, set[str]]:
    having: dict[str, set[str]] = defaultdict(set)
    for path, text in documents.items():
        said = f"{vaults.stem(path)} {vaults.prose(text)}".lower().replace("_", " ")
        for word in set(vaults.WORD.findall(said)):
            having[word].add(path)
    return having


def _pair(
    vault: str,
    asked: tuple[str, frozenset[str], str],
    having: Mapping[str, set[str]],
    source: random.Random,
) -> tuple[Question, Question] | None:
    """The question as it is, and with a typo in the rarest word that the right note has."""
    text, answers, group = asked
    words = [
        word
        for word in re.findall(rf"\b[A-Za-z]{{{SHORTEST},}}\b", text)
        if 0 < len(having.get(word.lower(), ())) <= RARE and having[word.lower()] & answers
    ]
    if not words:
        return None
    word = min(words, key=lambda one: (len(having[one.lower()]), -len(one)))
    kind = source.choice(KINDS)
    wrong = mistyped(word, kind, source)
    if wrong.lower() in having or wrong == word:
        return None
    clean = f"{NAME}/{vault}/{text}"
    typo = re.sub(rf"\b{word}\b", wrong, text, count=1)
    return (
        Question(clean, text, "clean", vault, answers, f"{vault} {group}"),
        Question(f"{clean}/typo", typo, kind, vault, answers, f"{vault} {group}", clean=clean),
    )


def _named(
    documents: Mapping[str, str], having: Mapping[str, set[str]]
) -> Iterator[tuple[str, frozenset[str], str]]:
    """A note's name with one of its headings; notes that have the same heading are right, too."""
    for path, text in documents.items():
        name = re.sub(r"[_\-.]", " ", vaults.stem(path))
        rare = [w for w in vaults.WORD.findall(name.lower()) if len(having[w]) <= RARE]
        if "newsletter" in path or not any(len(word) >= SHORTEST for word in rare):
            continue
        headings = [_LINK.sub(r"\1", one).strip() for one in _HEADING.findall(vaults.prose(text))]
        headings = [one for one in headings if one.isascii() and 4 < len(one) < 60]
        headings = sorted({one for one in headings if one.lower() not in GENERAL}, key=order_of)
        for heading in headings[:HEADINGS]:
            same = {one for w in rare for one in having[w] if heading in documents[one]}
            yield f"{name} {heading.lower()}", frozenset({path} | same), path
        if not headings and name.isascii():
            yield name, frozenset([path]), path
