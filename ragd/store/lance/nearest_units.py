"""How similar passages, and the units of passages, are to a question. It reads nothing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ragd.embed.providers.embedder_port import Vector, VectorView
from ragd.embed.unit_vectors import UnitBits
from ragd.store.lance import libraries

UNITS_AT_ONCE = 128  # compared at once; they fit in the processor's cache


class NearestUnit(NamedTuple):
    """The unit of a passage that is most similar to a vector. `place`: where in the passage it is,
    from 0 to 1."""

    cosine: float
    place: float


def cosines(asked: Vector, vectors: Mapping[str, VectorView]) -> dict[str, float]:
    """How similar each of these vectors is to `asked`; all have length 1."""
    if not vectors:
        return {}
    numpy = libraries.numpy()
    matrix = numpy.frombuffer(b"".join(vectors.values()), "<f4").reshape(len(vectors), -1)
    found = numpy.vecdot(matrix, numpy.frombuffer(asked, "<f4")).tolist()
    return dict(zip(vectors, found, strict=True))


def nearest_units(
    asked: Vector, units: Mapping[str, VectorView], bits: UnitBits = 8
) -> dict[str, NearestUnit]:
    """The most similar unit of each passage, by chunk id."""
    if not units:
        return {}
    numpy = libraries.numpy()
    wanted = numpy.frombuffer(asked, "<f4")
    size = len(wanted) * bits // 8
    sizes = numpy.array([len(own) // size for own in units.values()])
    most = max(UNITS_AT_ONCE, int(sizes.max()))
    wide, alike = numpy.empty((most, len(wanted)), "<f4"), []
    for some in _groups(list(units.values()), most * size):
        packed = numpy.frombuffer(b"".join(some), "u1" if bits == 4 else "i1").reshape(-1, size)
        block = wide[: len(packed)]
        if bits == 4:  # -7 to 7, kept as 1 to 15, two numbers in a byte
            block[:, 0::2], block[:, 1::2] = packed & 15, packed >> 4
            block -= 8
        else:
            numpy.copyto(block, packed)
        lengths = numpy.sqrt(numpy.vecdot(block, block))
        alike.append(numpy.vecdot(block, wanted) / numpy.maximum(lengths, 1.0))
    each = numpy.concatenate(alike)
    starts = numpy.cumsum(sizes) - sizes
    best = numpy.maximum.reduceat(each, starts)
    is_best = numpy.flatnonzero(each == best.repeat(sizes))
    places = is_best[is_best.searchsorted(starts)] - starts  # the first one of each passage
    found = zip(best.tolist(), ((places + 0.5) / sizes).tolist(), strict=True)
    return dict(zip(units, map(NearestUnit._make, found), strict=True))


def _groups(parts: Sequence[VectorView], most: int) -> Iterator[Sequence[VectorView]]:
    """The parts in order, in groups of at most so many bytes."""
    start, held = 0, 0
    for at, part in enumerate(parts):
        if held + len(part) > most:
            yield parts[start:at]
            start, held = at, 0
        held += len(part)
    yield parts[start:]
