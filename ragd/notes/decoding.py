"""Decodes the bytes of a file: as UTF-8, by a byte order mark, else by a guessed encoding.

It never raises and never drops bytes silently: it returns text, with a warning if some of it is a
guess, or the reason why the file is not text.
"""

import codecs
from typing import NamedTuple

BINARY = "it is not a text file"
UNKNOWN_ENCODING = "its text encoding is not known"
DAMAGED = "some of its bytes are not valid text"
OTHER_ENCODING = "it is not UTF-8; its encoding was guessed"
NUL_BYTES = "it has NUL bytes"

REASONS = (BINARY, UNKNOWN_ENCODING)
WARNINGS = (DAMAGED, OTHER_ENCODING, NUL_BYTES)

_SAMPLE_BYTES = 32_768
# The longer marks first: those of UTF-32 begin like those of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Encodings of old files, the most common first. Without this list, mainframe encodings are found.
_CANDIDATES = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258",
    "koi8_r", "koi8_u", "iso8859_2", "iso8859_5", "iso8859_7", "cp866", "cp437", "cp850", "cp852",
    "mac_roman", "mac_cyrillic", "shift_jis", "cp932", "euc_jp", "gb18030", "big5", "cp949",
    "euc_kr", "tis_620",
]  # fmt: skip
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\x0c\r\x1b")


class Decoded(NamedTuple):
    """The text of a file; `warning` is one of WARNINGS."""

    text: str
    warning: str | None = None


class Undecodable(NamedTuple):
    """Why a file is not read as text; one of REASONS."""

    reason: str


def decode(data: bytes) -> Decoded | Undecodable:
    """Decode a file."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_leniently(data[len(mark) :], encoding)
    if b"\0" in data:
        return _decode_with_nul(data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _decode_other(data)
    if b"\x1b$" in data:  # seven-bit Japanese looks like ASCII
        try:
            return Decoded(data.decode("iso2022_jp"), OTHER_ENCODING)
        except UnicodeDecodeError:
            pass
    return Decoded(text)


def _decode_leniently(data: bytes, encoding: str, warning: str | None = None) -> Decoded:
    try:
        return Decoded(data.decode(encoding), warning)
    except UnicodeDecodeError:
        return Decoded(data.decode(encoding, "replace"), DAMAGED)


def _decode_with_nul(data: bytes) -> Decoded | Undecodable:
    """UTF-16 or UTF-32 without a mark, text with NUL bytes, or a binary file."""
    even, odd = data[::2].count(0), data[1::2].count(0)
    if max(even, odd) * 5 >= len(data) and min(even, odd) * 20 <= max(even, odd):
        return _decode_leniently(data, "utf-16-le" if odd > even else "utf-16-be", OTHER_ENCODING)
    if (even + odd) * 3 >= len(data) * 2:
        for encoding in ("utf-32-le", "utf-32-be"):
            try:
                return Decoded(data.decode(encoding), OTHER_ENCODING)
            except UnicodeDecodeError:
                continue
    # A crash may leave NUL bytes in a note, but no other control characters.
    bare = data.replace(b"\0", b"")
    if _is_binary(bare):
        return Undecodable(BINARY)
    read = decode(data.replace(b"\0", b" "))
    return read if isinstance(read, Undecodable) else Decoded(read.text, NUL_BYTES)


def _decode_other(data: bytes) -> Decoded | Undecodable:
    if _is_binary(data):
        return Undecodable(BINARY)
    lenient = data.decode("utf-8", "replace")
    wrong = lenient.count("\ufffd")
    beyond_ascii = len(lenient) - len(lenient.encode("ascii", "ignore")) - wrong
    if beyond_ascii > 3 * wrong:
        return Decoded(lenient, DAMAGED)
    encoding = _guess_encoding(data)
    return (
        _decode_leniently(data, encoding, OTHER_ENCODING)
        if encoding
        else Undecodable(UNKNOWN_ENCODING)
    )


def _is_binary(data: bytes) -> bool:
    controls = len(data) - len(data.translate(None, _CONTROLS))
    return controls * 20 > len(data)


def _guess_encoding(data: bytes) -> str | None:
    """The most likely encoding of the lines that are not ASCII."""
    from charset_normalizer import from_bytes  # slow to load, and seldom needed

    sample = bytearray()
    for line in data.split(b"\n"):
        if not line.isascii():
            sample += line[:_SAMPLE_BYTES] + b"\n"
        if len(sample) >= _SAMPLE_BYTES:
            break
    found = list(from_bytes(bytes(sample), cp_isolation=_CANDIDATES))
    # Short samples are often equally likely in several encodings: then the most common one counts.
    equal = [
        encoding
        for match in found
        if (match.chaos, match.coherence) == (found[0].chaos, found[0].coherence)
        for encoding in match.could_be_from_charset
    ]
    return next((encoding for encoding in _CANDIDATES if encoding in equal), None)
