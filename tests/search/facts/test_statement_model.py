"""The model that judges by words: what a question asks for, and which sentences state it."""

import pytest

from ragd.search.facts.question_subject import (
    TOPICS,
    find_asked_fact,
    guess_asked_fact,
)
from ragd.search.facts.statement_words import BUCKETS, LONGEST_READ, buckets_of
from ragd.search.query.query_terms import stems_of
from ragd.search.statement_weights import statement_model

MODEL = statement_model()


@pytest.mark.parametrize(
    ("topic", "subject", "states", "mentions"),
    [
        (
            "debt",
            "Quentin",
            "Handed Quentin another sixty, forty to go.",
            "Quentin's wedding, put 60 in the card.",
        ),
        (
            "price",
            "Bellini",
            "Bellini has crept up to 24 a lesson.",
            "Bought 24 cakes with Bellini at the fair.",
        ),
        (
            "weight",
            "Rufus",
            "Rufus on the scales: 31.2.",
            "Rufus ran off with a 2 kg bag of flour.",
        ),
        (
            "address",
            "Odile",
            "Odile has moved in above the bakery in Ghent.",
            "Odile off to Ghent for the weekend.",
        ),
        (
            "job",
            "Hamza",
            "Hamza is a driver at the tram depot now.",
            "Hamza fixed our tap for nothing.",
        ),
        (
            "debt",
            "Henrike",
            "Henrike die Hälfte gegeben, noch 80 offen.",
            "Mit Henrike im Kino, 80 Leute da.",
        ),
    ],
)
def test_a_sentence_that_states_the_fact_is_likelier(
    topic: str, subject: str, states: str, mentions: str
) -> None:
    stems = stems_of(subject)
    stated = MODEL.likelihood(topic, states, stems)
    assert stated > 0.5 > MODEL.likelihood(topic, mentions, stems)
    others = [one.name for one in TOPICS if one.name != topic]
    assert all(MODEL.likelihood(one, states, stems) < stated for one in others)


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("where's Odile living these days?", "address"),
        ("how many milligrams does Rufus get", "dose"),
        ("what am I paying Bellini per month?", "price"),
        ("What did Odile say at the wedding?", None),
        ("how to mock the current time in pytest", None),
        ("pilates principles", None),
        ("", None),
    ],
)
def test_the_topic_of_a_question(question: str, topic: str | None) -> None:
    assert MODEL.topic_of(question) == topic


def test_an_unknown_topic_has_no_statements() -> None:
    assert MODEL.likelihood("weather", "It rained.", frozenset()) == 0


def test_numbers_and_names_are_the_same_words_everywhere() -> None:
    one = buckets_of("Gave Rosa 150 back.", stems_of("Rosa"))
    assert one == buckets_of("gave Declan 7.50 back.", stems_of("Declan"))
    assert one != buckets_of("Gave Rosa $150 back.", stems_of("Rosa"))
    assert all(0 <= bucket < BUCKETS for bucket in one)


def test_only_the_beginning_of_a_long_sentence_is_read() -> None:
    long = "a " * LONGEST_READ
    assert buckets_of(long) == buckets_of(long + "debt")


def test_a_question_that_a_rule_understands_is_not_guessed() -> None:
    asked = "How much do I owe Bo?"
    assert guess_asked_fact(asked, MODEL) == find_asked_fact(asked)


def test_a_guess_has_the_names_of_the_question_as_its_subject() -> None:
    asked = "where's Odile living these days?"
    assert find_asked_fact(asked) is None
    found = guess_asked_fact(asked, MODEL)
    assert found is not None and found.is_guess and found.likely_topic is not None
    assert (found.topic, found.likely_topic.name) == (None, "address")
    assert found.subject == stems_of("Odile") and found.words == "Odile"


@pytest.mark.parametrize(
    "question",
    [
        *("who is Marta", "who taught me chess", "who recommended the dentist", "Vienna trip"),
        *("where is the fuse box", "Wo ist der Sicherungskasten", "what is a monad", "car repair"),
        *("how to repair the kitchen tap", "What has Tariq cooked for me?", "Garten"),
    ],
)
def test_a_question_for_something_else_is_not_guessed(question: str) -> None:
    assert guess_asked_fact(question, MODEL) is None


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Who has the spare key now?", "arrangement"),
        ("Which vet do we go to these days?", "arrangement"),
        ("outstanding with Declan", "debt"),
    ],
)
def test_a_question_for_the_present_or_for_a_value_is_guessed(question: str, topic: str) -> None:
    found = guess_asked_fact(question, MODEL)
    assert found is not None and found.guess is not None and found.guess.name == topic


def test_a_question_about_the_past_is_not_guessed() -> None:
    assert guess_asked_fact("where was Odile living in those days", MODEL) is None
