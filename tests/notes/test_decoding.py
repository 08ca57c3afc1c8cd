"""Bytes to text."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.notes.decoding import (
    BINARY,
    DAMAGED,
    NUL_BYTES,
    OTHER_ENCODING,
    REASONS,
    WARNINGS,
    Decoded,
    Undecodable,
    decode,
)

RUSSIAN = "Москва является столицей России и крупнейшим городом страны. " * 4


def test_utf8_is_read_without_a_warning() -> None:
    assert decode("naïve 日本語\n".encode()) == Decoded("naïve 日本語\n")


def test_an_empty_file_is_empty_text() -> None:
    assert decode(b"") == Decoded("")


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides_and_is_not_text(mark: bytes, encoding: str) -> None:
    assert decode(mark + "Grüße 🎉".encode(encoding)) == Decoded("Grüße 🎉")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_letters_without_a_mark_are_recognised(encoding: str) -> None:
    assert decode("A note without a mark".encode(encoding)) == Decoded(
        "A note without a mark", OTHER_ENCODING
    )


@pytest.mark.parametrize("encoding", ["cp1251", "koi8_r"])
def test_an_old_encoding_is_guessed_with_a_warning(encoding: str) -> None:
    assert decode(RUSSIAN.encode(encoding)) == Decoded(RUSSIAN, OTHER_ENCODING)


def test_seven_bit_japanese_is_not_read_as_ascii() -> None:
    text = "日本語のノート"
    assert decode(text.encode("iso2022_jp")) == Decoded(text, OTHER_ENCODING)


def test_utf8_with_a_broken_byte_stays_utf8() -> None:
    found = decode(RUSSIAN.encode() + b"\xff" + RUSSIAN.encode())
    assert isinstance(found, Decoded)
    assert found.warning == DAMAGED
    assert found.text == RUSSIAN + "\ufffd" + RUSSIAN


def test_a_stray_nul_gives_a_warning_and_loses_nothing() -> None:
    assert decode(b"one\0two " + b"x" * 50) == Decoded("one two " + "x" * 50, NUL_BYTES)


@pytest.mark.parametrize("rest", [b"", b" and more"])
def test_text_with_nul_bytes_from_a_crash_is_read(rest: bytes) -> None:
    found = decode(b"what was written" + b"\0" * 4080 + rest)
    assert isinstance(found, Decoded)
    assert found.warning == NUL_BYTES
    assert found.text.split() == (b"what was written" + rest).decode().split()


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06" + bytes(range(256)),
        b"\x7fELF\x02\x01\x01" + b"\0" * 9 + bytes(range(32)) * 20,
    ],
)
def test_a_binary_file_is_not_text(data: bytes) -> None:
    assert decode(data) == Undecodable(BINARY)


@given(st.binary(max_size=400))
def test_no_bytes_raise_and_every_phrase_is_from_the_lists(data: bytes) -> None:
    found = decode(data)
    if isinstance(found, Undecodable):
        assert found.reason in REASONS
    else:
        assert found.warning is None or found.warning in WARNINGS


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\x1b\ufeff\ufffe")))
def test_all_valid_utf8_is_read_unchanged(text: str) -> None:
    assert decode(text.encode()) == Decoded(text)
