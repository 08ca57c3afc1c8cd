"""Removes the characters that a reader cannot see, before anything else reads the text.

It never changes how many lines a text has.
"""

import re

# Control characters and unusual spaces separate words: they become a space.
_SPACES = "\x00-\x08\x0b-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# These are invisible or change the direction of the text after them. The joiners U+200C and U+200D
# stay (Persian and emoji need them), and so do the selectors U+FE0E and U+FE0F.
_UNSEEN = (
    "\xad\u034f\u061c\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\U00100000-\U001000ff"  # private: `code_marks` has its own text in them
)
_NOT_VISIBLE = re.compile(f"[{_SPACES}{_UNSEEN}]")
_SPACE = re.compile(f"[{_SPACES}]")
_REMOVED = re.compile(f"[{_UNSEEN}]")
_ORDINARY = bytes([9, 10, *range(32, 127)])
_RUN = re.compile("  +")


def visible(text: str) -> str:
    """`text` without invisible characters, with line feeds as line ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Only text that is not plain ASCII is searched, and most notes have little of it.
    rest = text.encode("utf-8", "surrogatepass").translate(None, _ORDINARY)
    if rest and _NOT_VISIBLE.search(rest.decode("utf-8", "surrogatepass")):
        text = _REMOVED.sub("", _SPACE.sub(" ", text))
    return text


def collapse_spaces(text: str) -> str:
    """Runs of spaces become one, and spaces at the ends of lines go. Line breaks stay."""
    return collapse_runs("\n".join(map(str.strip, text.split("\n"))))


def collapse_runs(text: str) -> str:
    """Runs of spaces become one; for text whose lines have no spaces at their ends."""
    if "\t" in text:
        text = text.replace("\t", " ")
    return _RUN.sub(" ", text) if "  " in text else text


def one_line(text: str, longest: int) -> str:
    """`text` as a single clean line of at most `longest` characters: for titles, tags and names."""
    return " ".join(visible(text).split())[:longest].rstrip()
