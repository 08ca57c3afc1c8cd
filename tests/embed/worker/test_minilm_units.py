"""MiniLM gives the parts of a long text vectors of their own."""

import numpy as np
import pytest

from ragd.embed.providers.embedder_port import cosine
from ragd.embed.providers.local_model import EmbeddedEmbedder
from ragd.embed.unit_vectors import units_of, vector_of
from ragd.embed.worker.minilm import MiniLM, load
from ragd.embed.worker.units import unit_starts
from ragd.store.lance import nearest_units

CATS = "The cat sleeps on the warm windowsill and dreams of mice. " * 12
MONEY = "Quarterly revenue fell by three percent and the shares lost value. " * 12
DIMENSIONS = 384


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return load()


def test_units_do_not_change_the_vector_of_the_text(model: MiniLM) -> None:
    texts = [CATS + MONEY, "short", CATS * 5]
    made = model.embed_passages(texts)
    assert np.array_equal(made.vectors, model.embed(texts))
    counts = [len(units) // DIMENSIONS for units in made.units]
    tokens = [len(model.pieces.ids(text)) for text in texts]
    assert counts == [len(unit_starts(count)) for count in tokens]
    assert counts[1] == 0


def test_a_unit_is_the_mean_of_its_tokens_wherever_the_windows_end(model: MiniLM) -> None:
    """All units together, by their number of tokens, point where the tokens of the text do."""
    text = CATS + MONEY  # more than one window
    windows = model.windows(text)
    assert len(windows) > 1
    (units,) = model.embed_passages([text]).units
    starts = unit_starts(sum(len(ids) - 2 for ids in windows))
    (whole,) = model.embed([text])
    matrix = np.frombuffer(units, "i1").reshape(len(starts), -1).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    mean = matrix.sum(axis=0) / np.linalg.norm(matrix.sum(axis=0))
    assert float(mean @ whole) > 0.97


async def test_the_part_that_speaks_of_a_thing_is_nearer_than_the_whole(
    minilm: EmbeddedEmbedder,
) -> None:
    (made,) = await minilm.embed_passages([CATS + MONEY])
    asked = await minilm.embed_query("Where does the cat sleep?")
    best = nearest_units(asked, {"a": units_of(made)})["a"]
    assert best.cosine > cosine(asked, vector_of(made)) + 0.05


async def test_only_passages_come_with_units(minilm: EmbeddedEmbedder) -> None:
    (made,) = await minilm.embed_passages([CATS])
    assert units_of(made)
    assert await minilm.embed([CATS]) == [vector_of(made)]
    assert await minilm.embed_query(CATS) == vector_of(made)
