"""Finds passwords, keys and tokens in a text by their patterns, and replaces each by a mark. Pure.

It takes linear time, and never raises. It leaves out what it can recognise: a password without a
label that looks like an ordinary word stays.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator

from ragd.notes.late_pattern import LatePattern
from ragd.notes.secret_shapes import KEY_BLOCK, KEY_BLOCK_END, TOKENS, URL_LOGIN, find_labels
from ragd.notes.secret_tables import find_cells

MARK = "[secret]"

Span = tuple[int, int]

# Marks that people and programs put into or around a secret: emphasis, code, escapes, and
# characters that cannot be seen.
_MARKS = LatePattern(r"\\{1,4}u[0-9a-fA-F]{4}|\\[nrt]|[\\*`\u00ad\u200b-\u200f\u2060\ufeff]")
_LINE_BREAKS = ("\\n", "\\r", "\\t")

_BETWEEN = r"[\"'\]\)_]{0,3}[ \t]{0,3}"
_FENCE = (
    r"[ \t\r]{0,3}(?:\n[ \t\r>]{0,12}){1,2}(?:(?:`{3}|~{3})[\w-]{0,20}[ \t\r]{0,3}\n[ \t>]{0,8})?"
)
_ASSIGN = LatePattern(rf"{_BETWEEN}(?:=>|:=|->|→|[:=：]{{1,2}})[ \t]{{0,6}}(?P<lines>{_FENCE})?")
_CELL = LatePattern(r"[ \t]{0,20}\|[ \t]{0,20}")
_SAID = LatePattern(
    r"[\"'\]\)]{0,3}[ \t]{1,3}(?:is|was|ist|war|lautet|lautete|est|es|è)\b(?: now| jetzt)?"
    r"[ \t]{0,3}:?[ \t]{1,3}",
    re.IGNORECASE,
)
_TAG = LatePattern(r">(?=[^<>\n]{1,200}</)")  # of XML
_BEFORE_QUOTE = LatePattern(r"[\"'\]\)]{0,3},?[ \t]{1,3}(?=[\"'`„“«])")
_SPACE = LatePattern(r"[\"']?[ \t]{1,3}")
_DIGITS = LatePattern(r"[ \t:]{1,3}([0-9]{3,4})(?![0-9])")
_SEED = LatePattern(r"(?:[a-z]{3,8}[ \t,]{1,3}){11,23}[a-z]{3,8}(?![a-z])")
_WORD_NEAR = LatePattern(r"[^\s\"'<>|(),;`]{8,64}+")
_SIGNS = LatePattern(r"[!#$%^&*+?~§]")
_QUOTED = LatePattern(r"\"([^\"\n]++)\"|'([^'\n]++)'|`([^`\n]++)`|[„“»«]([^“”«»\n]++)[“”«»]")
_RUN = LatePattern(r"[\"'`„“»«]?([^\s\"'<>|]{1,300})")
_REST = LatePattern(r"[^\s\"'<>|]*+")
_PHRASE = LatePattern(r"[^\n]{1,600}")
_TRAILING = ".,;:!?)]}"
_RANDOM = LatePattern(r"[A-Za-z0-9+/_=.~-]{16,}+")
_HEX = LatePattern(r"[0-9a-fA-F]{32,}")
_UUID = LatePattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_WORD_RUN = LatePattern(r"[a-z]{7}")
_PLACEHOLDER = LatePattern(
    r"(?:str|string|text|bytes|bool|int|any|null|none|nil|undefined|true|false|required|optional"
    r"|forgotten|vergessen|[*•.…xX?_-]+|<.*|\$.*|\{.*|%.*|\[.*|process\.env.*|os\..*|env[.(].*"
    r"|getenv.*|input\(.*|getpass.*|prompt\(.*)[,;)]*",
    re.IGNORECASE | re.DOTALL,
)
_PUBLIC = LatePattern(
    r"commit|sha|hash|checksum|prüfsumme|md5|digest|revision|\brev\b|uuid|\bid\b|base64,|fingerprint"
    r"|fingerabdruck|public|öffentlich|https?:",
    re.IGNORECASE,
)
_CHECKSUM = LatePattern(
    r"\b(?:md5|sha-?[0-9]{1,3}|checksum|prüfsumme|fingerprint)\b", re.IGNORECASE
)
LONG = 250  # characters of a value, after which the rest of it is left out, too
NEAR = 48  # characters between a label and a value that stands further on in the sentence


def without_secrets(text: str) -> str:
    """The text with a mark in place of each secret."""
    spans = list(_find(text))
    if _MARKS.search(text):
        plain, starts, ends = _without_marks(text)
        spans += [(starts[start], ends[end - 1]) for start, end in _find(plain)]
    if not spans:
        return text
    parts: list[str] = []
    position = 0
    for start, end in _joined(spans):
        parts += (text[position:start], MARK)
        position = end
    return "".join((*parts, text[position:]))


def _joined(spans: list[Span]) -> Iterator[Span]:
    """The spans in order; those that overlap are one."""
    spans.sort()
    start, end = spans[0]
    for first, last in spans[1:]:
        if first < end:
            end = max(end, last)
        else:
            yield start, end
            start, end = first, last
    yield start, end


def _without_marks(text: str) -> tuple[str, list[int], list[int]]:
    """The text without marks, and where each of its characters begins and ends."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def add(part: str, start: int, end: int) -> None:
        parts.append(part)
        starts.extend(range(start, end) if part else ())
        ends.extend(range(start + 1, end + 1) if part else ())

    position = 0
    for mark in _MARKS.finditer(text):
        add(text[position : mark.start()], position, mark.start())
        if meant := _meant_by(mark.group()):
            parts.append(meant)
            starts.append(mark.start())
            ends.append(mark.end())
        position = mark.end()
    add(text[position:], position, len(text))
    return "".join(parts), starts, ends


def _meant_by(mark: str) -> str:
    """The character that an escape stands for; empty for the other marks."""
    if mark in _LINE_BREAKS:
        return "\n"
    return chr(int(mark[-4:], 16)) if mark.startswith("\\") and len(mark) > 4 else ""


def _find(text: str) -> Iterator[Span]:
    yield from _key_blocks(text)
    for found in TOKENS.finditer(text):
        yield found.span()
    for found in URL_LOGIN.finditer(text):
        if found["password"] is not None or _is_random(found["name"]):
            yield found.span("login")
    yield from _in_tables(text)
    done = 0
    for label in find_labels(text):
        if label.start() < done:
            continue  # a part of the last value
        for start, end in _labelled(text, label):
            rest = _REST.match(text, end) if end - start >= LONG else None
            done = rest.end() if rest else end
            yield start, done


def _in_tables(text: str) -> Iterator[Span]:
    """What stands in a column of passwords or keys."""
    if "|" not in text or "--" not in text:
        return
    for heading, start, end in find_cells(text):
        label = next(find_labels(heading), None)
        cell = text[start:end]
        found = _value(cell, 0) if label is not None else None
        if found is None or label is None:
            continue
        value, kind = cell[found[0] : found[1]], label.lastgroup
        is_password = kind == "password" and (found[2] or _is_unusual(value))
        if is_password or (kind == "token" and _is_mixed(value) and len(value) >= 8):
            yield start + found[0], start + found[1]


def _key_blocks(text: str) -> Iterator[Span]:
    """Private keys. One without an end is left out to the end of the text."""
    position = 0
    while begin := KEY_BLOCK.search(text, position):
        end = KEY_BLOCK_END.search(text, begin.end())
        position = end.end() if end else len(text)
        yield begin.start(), position


def _labelled(text: str, label: re.Match[str]) -> Iterator[Span]:
    """The value that a word such as `password` or `token` announces."""
    kind = label.lastgroup
    if assigned := _ASSIGN.match(text, label.end()) or _TAG.match(text, label.end()):
        if kind == "phrase":
            yield from _phrase(text, assigned.end())
            return
        found = _value(text, assigned.end())
        if found is None:
            return
        start, end, is_quoted = found
        value = text[start:end]
        if kind == "password":
            lines = assigned.groupdict().get("lines")
            in_fence = lines and ("```" in lines or "~~~" in lines)
            on_next_line = lines is not None and not in_fence
            if not on_next_line or is_quoted or _is_unusual(value):
                yield start, end
        elif kind == "pin":
            if re.fullmatch(r"[0-9 -]{3,12}", value):
                yield start, end
        elif _is_mixed(value) and len(value) >= (8 if kind == "token" else 16):
            yield start, end
        return
    if kind == "phrase" and (said := _SAID.match(text, label.end())):
        if seed := _SEED.match(text, said.end()):
            yield seed.span()
    elif kind == "pin":
        digits = _DIGITS.match(text, label.end())
        if digits and label.group().lower().startswith("cv"):
            yield digits.span(1)
    elif kind == "password" and (
        beside := _SAID.match(text, label.end()) or _CELL.match(text, label.end())
    ):
        found = _value(text, beside.end())
        if found and (found[2] or _is_unusual(text[found[0] : found[1]])):
            yield found[0], found[1]
        else:
            yield from _strong_nearby(text, label.end())
    elif kind == "password" and (beside := _BEFORE_QUOTE.match(text, label.end())):
        if found := _value(text, beside.end()):
            yield found[0], found[1]
    elif kind == "password":
        yield from _after_space(text, label.end())
        yield from _strong_nearby(text, label.end())
        yield from _random_nearby(text, label.end())
    elif kind in ("token", "key"):
        yield from _random_nearby(text, label.end())


def _after_space(text: str, start: int) -> Iterator[Span]:
    """A value directly after the label, as in a command: with letters and digits."""
    space = _SPACE.match(text, start)
    found = _value(text, space.end()) if space else None
    if found and found[1] - found[0] >= 6 and _is_mixed(text[found[0] : found[1]]):
        yield found[0], found[1]


def _strong_nearby(text: str, start: int) -> Iterator[Span]:
    """A value further on in the line that no word looks like: letters, digits and a sign."""
    end = text.find("\n", start, start + NEAR)
    for found in _WORD_NEAR.finditer(text, start, start + NEAR + 64):
        if found.start() > (start + NEAR if end < 0 else end):
            return
        value = found.group().rstrip(_TRAILING)
        if _is_mixed(value) and _SIGNS.search(value) and not _PLACEHOLDER.fullmatch(value):
            yield found.start(), found.start() + len(value)
            return


def _phrase(text: str, start: int) -> Iterator[Span]:
    """A phrase of several words: the whole line."""
    if (line := _PHRASE.match(text, start)) and len(line.group().split()) > 1:
        yield line.span()
    elif found := _value(text, start):
        yield found[0], found[1]


def _value(text: str, start: int) -> tuple[int, int, bool] | None:
    """Where the value is that begins here, and whether it is quoted. None: there is no secret."""
    if quoted := _QUOTED.match(text, start):
        first, last = quoted.span(quoted.lastindex or 0)
        is_quoted = True
    elif run := _RUN.match(text, start):
        first = run.start(1)
        last = first + len(run.group(1).rstrip(_TRAILING))
        is_quoted = False
    else:
        return None
    value = text[first:last]
    if len(value) < 3 or value == MARK or _PLACEHOLDER.fullmatch(value):
        return None
    return first, last, is_quoted


def _random_nearby(text: str, start: int) -> Iterator[Span]:
    """A random value further on in the sentence, unless the words before it call it public."""
    near = _RANDOM.search(text, start, start + NEAR + 16)
    found = _RANDOM.match(text, near.start()) if near else None
    if found is None or _PUBLIC.search(text, start, found.start()):
        return
    if _CHECKSUM.search(text, max(0, start - NEAR), start):
        return
    value = found.group().rstrip(_TRAILING)
    if _is_random(value):
        yield found.start(), found.start() + len(value)


def _is_unusual(value: str) -> bool:
    """Whether a value is not an ordinary word: it has a digit, a sign, or capitals inside."""
    inner = value.strip("-–—…*_`")
    if not inner or inner.isalpha():
        return bool(re.search("[a-zß-ÿ][A-Z]", inner))
    return any(one.isdigit() for one in inner) or bool(re.search(r"[^\w\s'’./-]", inner))


def _is_mixed(value: str) -> bool:
    """Whether a value has digits and letters, as keys do, and is not a path or a call."""
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_both and not re.search(r"[()\[\]{}\s]|://|^[./~]", value)


def _is_random(value: str) -> bool:
    """Whether a value looks as if a program had made it."""
    if _UUID.fullmatch(value) or not _RANDOM.fullmatch(value):
        return False
    if _HEX.fullmatch(value):
        return len(set(value.lower())) >= 8
    kinds = [any(map(test, value)) for test in (str.isdigit, str.isupper, str.islower)]
    if len(value) < 20 or not all(kinds) or _WORD_RUN.search(value):
        return False
    counts = Counter(value[:200]).values()
    total = sum(counts)
    return -sum(n / total * math.log2(n / total) for n in counts) >= 3.5
