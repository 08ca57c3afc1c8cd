"""Markup is removed, words stay."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.notes.markdown.sanitise import plain_line, without_markup

A_TAG = re.compile(
    r"</?(?:script|img|svg|iframe|body|input|video|audio|object|embed|style|meta|div|details|math|"
    r"form|button|select|marquee|isindex|html|table|td|frameset)[\s/>]|</?[a-z][a-z0-9]*[\s/][^<>]*>"
    r"|</?[a-z][a-z0-9]*>",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    "text",
    [
        "a < b > c",
        "<https://example.com/a?b=c>",
        "<me@example.com>",
        "x <- y -> z <3 a<b",
        "<% tp.date.now() %>",
        "<!-- never closed",
        "100 %% of it",
        "[[never closed",
        "[a](b) [[x[y]]]",
    ],
)
def test_text_that_only_resembles_markup_stays_unchanged(text: str) -> None:
    assert without_markup(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("H<sub>2</sub>O", "H2O"),
        ("one<br>two<br/>three", "one two three"),
        ('<p class="x">text</p>', " text "),
        ("<td>a</td><td>b</td>", " a  b "),
        ("before<!-- a comment -->after", "beforeafter"),
        ("<script>alert(1)</script>text", "text"),
        ("<STYLE>\nb {}\n</style>text", "\n\ntext"),
        ("<script>alert(1)", " alert(1)"),
        ("<o:p>text</o:p>", " text "),
        ("<!DOCTYPE html>text<?xml version='1'?>", "text"),
        ("<![CDATA[text]]>", "text"),
        ("<img alt='a > b' src=x>text", " text"),
        ("shown %%hidden%% shown", "shown  shown"),
        ("%%\nhidden\n%%\nshown", "\n\n\nshown"),
    ],
)
def test_html_and_comments_are_removed(text: str, shown: str) -> None:
    assert without_markup(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("List<String> and <your-name>", "List String  and  your-name "),
        ("if a <b and c> d", "if a  b and c  d"),
        ("`<div>` is code", "` div ` is code"),
        ("<img src=x onerror=alert(1)", "img src=x onerror=alert(1)"),
        ("cp <source> <path>", "cp  source   path "),
    ],
)
def test_words_in_brackets_that_may_not_be_tags_stay(text: str, shown: str) -> None:
    assert without_markup(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[[Target]]", "Target"),
        ("[[Target|shown]]", "shown"),
        ("[[Target\\|shown]] in a table", "shown in a table"),
        ("[[Target#Heading]]", "Target > Heading"),
        ("[[#Heading]]", "Heading"),
        ("[[Target|]]", "Target"),
        ("![[Note]]", "Note"),
        ("![[photo.png|300]]", "photo.png"),
        ("![[photo.png|my cat]]", "my cat"),
    ],
)
def test_links_become_their_shown_text(text: str, shown: str) -> None:
    assert without_markup(text) == shown


def test_an_embedded_picture_is_not_text() -> None:
    text = f"![x](data:image/png;base64,{'QUJD' * 5000}) after"
    assert without_markup(text) == "![x](data:image/png;base64,) after"


def test_removing_a_tag_never_creates_another() -> None:
    for depth in (1, 2, 5, 50):
        text = "<scr" * depth + "<script>" + "ipt>" * depth + "alert(1)"
        assert not A_TAG.search(without_markup(text))


def test_a_title_is_plain() -> None:
    assert plain_line("<b>My</b>\n [[Note|title]]  %%x%%", 100) == "My title"


@given(st.lists(st.sampled_from([*"<>%[]|!`\n ab=/\"'", "script", "<b>", "<!--", "-->", "%%"])))
def test_the_number_of_lines_never_changes(parts: list[str]) -> None:
    text = "".join(parts)
    assert without_markup(text).count("\n") == text.count("\n")


@given(st.lists(st.sampled_from([*"<>/= '\"!-", "script", "img", "svg", "onload=", "b", "\n"])))
def test_no_tag_is_left_in_any_mixture(parts: list[str]) -> None:
    assert not A_TAG.search(without_markup("".join(parts)))


def test_no_attack_string_keeps_a_tag(shared: Path) -> None:
    with (shared / "security" / "xss.jsonl").open() as lines:
        for line in lines:
            attack = json.loads(line)["text"]
            assert not A_TAG.search(without_markup(attack)), attack
