"""MiniLM: its weights, our graph of it, and its windows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragd.embed.worker import MINILM, loading, minilm_weights
from ragd.embed.worker.loading import passes
from ragd.embed.worker.minilm import TRIAL_COSINES, WINDOW, MiniLM, load
from ragd.embed.worker.onnx_file import without_overflow
from tests.embed.worker.sample_texts import TEXTS

onnxruntime = pytest.importorskip("onnxruntime")


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return load()


@pytest.fixture(scope="module")
def reference() -> Any:
    """The graph of the package that ships the weights; it uses 32-bit floats."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(minilm_weights.path()), options, providers=["CPUExecutionProvider"]
    )


def test_our_graph_gives_the_vectors_of_the_carriers_graph(model: MiniLM, reference: Any) -> None:
    for text, vector in zip(TEXTS, model.embed(TEXTS), strict=True):
        ids = np.array([[101, *model.pieces.ids(text), 102]])
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        expected = reference.run(None, given)[0][0].mean(axis=0)
        assert vector @ (expected / np.linalg.norm(expected)) > 0.99


def test_a_text_does_not_depend_on_its_neighbours(model: MiniLM) -> None:
    together = model.embed([*TEXTS, "word " * 900])
    for place, text in enumerate(TEXTS):
        assert np.array_equal(model.embed([text])[0], together[place])


@pytest.mark.parametrize("count", [0, 1, 253, 254, 255, 508, 509, 1500])
def test_windows_hold_every_token_once(model: MiniLM, count: int) -> None:
    text = "word " * count
    windows = model.windows(text)
    assert [id_ for window in windows for id_ in window[1:-1]] == model.pieces.ids(text)
    assert all(window[0] == 101 and window[-1] == 102 for window in windows)
    assert max(map(len, windows)) <= WINDOW
    assert max(map(len, windows)) - min(map(len, windows)) <= len(windows)


def test_products_fit_processors_that_saturate_at_sixteen_bits() -> None:
    known = minilm_weights.load(minilm_weights.path())
    for layer in known.layers:
        for linear in (layer.query_key_value, layer.attention, layer.widen, layer.narrow):
            values, scale = without_overflow(linear.values, linear.scale)
            pairs = np.abs(values[0::2].astype(int)) + np.abs(values[1::2].astype(int))
            assert 255 * pairs.max() < 2**15
            before = linear.values * linear.scale
            assert (np.abs(values * scale - before) <= scale * 0.51).all()


def test_a_column_of_zeros_stays_one() -> None:
    values, scale = without_overflow(np.zeros((2, 2), np.int8), np.ones(2, np.float32))
    assert not values.any()
    assert np.isfinite(scale).all()


def test_the_trial_notices_wrong_vectors() -> None:
    assert not passes(np.eye(3, MINILM.dimensions, dtype=np.float32), TRIAL_COSINES)
    assert not passes(np.full((3, MINILM.dimensions), np.nan, np.float32), TRIAL_COSINES)


def test_weights_that_were_changed_are_refused(tmp_path: Path) -> None:
    data = bytearray(minilm_weights.path().read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "model.onnx").write_bytes(data)
    with pytest.raises(minilm_weights.WeightsChanged):
        minilm_weights.load(tmp_path / "model.onnx")
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(minilm_weights.WeightsChanged):
        minilm_weights.load(tmp_path / "model.onnx")


def test_threads_are_not_more_than_the_machine_may_use() -> None:
    assert 1 <= loading.usable_threads() <= loading.MAX_THREADS
