"""The mark that is shown where fenced code was left out: `[code: python, 14 lines]`. Pure.

In a stored text a mark has characters of its own, from a private part of Unicode that
`characters.visible` removes from notes. So no word, phrase or vector ever matches a mark, and no
note can write one. `readable` turns marks into plain text where a text is shown. A mark never has
more of the code than the name of its language.
"""

import re

LONGEST_LANGUAGE = 20

_OFFSET = 0x100000  # of the characters of a mark
_STORED = re.compile("[\U00100000-\U001000ff]+")
_TO_STORED = {code: code + _OFFSET for code in range(32, 127)}
_TO_PLAIN = {code + _OFFSET: code for code in range(32, 127)}
# A plain word, or a name such as `c++` or `c#`.
_NAME = rf"[A-Za-z][A-Za-z0-9_-]{{0,{LONGEST_LANGUAGE - 1}}}(?:\+\+|#)?"
_PLAIN = re.compile(rf"\[code(?:: {_NAME})?, (\d{{1,9}}) lines?\]")
_LANGUAGE = re.compile(rf"[ \t]*({_NAME})(?=[\s,{{:]|\Z)")


def stored_mark(info: str, lines: int) -> str:
    """The mark for this many lines of code; `info` is what was written after the opening fence."""
    found = _LANGUAGE.match(info)
    language = f": {found.group(1)}" if found else ""
    count = "1 line" if lines == 1 else f"{lines} lines"
    return f"[code{language}, {count}]".translate(_TO_STORED)


def readable(text: str) -> str:
    """A stored text as it is shown. Part of a mark is left out."""
    return text if text.isascii() else _STORED.sub(_plain_mark, text)


def without_marks(text: str) -> str:
    """A stored text as it is searched: the line of each mark is blank."""
    return text if text.isascii() else _STORED.sub("", text)


def lines_after(text: str) -> int:
    """How many lines of the note follow the last line of a text that ends with a mark: the rest
    of the code and its closing fence; 0 if the text does not end with a mark."""
    last = text[text.rfind("\n") + 1 :]
    found = _PLAIN.fullmatch(last.translate(_TO_PLAIN)) if _STORED.fullmatch(last) else None
    return int(found.group(1)) + 1 if found else 0


def _plain_mark(found: re.Match[str]) -> str:
    plain = found.group().translate(_TO_PLAIN)
    return plain if _PLAIN.fullmatch(plain) else ""
