"""Decompressing what lz-string made."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragd.notes.documents.lz_string import decompress
from tests.notes.documents.compressed import compress


def test_a_text_that_lz_string_made_is_read() -> None:
    assert decompress("BYUwNmD2A0AECWsCGBbZtDUzkA==", 100) == "hello, i am a 猫"
    assert decompress("Q===", 100) == ""


@given(st.text(st.characters(max_codepoint=0xD7FF), max_size=300))
@settings(max_examples=200, deadline=None)
def test_every_text_comes_back(text: str) -> None:
    assert decompress(compress(text), 10_000) == text


def test_white_space_in_the_block_is_ignored() -> None:
    made = compress("a drawing " * 50)
    broken = "\n".join(made[at : at + 40] for at in range(0, len(made), 40))
    assert decompress(f"\n{broken}\n\n", 10_000) == "a drawing " * 50


def test_a_bomb_stops_at_the_limit() -> None:
    bomb = compress("a" * 200_000)
    assert len(bomb) < 1_500
    assert decompress(bomb, 200_000) == "a" * 200_000
    assert decompress(bomb, 199_999) is None


@pytest.mark.parametrize("damaged", ["", "not base64!", "é", "====", "BYUw", "////", "\x00"])
def test_damaged_input_is_refused(damaged: str) -> None:
    assert decompress(damaged, 1_000) is None


@given(st.text("ABCDEFabcdef0123+/=", max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_input_is_read_or_refused(text: str) -> None:
    found = decompress(text, 1_000)
    assert found is None or len(found) <= 1_000
