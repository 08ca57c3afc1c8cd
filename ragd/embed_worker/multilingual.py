"""The multilingual Universal Sentence Encoder on numpy: texts of 16 languages to vectors.

Each token and its neighbours go through three convolutions; their sum, and two hidden layers, give
the vector. The cost grows with the length of a text and no faster. A text longer than one window
is never cut: its vector is the mean of its windows' vectors. Each window runs by itself on one
thread, so a text's vector never depends on what else is embedded with it.
"""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from ragd.embed_worker import MULTILINGUAL, multilingual_weights
from ragd.embed_worker.loading import CannotRun, Floats, passes, usable_threads
from ragd.embed_worker.multilingual_weights import ORDERS, PARTS, Dense, Weights
from ragd.embed_worker.unigram import END, START, Unigram
from ragd.embed_worker.weights import Norm, WeightsChanged, WeightsMissing
from ragd.embed_worker.windows import windows

WINDOW = MULTILINGUAL.window

# Three texts, and the cosines that the carrier's own code gives between them.
_TRIAL = (
    "The cat sleeps on the warm windowsill.",
    "Eine kleine Katze schläft in der Sonne am Fenster.",
    "Quarterly revenue fell by three percent.",
)
TRIAL_COSINES = (0.700, 0.078, 0.039)


class Multilingual:
    """The loaded model."""

    def __init__(self, known: Weights, pieces: Unigram) -> None:
        self._known = known
        self._pieces = pieces
        self._pool = ThreadPoolExecutor(usable_threads(), "embed")

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row per text, each of length 1."""
        made = [(row, ids) for row, text in enumerate(texts) for ids in self._windows(text)]
        # The longest first, so that no thread is left alone with a long one at the end.
        made.sort(key=lambda window: -len(window[1]))
        total = np.zeros((len(texts), MULTILINGUAL.dimensions), np.float32)
        vectors = self._pool.map(self._vector, [ids for _, ids in made])
        for (row, ids), vector in zip(made, vectors, strict=True):
            total[row] += len(ids) * vector
        found: Floats = total / np.linalg.norm(total, axis=1, keepdims=True)
        return found

    def _windows(self, text: str) -> list[list[int]]:
        return windows(self._pieces.ids(text), WINDOW, START, END)

    def _vector(self, ids: list[int]) -> Floats:
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
        # The sum over the tokens comes before the last matrix: that is the same, and one row.
        mean = together.sum(axis=0) @ known.pooled.matrix + len(ids) * known.pooled.bias
        mean /= math.sqrt(len(ids))
        into, through, around = known.narrow
        hidden = _positive(mean @ around + _positive(mean @ into) @ through)
        into, through, around = known.wide
        vector = np.tanh(hidden @ around + _positive(hidden @ into) @ through)
        found: Floats = vector / np.linalg.norm(vector)
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
        raise CannotRun("the model's weights are not the ones this version knows") from None
    try:
        model = Multilingual(known, Unigram(pieces))
        trial = model.embed(_TRIAL)
    except Exception:
        raise CannotRun("the model cannot be loaded") from None
    if not passes(trial, TRIAL_COSINES):
        raise CannotRun("the model gives wrong vectors on this machine")
    return model


def _neighbours(states: Floats, order: int) -> Floats:
    """Each token's state beside those of its neighbours, `order` in all; zeros beyond the ends."""
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
