"""Sensitive content by section, by tag and by words; in any script; never by a part of a word."""

import re

import pytest

from ragd.guard.inspection import Rules, inspect
from ragd.guard.sensitive import categories, categories_of_text, may_leave, text_may_leave
from ragd.notes.model import Chunk
from tests.guard.conftest import Found, rules_of


def categories_in(text: str, rules: Rules) -> list[str]:
    return list(categories_of_text(text, rules))


@pytest.mark.parametrize(
    "text",
    [
        "I owed him lunch",
        "OWED",
        "owed, at last",
        "(owed)",
        "co-owed",
        "The debt.",
        "It cost $5",
        "It cost $ 5",
        "US$1,200",
        "$.50 each",
        "＄５ in wide letters",
        "I spent it",
        "paid\nin full",
    ],
)
def test_words_about_money_are_found_as_whole_words(rules: Rules, text: str) -> None:
    assert categories_in(text, rules) == ["financial_debt"]


@pytest.mark.parametrize(
    "text",
    [
        "Bowed low",
        "owedness",
        "indebted",
        "prepaid",
        "spender",
        "echo $HOME and ${PATH}",
        "a $ sign alone",
        "$",
        "5$ behind the number",
        "cost: $x",
        "",
        "owe\u0301",
    ],
)
def test_a_part_of_a_word_and_a_sign_alone_are_not_sensitive(rules: Rules, text: str) -> None:
    assert categories_in(text, rules) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("my shopping list", True),
        ("Shopping   List", True),
        ("shopping\nlist", True),
        ("shopping-list", True),
        ("shopping_list", True),
        ("shopping lists", True),
        ("a list for shopping", False),
        ("shopping and a list", False),
    ],
)
def test_several_words_are_found_in_their_order(rules: Rules, text: str, found: bool) -> None:
    assert categories_in(text, rules) == (["commitments"] if found else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cover: https://m.media-amazon.com/images/M/a.jpg", []),
        ("[a film](https://www.amazon.com/dp/1) to see", []),
        ("Ordered at Amazon: https://www.amazon.com/dp/1", ["commitments"]),
        ("https://www.amazon.com/dp/1 and the shopping list", ["commitments"]),
        ("https://example.org/therapy", ["health"]),
    ],
)
def test_a_shop_in_an_address_is_not_a_commitment(
    rules: Rules, text: str, found: list[str]
) -> None:
    assert categories_in(text, rules) == found


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("欠", "我欠小明五百块", True),
        ("抑郁", "最近有点抑郁。", True),
        ("抑郁", "最近抑制郁闷", False),
        ("借金", "借金を返した", True),
        ("หนี้", "ฉันมีหนี้อยู่", True),
        ("빚", "빚을 갚았다", True),
        ("빚", "흠빚다", False),
        ("Schulden", "meine SCHULDEN", True),
        ("Straße", "STRASSE", True),
        ("müde", "mu\u0308de", True),
        ("долг", "мой Долг", True),
        ("долг", "долго", False),
        ("कर्ज", "मेरा कर्ज है", True),
        ("कर", "मेरा कर्ज है", False),
        ("€", "20 €", True),
        ("€", "€20", True),
        ("€", "der Euro (€)", False),
        ("US$", "for US$ 5", True),
        ("US$", "told us", False),
        ("A&E", "in the A&E again", True),
        ("A&E", "a e", False),
        ("c++", "c++ course", True),
        ("c++", "vitamin c", False),
        ("💊", "took 💊 today", True),
        (".*", "anything", False),
        (".*", "the glob .* here", True),
        ("(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", False),
        ("   ", "   ", False),
    ],
)
def test_patterns_are_words_of_any_script_and_never_regular_expressions(
    pattern: str, text: str, found: bool
) -> None:
    rules = rules_of({"word_lists": ()}, {"patterns": {"health": (pattern,)}})
    assert categories_in(text, rules) == (["health"] if found else [])


@pytest.mark.parametrize(
    "section",
    [
        "#mentalhealth",
        "#MentalHealth",
        "Mental Health",
        "mental-health",
        "# mental health",
        "Mental Health:",
        "**Mental Health**",
        "🧠 Mental Health",
        "1. Mental Health",
        "2.3) _Mental_ Health",
        "==Mental Health==",
        "Mental Health (2024)",
        "My mental health log",
        "ＭＥＮＴＡＬ　ＨＥＡＬＴＨ",
    ],
)
def test_a_section_matches_in_any_spelling(rules: Rules, section: str) -> None:
    assert categories(Found("a calm day", section=section), "a calm day", rules) == ("health",)


def test_a_section_below_a_sensitive_one_is_sensitive_too(rules: Rules) -> None:
    passage = Found("We talked.", section="Amma", heading_path="2024 > Relations > Amma")
    assert categories(passage, passage.chunk_text, rules) == ("relations",)


@pytest.mark.parametrize(
    ("tag", "found"),
    [
        ("#mentalhealth", ("health",)),
        ("#MentalHealth/2024", ("health",)),
        ("#journal/physicalhealth", ("health",)),
        ("#relations", ("relations",)),
        ("#relationship", ("relations",)),
        ("#debt", ("financial_debt",)),
        ("#technical-debt", ()),
    ],
)
def test_each_level_of_a_nested_tag_counts(rules: Rules, tag: str, found: tuple[str, ...]) -> None:
    assert categories(Found("", tags=(tag,)), "", rules) == found


def test_configured_sections_get_the_category_of_their_name() -> None:
    listed = ("Gesundheit", "#Medical", "Money matters", "#Family", "##")
    rules = rules_of({"sensitive_sections": listed}, {"patterns": {}})
    found = [categories(Found("", section=name), "", rules) for name in listed]
    assert found == [("health",), ("health",), ("financial_debt",), ("relations",), ()]


def test_a_custom_kind_is_worth_remembering_but_not_sensitive() -> None:
    rules = rules_of(memory={"patterns": {"birthdays": ("birthday",), "relations": ("my ex",)}})
    assert categories_in("his birthday", rules) == []
    assert categories_in("my ex called", rules) == ["relations"]


def test_without_configuration_nothing_is_found() -> None:
    rules = rules_of({"sensitive_sections": (), "word_lists": ()}, {"patterns": {}})
    assert categories(Found("", section="#mentalhealth"), "I owe $5", rules) == ()


JOINED = "# Work\nAll of the day in meetings.\n## Ilse\nCalled.\n## Health\n# Rest\nNone."


def test_a_heading_within_the_text_counts_if_it_has_words_below_it() -> None:
    rules = rules_of({"sensitive_sections": ["#Ilse"]})
    passage = Found(JOINED, section="Work", heading_path="Work")
    seen = inspect(passage, rules)
    assert (seen.categories, seen.withheld) == (("relations",), True)
    assert not may_leave(_chunk(JOINED, section="Work", heading_path="Work"), rules)
    rules = rules_of({"sensitive_sections": ["#Health"]})
    assert inspect(passage, rules).categories == (), "there is nothing below that heading"


def test_a_comment_in_code_is_not_a_heading() -> None:
    rules = rules_of({"sensitive_sections": ["#Ilse"]})
    code = "# Work\nA script:\n```sh\n# Ilse\nls\n```"
    assert inspect(Found(code, section="Work", heading_path="Work"), rules).categories == ()


def _chunk(text: str, **more: object) -> Chunk:
    fields = {
        "chunk_id": "",
        "index": 0,
        "text": text,
        "section": None,
        "heading_path": "",
        "start_line": 1,
        "end_line": 1,
        "date": None,
        "tags": (),
        "content_hash": "",
        "embed_text": f"Title\n\n{text}",
        "search_text": "",
    }
    return Chunk(**{**fields, **more})  # type: ignore[arg-type]


def test_only_what_is_not_sensitive_may_leave(rules: Rules) -> None:
    assert may_leave(_chunk("A light in the kitchen."), rules)
    assert not may_leave(_chunk("I owe Sreenivas."), rules)
    assert not may_leave(_chunk("calm", tags=("#mentalhealth",)), rules)
    assert not may_leave(_chunk("calm", section="#mentalhealth"), rules)
    assert not may_leave(_chunk("calm", heading_path="Relations > Amma"), rules)
    assert not may_leave(_chunk("200 in May", embed_text="Debt to S\n\n200 in May"), rules)
    assert not may_leave(_chunk("milk from costco"), rules)
    assert text_may_leave("which doorbell?", rules)
    assert not text_may_leave("how is my therapy going?", rules)


@pytest.mark.parametrize("bit", ["a ", "owe", "shopping ", "$", "欠", "빚", "\u0301", "a&", "A&E"])
def test_a_long_text_and_many_patterns_take_linear_time(bit: str) -> None:
    """Quadratic time would take minutes and fail by the test's time limit."""
    words = (" ".join(["a"] * 100), "shopping " * 20 + "list", "A&E", "欠欠欠欠欠欠欠欠欠债")
    rules = rules_of(memory={"patterns": {"financial": (*words, *(f"w{n}" for n in range(900)))}})
    assert isinstance(categories_of_text(bit * (100_000 // len(bit)), rules), tuple)


def test_every_default_pattern_is_found(rules: Rules) -> None:
    from ragd.config.schema import MemorySettings

    for patterns in MemorySettings().patterns.values():
        for pattern in patterns:
            text = f"so {pattern} 5 it"
            tags = tuple(re.findall(r"#\w+", text))
            assert categories(Found("", tags=tags), text, rules), pattern
