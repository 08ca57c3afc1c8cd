"""Formulas are not amounts of money, and money next to them still is."""

import pytest

from ragd.guard.sensitive_words import MONEY, SensitiveWords, without_harmless_uses
from ragd.guard.word_matching import normalised

WORDS = SensitiveWords([MONEY])


def kinds(text: str) -> set[str]:
    return WORDS.kinds_in(without_harmless_uses(normalised(text)))


@pytest.mark.parametrize(
    "text",
    [
        "So $10^{2.4*10^{10}}$ is the same as $(10^{2.4})^{10}$.",
        "The result was $10000 * 6.30957 \\approx 63095.7$.",
        "It is at most $\\frac{10}{3}$ of it.",
    ],
)
def test_a_formula_is_not_an_amount(text: str) -> None:
    assert kinds(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "By $5^2$ the rest was $300.",
        "From $50 = all of it to $20",
        "$50 {a present} and then $20 more",
        "It cost $10 in {May} and $12 now",
        "500$=450€, 300$",
        "1$=0.9€, so 5000$ it is",
        "He has $9000 = 9k US$ now",
        "$3000=NZ$ 4500",
        "I gave Jo $900, he=$x",
        "a $9000=_salary_$ b",
    ],
)
def test_money_next_to_signs_of_a_formula_is_an_amount(text: str) -> None:
    assert kinds(text) == {MONEY}
