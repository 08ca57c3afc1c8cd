"""granite-embedding-30m-english as an ONNX graph of our own, in 8 bits like MiniLM's.

A text's vector is the state of its first token, so the last layer computes only that token. A few
inputs of the widening layers are a hundred times larger than the rest, so that one rounding step
for all would lose the small ones. So each input is divided by its gain in the norm before it, if
that is above the median, and the matrix is multiplied by the same factor. The mean cosine to the
vectors in 32-bit floats is .998, and .985 without this (docs/retrieval.md).
"""

import numpy as np

from ragd.embed.worker import GRANITE
from ragd.embed.worker.granite_weights import Floats, GraniteLayer, GraniteWeights
from ragd.embed.worker.layers import Dense, Norm
from ragd.embed.worker.onnx_file import INPUT, Graph, Rounded, without_overflow

HEADS = 12


def write(weights: GraniteWeights) -> bytes:
    """The encoder as an ONNX model: embeddings of the tokens in, the first one's state out."""
    graph = Graph()
    state = graph.norm(INPUT, weights.norm)
    for layer in weights.layers[:-1]:
        projected = graph.linear(state, *_rounded(layer.query_key_value))
        mixed = graph.attention(graph.split(projected, 3), HEADS)
        state = _rest_of_layer(graph, layer, state, mixed)
    last = weights.layers[-1]
    query, key_value = _apart(last.query_key_value)
    first = graph.first_token(state)
    asked = graph.linear(first, *_rounded(query))
    known = graph.split(graph.linear(state, *_rounded(key_value)), 2)
    mixed = graph.attention([asked, *known], HEADS)
    return graph.model(_rest_of_layer(graph, last, first, mixed), GRANITE.dimensions)


def _rest_of_layer(graph: Graph, layer: GraniteLayer, state: str, mixed: str) -> str:
    """The part of a layer after attention, for each token separately."""
    attended = graph.linear(mixed, *_rounded(layer.attention))
    state = graph.norm(graph.add(attended, state), layer.attention_norm)
    factors = large_inputs(layer.attention_norm)
    even = Dense(layer.widen.matrix * factors[:, np.newaxis], layer.widen.bias)
    wide = graph.gelu(graph.linear(graph.divided(state, factors), *_rounded(even)))
    narrow = graph.linear_by_token(wide, *_rounded(layer.narrow))
    return graph.norm(graph.add(narrow, state), layer.output_norm)


def large_inputs(norm: Norm) -> Floats:
    """How much larger than the median the norm makes each output; at least 1."""
    gain = np.abs(norm.gain)
    factors: Floats = np.maximum(1, gain / np.median(gain)).astype(np.float32)
    return factors


def _apart(dense: Dense) -> tuple[Dense, Dense]:
    """The matrix of the query, and the matrix of key and value."""
    size = GRANITE.dimensions
    return (
        Dense(dense.matrix[:, :size], dense.bias[:size]),
        Dense(dense.matrix[:, size:], dense.bias[size:]),
    )


def _rounded(dense: Dense) -> tuple[Rounded, Floats]:
    return without_overflow(dense.matrix, np.ones_like(dense.bias)), dense.bias
