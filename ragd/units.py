"""A passage's vector together with the vectors of its units. Pure.

A unit is one of at most eight parts of a long passage, of about the same number of tokens. Its
vector has one byte for each number, so it takes a quarter of the place. Caches and payloads carry
both as one value:

    vector (float32) · units (int8, one after another) · number of units (one byte)

A vector without units is only the vector. Its length is a multiple of four, and the length of a
vector with units is odd, so nobody can take one for the other.
"""

from ragd.embedding import Vector

MOST_UNITS = 8


def with_units(vector: Vector, units: bytes) -> Vector:
    """One value of both. Raises ValueError if the units are not of the vector's dimensions."""
    dimensions = len(vector) // 4
    count, rest = divmod(len(units), dimensions)
    if rest or count > MOST_UNITS or dimensions % 2:
        raise ValueError("units that do not belong to the vector")
    return vector + units + bytes([count]) if count else vector


def vector_of(made: Vector) -> Vector:
    """The vector of the whole passage, without its units."""
    return made[: 4 * _dimensions(made)] if len(made) % 2 else made


def units_of(made: Vector) -> bytes:
    """The vectors of the units; empty if there are none."""
    return made[4 * _dimensions(made) : -1] if len(made) % 2 else b""


def _dimensions(made: Vector) -> int:
    return (len(made) - 1) // (4 + made[-1])
