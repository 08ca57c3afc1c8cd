"""Notes are split into chunks in processes of their own, and these are the messages to them.

Each message is msgpack in a frame (`ragd/runtime/frames.py`). A process answers each `ParseRequest`
with one `ParseReply`, which has the notes in the same order. It exits when its stdin closes, also
in the middle of a request, so it never outlives the daemon. This module splits no note.
"""

from typing import IO

import msgspec
from msgspec import Struct

from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import Unparsable
from ragd.runtime import frames

MAX_FRAME_BYTES = 512 * 1024 * 1024


class UnparsedNote(Struct, frozen=True, array_like=True):
    """A file as it was read; `path` is one of the path space of all collections."""

    path: str
    data: bytes


class ParseRequest(Struct, frozen=True, array_like=True):
    """Files of one collection to split into chunks."""

    collection: str
    options: ChunkOptions
    notes: list[UnparsedNote]


class ParsedNote(Struct, frozen=True, array_like=True):
    """A note, or the reason why the file cannot be parsed."""

    note: Note | None = None
    reason: str = ""


class ParseReply(Struct, frozen=True, array_like=True):
    """The notes of a request."""

    notes: list[ParsedNote]


_encoder = msgspec.msgpack.Encoder()
_requests = msgspec.msgpack.Decoder(ParseRequest)
_replies = msgspec.msgpack.Decoder(ParseReply)


def encode_request(request: ParseRequest) -> bytes:
    return frames.frame(_encoder.encode(request), MAX_FRAME_BYTES)


def read_request(stream: IO[bytes]) -> ParseRequest | None:
    """The next request, or None at the end of the input."""
    body = frames.read_frame(stream, MAX_FRAME_BYTES)
    return None if body is None else _requests.decode(body)


def encode_reply(notes: list[Note | Unparsable]) -> bytes:
    parsed = [
        ParsedNote(reason=note.reason) if isinstance(note, Unparsable) else ParsedNote(note)
        for note in notes
    ]
    return frames.frame(_encoder.encode(ParseReply(parsed)), MAX_FRAME_BYTES)


def read_reply(stream: IO[bytes], request: ParseRequest) -> list[Note | Unparsable] | None:
    """The notes of this request; None if the process has ended. Raises ValueError (msgspec's) if
    it sends something else."""
    body = frames.read_frame(stream, MAX_FRAME_BYTES)
    if body is None:
        return None
    parsed = _replies.decode(body).notes
    notes = [Unparsable(one.reason) if one.note is None else one.note for one in parsed]
    paths = [note.path for note in request.notes]
    if len(notes) != len(paths):
        raise ValueError("not the notes of the request")
    for note, path in zip(notes, paths, strict=True):
        if isinstance(note, Note) and note.path != path:
            raise ValueError("not the notes of the request")
    return notes
