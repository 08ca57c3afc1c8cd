"""Varied results, and neighbouring passages joined."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from ragd.search.ranking.diversity import spread_over_notes
from ragd.search.ranking.fusion import Candidate
from ragd.search.ranking.passage_joining import (
    MOST_PASSAGES,
    join_passages,
    may_join,
    place_in_joined,
)


def order(*said: tuple[str, float]) -> str:
    """The notes in their new order, from notes and weights, best first."""
    ranked = [Candidate(f"{n}", note, weight=weight) for n, (note, weight) in enumerate(said)]
    return "".join(one.source_file for one in spread_over_notes(ranked))


def test_the_third_passage_of_a_note_waits_for_notes_that_are_nearly_as_good() -> None:
    assert order(("a", 1.0), ("a", 0.95), ("a", 0.9), ("b", 0.85), ("c", 0.8)) == "aabca"


def test_it_does_not_wait_for_notes_that_are_far_worse() -> None:
    assert order(("a", 1.0), ("a", 0.95), ("a", 0.9), ("b", 0.2)) == "aaab"


def test_a_note_alone_keeps_all_its_passages() -> None:
    assert order(("a", 1.0), ("a", 0.9), ("a", 0.8), ("a", 0.1)) == "aaaa"


def test_in_a_list_by_date_every_note_is_near_the_top() -> None:
    assert order(("a", 0.0), ("a", 0.0), ("a", 0.0), ("b", 0.0)) == "aaba"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1)), max_size=30))
def test_nothing_is_lost_or_duplicated(said: list[tuple[str, float]]) -> None:
    said.sort(key=lambda one: -one[1])
    assert sorted(order(*said)) == sorted(note for note, _ in said)


class Row(Struct, frozen=True):
    chunk_text: str
    chunk_index: int = 0
    start_line: int = 1
    end_line: int = 1
    source_file: str = "a.md"
    title: str = "a"
    heading_path: str = "A"
    section: str | None = "A"
    date: str | None = None
    tags: list[str] = []
    position: str = ""
    kind: str = "markdown"


def test_neighbours_are_joined_without_their_overlap() -> None:
    first, last = Row("one two three", 4, 1, 3), Row("two three four", 5, 2, 5)
    for a, b in ((first, last), (last, first)):
        assert may_join(a, 1, b)
        both = join_passages(a, b)
        assert (both.chunk_text, both.chunk_index) == ("one two three four", 4)
        assert (both.start_line, both.end_line) == (1, 5)


def test_neighbours_without_an_overlap_keep_a_line_between_them() -> None:
    assert join_passages(Row("one", 0, 1, 1), Row("two", 1, 3, 3)).chunk_text == "one\n\ntwo"


def test_passages_that_are_not_neighbours_stay_separate() -> None:
    one = Row("one", 4)
    others = [
        Row("x", 6),
        Row("x", 5, source_file="b.md"),
        Row("x", 5, heading_path="B"),
        Row("x", 5, position="page=2"),
        Row("x", 5, section="#mentalhealth"),
        Row("x", 5, date="2024-01-01"),
    ]
    assert not any(may_join(one, 1, other) for other in others)
    assert may_join(one, 2, Row("x", 6)) and may_join(one, 2, Row("x", 3))
    assert not may_join(one, MOST_PASSAGES, Row("x", 4 + MOST_PASSAGES))


def test_a_place_in_a_passage_is_a_place_in_the_joined_one() -> None:
    joined = "first part, second part"
    assert place_in_joined(joined, "second part", 1.0) == 1.0
    assert place_in_joined(joined, "second part", 0.0) == round(12 / 23, 2)
    assert place_in_joined(joined, "second part", None) is None
    assert place_in_joined(joined, "another text", 0.5) is None
