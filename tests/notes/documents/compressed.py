"""Compresses text as lz-string does (`compressToBase64`), to make drawings for tests."""

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class _Writer:
    """Writes codes of growing width, the lowest bit of each first."""

    def __init__(self) -> None:
        self.bits: list[int] = []
        self.width = 2
        self._room = 2

    def write(self, value: int, width: int) -> None:
        self.bits += [(value >> place) & 1 for place in range(width)]

    def added_word(self) -> None:
        self._room -= 1
        if not self._room:
            self._room = 1 << self.width
            self.width += 1


def compress(text: str) -> str:
    """The compressed form of a text without characters beyond U+FFFF."""
    writer = _Writer()
    codes: dict[str, int] = {}
    unwritten: set[str] = set()
    word = ""

    def write_word() -> None:
        if word in unwritten:
            is_wide = ord(word) > 255
            writer.write(1 if is_wide else 0, writer.width)
            writer.write(ord(word), 16 if is_wide else 8)
            writer.added_word()
            unwritten.discard(word)
        else:
            writer.write(codes[word], writer.width)
        writer.added_word()

    for character in text:
        if character not in codes:
            codes[character] = len(codes) + 3
            unwritten.add(character)
        longer = word + character
        if longer in codes:
            word = longer
            continue
        write_word()
        codes[longer] = len(codes) + 3
        word = character
    if word:
        write_word()
    writer.write(2, writer.width)
    bits = writer.bits + [0] * (-len(writer.bits) % 6)
    sextets = (bits[at : at + 6] for at in range(0, len(bits), 6))
    found = "".join(_ALPHABET[int("".join(map(str, six)), 2)] for six in sextets)
    return found + "=" * (-len(found) % 4)
