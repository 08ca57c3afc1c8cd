"""granite-embedding-30m-english on onnxruntime: texts to vectors.

The state of a window's first token is the window's vector. A text longer than one window is never
truncated: its vector is the mean of its windows' vectors, and the windows are its units. They end
with sentences where possible, and each begins with the names of the note, which are before the
first empty line of a text. Each window runs separately on one thread, so a text's vector never
depends on other texts.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ragd.embed.unit_vectors import MOST_UNITS
from ragd.embed.worker import GRANITE, granite_graph, granite_weights, onnx_session
from ragd.embed.worker.byte_pairs import END, START, BytePairs
from ragd.embed.worker.granite_weights import GROUP, GraniteWeights
from ragd.embed.worker.loading import CannotRun, Floats, passes
from ragd.embed.worker.minilm_weights import WeightsChanged, WeightsMissing
from ragd.embed.worker.onnx_file import INPUT, OUTPUT
from ragd.embed.worker.units import PassageVectors, in_bytes
from ragd.embed.worker.window_threads import WindowThreads
from ragd.embed.worker.windows import sentence_cuts

WINDOW = GRANITE.window
MOST_NAMES = 16  # tokens of a note's names that each window begins with

# Three texts, and the cosines between them with the original code of the weights' package.
TRIAL = (
    "The cat sleeps on the warm windowsill.",
    "A kitten is napping by the window in the sun.",
    "Quarterly revenue fell by three percent.",
)
TRIAL_COSINES = (0.825, 0.519, 0.554)


class Granite:
    """The loaded model."""

    def __init__(self, session: Any, known: GraniteWeights, pieces: BytePairs) -> None:
        self._session = session
        self._words = known.words
        self._words_scale = known.words_scale
        self._positions = known.positions
        self.pieces = pieces
        self._threads = WindowThreads()

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row per text, each of length 1."""
        return self.embed_passages(texts).vectors

    def embed_passages(self, texts: Sequence[str]) -> PassageVectors:
        """The same, and the vectors of the units of long texts."""
        of_texts = [self.windows(text) for text in texts]
        sums = [np.zeros((len(made), GRANITE.dimensions), np.float32) for made in of_texts]
        places = [(row, place) for row, made in enumerate(of_texts) for place in range(len(made))]
        # The longest first, so that no thread has a long one alone at the end.
        places.sort(key=lambda at: -len(of_texts[at[0]][at[1]]))
        made = self._threads.map(self.embed_window, [of_texts[row][place] for row, place in places])
        for (row, place), vector in zip(places, made, strict=True):
            sums[row][place] = len(of_texts[row][place]) * vector
        total = np.zeros((len(texts), GRANITE.dimensions), np.float32)
        for row, own in enumerate(sums):
            total[row] = own.sum(axis=0)
        vectors: Floats = total / np.linalg.norm(total, axis=1, keepdims=True)
        return PassageVectors(
            vectors, [in_bytes(_units(own)) if len(own) > 1 else b"" for own in sums]
        )

    def windows(self, text: str) -> list[list[int]]:
        """The tokens of each window of a text."""
        head, blank, _ = text.partition("\n\n")
        names = self.pieces.ids(head)[:MOST_NAMES] if blank else []
        ids, ends = self.pieces.sentences(text)
        starts = sentence_cuts(len(ids), ends, WINDOW)
        parts = [ids[start:end] for start, end in pairwise([*starts, len(ids)])]
        return [[START, *(names if place else []), *part, END] for place, part in enumerate(parts)]

    def embed_window(self, ids: list[int]) -> Floats:
        """The vector of one window, of length 1."""
        rows = np.array(ids)
        groups = self._words[rows].reshape(len(rows), -1, GROUP).astype(np.float32)
        groups *= self._words_scale[rows][:, :, np.newaxis]
        tokens = groups.reshape(len(rows), -1)
        tokens += self._positions[: len(rows)]
        (states,) = self._session.run([OUTPUT], {INPUT: tokens[np.newaxis]})
        vector: Floats = states[0, 0]
        found: Floats = vector / np.linalg.norm(vector)
        return found


def _units(sums: Floats) -> Floats:
    """Each window is a unit. If there are too many windows, neighbours share one."""
    count = min(MOST_UNITS, len(sums))
    starts = [len(sums) * place // count for place in range(count)]
    units: Floats = np.add.reduceat(sums, starts, axis=0)
    return units


def load(place: Path | None = None) -> Granite:
    """Load, verify and try the model. Raises CannotRun."""
    onnxruntime = onnx_session.load()
    try:
        known, tokens = granite_weights.load(place or granite_weights.folder())
    except WeightsMissing:
        raise CannotRun("the model's weights are not installed here") from None
    except WeightsChanged:
        raise CannotRun("the model's weights are not those of this version") from None
    try:
        pieces = BytePairs(tokens.vocab, tokens.merges)
        session = onnx_session.session(onnxruntime, granite_graph.write(known))
        model = Granite(session, known, pieces)
        trial = model.embed(TRIAL)
    except Exception:  # onnxruntime's own types, which are not importable without it
        raise CannotRun("the model cannot be loaded") from None
    if not passes(trial, TRIAL_COSINES):
        raise CannotRun("the model makes wrong vectors on this machine")
    return model
