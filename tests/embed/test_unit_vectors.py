"""A passage's vector together with those of its units."""

import numpy as np
import pytest

from ragd.embed.providers.embedder_port import pack
from ragd.embed.unit_vectors import MOST_SENTENCE_UNITS, MOST_UNITS, units_of, vector_of, with_units
from ragd.embed.worker.units import (
    LONGEST_SENTENCE,
    SENTENCE_TOKENS,
    UNIT_TOKENS,
    in_bytes,
    in_half_bytes,
    sentence_starts,
    unit_starts,
)
from ragd.embed.worker.windows import starts_within
from ragd.search.ranking.fusion import Candidate, FusionWeights, background_cosine, nearness, order
from ragd.store.lance import cosines, nearest_units
from ragd.store.lance.schema import unit_bytes, vector_array

VECTOR = pack([1.0, 2.0, 3.0, 4.0])


def test_a_vector_and_its_units_are_one_value_that_comes_apart_again() -> None:
    units = bytes(range(8))
    both = with_units(VECTOR, units)
    assert vector_of(both) == VECTOR
    assert units_of(both) == units


def test_a_vector_without_units_stays_as_it_is() -> None:
    assert with_units(VECTOR, b"") == VECTOR
    assert vector_of(VECTOR) == VECTOR
    assert units_of(VECTOR) == b""


@pytest.mark.parametrize("units", [b"123", bytes(4 * (MOST_SENTENCE_UNITS + 1))])
def test_units_that_do_not_belong_are_refused(units: bytes) -> None:
    with pytest.raises(ValueError, match="units"):
        with_units(VECTOR, units)


def test_a_longer_vector_is_never_taken_for_one_with_units() -> None:
    longer = pack([1.0] * 8)
    assert vector_of(longer) == longer
    with pytest.raises(ValueError, match="dimensions"):
        vector_array([longer], 4)
    with pytest.raises(ValueError, match="dimensions"):
        vector_array([with_units(longer, bytes(8))], 4)


def test_the_column_of_units_is_null_where_there_are_none() -> None:
    assert unit_bytes(None) is None
    assert unit_bytes(VECTOR) is None
    assert unit_bytes(with_units(VECTOR, b"abcd")) == b"abcd"


def test_a_text_of_one_unit_has_no_units() -> None:
    assert unit_starts(0) == unit_starts(UNIT_TOKENS) == []


@pytest.mark.parametrize("tokens", [UNIT_TOKENS + 1, 100, 254, 500, 5_000])
def test_units_are_even_and_never_too_many(tokens: int) -> None:
    starts = unit_starts(tokens)
    sizes = np.diff([*starts, tokens])
    assert 2 <= len(starts) <= MOST_UNITS
    assert starts[0] == 0
    assert sizes.max() - sizes.min() <= 1


def test_each_window_knows_which_units_its_tokens_are_in() -> None:
    starts = [0, 40, 80, 120]
    assert starts_within(starts, 0, 100) == (0, [0, 40, 80])
    assert starts_within(starts, 100, 60) == (2, [0, 20])
    assert starts_within(starts, 80, 40) == (2, [0])


def test_one_byte_a_number_keeps_the_direction() -> None:
    source = np.random.default_rng(1)
    sums = source.normal(size=(20, 384)).astype(np.float32)
    asked = source.normal(size=384)
    exact = cosines(pack(asked), {str(n): pack(row) for n, row in enumerate(sums)})
    rounded = nearest_units(
        pack(asked), {str(n): in_bytes(row[None]) for n, row in enumerate(sums)}
    )
    found = {name: unit.cosine for name, unit in rounded.items()}
    assert found == pytest.approx(exact, abs=0.002)


def test_the_best_unit_of_each_passage_counts() -> None:
    asked = pack([1.0, 0.0])
    units = {"a": bytes([0, 127, 127, 0]), "b": bytes([127, 127])}
    found = nearest_units(asked, units)
    assert found["a"] == pytest.approx((1.0, 0.75), abs=0.001)  # the second of two
    assert found["b"] == pytest.approx((0.7071, 0.5), abs=0.001)
    assert nearest_units(asked, {}) == {}


def test_units_are_compared_in_groups_without_mixing_passages() -> None:
    """One passage has more units than a whole group."""
    source = np.random.default_rng(3)
    sizes = [1, 100, 27, 1, 300, 128, 2, 5]
    rows = [source.integers(-127, 128, (size, 8)).astype(np.int8) for size in sizes]
    asked = source.normal(size=8).astype("<f4")
    found = nearest_units(asked.tobytes(), {str(n): r.tobytes() for n, r in enumerate(rows)})
    for number, own in enumerate(rows):
        exact = own @ asked / np.linalg.norm(own, axis=1)
        place = (int(exact.argmax()) + 0.5) / len(own)
        assert found[str(number)] == pytest.approx((exact.max(), place), abs=1e-5)


def test_nearness_is_the_mean_of_the_passage_and_its_best_unit() -> None:
    assert nearness(Candidate("a", "a.md", cosine=0.4, unit_cosine=0.6)) == pytest.approx(0.5)
    assert nearness(Candidate("a", "a.md", cosine=0.4)) == 0.4
    assert nearness(Candidate("a", "a.md")) is None


def test_of_passages_with_the_same_cosine_the_one_with_a_fitting_part_is_first() -> None:
    blurred = Candidate("a", "a.md", cosine=0.5, vector_rank=1, unit_cosine=0.5)
    fitting = Candidate("b", "b.md", cosine=0.5, vector_rank=2, unit_cosine=0.8)
    crowd = Candidate("c", "c.md", cosine=0.3, vector_rank=3)
    assert background_cosine([blurred, fitting, crowd]) == 0.3
    ranked = order([blurred, fitting, crowd], FusionWeights())
    assert [one.chunk_id for one in ranked] == ["b", "a", "c"]


def test_units_in_half_bytes_come_apart_again() -> None:
    vector, units = bytes(4 * 512), bytes(range(256)) * 3
    both = with_units(vector, units, 4)
    assert vector_of(both) == vector
    assert units_of(both) == units


def test_units_in_half_bytes_point_the_same_way() -> None:
    """Four bits a number change a cosine by a few hundredths at most."""
    source = np.random.default_rng(5)
    rows = source.normal(size=(20, 512)).astype(np.float32)
    asked = rows[0] / np.linalg.norm(rows[0])
    exact = rows @ asked / np.linalg.norm(rows, axis=1)
    units = {str(place): in_half_bytes(row[None]) for place, row in enumerate(rows)}
    found = nearest_units(asked.astype("<f4").tobytes(), units, 4)
    assert [found[str(place)].cosine for place in range(20)] == pytest.approx(
        exact.tolist(), abs=0.03
    )


def test_units_of_sentences_end_where_sentences_end() -> None:
    assert sentence_starts(60, [30, 60]) == [0, 30]
    assert sentence_starts(50, [5, 10, 28, 50]) == [0, 28]  # short sentences stay together
    assert sentence_starts(100, [100]) == [0, 33, 66]  # a long one is divided
    assert sentence_starts(44, [15, 44]) == [0, 15]  # and does not swallow a short one


def test_a_text_of_one_sentence_has_no_units() -> None:
    assert sentence_starts(0, []) == []
    assert sentence_starts(SENTENCE_TOKENS, [SENTENCE_TOKENS]) == []


@pytest.mark.parametrize("tokens", [41, 480, 481, 900, 5_000])
@pytest.mark.parametrize("each", [3, 19, 39, 10_000])
def test_units_of_sentences_are_never_too_many(tokens: int, each: int) -> None:
    starts = sentence_starts(tokens, list(range(each, tokens, each)))
    assert starts == sorted(set(starts))
    assert starts[0] == 0
    assert starts[-1] < tokens
    assert 2 <= len(starts) <= MOST_SENTENCE_UNITS
    sizes = np.diff([*starts, tokens])
    assert max(sizes) <= max(LONGEST_SENTENCE, 2 * -(-tokens // MOST_SENTENCE_UNITS))
