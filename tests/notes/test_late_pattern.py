"""Tests of regular expressions that are compiled when they are first used."""

import re

import pytest

from ragd.notes.late_pattern import LatePattern


def test_it_answers_like_a_compiled_pattern() -> None:
    late, compiled = LatePattern("(a+)B", re.IGNORECASE), re.compile("(a+)B", re.IGNORECASE)
    text = "xAAb aab ab"
    assert late.findall(text) == compiled.findall(text)
    assert late.split(text) == compiled.split(text)
    assert late.sub("-", text) == compiled.sub("-", text)
    assert [found.span() for found in late.finditer(text, 3, 9)] == [
        found.span() for found in compiled.finditer(text, 3, 9)
    ]
    for found, expected in (
        (late.search(text, 2, 5), compiled.search(text, 2, 5)),
        (late.match(text, 1), compiled.match(text, 1)),
        (late.fullmatch("ab"), compiled.fullmatch("ab")),
    ):
        assert found is not None
        assert expected is not None
        assert found.span() == expected.span()
    assert late.search("none") is None


def test_it_is_compiled_at_its_first_use() -> None:
    late = LatePattern("(")
    with pytest.raises(re.error):
        late.search("")
