"""all-MiniLM-L6-v2 as an ONNX graph of our own, so that it runs fast.

The package's own file stores 8-bit weights but multiplies in 32-bit floats, with a graph that the
runtime cannot fuse. This graph multiplies in 8 bits (`DynamicQuantizeMatMul`) and uses the
runtime's attention. It has no padding or mask: one text runs at a time, so that a text's vector
never depends on other texts.
"""

from ragd.embed.worker import MINILM
from ragd.embed.worker.minilm_weights import MiniLMWeights
from ragd.embed.worker.onnx_file import INPUT, Graph, without_overflow

HEADS = 12


def write(weights: MiniLMWeights) -> bytes:
    """The encoder as an ONNX model: embeddings of the tokens in, their final states out."""
    graph = Graph()
    state = graph.norm(INPUT, weights.norm)
    for layer in weights.layers:
        matrices = [
            without_overflow(linear.values, linear.scale)
            for linear in (layer.query_key_value, layer.attention, layer.widen, layer.narrow)
        ]
        projected = graph.linear(state, matrices[0], layer.query_key_value.bias)
        mixed = graph.attention(graph.split(projected, 3), HEADS)
        attended = graph.linear(mixed, matrices[1], layer.attention.bias)
        state = graph.norm(graph.add(attended, state), layer.attention_norm)
        wide = graph.gelu(graph.linear(state, matrices[2], layer.widen.bias))
        narrow = graph.linear_by_token(wide, matrices[3], layer.narrow.bias)
        state = graph.norm(graph.add(narrow, state), layer.output_norm)
    return graph.model(state, MINILM.dimensions)
