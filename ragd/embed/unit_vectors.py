"""A passage's vector together with the vectors of its units. Pure.

A unit is a part of a long passage, with a vector of its own. Its numbers have one byte each, or
half a byte (`HALF`), so a unit needs a quarter or an eighth of the space of the passage's vector.
Caches and payloads contain both as one value:

    vector (float32) · units (one after another) · number of units (one byte; + 128: half bytes)

A vector without units is only the vector. Its length is a multiple of four, and the length of a
vector with units is odd, so the two cannot be confused.
"""

from typing import Literal

from ragd.embed.providers.embedder_port import Vector

MOST_UNITS = 8
MOST_SENTENCE_UNITS = 24
HALF = 128  # added to the number of units that have four bits a number

UnitBits = Literal[4, 8]


def with_units(vector: Vector, units: bytes, bits: UnitBits = 8) -> Vector:
    """Both as one value. Raises ValueError if the units have other dimensions than the vector."""
    size = len(vector) // 4 * bits // 8
    count, rest = divmod(len(units), size)
    if rest or count > MOST_SENTENCE_UNITS or size % 2:
        raise ValueError("units that do not belong to the vector")
    mark = count + HALF if bits == 4 else count
    return vector + units + bytes([mark]) if count else vector


def vector_of(made: Vector) -> Vector:
    """The vector of the whole passage, without its units."""
    return made[: 4 * _dimensions(made)] if len(made) % 2 else made


def units_of(made: Vector) -> bytes:
    """The vectors of the units; empty if there are none."""
    return made[4 * _dimensions(made) : -1] if len(made) % 2 else b""


def _dimensions(made: Vector) -> int:
    count, is_half = made[-1] % HALF, made[-1] >= HALF
    halves = 8 + (count if is_half else 2 * count)  # half bytes for each dimension
    return (len(made) - 1) * 2 // halves
