"""Prices of small purchases are not about debts; money between people is."""

import pytest

from ragd.guard.rules import Rules
from ragd.guard.sensitive import categories_of_text

PURCHASES = [
    "a flat white for 4.50 €",
    "Coffee was $5.",
    "Had a flat white for 4.50 € at the corner.",
    "Kaffee für 3,20 €",
    "Two croissants and an espresso, 7.80 EUR.",
    "Lunch: 12 euros",
    "$5 for a very good coffee. Rain later.",
    "The museum ticket was $14.",
    "un café à 2,50 €",
    "un cortado por 1,80 euros",
    "一杯咖啡25元",
    "- coffee $4\n- cake $6",
]
MONEY = [
    "It cost $5",
    "He gave me $5 for the coffee.",
    "$20 for the pizza, Sam still has to give it to me.",
    "I owe Bo a flat white for 4.50 €.",
    "Paid $5 for the coffee.",
    "The flat is $50.",
    "The coffee machine was $850.",
    "Coffee for 450 €",
    "A wine cellar for $20k",
    "Bo covered my lunch, $12.",
    "Ich bekomme noch 5 € für den Kaffee.",
    "我欠他一杯咖啡25元",
    "Coffee was $5. The loan is due.",
    "Coffee was $5, the rest is 300 EUR.",
    "Put the coffee for $5 on her tab.",
]


@pytest.mark.parametrize("text", PURCHASES)
def test_the_price_of_a_small_purchase_is_not_sensitive(rules: Rules, text: str) -> None:
    assert categories_of_text(text, rules) == ()


@pytest.mark.parametrize("text", MONEY)
def test_other_amounts_and_money_between_people_stay_sensitive(rules: Rules, text: str) -> None:
    assert categories_of_text(text, rules) == ("financial_debt",)


@pytest.mark.parametrize(
    "bit", ["coffee ", "coffee for ", "$5 ", "$5 for ", "5 € for a a a ", "咖啡"]
)
def test_a_long_text_of_purchases_takes_linear_time(rules: Rules, bit: str) -> None:
    """Quadratic time would take minutes and fail by the test's time limit."""
    text = f"I owe you. {bit * (200_000 // len(bit))}"
    assert isinstance(categories_of_text(text, rules), tuple)
