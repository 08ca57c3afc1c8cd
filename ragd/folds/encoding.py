"""Encodes the state for a snapshot in small pieces, so that other threads can run between them.

One encoder call for the whole state blocks the interpreter for a quarter of a second at 100,000
notes, in any thread. So the state is copied first, which is quick: its large parts are dicts of
frozen values. Then the copy is encoded a few hundred values at a time. Pure.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from ragd.folds import State
from ragd.folds.tables import Table

PIECE = 500  # values in one call of the encoder
RUN = 2_000  # keys sorted in one call

encode = msgspec.json.Encoder(order="deterministic").encode

# Encoded bytes, or a copy to be encoded later: of a dict, or of the fields of a struct.
_Copy = bytes | Mapping[str, Any] | list[tuple[str, "_Copy"]]


def encode_later(state: State) -> Callable[[], bytes]:
    """Copy the state now. The returned function makes the same bytes as `encode_state`."""
    copied = _copy(state)
    return lambda: b"".join(_pieces(copied))


def _copy(value: Any) -> _Copy:
    if isinstance(value, State | Table):
        return [(name, _copy(getattr(value, name))) for name in value.__struct_fields__]
    if isinstance(value, dict) and len(value) > PIECE and all_frozen(value):
        return dict(value)
    return encode(value)


def all_frozen(values: Mapping[str, Any]) -> bool:
    """Whether the values can never change. All have the type of the first one."""
    first = next(iter(values.values()), None)
    if isinstance(first, Struct):
        return first.__struct_config__.frozen
    return isinstance(first, str | int | None)


def _pieces(copied: _Copy) -> Iterator[bytes]:
    if isinstance(copied, bytes):
        yield copied
    elif isinstance(copied, Mapping):
        yield from _dict_pieces(copied)
    else:
        opening = b"{"
        for name, value in copied:
            yield opening + encode(name) + b":"
            yield from _pieces(value)
            opening = b","
        yield b"}"


def _dict_pieces(values: Mapping[str, Any]) -> Iterator[bytes]:
    opening = b"{"
    keys = list(_sorted(list(values)))
    for first in range(0, len(keys), PIECE):
        some = {key: values[key] for key in keys[first : first + PIECE]}
        yield opening + encode(some)[1:-1]
        opening = b","
    yield b"}"


def _sorted(keys: list[str]) -> Iterator[str]:
    """All keys in order. Sorting them in one call would block the interpreter too long."""
    runs = [sorted(keys[first : first + RUN]) for first in range(0, len(keys), RUN)]
    return heapq.merge(*runs)
