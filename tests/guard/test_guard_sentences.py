"""How well the guard separates private sentences from harmless ones, on a labelled set.

The set is `guard_sentences.tsv`: part, language, kind (`-`: harmless), sentence. The lists were
tuned on the part `tune`. The part `test` was written after the lists were finished and was not used
to change them: its figures are what to expect. docs/security.md quotes them.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from ragd.guard.inspection import Rules, inspect
from ragd.guard.sensitive import categories_of_text
from tests.guard.conftest import Found

KINDS = {"health", "financial_debt", "relations"}
SENTENCES = Path(__file__).parent / "guard_sentences.tsv"
PAGE = Path(__file__).parents[2] / "docs" / "security.md"


class Sentence(NamedTuple):
    half: str
    language: str
    kind: str | None
    text: str


def sentences() -> list[Sentence]:
    lines = SENTENCES.read_text("utf-8").splitlines()
    cut = [line.split("\t") for line in lines]
    return [Sentence(half, of, None if kind == "-" else kind, text) for half, of, kind, text in cut]


def kinds(text: str, rules: Rules) -> set[str]:
    """The kinds of a passage with this text."""
    return KINDS.intersection(inspect(Found(text), rules).categories)


def figures(rules: Rules, half: str) -> dict[str, tuple[int, int]]:
    """The numbers of missed sensitive sentences and of flagged harmless ones."""
    counted: Counter[str] = Counter()
    for sentence in sentences():
        if sentence.half != half:
            continue
        found = kinds(sentence.text, rules)
        counted["sensitive" if sentence.kind else "harmless"] += 1
        counted["missed"] += sentence.kind is not None and not found
        counted["alarms"] += sentence.kind is None and bool(found)
    return {
        "missed": (counted["missed"], counted["sensitive"]),
        "alarms": (counted["alarms"], counted["harmless"]),
    }


def test_the_set_is_large_and_half_of_it_is_harmless() -> None:
    found = sentences()
    assert len(found) >= 300 and len({sentence.text for sentence in found}) == len(found)
    harmless = sum(sentence.kind is None for sentence in found)
    assert abs(harmless - len(found) / 2) < len(found) * 0.02
    assert {"en", "de", "zh"} <= {sentence.language for sentence in found}
    assert {sentence.kind for sentence in found if sentence.kind} == KINDS


@pytest.mark.parametrize("half", ["tune", "test"])
def test_the_figures_on_the_security_page_are_right(rules: Rules, half: str) -> None:
    found = figures(rules, half)
    page = PAGE.read_text("utf-8")
    missed, sensitive = found["missed"]
    assert f"| `{half}`: private sentences missed | {missed} of {sensitive} |" in page
    alarms, harmless = found["alarms"]
    assert f"| `{half}`: false alarms | {alarms} of {harmless} |" in page


@pytest.mark.parametrize(
    "text",
    [
        "My debts.",
        "He owes me.",
        "new medications",
        "I keep spending.",
        "the therapist called",
        "It was 300 EUR.",
        "EUR 300",
        "300eur",
        "I am anxious.",
        "so depressed",
        "Meine Schulden",
        "die Therapeutin",
        "我欠他钱",
        "抑郁",
    ],
)
def test_inflections_and_amounts_are_found(rules: Rules, text: str) -> None:
    assert kinds(text, rules), text


@pytest.mark.parametrize(
    "text",
    [
        "anxious to see the film",
        "what you spend your time on",
        "spend your time",
        "technical debt",
        "pay attention",
        "300 EUROPEANS",
        "Euro 2024",
    ],
)
def test_harmless_uses_are_not_flagged(rules: Rules, text: str) -> None:
    assert not kinds(text, rules), text


def test_a_harmless_use_hides_no_sensitive_use_next_to_it(rules: Rules) -> None:
    assert kinds("I spend my time thinking about my debts.", rules) == {"financial_debt"}
    assert kinds("Too anxious to see anybody.", rules) == {"health"}


@pytest.mark.parametrize(
    "bit",
    ["spend my ", "anxious ", "owe ", "300 ", "eur ", "欠", "元", "diagnosis of the ", "time "],
)
def test_a_long_text_takes_linear_time(rules: Rules, bit: str) -> None:
    """Quadratic time would take minutes and fail by the test's time limit."""
    assert isinstance(categories_of_text(bit * (200_000 // len(bit)), rules), tuple)
