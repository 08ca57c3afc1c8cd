"""The multilingual Universal Sentence Encoder on numpy: texts of 16 languages to vectors.

Each token and its neighbours go through three convolutions; their sum and two hidden layers make
the vector. The time is proportional to the length of a text. A text longer than one window is never
truncated: its vector is the mean of its windows' vectors. Each window runs separately on one
thread, so a text's vector never depends on other texts.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ragd.embed.worker import MULTILINGUAL, multilingual_weights
from ragd.embed.worker.layers import Dense, Norm
from ragd.embed.worker.loading import CannotRun, Floats, passes
from ragd.embed.worker.minilm_weights import WeightsChanged, WeightsMissing
from ragd.embed.worker.multilingual_weights import ORDERS, PARTS, MultilingualWeights
from ragd.embed.worker.unigram import END, START, Unigram
from ragd.embed.worker.units import PassageVectors, in_half_bytes, sentence_starts
from ragd.embed.worker.window_threads import WindowThreads
from ragd.embed.worker.windows import Window, windows, with_units

WINDOW = MULTILINGUAL.window

# Three texts, and the cosines between them with the original code of the weights' package.
TRIAL = (
    "The cat sleeps on the warm windowsill.",
    "Eine kleine Katze schläft in der Sonne am Fenster.",
    "Quarterly revenue fell by three percent.",
)
TRIAL_COSINES = (0.700, 0.078, 0.039)


class _WindowStates(NamedTuple):
    """A window's vector, and the sums of states over the tokens of each of its units."""

    vector: Floats
    units: Floats


class Multilingual:
    """The loaded model."""

    def __init__(self, known: MultilingualWeights, pieces: Unigram) -> None:
        self._known = known
        self.pieces = pieces
        self._threads = WindowThreads()

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row per text, each of length 1."""
        return self.embed_passages(texts).vectors

    def embed_passages(self, texts: Sequence[str]) -> PassageVectors:
        """The same, and the vectors of the units of long texts, which are sentences."""
        cut: list[Window] = []
        sizes: list[list[int]] = []  # of each text, how many tokens each of its units has
        for row, text in enumerate(texts):
            ids, ends = self.pieces.sentences(text)
            starts = sentence_starts(len(ids), ends)
            sizes.append([end - start for start, end in pairwise([*starts, len(ids)])])
            cut += with_units(row, windows(ids, WINDOW, START, END), starts)
        # The longest first, so that no thread has a long one alone at the end.
        cut.sort(key=lambda window: -len(window.ids))
        total = np.zeros((len(texts), MULTILINGUAL.dimensions), np.float32)
        width = self._known.pooled.matrix.shape[0]
        units = [np.zeros((len(own), width), np.float32) for own in sizes]
        for window, made in zip(cut, self._threads.map(self._states, cut), strict=True):
            total[window.row] += len(window.ids) * made.vector
            units[window.row][window.unit : window.unit + len(window.starts)] += made.units
        vectors: Floats = total / np.linalg.norm(total, axis=1, keepdims=True)
        packed = [
            in_half_bytes(self._pooled(sums, np.array(own, np.float32)[:, np.newaxis]))
            if own
            else b""
            for sums, own in zip(units, sizes, strict=True)
        ]
        return PassageVectors(vectors, packed)

    def _states(self, window: Window) -> _WindowStates:
        ids = window.ids
        known = self._known
        tokens = self._tokens(ids)
        projected = _normalised(
            _dense(tokens, known.projection), known.projection_norm, known.epsilon
        )
        features = [tokens]
        width = known.projection.bias.size // len(ORDERS)
        for place, (order, branch) in enumerate(zip(ORDERS, known.branches, strict=True)):
            state = projected[:, place * width : (place + 1) * width]
            for layer in branch:
                state = state + _positive(_dense(_neighbours(state, order), layer))
            features.append(state)
        together = _normalised(np.concatenate(features, axis=1), known.norm, known.epsilon)
        whole = together.sum(axis=0, keepdims=True)
        own = together[1:-1]  # without the tokens that mark the start and the end
        units = np.add.reduceat(own, window.starts, axis=0) if window.starts else own[:0]
        count = np.array([[len(ids)]], np.float32)
        return _WindowStates(self._pooled(whole, count)[0], units)

    def _pooled(self, sums: Floats, counts: Floats) -> Floats:
        """The vectors for sums of states. `counts`: how many tokens each sum has."""
        known = self._known
        # Summing the tokens before the last matrix gives the same result with only one row.
        mean = sums @ known.pooled.matrix + counts * known.pooled.bias
        mean /= np.sqrt(counts)
        into, through, around = known.narrow
        hidden = _positive(mean @ around + _positive(mean @ into) @ through)
        into, through, around = known.wide
        vectors = np.tanh(hidden @ around + _positive(hidden @ into) @ through)
        found: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return found

    def _tokens(self, ids: list[int]) -> Floats:
        rows = np.array(ids)
        part = rows % PARTS
        tokens: Floats = self._known.table[rows].astype(np.float32)
        tokens *= self._known.scale[part, np.newaxis]
        tokens += self._known.lowest[part, np.newaxis]
        return tokens


def load(place: Path | None = None) -> Multilingual:
    """Load, verify and try the model. Raises CannotRun."""
    try:
        known, pieces = multilingual_weights.load(place or multilingual_weights.folder())
    except WeightsMissing:
        raise CannotRun("the model's weights are not installed here") from None
    except WeightsChanged:
        raise CannotRun("the model's weights are not those of this version") from None
    try:
        model = Multilingual(known, Unigram(pieces))
        trial = model.embed(TRIAL)
    except Exception:
        raise CannotRun("the model cannot be loaded") from None
    if not passes(trial, TRIAL_COSINES):
        raise CannotRun("the model makes wrong vectors on this machine")
    return model


def _neighbours(states: Floats, order: int) -> Floats:
    """Each token's state together with its neighbours', `order` in all; zeros beyond the ends."""
    before = (order - 1) // 2
    count, width = states.shape
    padded = np.zeros((count + order - 1, width), np.float32)
    padded[before : before + count] = states
    return np.concatenate([padded[at : at + count] for at in range(order)], axis=1)


def _dense(states: Floats, layer: Dense) -> Floats:
    found: Floats = states @ layer.matrix
    found += layer.bias
    return found


def _positive(states: Floats) -> Floats:
    found: Floats = np.maximum(states, 0)
    return found


def _normalised(states: Floats, norm: Norm, epsilon: float) -> Floats:
    states -= states.mean(axis=-1, keepdims=True)
    variance = np.einsum("ij,ij->i", states, states) / states.shape[-1]
    states /= np.sqrt(variance + epsilon)[:, np.newaxis]
    states *= norm.gain
    states += norm.bias
    return states
