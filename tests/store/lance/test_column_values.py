"""Values are read from their places in a column, and are those that Arrow would return."""

import pyarrow as pa
import pytest

from ragd.store.lance.column_values import reader_of

COLUMNS = {
    "text": pa.array(["", "plain", "Zürich 健康", "🙂", "x" * 300], pa.string()),
    "text that may be missing": pa.array([None, "a", None, "", "b"] * 5, pa.string()),
    "bytes": pa.array([b"", b"\x00\xff", b"abc", None], pa.binary()),
    "numbers": pa.array([0, -1, 2**31 - 1, None], pa.int32()),
    "lists of text": pa.array([[], ["a"], ["b", "", "ü"], []], pa.list_(pa.string())),
    "lists without any text": pa.array([[], [], []], pa.list_(pa.string())),
    "any other type": pa.array([1.5, None, -2.0], pa.float64()),
    "nothing but missing values": pa.array([None, None], pa.string()),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_each_value_is_the_one_that_arrow_returns(name: str) -> None:
    column = pa.chunked_array([COLUMNS[name]])
    read = reader_of(column)
    assert [read(at) for at in range(len(column))] == column.to_pylist()


@pytest.mark.parametrize("name", COLUMNS)
def test_a_part_of_a_column_begins_at_its_own_first_value(name: str) -> None:
    column = pa.chunked_array([COLUMNS[name].slice(1)])
    read = reader_of(column)
    assert [read(at) for at in range(len(column))] == column.to_pylist()


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_in_several_pieces_is_read_as_one(name: str) -> None:
    column = pa.chunked_array([COLUMNS[name], COLUMNS[name].slice(1)])
    read = reader_of(column)
    assert [read(at) for at in range(len(column))] == column.to_pylist()


def test_bytes_are_a_view_of_the_column() -> None:
    value = reader_of(pa.chunked_array([COLUMNS["bytes"]]))(2)
    assert isinstance(value, memoryview)
    assert bytes(value) == b"abc"
