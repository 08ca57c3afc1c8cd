"""An ONNX model of our own, written node by node as the bytes of onnx.proto (https://onnx.ai).

It has the operators that both English models need. It never touches the disk.

Two things keep the rounding to 8 bits from changing search results (docs/retrieval.md). Processors
without VNNI add pairs of products in 16 bits and saturate, so weights are scaled until no pair can
overflow. And the runtime rounds all tokens of a text with one step, although after the widening a
few tokens are far larger than the rest. So each token is divided by its own largest value first.
"""

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragd.embed.worker.layers import Norm

INPUT = "embeddings"
OUTPUT = "states"

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]

_LARGEST_PAIR = 127
_GELU_DEPTH = 0.17  # Gelu is never below minus this
EPSILON = 1e-12
_FUSED = "com.microsoft"
_ONNX_OPSET = 17
_IR_VERSION = 8
_FLOAT, _INT8, _INT64 = 1, 3, 7  # onnx.TensorProto.DataType
_TYPES = {"f": _FLOAT, "b": _INT8, "q": _INT64, "l": _INT64}  # by numpy's letters


class Rounded(NamedTuple):
    """A matrix in 8 bits: values * scale, one scale per column."""

    values: Bytes
    scale: Floats


class Graph:
    """Nodes and constants; each method adds to them and returns the name of its result."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def add(self, one: str, other: str) -> str:
        return self.node("Add", [one, other])[0]

    def divided(self, source: str, factors: Floats) -> str:
        return self.node("Div", [source, self.constant(factors)])[0]

    def norm(self, source: str, norm: Norm) -> str:
        inputs = [source, self.constant(norm.gain), self.constant(norm.bias)]
        return self.node("LayerNormalization", inputs, axis=-1, epsilon=EPSILON)[0]

    def gelu(self, source: str) -> str:
        return self.node("Gelu", [source], domain=_FUSED)[0]

    def split(self, source: str, parts: int) -> list[str]:
        return self.node("Split", [source], outputs=parts, axis=-1)

    def attention(self, query_key_value: list[str], heads: int) -> str:
        options = {"num_heads": heads}
        return self.node("MultiHeadAttention", query_key_value, domain=_FUSED, **options)[0]

    def first_token(self, source: str) -> str:
        """The state of the first token."""
        return self.node("Gather", [source, self.constant(np.zeros(1, np.int64))], axis=1)[0]

    def linear(self, source: str, matrix: Rounded, bias: Floats) -> str:
        inputs = [source, *self._matrix(matrix), "", self.constant(bias)]
        return self.node("DynamicQuantizeMatMul", inputs, domain=_FUSED)[0]

    def linear_by_token(self, source: str, matrix: Rounded, bias: Floats) -> str:
        """The same for the output of Gelu, with a rounding step for each token."""
        largest = self.node("ReduceMax", [source], axes=[-1])[0]
        floor = self.constant(np.array([_GELU_DEPTH], np.float32))
        size = self.node("Max", [largest, floor])[0]
        even = self.node("Div", [source, size])[0]
        product = self.node("DynamicQuantizeMatMul", [even, *self._matrix(matrix)], domain=_FUSED)
        return self.add(self.node("Mul", [product[0], size])[0], self.constant(bias))

    def _matrix(self, matrix: Rounded) -> list[str]:
        return [self.constant(matrix.values), self.constant(matrix.scale)]

    def node(
        self,
        kind: str,
        inputs: list[str],
        outputs: int = 1,
        domain: str = "",
        **options: float | list[int],
    ) -> list[str]:
        name = f"n{len(self._nodes)}"
        names = [f"{name}.{place}" for place in range(outputs)]
        self._nodes.append(
            b"".join(_text(1, source) for source in inputs)
            + b"".join(_text(2, target) for target in names)
            + _text(3, name)
            + _text(4, kind)
            + b"".join(_block(5, _option(key, value)) for key, value in options.items())
            + _text(7, domain)
        )
        return names

    def constant(self, values: Floats | Bytes | NDArray[np.int64]) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(
            b"".join(_number(1, size) for size in values.shape)
            + _number(2, _TYPES[values.dtype.char])
            + _text(8, name)
            + _block(9, np.ascontiguousarray(values).tobytes())
        )
        return name

    def model(self, result: str, dimensions: int) -> bytes:
        """The whole model: embeddings of the tokens in, `result` out."""
        self._nodes.append(
            _text(1, result) + _text(2, OUTPUT) + _text(3, "result") + _text(4, "Identity")
        )
        graph = (
            b"".join(_block(1, node) for node in self._nodes)
            + _text(2, "encoder")
            + b"".join(_block(5, constant) for constant in self._constants)
            + _block(11, _value(INPUT, "tokens", dimensions))
            + _block(12, _value(OUTPUT, "results", dimensions))
        )
        return (
            _number(1, _IR_VERSION)
            + _text(2, "ragd")
            + _block(7, graph)
            + _block(8, _text(1, "") + _number(2, _ONNX_OPSET))
            + _block(8, _text(1, _FUSED) + _number(2, 1))
        )


def without_overflow(values: Bytes | Floats, scale: Floats) -> Rounded:
    """The same matrix, scaled so that the sum of two neighbours in a column is at most 128.

    Multiplied by an unsigned byte each, that is under 2**15, so the sum in 16 bits is exact.
    """
    exact = values.astype(np.float32)
    largest = (np.abs(exact[0::2]) + np.abs(exact[1::2])).max(axis=0)
    factor = _LARGEST_PAIR / np.where(largest > 0, largest, 1)  # rounding may add one to it
    return Rounded(np.rint(exact * factor).astype(np.int8), (scale / factor).astype(np.float32))


def _value(name: str, count: str, dimensions: int) -> bytes:
    """A tensor of floats: batch × tokens × dimensions."""
    sizes = [_text(2, "batch"), _text(2, count), _number(1, dimensions)]
    shape = b"".join(_block(1, size) for size in sizes)
    return _text(1, name) + _block(2, _block(1, _number(1, _FLOAT) + _block(2, shape)))


def _option(name: str, value: float | list[int]) -> bytes:
    if isinstance(value, list):
        return _text(1, name) + b"".join(_number(8, each) for each in value) + _number(20, 7)
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, 1)


def _text(field: int, value: str) -> bytes:
    return _block(field, value.encode())


def _block(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    value &= 2**64 - 1  # negative numbers are written as their two's complement
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
