"""The weights of granite-embedding-30m-english, read from the package that contains them.

This is the only module that reads that package. It runs none of its code, and refuses a file whose
hash is not the one in `GRANITE`.

    file = "HMSEMB01" · length of the header (8 bytes) · header (JSON) · tokenizer (JSON) · tensors

A tensor of bytes has one scale for every 64 numbers of a row; its scales follow its numbers.
"""

import hashlib
import importlib.util
import struct
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ragd.embed.worker import GRANITE
from ragd.embed.worker.layers import Dense, Norm
from ragd.embed.worker.minilm_weights import WeightsChanged, WeightsMissing

(FILE,) = GRANITE.files
LAYERS = 6
GROUP = 64  # numbers of a row that share a scale

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]

_MAGIC = b"HMSEMB01"
_LENGTH = struct.Struct("<Q")
_FIRST_POSITION = 2  # the two before it are for padding


class GraniteLayer(NamedTuple):
    """One layer of the encoder."""

    query_key_value: Dense
    attention: Dense
    attention_norm: Norm
    widen: Dense
    narrow: Dense
    output_norm: Norm


class GraniteWeights(NamedTuple):
    """All weights of the model."""

    words: Bytes  # one row per token
    words_scale: Floats  # one for every group of a row
    positions: Floats  # with the type of the first segment added
    norm: Norm
    layers: tuple[GraniteLayer, ...]


class Tokens(msgspec.Struct):
    """The tokenizer's vocabulary, and its merges in the order in which they were learnt."""

    vocab: dict[str, int]
    merges: list[str]


class _Tokenizer(msgspec.Struct):
    model: Tokens


class _Tensor(msgspec.Struct):
    name: str
    dtype: str
    shape: list[int]
    len: int


class _GraniteHeader(msgspec.Struct):
    tokenizer_len: int
    tensors: list[_Tensor]


_headers = msgspec.json.Decoder(_GraniteHeader)
_tokenizers = msgspec.json.Decoder(_Tokenizer)


def folder() -> Path:
    """The folder of the package. Raises WeightsMissing."""
    spec = importlib.util.find_spec(GRANITE.package)
    if spec is None or spec.origin is None:
        raise WeightsMissing
    return Path(spec.origin).parent


def load(place: Path) -> tuple[GraniteWeights, Tokens]:
    """Read and verify the file. Raises WeightsMissing or WeightsChanged."""
    try:
        data = (place / FILE).read_bytes()
    except OSError:
        raise WeightsMissing from None
    if hashlib.sha256(data).hexdigest() != GRANITE.files[FILE]:
        raise WeightsChanged
    try:
        return _read(memoryview(data))
    except (KeyError, ValueError, struct.error, msgspec.MsgspecError):
        raise WeightsChanged from None


def _read(data: memoryview) -> tuple[GraniteWeights, Tokens]:
    at = len(_MAGIC) + _LENGTH.size
    (size,) = _LENGTH.unpack(data[len(_MAGIC) : at])
    header = _headers.decode(data[at : at + size])
    at += size
    tokenizer = _tokenizers.decode(data[at : at + header.tokenizer_len])
    at += header.tokenizer_len
    tensors = {}
    for tensor in header.tensors:
        tensors[tensor.name] = (tensor.shape, data[at : at + tensor.len])
        at += tensor.len
    return _arrange(tensors), tokenizer.model


def _arrange(tensors: dict[str, tuple[list[int], memoryview]]) -> GraniteWeights:
    def floats(name: str) -> Floats:
        shape, data = tensors[name]
        return np.frombuffer(data, "<f4").reshape(shape).astype(np.float32)  # a copy

    def table(name: str) -> tuple[Bytes, Floats]:
        (rows, columns), data = tensors[name]
        values = np.frombuffer(data, np.int8, rows * columns).reshape(rows, columns)
        scale = np.frombuffer(data, "<f4", offset=rows * columns).reshape(rows, columns // GROUP)
        return values.copy(), scale.astype(np.float32)

    def norm(name: str) -> Norm:
        return Norm(floats(f"{name}.w"), floats(f"{name}.b"))

    def dense(name: str) -> Dense:
        values, scale = table(f"{name}.w")
        exact = values.astype(np.float32) * np.repeat(scale, GROUP, axis=1)
        return Dense(exact.T, floats(f"{name}.b"))

    def layer(number: int) -> GraniteLayer:
        prefix = f"l{number}"
        return GraniteLayer(
            dense(f"{prefix}.qkv"),
            dense(f"{prefix}.ao"),
            norm(f"{prefix}.aln"),
            dense(f"{prefix}.f1"),
            dense(f"{prefix}.f2"),
            norm(f"{prefix}.fln"),
        )

    words, words_scale = table("word_emb")
    return GraniteWeights(
        words,
        words_scale,
        floats("pos_emb")[_FIRST_POSITION:] + floats("type_emb")[0],
        norm("emb_ln"),
        tuple(layer(number) for number in range(LAYERS)),
    )
