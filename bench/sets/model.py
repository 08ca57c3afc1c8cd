"""What a set is: vaults, and questions with their right answers. Pure; it asks nothing."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

Half = Literal["tune", "test"]


class Question(NamedTuple):
    """One question. The notes in `answers` are right; where there is none, nothing answers it.

    `says`: where given, a result is right only if its text holds one of these statements.
    `outdated`: statements that a newer one has replaced. `group` decides the half, so questions
    that are nearly alike share a group. `clean`: the id of the same question without a typo.
    """

    id: str
    text: str
    kind: str
    vault: str
    answers: frozenset[str]
    group: str
    says: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    clean: str = ""
    excluded: frozenset[str] = frozenset()  # notes that the question says it does not want
    folder: str = ""  # where to search; empty: everywhere
    absent: tuple[str, ...] = ()  # of an unanswerable question: no line of a note has all of these


class Vault(NamedTuple):
    """Notes by path; `days` has the file's own day (ISO) for notes where it matters.

    `language`: which embedded model is configured.
    """

    documents: Mapping[str, str]
    days: Mapping[str, str] = {}
    language: str = "auto"


class QuestionSet(NamedTuple):
    """A named set. `complete`: every right note of each question is known, so that a result that
    is not listed is wrong. Only such sets say whether `score` is right."""

    name: str
    questions: list[Question]
    vaults: Mapping[str, Vault]
    complete: bool = True


def half_of(group: str) -> Half:
    """The half a group of questions belongs to: by its hash, so it never moves. A set whose test
    half was written later names the half itself: "tune:", "test:"."""
    named, colon, _ = group.partition(":")
    if colon and named in ("tune", "test"):
        return "tune" if named == "tune" else "test"
    return "tune" if order_of(group)[0] & 1 else "test"


def in_half(questions: Iterable[Question], half: Half) -> list[Question]:
    return [question for question in questions if half_of(question.group) == half]


def order_of(name: str) -> bytes:
    """A key that shuffles names the same way each time."""
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).digest()


def sample(questions: Iterable[Question], most: int) -> list[Question]:
    """At most this many, chosen by the hash of their ids, in their own order."""
    every = list(questions)
    chosen = sorted(every, key=lambda q: order_of(q.id))[:most]
    wanted = {question.id for question in chosen}
    return [question for question in every if question.id in wanted]
