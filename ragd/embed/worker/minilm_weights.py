"""The weights of all-MiniLM-L6-v2, read from the package that contains them.

This is the only module that reads that package. It runs none of its code, and refuses a file whose
hash is not the one in `MINILM`.
"""

import hashlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragd.embed.worker import MINILM
from ragd.embed.worker.layers import Norm
from ragd.embed.worker.protobuf import Malformed, fields, varints

(FILE,) = MINILM.files
LAYERS = 6

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]


class WeightsMissing(Exception):
    """The package that contains the weights is not installed."""


class WeightsChanged(Exception):
    """The weights are not those of this version."""


class Linear(NamedTuple):
    """y = x · (values * scale) + bias, one scale per column."""

    values: Bytes
    scale: Floats
    bias: Floats


class MiniLMLayer(NamedTuple):
    """One layer of the encoder."""

    query_key_value: Linear
    attention: Linear
    attention_norm: Norm
    widen: Linear
    narrow: Linear
    output_norm: Norm


class MiniLMWeights(NamedTuple):
    """All weights of the model."""

    words: Bytes  # one row per word piece
    words_scale: Floats
    positions: Floats  # with the type of the first segment added
    norm: Norm
    layers: tuple[MiniLMLayer, ...]


def path() -> Path:
    """The file of the weights. Raises WeightsMissing."""
    spec = importlib.util.find_spec(MINILM.package)
    if spec is None or spec.origin is None:
        raise WeightsMissing
    return Path(spec.origin).with_name(FILE)


def load(file: Path) -> MiniLMWeights:
    """Read and verify `file`. Raises WeightsMissing or WeightsChanged."""
    try:
        data = file.read_bytes()
    except OSError:
        raise WeightsMissing from None
    if hashlib.sha256(data).hexdigest() != MINILM.files[FILE]:
        raise WeightsChanged
    try:
        return _arrange(dict(_tensors(memoryview(data))))
    except Malformed:
        raise WeightsChanged from None


# The exporter numbered the matrices of each layer. The numbers are fixed, as the file's hash is.
_FIRST = (49, 122, 193, 264, 335, 406)
_PLACES = {0: (0, 8, 16, 56, 60, 69)}
_LATER_PLACES = (0, 8, 16, 54, 58, 67)


def _arrange(tensors: "dict[str, Floats | Bytes]") -> MiniLMWeights:
    def floats(name: str) -> Floats:
        return tensors[name].astype(np.float32)  # a copy, so that the file's bytes are freed

    def norm(prefix: str) -> Norm:
        return Norm(floats(f"{prefix}.weight"), floats(f"{prefix}.bias"))

    def table(name: str) -> tuple[Bytes, Floats]:
        return tensors[f"{name}_q"].astype(np.int8), floats(f"{name}_scale")

    def layer(number: int) -> MiniLMLayer:
        prefix = f"inner.encoder.layer.{number}"
        places = [_FIRST[number] + place for place in _PLACES.get(number, _LATER_PLACES)]
        matrices = [table(f"val_{place}") for place in places]
        biases = [
            floats(f"{prefix}.{name}.bias")
            for name in (
                "attention.self.query",
                "attention.self.key",
                "attention.self.value",
                "attention.output.dense",
                "intermediate.dense",
                "output.dense",
            )
        ]
        parts = [
            Linear(values, scale.reshape(-1), bias)
            for (values, scale), bias in zip(matrices, biases, strict=True)
        ]
        return MiniLMLayer(
            _side_by_side(parts[:3]),
            parts[3],
            norm(f"{prefix}.attention.output.LayerNorm"),
            parts[4],
            parts[5],
            norm(f"{prefix}.output.LayerNorm"),
        )

    words, words_scale = table("inner.embeddings.word_embeddings.weight")
    positions, positions_scale = table("inner.embeddings.position_embeddings.weight")
    segment = floats("inner.embeddings.token_type_embeddings.weight")[0]
    return MiniLMWeights(
        words,
        words_scale,
        positions.astype(np.float32) * positions_scale + segment,
        norm("inner.embeddings.LayerNorm"),
        tuple(layer(number) for number in range(LAYERS)),
    )


def _side_by_side(parts: list[Linear]) -> Linear:
    return Linear(
        np.concatenate([part.values for part in parts], axis=1),
        np.concatenate([part.scale for part in parts]),
        np.concatenate([part.bias for part in parts]),
    )


# The tensors of an ONNX file (onnx.proto: ModelProto.graph is 7, GraphProto.initializer is 5,
# TensorProto.dims 1, data_type 2, name 8, raw_data 9).
_FLOAT, _INT8 = 1, 3


def _tensors(model: memoryview) -> Iterator[tuple[str, "Floats | Bytes"]]:
    for number, graph in fields(model):
        if number == 7 and isinstance(graph, memoryview):
            for inner, tensor in fields(graph):
                if inner == 5 and isinstance(tensor, memoryview):
                    yield from _tensor(tensor)


def _tensor(message: memoryview) -> Iterator[tuple[str, "Floats | Bytes"]]:
    shape: list[int] = []
    name, kind, raw = "", 0, memoryview(b"")
    for number, value in fields(message):
        if number == 1:
            shape += [value] if isinstance(value, int) else list(varints(value))
        elif number == 2 and isinstance(value, int):
            kind = value
        elif number == 8 and isinstance(value, memoryview):
            name = bytes(value).decode()
        elif number == 9 and isinstance(value, memoryview):
            raw = value
    if kind == _FLOAT:
        yield name, np.frombuffer(raw, np.float32).reshape(shape)
    elif kind == _INT8:
        yield name, np.frombuffer(raw, np.int8).reshape(shape)
