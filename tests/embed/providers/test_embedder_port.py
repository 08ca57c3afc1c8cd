"""Vectors, the identity of a space, errors and pace: the pure part."""

import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.embed.providers.embedder_port import (
    DETAILS,
    BatchPace,
    EmbeddingError,
    VectorSpace,
    cosine,
    mean,
    pack,
    same_space,
    unpack,
)

SPACE = VectorSpace("ollama", "mxbai-embed-large", "46883616", 1024, "Represent: ", 512)


def test_packing_makes_a_direction_of_four_bytes_a_number() -> None:
    vector = pack([3, 4])
    assert vector == array("f", [0.6, 0.8]).tobytes()
    assert list(unpack(vector)) == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize("numbers", [[], [0, 0], [math.nan, 1], [math.inf, 1], [1.7e308] * 4])
def test_what_has_no_direction_is_not_packed(numbers: list[float]) -> None:
    with pytest.raises(ValueError):
        pack(numbers)


@given(st.lists(st.floats(-1e30, 1e30), min_size=1, max_size=50).filter(any))
def test_a_packed_vector_always_has_length_one(numbers: list[float]) -> None:
    try:
        vector = pack(numbers)
    except ValueError:
        assert math.hypot(*numbers) == 0.0
    else:
        assert math.hypot(*unpack(vector)) == pytest.approx(1, abs=1e-4)


def test_the_mean_lies_nearer_to_the_heavier() -> None:
    one, other = pack([1, 0]), pack([0, 1])
    between = mean([(one, 3), (other, 1)])
    assert cosine(between, one) > cosine(between, other) > 0


def test_any_change_of_the_space_is_another_identity() -> None:
    others = [
        VectorSpace("embedded", "mxbai-embed-large", "46883616", 1024, "Represent: ", 512),
        VectorSpace("ollama", "all-minilm", "46883616", 1024, "Represent: ", 512),
        VectorSpace("ollama", "mxbai-embed-large", "other", 1024, "Represent: ", 512),
        VectorSpace("ollama", "mxbai-embed-large", "46883616", 512, "Represent: ", 512),
        VectorSpace("ollama", "mxbai-embed-large", "46883616", 1024, "", 512),
        VectorSpace("ollama", "mxbai-embed-large", "46883616", 1024, "Represent: ", 256),
    ]
    assert len({space.identity for space in [SPACE, *others]}) == 7


def test_an_identity_is_the_same_for_ever() -> None:
    """It is stored in indexes: if this fails, every user has to reindex."""
    assert SPACE.identity == "30fbe70bc87150539e21d4395e3ed526"


def test_a_canary_that_moved_is_noticed() -> None:
    stored = pack([1, 0, 0])
    assert same_space(pack([1, 0.01, 0]), stored)
    assert not same_space(pack([1, 0.5, 0]), stored)
    assert not same_space(pack([1, 0]), stored)


def test_an_error_says_only_what_is_on_the_list() -> None:
    with pytest.raises(AssertionError):
        EmbeddingError("OLLAMA_UNREACHABLE", "transient", "body of a note")
    for detail in DETAILS:
        assert str(EmbeddingError("OLLAMA_UNREACHABLE", "transient", detail)).endswith(detail)


# Pace


def test_a_batch_starts_small_and_doubles_while_it_is_quick() -> None:
    pace, texts, sizes = BatchPace(2.0, 8, 64), ["x" * 960] * 200, []
    at = 0
    for _ in range(5):
        end = pace.batch_end(texts, at)
        sizes.append(end - at)
        pace.learn(texts[at:end], 0.001 * (end - at))
        at = end
    assert sizes == [8, 16, 32, 64, 64]


def test_a_slow_provider_gets_one_text_at_a_time() -> None:
    pace, texts = BatchPace(2.0, 8, 64), ["x" * 960] * 20
    pace.learn(texts[:8], 20.0)
    assert pace.batch_end(texts, 0) == 1


def test_long_texts_make_short_batches() -> None:
    pace = BatchPace(2.0, 8, 64)
    pace.learn(["x" * 960] * 8, 2.0)
    assert pace.batch_end(["x" * 960] * 20, 0) == 8
    assert pace.batch_end(["x" * 4960] * 20, 0) == 1
    assert pace.batch_end(["x" * 60] * 20, 0) == 8  # not more until eight were quick


def test_the_allowance_follows_the_measured_time() -> None:
    pace, texts = BatchPace(2.0, 8, 64), ["x" * 960] * 8
    before = pace.allowance_s(texts)
    pace.learn(texts, 0.1)
    quick = pace.allowance_s(texts)
    pace.learn(texts, 200.0)
    assert quick < before < pace.allowance_s(texts)


def test_what_took_too_long_gets_more_time_and_less_work() -> None:
    pace, texts = BatchPace(2.0, 8, 64), ["x" * 960] * 8
    before = pace.allowance_s(texts)
    pace.slow_down()
    assert pace.allowance_s(texts) == 2 * before
    assert pace.batch_end(texts, 0) == 4
    for _ in range(10):
        pace.slow_down()
    assert pace.allowance_s(texts) <= 8 * before
    assert pace.batch_end(texts, 0) == 1


@given(
    st.lists(st.text(max_size=300), min_size=1, max_size=80),
    st.lists(st.floats(0, 100), max_size=5),
)
def test_every_text_is_taken_once_whatever_the_pace(texts: list[str], times: list[float]) -> None:
    pace, at, taken = BatchPace(2.0, 8, 64), 0, 0
    for took_s in times:
        pace.learn(texts[:8], took_s)
    while at < len(texts):
        end = pace.batch_end(texts, at)
        assert at < end <= min(len(texts), at + 64)
        taken += end - at
        at = end
    assert taken == len(texts)
