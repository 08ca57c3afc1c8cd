"""The model as an ONNX graph of our own, written by hand so that it runs fast.

The carrier's file stores 8-bit weights but multiplies in 32-bit floats, with a graph that the
runtime cannot fuse. This one multiplies in 8 bits (`DynamicQuantizeMatMul`) and uses the
runtime's attention, without padding or mask: one text at a time, so that a text's vector never
depends on its neighbours. It never touches the disk.

Two things keep the rounding from showing in search results (docs/retrieval.md). Processors without
VNNI add pairs of products in 16 bits and saturate there, so weights are scaled until no pair can
get that far. And the runtime rounds all tokens of a text with one step, though after the widening a
few tokens are far larger than the rest: there each token is divided by its own largest value first.
"""

import struct

import numpy as np
from numpy.typing import NDArray

from ragd.embed_worker import DIMENSIONS
from ragd.embed_worker.weights import Linear, Norm, Weights

HEADS = 12
INPUT = "embeddings"
OUTPUT = "states"

_LARGEST_PAIR = 127
_GELU_DEPTH = 0.17  # Gelu is never below minus this
_EPSILON = 1e-12
_FUSED = "com.microsoft"
_ONNX_OPSET = 17
_IR_VERSION = 8
_FLOAT, _INT8 = 1, 3  # onnx.TensorProto.DataType


def write(weights: Weights) -> bytes:
    """The encoder as an ONNX model: embeddings of the tokens in, their final states out."""
    graph = _Graph()
    state = graph.norm(INPUT, weights.norm)
    for layer in weights.layers:
        projected = graph.linear(state, layer.query_key_value)
        parts = graph.node("Split", [projected], outputs=3, axis=-1)
        mixed = graph.node("MultiHeadAttention", parts, domain=_FUSED, num_heads=HEADS)
        attended = graph.linear(mixed[0], layer.attention)
        state = graph.norm(graph.add(attended, state), layer.attention_norm)
        wide = graph.node("Gelu", [graph.linear(state, layer.widen)], domain=_FUSED)
        narrow = graph.linear_by_token(wide[0], layer.narrow)
        state = graph.norm(graph.add(narrow, state), layer.output_norm)
    return graph.model(state)


class _Graph:
    """Nodes and constants, as the bytes of onnx.proto (https://onnx.ai): the numbers are its."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def add(self, one: str, other: str) -> str:
        return self.node("Add", [one, other])[0]

    def norm(self, source: str, norm: Norm) -> str:
        inputs = [source, self.constant(norm.gain), self.constant(norm.bias)]
        return self.node("LayerNormalization", inputs, axis=-1, epsilon=_EPSILON)[0]

    def linear(self, source: str, linear: Linear) -> str:
        inputs = [source, *self._matrix(linear), "", self.constant(linear.bias)]
        return self.node("DynamicQuantizeMatMul", inputs, domain=_FUSED)[0]

    def linear_by_token(self, source: str, linear: Linear) -> str:
        """The same for the output of Gelu, rounding each token for itself."""
        largest = self.node("ReduceMax", [source], axes=[-1])[0]
        floor = self.constant(np.array([_GELU_DEPTH], np.float32))
        size = self.node("Max", [largest, floor])[0]
        even = self.node("Div", [source, size])[0]
        product = self.node("DynamicQuantizeMatMul", [even, *self._matrix(linear)], domain=_FUSED)
        return self.add(self.node("Mul", [product[0], size])[0], self.constant(linear.bias))

    def _matrix(self, linear: Linear) -> list[str]:
        values, scale = without_overflow(linear.values, linear.scale)
        return [self.constant(values), self.constant(scale)]

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

    def constant(self, values: NDArray[np.float32] | NDArray[np.int8]) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(
            b"".join(_number(1, size) for size in values.shape)
            + _number(2, _INT8 if values.dtype == np.int8 else _FLOAT)
            + _text(8, name)
            + _block(9, np.ascontiguousarray(values).tobytes())
        )
        return name

    def model(self, result: str) -> bytes:
        self._nodes.append(
            _text(1, result) + _text(2, OUTPUT) + _text(3, "result") + _text(4, "Identity")
        )
        graph = (
            b"".join(_block(1, node) for node in self._nodes)
            + _text(2, "minilm")
            + b"".join(_block(5, constant) for constant in self._constants)
            + _block(11, _value(INPUT))
            + _block(12, _value(OUTPUT))
        )
        return (
            _number(1, _IR_VERSION)
            + _text(2, "ragd")
            + _block(7, graph)
            + _block(8, _text(1, "") + _number(2, _ONNX_OPSET))
            + _block(8, _text(1, _FUSED) + _number(2, 1))
        )


def without_overflow(
    values: NDArray[np.int8], scale: NDArray[np.float32]
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The same matrix, scaled so that two neighbours of a column add up to at most 128.

    Times an unsigned byte each, that is under 2**15: the sum of a pair in 16 bits is exact.
    """
    exact = values.astype(np.float32)
    pairs = np.abs(exact[0::2]) + np.abs(exact[1::2])
    factor = _LARGEST_PAIR / np.maximum(pairs.max(axis=0), 1)  # rounding may add one to it
    return np.rint(exact * factor).astype(np.int8), (scale / factor).astype(np.float32)


def _value(name: str) -> bytes:
    """A tensor of floats: batch × tokens × dimensions."""
    sizes = [_text(2, "batch"), _text(2, "tokens"), _number(1, DIMENSIONS)]
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
