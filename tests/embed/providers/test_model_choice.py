"""Which embedded model fits which languages, and how a vault's languages are found."""

import pytest

from ragd.embed.providers.model_choice import (
    model_for_languages,
    model_for_setting,
    model_named,
)
from ragd.embed.worker import ENGLISH, GRANITE, MINILM, MULTILINGUAL
from ragd.folds.catalog import ServingIndex
from ragd.health.explanation import language_hint
from ragd.vault.note_sample import AGAIN_S, MOST_NOTES, NoteSample, note_language

ENGLISH_INDEX = ServingIndex("g", "embedded", ENGLISH.name, ENGLISH.dimensions)
OLD_INDEX = ServingIndex("g", "embedded", MINILM.name, MINILM.dimensions)
OTHER_INDEX = ServingIndex("g", "embedded", MULTILINGUAL.name, MULTILINGUAL.dimensions)
GERMAN = b"Ich bin gestern mit dem Zug nach Hause gefahren, und es war nicht sehr voll."
PLAIN = b"Yesterday I went home by train, and it was not very full of people at all."


@pytest.mark.parametrize(
    ("languages", "model"),
    [
        ({}, ENGLISH),
        ({"en": 200}, ENGLISH),
        ({"de": 1}, ENGLISH),  # one note may be a quotation
        ({"de": 2}, MULTILINGUAL),
        ({"en": 180, "de": 20}, MULTILINGUAL),
        ({"en": 190, "de": 10}, ENGLISH),
        ({"en": 180, "de": 10, "zh": 10}, MULTILINGUAL),
        ({"he": 200}, ENGLISH),  # which neither model reads
    ],
)
def test_a_tenth_of_notes_in_other_languages_takes_the_multilingual_model(
    languages: dict[str, int], model: object
) -> None:
    assert model_for_languages(languages) == model


def test_what_is_configured_comes_before_what_is_found() -> None:
    assert model_for_setting("english", {"de": 200}) == ENGLISH
    assert model_for_setting("multilingual", {"en": 200}) == MULTILINGUAL
    assert model_for_setting("auto", {"de": 200}) == MULTILINGUAL


def test_a_new_english_index_gets_granite_and_an_old_one_is_known() -> None:
    assert model_for_setting("auto", {"en": 200}) == model_for_setting("english", {}) == GRANITE
    assert model_named(MINILM.name) == MINILM


def test_an_index_of_the_older_english_model_is_left_alone() -> None:
    assert language_hint(OLD_INDEX, {"en": 100}, "auto") is None
    assert language_hint(OLD_INDEX, {"en": 100}, "english") is None
    assert language_hint(OLD_INDEX, {"en": 100, "de": 40}, "auto") is not None


def test_a_vault_that_grew_another_language_gets_a_hint_with_the_command() -> None:
    hint = language_hint(ENGLISH_INDEX, {"en": 100, "de": 40}, "auto")
    assert hint is not None
    assert "en 100, de 40" in hint["message"]
    assert "`ragctl reindex`" in hint["suggestion"]


def test_there_is_no_hint_where_nothing_is_to_be_done() -> None:
    assert language_hint(ENGLISH_INDEX, {"en": 100, "de": 4}, "auto") is None
    assert language_hint(ENGLISH_INDEX, {"de": 100}, "english") is None
    assert language_hint(OTHER_INDEX, {"en": 100}, "auto") is None
    assert language_hint(ServingIndex("g", "ollama", "x", 1024), {"de": 100}, "auto") is None


def test_an_index_that_differs_from_the_configuration_gets_a_hint() -> None:
    hint = language_hint(ENGLISH_INDEX, {}, "multilingual")
    assert hint is not None and "`embedding.language` is multilingual" in hint["message"]


def test_frontmatter_and_code_do_not_count() -> None:
    note = b"---\ntitle: the name of this and that for you\n---\n" + GERMAN
    assert note_language(note) == "de"
    assert note_language(b"```\nthis is what you do when it is not there\n```\n" + GERMAN) == "de"
    assert note_language(b"") is None


def test_the_sample_is_bounded_and_spread_over_the_vault() -> None:
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        return GERMAN if path.startswith("z") else PLAIN

    paths = [f"a{number:05}" for number in range(5_000)] + [f"z{n:05}" for n in range(5_000)]
    found = NoteSample(read, lambda: 0.0).measure(paths).languages
    assert len(asked) <= MOST_NOTES
    assert found["de"] == found["en"] > 0


def test_notes_are_read_again_after_an_hour_or_when_the_vault_has_doubled() -> None:
    now = 100.0
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        return PLAIN

    sample = NoteSample(read, lambda: now)
    assert sample.measure([]).languages == {}
    assert sample.measure(["a", "b"]).languages == {"en": 2}
    assert sample.measure(["a", "b", "c"]).languages == {"en": 2}
    assert len(asked) == 2
    assert sample.measure(["a", "b", "c", "d"]).languages == {"en": 4}
    now += AGAIN_S
    assert sample.measure(["a", "b", "c"]).languages == {"en": 3}
