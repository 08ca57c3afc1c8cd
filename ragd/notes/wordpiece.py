"""BERT's uncased WordPiece in plain Python: text to token ids, and a fast count of tokens.

It never reads a file: the caller passes the text of the vocabulary, one entry per line. A special
token in a note ("[SEP]") is ordinary text here, so a note cannot forge one.
"""

import re
import unicodedata
from collections.abc import Iterator

CACHE_WORDS = 65_536  # in each half of a cache; a full half replaces the older one
LONGEST_WORD = 100  # characters; a longer one is unknown, as in the reference

# Counting reads UTF-8 as bytes. In ASCII, capitals become lower case, a mark becomes a space (each
# is a token and counted separately) and control characters are removed. Other bytes stay.
_MARKS = bytes(code for code in range(33, 127) if not chr(code).isalnum())
_CONTROLS = bytes(code for code in (*range(32), 127) if code not in b"\t\n\r")
_WORDS_ONLY = bytes.maketrans(_MARKS, b" " * len(_MARKS))
_SMALL = bytes(_WORDS_ONLY[code] for code in bytes(range(256)).lower())

_PLAIN = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
# Python calls these white space; the reference drops them as control characters.
_NOT_SPACE = re.compile("[\x0b\x0c\x1c-\x1f\x85]")
_IDEOGRAPH = re.compile(
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f"
    "\U0002b740-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f])"
)


class WordPiece:
    """A tokeniser for one vocabulary; its caches are bounded."""

    def __init__(self, vocabulary: str) -> None:
        entries = vocabulary.rstrip("\n").split("\n")
        known = {entry.rstrip("\r"): number for number, entry in enumerate(entries)}
        self.pad_id = known["[PAD]"]
        self.unknown_id = known["[UNK]"]
        self.start_id = known["[CLS]"]
        self.end_id = known["[SEP]"]
        self.size = len(entries)
        self._pieces = _Pieces(known, self.unknown_id)
        self._counts = _Counts(self._pieces)

    def ids(self, text: str) -> list[int]:
        """The ids of `text`, without the start and end tokens of a model."""
        pieces = self._pieces
        found: list[int] = []
        for run in _NOT_SPACE.sub("", text).split():
            for part in _parts(run):
                found.extend(pieces[part])
        return found

    def count(self, text: str) -> int:
        """How many tokens `text` has: the length of `ids`, in a fraction of the time."""
        data = text.encode("utf-8", "replace")
        marks = len(data) - len(data.translate(None, _MARKS))
        return marks + sum(map(self._counts.__getitem__, data.translate(_SMALL, _CONTROLS).split()))


class _Pieces(dict[str, tuple[int, ...]]):
    """From a word without punctuation to its ids, computed on first use."""

    def __init__(self, known: dict[str, int], unknown_id: int) -> None:
        super().__init__()
        self._known = known
        self._longest = max(map(len, known))
        self._unknown = (unknown_id,)
        self._older: dict[str, tuple[int, ...]] = {}

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = self._older.get(word) or self.cut(word)
        if len(self) >= CACHE_WORDS:
            self._older = dict(self)
            self.clear()
        self[word] = found
        return found

    def cut(self, word: str) -> tuple[int, ...]:
        """The longest entry that starts the word, then the longest that continues it, and so on."""
        known = self._known
        if word in known:
            return (known[word],)
        size = len(word)
        if size > LONGEST_WORD:
            return self._unknown
        found: list[int] = []
        start, lead = 0, ""
        while start < size:
            for end in range(min(size, start + self._longest), start, -1):
                number = known.get(lead + word[start:end])
                if number is not None:
                    found.append(number)
                    break
            else:
                return self._unknown
            start, lead = end, "##"
        return tuple(found)


class _Counts(dict[bytes, int]):
    """From a word in UTF-8, translated by `_SMALL`, to its number of tokens."""

    def __init__(self, pieces: _Pieces) -> None:
        super().__init__()
        self._cut = pieces.cut
        self._older: dict[bytes, int] = {}

    def __missing__(self, word: bytes) -> int:
        found = self._older.get(word)
        if found is None:
            found = self._count(word.decode())
        if len(word) > LONGEST_WORD:
            return found
        if len(self) >= CACHE_WORDS:
            self._older = dict(self)
            self.clear()
        self[word] = found
        return found

    def _count(self, word: str) -> int:
        if word.isascii():
            return len(self._cut(word))
        runs = _NOT_SPACE.sub("", _IDEOGRAPH.sub(" ", word)).split()
        if runs == [word]:
            return sum([len(self._cut(part)) for part in _parts(word)])
        # Each ideograph is a token, known or not.
        return len(_IDEOGRAPH.findall(word)) + sum([self[run.encode()] for run in runs])


def _parts(run: str) -> Iterator[str] | list[str]:
    """The words and single punctuation marks of a run without white space, in lower case."""
    if run.isascii() and run.isprintable():
        return _PLAIN.findall(run.lower())
    return _parts_of_any_script(run)


def _parts_of_any_script(run: str) -> Iterator[str]:
    kept = "".join([char for char in run if char != "\ufffd" and not _is_control(char)])
    for stretch in _IDEOGRAPH.sub(r" \1 ", kept).split(" "):
        apart = unicodedata.normalize("NFD", stretch)
        bare = "".join([char for char in apart if unicodedata.category(char) != "Mn"])
        word: list[str] = []
        for char in bare.replace("Σ", "σ").lower():  # the reference has no final sigma
            if not _is_punctuation(char):
                word.append(char)
                continue
            if word:
                yield "".join(word)
                word.clear()
            yield char
        if word:
            yield "".join(word)


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Co", "Cs"}


def _is_punctuation(char: str) -> bool:
    return char in "$+<=>^`|~" or unicodedata.category(char)[0] == "P"
