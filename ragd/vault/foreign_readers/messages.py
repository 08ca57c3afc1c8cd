"""The messages between the daemon and the process that reads foreign documents.

The process sends one `ReadReply` for each `ReadRequest`, each as msgpack in a frame
(`ragd/runtime/frames.py`). The daemon does not trust a reply: `checked` accepts only what a
reader of ours could have sent.
"""

import re
from itertools import pairwise

import msgspec
from msgspec import Struct

from ragd.notes.documents.model import Document, Unreadable
from ragd.runtime import frames
from ragd.vault.foreign_readers import limits
from ragd.vault.foreign_readers.reasons import REASONS

KINDS = ("pdf", "docx", "epub", "image")
REQUEST_BYTES = limits.INPUT_BYTES + 1024

_WARNING = re.compile(r"[0-9][0-9,]* of [0-9][0-9,]* [a-z ]+(?:: [a-z ]+|\([a-z ]+\))?")
_DEFECT = re.compile(r"\w+ at \w+:[0-9]+")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PLACE = re.compile(r"(?:page|section)=[0-9]+|image")
_TITLE_CHARACTERS = 300


class ReadRequest(Struct, frozen=True):
    """A file to read."""

    kind: str
    data: bytes


class ReadReply(Struct, frozen=True):
    """What was read, or why nothing was. `defect`: an error of the reader itself, by its place."""

    document: Document | None = None
    reason: str = ""
    defect: str = ""


_encoder = msgspec.msgpack.Encoder()
_requests = msgspec.msgpack.Decoder(ReadRequest)
_replies = msgspec.msgpack.Decoder(ReadReply)


def encode_request(kind: str, data: bytes) -> bytes:
    return frames.frame(_encoder.encode(ReadRequest(kind, data)), REQUEST_BYTES)


def decode_request(body: bytes) -> ReadRequest:
    return _requests.decode(body)


def encode_reply(reply: ReadReply) -> bytes:
    return frames.frame(_encoder.encode(reply), limits.REPLY_BYTES)


def checked(body: bytes) -> tuple[Document | Unreadable, str]:
    """The result in a reply, and the place of a defect, if any. Raises ValueError if the reply is
    not one that a reader of ours sends."""
    reply = _replies.decode(body)
    if reply.defect and not _DEFECT.fullmatch(reply.defect):
        raise ValueError("not a place")
    if reply.document is None:
        if reply.reason not in REASONS:
            raise ValueError("not a known reason")
        return Unreadable(reply.reason), reply.defect
    if not _is_plausible(reply.document):
        raise ValueError("not a document")
    return reply.document, reply.defect


def _is_plausible(found: Document) -> bool:
    lines = found.text.count("\n") + 1
    starts = [place.line for place in found.places]
    at = [heading.line for heading in found.headings]
    return (
        len(found.text) <= limits.CHARACTERS
        and len(found.title) <= _TITLE_CHARACTERS
        and "\n" not in found.title
        and (found.date is None or _DAY.fullmatch(found.date) is not None)
        and _are_ascending(starts, lines)
        and (not starts or starts[0] == 1)
        and all(_PLACE.fullmatch(place.name) for place in found.places)
        and _are_ascending(at, lines)
        and all(1 <= heading.level <= 6 for heading in found.headings)
        and not found.links
        and all(_WARNING.fullmatch(warning) for warning in found.warnings)
    )


def _are_ascending(numbers: list[int], most: int) -> bool:
    inside = not numbers or (numbers[0] >= 1 and numbers[-1] <= most)
    return inside and all(one < other for one, other in pairwise(numbers))
