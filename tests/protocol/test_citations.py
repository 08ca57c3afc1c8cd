"""Citations of lines and of places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.protocol.citations import (
    PLACE_NAMES,
    CitedPassage,
    citation,
    parse_citation,
    spoken_place,
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("a.md", CitedPassage("a.md")),
        ("a.md#L5", CitedPassage("a.md", 5, 5)),
        ("b/a.md#L5-L9", CitedPassage("b/a.md", 5, 9)),
        ("b/a.md#L5-9", CitedPassage("b/a.md", 5, 9)),
        ("paper.pdf#page=3", CitedPassage("paper.pdf", place="page=3")),
        ("scan.png#image", CitedPassage("scan.png", place="image")),
        ("a.canvas#node=ab%2012", CitedPassage("a.canvas", place="node=ab%2012")),
        ("Plan#x=1", CitedPassage("Plan#x=1")),
        ("#page=1", CitedPassage("#page=1")),
        ("Plan#Heading", CitedPassage("Plan#Heading")),
    ],
)
def test_a_citation_is_taken_apart(typed: str, meant: CitedPassage) -> None:
    assert parse_citation(typed) == meant


@given(
    st.text(min_size=1),
    st.integers(1, 10**6),
    st.integers(0, 1000),
    st.sampled_from(["", "image", *(f"{name}=a1" for name in PLACE_NAMES)]),
)
def test_every_citation_comes_back(path: str, first: int, more: int, place: str) -> None:
    found = parse_citation(citation(path, first, first + more, place))
    assert found == (
        CitedPassage(path, place=place) if place else CitedPassage(path, first, first + more)
    )


def test_a_place_is_named_for_people() -> None:
    assert [spoken_place(one) for one in ("page=3", "node=ab12", "image")] == [
        *("page 3", "node ab12", "image"),
    ]
