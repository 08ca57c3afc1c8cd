"""granite: its file, our graph compared with plain arithmetic, and its windows."""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from ragd.embed.providers import local_model
from ragd.embed.providers.embedder_port import cosine
from ragd.embed.unit_vectors import units_of, vector_of
from ragd.embed.worker import GRANITE, granite_graph
from ragd.embed.worker import granite_weights as carrier
from ragd.embed.worker.granite import TRIAL, TRIAL_COSINES, WINDOW, Granite, load
from ragd.embed.worker.granite_weights import GROUP, Floats, GraniteWeights
from ragd.embed.worker.layers import Dense, Norm
from ragd.embed.worker.loading import CannotRun, passes
from ragd.embed.worker.minilm_weights import WeightsChanged, WeightsMissing
from ragd.embed.worker.onnx_file import without_overflow
from ragd.store.lance import nearest_units
from tests.embed.worker.sample_texts import TEXTS

pytest.importorskip("onnxruntime")

CATS = "The cat sleeps on the warm windowsill and dreams of mice. " * 12
MONEY = "Quarterly revenue fell by three percent and the shares lost value. " * 12


@pytest.fixture(scope="module")
def model() -> Granite:
    return load()


@pytest.fixture(scope="module")
def known() -> GraniteWeights:
    return carrier.load(carrier.folder())[0]


def dense(states: Floats, layer: Dense) -> Floats:
    found: Floats = states @ layer.matrix + layer.bias
    return found


def normal(states: Floats, norm: Norm) -> Floats:
    even = states - states.mean(axis=-1, keepdims=True)
    found: Floats = even / np.sqrt((even**2).mean(axis=-1, keepdims=True)) * norm.gain + norm.bias
    return found


def plain_vector(known: GraniteWeights, ids: list[int]) -> Floats:
    """The model in 32-bit floats, step by step, for all tokens in all layers."""
    rows = np.array(ids)
    scale = np.repeat(known.words_scale[rows], GROUP, axis=1)
    state = normal(known.words[rows] * scale + known.positions[: len(rows)], known.norm)
    for layer in known.layers:
        parts = np.split(dense(state, layer.query_key_value), 3, axis=1)
        query, key, value = (part.reshape(len(rows), 12, -1).transpose(1, 0, 2) for part in parts)
        weight = np.exp(query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1]))
        weight /= weight.sum(axis=-1, keepdims=True)
        mixed = (weight @ value).transpose(1, 0, 2).reshape(len(rows), -1)
        state = normal(dense(mixed, layer.attention) + state, layer.attention_norm)
        wide = dense(state, layer.widen)
        wide *= 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        state = normal(dense(wide, layer.narrow) + state, layer.output_norm)
    found: Floats = state[0] / np.linalg.norm(state[0])
    return found


def test_our_graph_gives_the_vectors_of_plain_arithmetic(
    model: Granite, known: GraniteWeights
) -> None:
    for text, vector in zip(TEXTS, model.embed(TEXTS), strict=True):
        (ids,) = model.windows(text)
        assert vector @ plain_vector(known, ids) > 0.995


def test_plain_arithmetic_gives_the_cosines_of_the_carriers_own_code(
    model: Granite, known: GraniteWeights
) -> None:
    vectors = np.array([plain_vector(known, *model.windows(text)) for text in TRIAL])
    cosines = (vectors @ vectors.T)[np.triu_indices(3, 1)]
    assert cosines == pytest.approx(TRIAL_COSINES, abs=0.001)


def test_a_text_does_not_depend_on_its_neighbours(model: Granite) -> None:
    together = model.embed([*TEXTS, "word " * 900])
    for place, text in enumerate(TEXTS):
        assert np.array_equal(model.embed([text])[0], together[place])


@pytest.mark.parametrize("count", [0, 1, 95, 96, 97, 192, 193, 1500])
def test_windows_hold_every_token_once(model: Granite, count: int) -> None:
    text = "word " * count
    windows = model.windows(text)
    assert [id_ for window in windows for id_ in window[1:-1]] == model.pieces.ids(text)
    assert all(window[0] == 0 and window[-1] == 2 for window in windows)
    assert max(map(len, windows)) <= WINDOW + 3
    assert max(map(len, windows)) - min(map(len, windows)) <= len(windows)


def test_windows_end_with_sentences_and_begin_with_the_names_of_the_note(model: Granite) -> None:
    names = "Beam divergence\nNotes > Lasers"
    text = f"{names}\n\n{CATS} {CATS}\n{MONEY}"
    first, *others = model.windows(text)
    assert others
    ids, ends = model.pieces.sentences(text)
    prefix = model.pieces.ids(names)
    assert all(window[1 : 1 + len(prefix)] == prefix for window in (first, *others))
    sizes = [len(first) - 2, *(len(window) - 2 - len(prefix) for window in others)]
    assert set(np.cumsum(sizes).tolist()) <= set(ends)
    assert sum(sizes) == len(ids)


def test_products_fit_processors_that_saturate_at_sixteen_bits(known: GraniteWeights) -> None:
    for layer in known.layers:
        for one in (layer.query_key_value, layer.attention, layer.widen, layer.narrow):
            values, scale = without_overflow(one.matrix, np.ones_like(one.bias))
            pairs = np.abs(values[0::2].astype(int)) + np.abs(values[1::2].astype(int))
            assert 255 * pairs.max() < 2**15
            assert (np.abs(values * scale - one.matrix) <= scale * 0.51).all()


def test_only_inputs_that_are_larger_than_usual_are_evened_out(known: GraniteWeights) -> None:
    for layer in known.layers:
        factors = granite_graph.large_inputs(layer.attention_norm)
        assert factors.min() == 1
        assert np.median(factors) < 1.1
    assert granite_graph.large_inputs(known.layers[1].attention_norm).max() > 10


def test_the_trial_notices_wrong_vectors() -> None:
    assert not passes(np.eye(3, GRANITE.dimensions, dtype=np.float32), TRIAL_COSINES)
    assert not passes(np.full((3, GRANITE.dimensions), np.nan, np.float32), TRIAL_COSINES)


def test_a_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    copy = tmp_path / carrier.FILE
    copy.parent.mkdir()
    shutil.copy(carrier.folder() / carrier.FILE, copy)
    data = bytearray(copy.read_bytes())
    data[len(data) // 2] ^= 1
    for changed in (bytes(data), b""):
        copy.write_bytes(changed)
        with pytest.raises(WeightsChanged):
            carrier.load(tmp_path)
        with pytest.raises(CannotRun, match="not those of this version"):
            load(tmp_path)


def test_a_file_that_is_missing_is_named_so(tmp_path: Path) -> None:
    with pytest.raises(WeightsMissing):
        carrier.load(tmp_path)
    with pytest.raises(CannotRun, match="not installed here"):
        load(tmp_path)


async def test_it_is_the_english_model_of_new_indexes(local: local_model.EmbeddedEmbedder) -> None:
    assert local.space.model == GRANITE.name
    (made,) = await local.embed_passages([f"{CATS} {MONEY}"])
    assert units_of(made)
    assert await local.embed([f"{CATS} {MONEY}"]) == [vector_of(made)]
    assert await local.embed_query(f"{CATS} {MONEY}") == vector_of(made)


async def test_the_part_that_speaks_of_a_thing_is_nearer_than_the_whole(
    local: local_model.EmbeddedEmbedder,
) -> None:
    (made,) = await local.embed_passages([f"{CATS} {MONEY}"])
    asked = await local.embed_query("Where does the cat sleep?")
    best = nearest_units(asked, {"a": units_of(made)})["a"]
    assert best.cosine > cosine(asked, vector_of(made)) + 0.02
    assert best.place < 0.5  # the cat is in the first half


@pytest.mark.parametrize(("words", "count"), [(1, 0), (95, 0), (98, 2), (400, 5), (3_000, 8)])
def test_windows_are_the_units_and_never_more_than_eight(
    model: Granite, words: int, count: int
) -> None:
    text = "word " * words
    made = model.embed_passages([text, CATS])
    units = np.frombuffer(made.units[0], np.int8).reshape(-1, GRANITE.dimensions)
    assert len(units) == count
    if 0 < count < 8:
        directions = units / np.linalg.norm(units.astype(float), axis=1, keepdims=True)
        expected = [model.embed_window(ids) for ids in model.windows(text)]
        assert (np.sum(directions * expected, axis=1) > 0.999).all()
