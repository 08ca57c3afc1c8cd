"""Values of a column in memory, read one at a time.

A search reads a few rows from many columns. Arrow makes a new column for each of them first, which
takes longer than to read the values from their places. Bytes are not copied.
"""

from collections.abc import Callable
from typing import Any

from ragd.store.lance import libraries

Read = Callable[[int], Any]  # the value at this place


def reader_of(column: Any) -> Read:
    """Reads the values of a column that is in one piece."""
    array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if len(array) and array.null_count == len(array):
        return lambda _: None
    read = _reader_by_type(array)
    return read if not array.null_count else _or_none(array, read)


def _reader_by_type(array: Any) -> Read:
    types = libraries.pyarrow().types
    if types.is_string(array.type):
        ends, values = _ends(array), _view(array.buffers()[2])
        return lambda at: str(values[ends[at] : ends[at + 1]], "utf-8")
    if types.is_binary(array.type):
        ends, values = _ends(array), _view(array.buffers()[2])
        return lambda at: values[ends[at] : ends[at + 1]]
    if types.is_int32(array.type):
        numbers = _view(array.buffers()[1]).cast("i")[array.offset :]
        return lambda at: numbers[at]
    if types.is_list(array.type):
        if not len(array.flatten()):
            return lambda _: []
        ends, read = _ends(array), _reader_by_type(array.values)
        return lambda at: [read(one) for one in range(ends[at], ends[at + 1])]
    return lambda at: array[at].as_py()


def _or_none(array: Any, read: Read) -> Read:
    """For a column in which values may be missing."""
    flags, first = _view(array.buffers()[0]), array.offset

    def read_or_none(at: int) -> Any:
        place = first + at
        return read(at) if flags[place >> 3] >> (place & 7) & 1 else None

    return read_or_none


def _ends(array: Any) -> memoryview:
    """Where each value begins, and where the last one ends."""
    return _view(array.buffers()[1]).cast("i")[array.offset :]


def _view(buffer: Any) -> memoryview:
    return memoryview(buffer if buffer is not None else b"").cast("B")
