"""Enough of protobuf to read model files whose bytes are known. Pure: bytes in, fields out."""

from collections.abc import Iterator

Field = tuple[int, int | memoryview]


class Malformed(Exception):
    """These bytes are not the message that they should be."""


def fields(message: memoryview) -> Iterator[Field]:
    """The numbered fields of a message: whole numbers and blocks of bytes, nothing else."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        match key & 7:
            case 0:
                value, at = varint(message, at)
                yield key >> 3, value
            case 2:
                length, at = varint(message, at)
                yield key >> 3, message[at : at + length]
                at += length
            case 1:
                at += 8
            case 5:
                at += 4
            case _:
                raise Malformed


def varints(data: memoryview) -> Iterator[int]:
    """Whole numbers that are packed one after another."""
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


def varint(data: memoryview, at: int) -> tuple[int, int]:
    """The whole number at this place, and where the next field begins."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
