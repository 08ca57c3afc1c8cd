"""SentencePiece's unigram segmentation in plain Python: text to token ids.

It never reads a file: the caller passes the bytes of the model. No piece of the model contains a
space, so each word is split separately and kept in a bounded cache. A control token in a note
("<s>") is ordinary text here, so a note cannot forge one.
"""

import struct
import unicodedata
from collections.abc import Iterator

from ragd.embed.worker.protobuf import Malformed, fields, varint
from ragd.embed.worker.windows import SENTENCE_END
from ragd.embed.worker.word_cache import WordCache

UNKNOWN, START, END = 0, 1, 2
SPACE = "▁"

_NORMAL = 1  # sentencepiece_model.proto: SentencePiece.Type
_WIDE_END = frozenset("。！？；")  # ends a sentence even if no space follows it
_BELOW_ALL = 10.0  # an unknown character scores this much less than the rarest piece


class Unigram:
    """A vocabulary with its likelihoods, and a cache of words."""

    def __init__(self, model: bytes, cache: WordCache | None = None) -> None:
        pieces, charsmap = _read(memoryview(model))
        self._ids = {piece: number for number, (piece, _, kind) in enumerate(pieces) if kind}
        self._scores = [score for _, score, _ in pieces]
        self._unknown_score = min(self._scores) - _BELOW_ALL
        self._longest = _longest(self._ids)
        self._same = _normal_forms(charsmap)
        self._ends = frozenset(self._ids[piece] for piece in self._ids if piece[-1] in _WIDE_END)
        self._cache = cache or WordCache()

    def ids(self, text: str) -> list[int]:
        """The ids of `text`, without the start and end tokens that a model needs."""
        return self.sentences(text)[0]

    def sentences(self, text: str) -> tuple[list[int], list[int]]:
        """The same ids, and where sentences and lines end: the number of ids up to each end."""
        found: list[int] = []
        ends: list[int] = []
        known = self._cache.recent
        for line in text.split("\n"):
            for word in self.normal(line).split(" "):
                if not word:
                    continue
                ids = known.get(word) or self._remember(word)
                if not word.isascii():
                    ends.extend(
                        len(found) + place for place, one in enumerate(ids, 1) if one in self._ends
                    )
                found.extend(ids)
                if SENTENCE_END.search(word):
                    ends.append(len(found))
            ends.append(len(found))
        return found, ends

    def normal(self, text: str) -> str:
        """`text` in the form that the model was trained on: normalised characters, plain spaces."""
        plain = text.translate(self._same)
        return plain if plain.isascii() else unicodedata.normalize("NFC", plain)

    def _remember(self, word: str) -> tuple[int, ...]:
        found = self._cache.older.get(word) or tuple(self.cut(SPACE + word))
        self._cache.keep(word, found)
        return found

    def cut(self, run: str) -> list[int]:
        """The likeliest pieces of a run without spaces (Viterbi)."""
        ids, scores, longest = self._ids, self._scores, self._longest
        size = len(run)
        best = [0.0] + [float("-inf")] * size
        came: list[tuple[int, int]] = [(0, UNKNOWN)] * (size + 1)  # from where, by which piece
        for start in range(size):
            base = best[start]
            is_known = False
            for end in range(start + 1, min(size, start + longest.get(run[start], 0)) + 1):
                number = ids.get(run[start:end])
                if number is None:
                    continue
                is_known = is_known or end == start + 1
                score = base + scores[number]
                if score > best[end]:
                    best[end], came[end] = score, (start, number)
            if not is_known and base + self._unknown_score > best[start + 1]:
                best[start + 1] = base + self._unknown_score
                came[start + 1] = (start, UNKNOWN)
        return _path(came)


def _path(came: list[tuple[int, int]]) -> list[int]:
    """The pieces that lead to the end; unknown characters in a row are one piece."""
    found: list[int] = []
    at = len(came) - 1
    while at > 0:
        at, number = came[at]
        if number != UNKNOWN or not found or found[-1] != UNKNOWN:
            found.append(number)
    return found[::-1]


def _longest(ids: dict[str, int]) -> dict[str, int]:
    """How long the longest piece is, by its first character."""
    found: dict[str, int] = {}
    for piece in ids:
        if len(piece) > found.get(piece[0], 0):
            found[piece[0]] = len(piece)
    return found


# The model's file (sentencepiece_model.proto: ModelProto.pieces is 1, normalizer_spec 3;
# SentencePiece.piece 1, score 2, type 3; NormalizerSpec.precompiled_charsmap 2).


def _read(model: memoryview) -> tuple[list[tuple[str, float, bool]], memoryview]:
    """All pieces with their scores, and whether they are text; and the map of characters."""
    pieces: list[tuple[str, float, bool]] = []
    charsmap = memoryview(b"")
    for number, value in fields(model):
        if number == 1 and isinstance(value, memoryview):
            pieces.append(_piece(value))
        elif number == 3 and isinstance(value, memoryview):
            found = [v for n, v in fields(value) if n == 2 and isinstance(v, memoryview)]
            charsmap = found[0] if found else charsmap
    if not pieces or not charsmap:
        raise Malformed
    return pieces, charsmap


def _piece(entry: memoryview) -> tuple[str, float, bool]:
    """Always in this order: the text, the score as four bytes, the type unless it is usual."""
    if entry[0] != 0x0A:
        raise Malformed
    length, at = varint(entry, 1)
    text = bytes(entry[at : at + length]).decode()
    at += length
    score, kind = 0.0, _NORMAL
    if at < len(entry) and entry[at] == 0x15:
        (score,) = struct.unpack_from("<f", entry, at + 1)
        at += 5
    if at < len(entry) and entry[at] == 0x18:
        kind, at = varint(entry, at + 1)
    return text, score, kind == _NORMAL


def _normal_forms(charsmap: memoryview) -> dict[int, str]:
    """The replacements of single characters. The map is a trie of UTF-8 bytes (a darts-clone
    double array), then the replacements, each ended by a zero byte."""
    (size,) = struct.unpack_from("<I", charsmap)
    units = struct.unpack_from(f"<{size // 4}I", charsmap, 4)
    texts = bytes(charsmap[4 + size :])
    return {
        ord(key.decode()): texts[value : texts.index(b"\0", value)].decode()
        for key, value in _single_characters(units)
    }


def _single_characters(units: tuple[int, ...]) -> Iterator[tuple[bytes, int]]:
    """The keys of one character, and the places of their replacements."""
    waiting = [(_offset(units[0]), b"")]
    while waiting:
        node, key = waiting.pop()
        left = _length(key[0]) - len(key) if key else 1
        if left == 0:
            continue
        for byte in range(1, 256):
            place = node ^ byte
            if place >= len(units) or units[place] & 0x800000FF != byte:
                continue
            if not key and 0x80 <= byte < 0xC0:
                continue
            longer, child = key + bytes([byte]), place ^ _offset(units[place])
            if len(longer) == _length(longer[0]):
                if units[place] & 0x100:
                    yield longer, units[child] & 0x7FFFFFFF
            else:
                waiting.append((child, longer))


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


def _length(first: int) -> int:
    """How many bytes the character has that begins with this one."""
    return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
