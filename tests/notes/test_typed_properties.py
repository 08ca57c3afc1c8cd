"""Frontmatter properties in the index: which are kept, and how they are compared."""

import pytest

from ragd.notes.markdown import frontmatter
from ragd.notes.properties import MOST_PROPERTIES, encode_properties, matching_values


def test_the_properties_that_are_kept_from_a_block() -> None:
    block = (
        "---\nStatus: In  Progress\nrating: 4.5\ndue: 2025-01-31T10:00:00\ndone: true\nempty:\n"
        'cuisine: [Indian, "Home"]\nauthor: "[[Ada Lovelace|Ada]]"\nnested:\n  deep: 1\n'
        "list:\n  - a: 1\n  - b\n---\n"
    )
    assert frontmatter.read(block).properties == (
        "status=in progress",
        "rating=4.5",
        "due=2025-01-31",
        "done=true",
        "cuisine=indian",
        "cuisine=home",
        "author=ada",
        "list=b",
    )


def test_there_is_a_limit_on_everything() -> None:
    many = encode_properties({"x": [str(n) for n in range(1000)]})
    assert len(many) == MOST_PROPERTIES
    [long] = encode_properties({"x": ["y" * 10_000]})
    assert len(long) < 300
    assert encode_properties({"n" * 1000: ["1"], "a=b": ["1"], " ": ["1"]}) == ()


KNOWN = ("n=1", "n=10", "n=9.50", "n=ten", "n=2025-01-31", "n=yes", "nn=1", "m=1")


@pytest.mark.parametrize(
    ("operator", "value", "found"),
    [
        ("=", "9.5", ("n=9.50",)),
        ("=", "TEN", ("n=ten",)),
        ("=", "true", ("n=yes",)),
        (">", "9", ("n=10", "n=9.50")),
        ("<=", "1", ("n=1",)),
        ("<", "2025-02-01", ("n=2025-01-31",)),
        (">", "ten", ()),
        ("<", "yes", ()),
        ("", "", ("n=1", "n=10", "n=2025-01-31", "n=9.50", "n=ten", "n=yes")),
    ],
)
def test_numbers_compare_as_numbers_and_days_as_days(
    operator: str, value: str, found: tuple[str, ...]
) -> None:
    assert matching_values("N", operator, value, KNOWN) == found
