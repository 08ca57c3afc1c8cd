"""Rows are found by their ids in parts of any size, also in empty ones."""

import numpy
import pytest

from ragd.store.lance.row_places import ABSENT, RowPlaces

PARTS = [[], [3, 5, 9], [], [], [(1 << 32) + 1], [(7 << 32), (7 << 32) + 2], []]


@pytest.mark.parametrize("parts", [PARTS, PARTS[1:], PARTS[1:2], [[]], []])
def test_each_row_is_found_in_its_part(parts: list[list[int]]) -> None:
    places = RowPlaces([numpy.array(part, dtype="u8") for part in parts])
    rows = [(row, number, at) for number, part in enumerate(parts) for at, row in enumerate(part)]
    found = places.find([row for row, _, _ in rows])
    assert list(zip(*found, strict=True)) == [(number, at) for _, number, at in rows]


@pytest.mark.parametrize("parts", [PARTS, [[]], []])
def test_a_row_that_is_in_no_part_is_absent(parts: list[list[int]]) -> None:
    places = RowPlaces([numpy.array(part, dtype="u8") for part in parts])
    assert places.find([0, 4, 1 << 40]).parts == [ABSENT] * 3
    assert places.find([]).parts == []
