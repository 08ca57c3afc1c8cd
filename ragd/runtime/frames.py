"""Messages on a pipe between the daemon and its worker processes.

    frame = length as 4 bytes, big-endian · that many bytes

It never decodes what is in a frame.
"""

import struct
from typing import IO

HEADER = struct.Struct(">I")


def frame(body: bytes, most_bytes: int) -> bytes:
    """A message as it goes through the pipe."""
    assert len(body) <= most_bytes, len(body)
    return HEADER.pack(len(body)) + body


def body_length(header: bytes, most_bytes: int) -> int:
    """How many bytes follow this header. Raises ValueError if they are too many."""
    (length,) = HEADER.unpack(header)
    if length > most_bytes:
        raise ValueError("not a frame")
    return int(length)


def read_frame(stream: IO[bytes], most_bytes: int) -> bytes | None:
    """The next message, or None at the end of the input, even in the middle of a frame."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    length = body_length(header, most_bytes)
    body = stream.read(length)
    return body if len(body) == length else None
