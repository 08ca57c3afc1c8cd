"""Parsing the query language: every text is a question, and none is an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.errors import RagdError
from ragd.search.query.conditions import describe_filters, phrase_pattern
from ragd.search.query.query_language import Term, parse, parse_property


@pytest.mark.parametrize(
    ("question", "plain", "terms"),
    [
        ('what is "exact phrase" here', "what is exact phrase here", ['"exact phrase"']),
        ("it's a stray \" quote", "it's a stray quote", []),
        ("notes -draft", "notes", ['not "draft"']),
        ("-5 degrees, 5 -3, a - b, a--b, well-known", None, []),
        ("x -c++", "x", ['not "c++"']),
        ("tag:travel tickets", "tickets", ["tag travel"]),
        ('tag:#a/b. folder:"My notes" x', "x", ["tag a/b", "folder My notes"]),
        ("what does tag: mean?", None, []),
        ("prop:status=active tasks", "tasks", ["property status = active"]),
        ('prop:"due date"<=2025-01-01', "", ["property due date <= 2025-01-01"]),
        ("prop:rating≥4.5?", "", ["property rating >= 4.5"]),
        ("-prop:done", "", ["not property done"]),
        ('title:"Beam Divergence" x', "Beam Divergence x", ["title Beam Divergence"]),
        ("„deutsche Worte“ und «des mots»", None, ['"deutsche Worte"', '"des mots"']),
        ("-tag:x -folder:Y z", "z", ["not tag x", "not folder Y"]),
    ],
)
def test_limits_are_taken_out(question: str, plain: str | None, terms: list[str]) -> None:
    found = parse(question)
    assert describe_filters(found.terms, "") == terms
    if plain is not None:
        assert found.plain == plain


@pytest.mark.parametrize(
    ("question", "plain", "excluded"),
    [
        ("pasta recipes without meat", "pasta recipes", "meat"),
        ("hiking trips but not in Norway?", "hiking trips ?", "in Norway"),
        ("soup with tomatoes, but no chickpeas", "soup with tomatoes,", "chickpeas"),
        ("Rezepte ohne Fleisch", "Rezepte", "Fleisch"),
        ("las recetas sin carne", "las recetas", "carne"),
        ("original sin city", "original sin city", ""),
        ("Comic Sans history", "Comic Sans history", ""),
        ("what can I not live without?", "what can I not live without?", ""),
        ("Without you", "Without you", ""),
        ("How do I travel without a car?", "How do I travel without a car?", ""),
    ],
)
def test_an_exclusion_is_taken_out(question: str, plain: str, excluded: str) -> None:
    found = parse(question)
    assert (found.plain, found.excluded) == (plain, excluded)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("status=active", Term("property", "status", False, "=", "active")),
        ("due date <= 2025-01-01", Term("property", "due date", False, "<=", "2025-01-01")),
        ("status=in progress", Term("property", "status", False, "=", "in progress")),
        ("rating", Term("property", "rating")),
    ],
)
def test_a_comparison_alone(text: str, term: Term) -> None:
    assert parse_property(text) == term


@pytest.mark.parametrize("text", ["", "=x", "  ", "!=", '"'])
def test_a_comparison_without_a_name_is_refused(text: str) -> None:
    with pytest.raises(RagdError, match="status=active"):
        parse_property(text)


@given(st.text(alphabet=st.sampled_from("ab \"“”„«»'-:=<>! \n#tagpropfolder\ud800"), max_size=60))
def test_any_text_is_a_question(text: str) -> None:
    found = parse(text)
    assert all(term.text for term in found.terms)
    assert not set(found.plain) & set('"“”„«»')


def test_a_phrase_is_whole_words_with_any_space_between_them() -> None:
    assert phrase_pattern("it's (a) cat") == r"(?i)\bit['’]s\s+\(a\)\s+cat\b"
    assert phrase_pattern("学习") == "(?i)学习"
