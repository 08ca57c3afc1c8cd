"""Decompresses text that lz-string made (`compressToBase64`), which Excalidraw uses. Pure.

It never makes more text than the limit, however small the input is, and never raises for bad input.
"""

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
# The bits of each character, the last one first: so the bits of many can be read as one number.
_VALUES = {character: int(f"{value:06b}"[::-1], 2) for value, character in enumerate(_ALPHABET)}
_NEW_BYTE, _NEW_CHARACTER, _END = 0, 1, 2


class _BadInput(Exception):
    """The input is not lz-string's, or its text is longer than the limit."""


class _Bits:
    """The bits of the input, six in each character."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._bits = 0  # that are not read yet; the next one is the lowest
        self._count = 0

    def read(self, count: int) -> int:
        """The next bits as a number."""
        while self._count < count:
            value = _VALUES.get(self._text[self._at]) if self._at < len(self._text) else None
            if value is None:
                raise _BadInput
            self._bits |= value << self._count
            self._count += 6
            self._at += 1
        found = self._bits & ((1 << count) - 1)
        self._bits >>= count
        self._count -= count
        return found


def decompress(base64: str, most_characters: int) -> str | None:
    """The text; None if the input is not valid, or the text is longer than `most_characters`.

    White space in the input, which editors insert, is ignored.
    """
    try:
        units = _decompress("".join(base64.split()).rstrip("="), most_characters)
    except _BadInput:
        return None
    # The units are UTF-16: two of them may be one character.
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _decompress(text: str, most_characters: int) -> str:
    """The text as UTF-16 code units.

    Each word of the dictionary is a word that was written before and one more unit. So the memory
    that the dictionary takes is limited with the length of the text.
    """
    bits = _Bits(text)
    code = bits.read(2)
    if code == _END:
        return ""
    word = _literal(bits, code)
    if word is None:
        raise _BadInput
    words = ["", "", "", word]
    parts, length = [word], 1
    width, room = 3, 4  # bits of a code, and how many words may be added before there are more
    while True:
        code = bits.read(width)
        if code == _END:
            return "".join(parts)
        new = _literal(bits, code)
        if new is not None:
            words.append(new)
            room -= 1
            code = len(words) - 1
            if not room:
                room, width = 1 << width, width + 1
        if code < len(words):
            entry = words[code]
        elif code == len(words):
            entry = word + word[0]
        else:
            raise _BadInput
        length += len(entry)
        if length > most_characters:
            raise _BadInput
        parts.append(entry)
        words.append(word + entry[0])
        room -= 1
        word = entry
        if not room:
            room, width = 1 << width, width + 1


def _literal(bits: _Bits, code: int) -> str | None:
    """The new unit that this code announces; None for the code of a known word."""
    if code == _NEW_BYTE:
        return chr(bits.read(8))
    return chr(bits.read(16)) if code == _NEW_CHARACTER else None
