"""The embedded models, in a process of their own, and the messages between it and the daemon.

Each message is msgpack in a frame (`ragd/runtime/frames.py`). The worker first sends `Ready` or
`Unavailable`. Then it answers each `EmbedRequest` with one `Vectors` or `EmbedFailed`. It exits
when its stdin closes, so it never outlives the daemon. This module imports neither numpy nor
onnxruntime, because the daemon imports it too.
"""

from typing import BinaryIO, Literal

import msgspec
from msgspec import Struct

from ragd.embed.providers.shipped_models import ENGLISH as ENGLISH
from ragd.embed.providers.shipped_models import GRANITE as GRANITE
from ragd.embed.providers.shipped_models import MINILM as MINILM
from ragd.embed.providers.shipped_models import MULTILINGUAL as MULTILINGUAL
from ragd.embed.providers.shipped_models import SHIPPED as SHIPPED
from ragd.embed.providers.shipped_models import ShippedModel as ShippedModel
from ragd.runtime import frames

BULK = "--bulk"  # the argument of the worker for passages, which lets other programs go first
MAX_FRAME_BYTES = 64 * 1024 * 1024


class EmbedRequest(Struct, frozen=True):
    """The only kind of request: texts to embed."""

    texts: list[str]


class Ready(Struct, frozen=True, tag=True):
    """The model is loaded and makes the right vectors."""


class Unavailable(Struct, frozen=True, tag=True):
    """The model cannot run here; `detail` is one of `embedder_port.DETAILS`. The worker ends."""

    detail: str


class Vectors(Struct, frozen=True, tag=True):
    """All vectors of the request, one after another: float32, little-endian, of length 1.

    `units`: of each text the vectors of its units, int8, if the model makes any.
    """

    data: bytes
    units: list[bytes] = []


class EmbedFailed(Struct, frozen=True, tag="Failed"):
    """No vectors were made; the worker continues."""

    why: Literal["not_a_number", "failed_inside"]


Reply = Ready | Unavailable | Vectors | EmbedFailed

_encoder = msgspec.msgpack.Encoder()
_requests = msgspec.msgpack.Decoder(EmbedRequest)
_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def frame(message: EmbedRequest | Reply) -> bytes:
    """A message as it goes through the pipe."""
    return frames.frame(_encoder.encode(message), MAX_FRAME_BYTES)


def decode_reply(body: bytes) -> Reply:
    """The worker's reply. Raises ValueError (msgspec's) if it is not one."""
    return _replies.decode(body)


def read_request(stream: BinaryIO) -> EmbedRequest | None:
    """The next request, or None at the end of the input, even in the middle of a frame."""
    body = frames.read_frame(stream, MAX_FRAME_BYTES)
    return None if body is None else _requests.decode(body)
