"""all-MiniLM-L6-v2 on onnxruntime: texts to vectors.

A text longer than one window is never truncated: its vector is the mean over the tokens of all its
windows. Each window runs separately on one thread, so a text's vector never depends on other texts.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ragd
from ragd.embed.worker import MINILM, minilm_graph, minilm_weights, onnx_session
from ragd.embed.worker.loading import CannotRun, Floats, passes
from ragd.embed.worker.onnx_file import INPUT, OUTPUT
from ragd.embed.worker.units import PassageVectors, in_bytes, unit_starts
from ragd.embed.worker.window_threads import WindowThreads
from ragd.embed.worker.windows import Window, windows, with_units
from ragd.notes.wordpiece import WordPiece

WINDOW = MINILM.window
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

# Three texts, and the cosines between them with the weights in full precision.
TRIAL = (
    "The cat sleeps on the warm windowsill.",
    "A kitten is napping by the window in the sun.",
    "Quarterly revenue fell by three percent.",
)
TRIAL_COSINES = (0.609, -0.015, 0.058)


class _Sums(NamedTuple):
    """Sums of states: over all tokens of a window, and over those of each of its units."""

    whole: Floats
    units: Floats


class MiniLM:
    """The loaded model."""

    def __init__(
        self, session: Any, known: minilm_weights.MiniLMWeights, pieces: WordPiece
    ) -> None:
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
        size = self._positions.shape[1]
        total = np.zeros((len(texts), size), np.float32)
        units = [np.zeros((0, size), np.float32)] * len(texts)
        made: list[Window] = []
        for row, text in enumerate(texts):
            of_text = self.windows(text)
            starts = unit_starts(sum(len(ids) - 2 for ids in of_text))
            units[row] = np.zeros((len(starts), size), np.float32)
            made += with_units(row, of_text, starts)
        # The longest first, so that no thread has a long one alone at the end.
        made.sort(key=lambda window: -len(window.ids))
        for window, sums in zip(made, self._threads.map(self._sums, made), strict=True):
            total[window.row] += sums.whole
            units[window.row][window.unit : window.unit + len(window.starts)] += sums.units
        lengths = np.linalg.norm(total, axis=1, keepdims=True)
        vectors: Floats = (total / lengths).astype(np.float32)
        return PassageVectors(vectors, [in_bytes(sums) if len(sums) else b"" for sums in units])

    def windows(self, text: str) -> list[list[int]]:
        """The tokens of each window of a text."""
        return windows(self.pieces.ids(text), WINDOW, self.pieces.start_id, self.pieces.end_id)

    def _sums(self, window: Window) -> _Sums:
        rows = np.array(window.ids)
        tokens = self._words[rows].astype(np.float32) * self._words_scale[rows]
        tokens += self._positions[: len(rows)]
        (states,) = self._session.run([OUTPUT], {INPUT: tokens[np.newaxis]})
        found: Floats = states[0]
        own = found[1:-1]  # without the tokens that mark the start and the end
        units = np.add.reduceat(own, window.starts, axis=0) if window.starts else own[:0]
        return _Sums(found.sum(axis=0), units)


def load(weights_file: Path | None = None) -> MiniLM:
    """Load, verify and try the model. Raises CannotRun."""
    onnxruntime = onnx_session.load()
    try:
        known = minilm_weights.load(weights_file or minilm_weights.path())
    except minilm_weights.WeightsMissing:
        raise CannotRun("the model's weights are not installed here") from None
    except minilm_weights.WeightsChanged:
        raise CannotRun("the model's weights are not those of this version") from None
    pieces = _vocabulary()
    try:
        model = MiniLM(onnx_session.session(onnxruntime, minilm_graph.write(known)), known, pieces)
        trial = model.embed(TRIAL)
    except Exception:  # onnxruntime's own types, which are not importable without it
        raise CannotRun("the model cannot be loaded") from None
    if not passes(trial, TRIAL_COSINES):
        raise CannotRun("the model makes wrong vectors on this machine")
    return model


def _vocabulary() -> WordPiece:
    file = Path(ragd.__file__).parent / "data" / "vocab.txt"
    try:
        data = file.read_bytes()
    except OSError:
        data = b""
    if hashlib.sha256(data).hexdigest() != VOCABULARY_SHA256:
        raise CannotRun("the vocabulary is not that of this version")
    return WordPiece(data.decode())
