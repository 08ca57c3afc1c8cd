"""Finds fenced code in a note, and removes it.

A mark is left where code was. An unclosed fence is not code: the lines after it are text.
"""

import re
from typing import NamedTuple

from ragd.notes.markdown.code_marks import stored_mark

CODE_LINE = "\x00"  # replaces a line of kept code; `characters.visible` removes it from notes

_LEAD = re.compile(r"[ \t>]*((?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_OPENER = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:`{3,}|~{3,})")
_UNQUOTED = re.compile(r"\n(?![ \t]*>)")


class _Fence(NamedTuple):
    start: int  # of the line, in the text with a line feed before it
    end: int
    kind: tuple[str, int]  # its character, and the end of the quotation around it, or 0
    length: int
    opens: bool
    closes: bool


def without_code(text: str, keep: bool) -> tuple[str, dict[int, str]]:
    """The text with its fenced code blanked, line for line, and a mark on the first of the lines.

    With `keep`, each line of code becomes CODE_LINE, and the code is returned by line (from 0).
    """
    if "```" not in text and ("~" not in text or "~~~" not in text):
        return text, {}
    text = "\n" + text
    parts: list[str] = []
    code: dict[int, str] = {}
    done, line = 0, -1
    for start, end in _blocks(text):
        parts.append(text[done:start])
        line += text.count("\n", done, start)
        block = text[start:end].split("\n")
        if keep:
            code.update((line + number, shown) for number, shown in enumerate(block) if number)
            parts.append(f"\n{CODE_LINE}" * (len(block) - 1))
        else:
            parts.append("\n" + _mark(block[1:]) + "\n" * (len(block) - 2))
        line += len(block) - 1
        done = end
    parts.append(text[done:])
    return "".join(parts)[1:], code


def code_characters(text: str) -> int:
    """How many characters of the text are fenced code, without spaces and fences."""
    if "```" not in text and "~~~" not in text:
        return 0
    text = "\n" + text
    blocks = (text[start:end].split("\n")[2:-1] for start, end in _blocks(text))
    return sum(len("".join(line.split())) for block in blocks for line in block)


def _mark(block: list[str]) -> str:
    """The mark for the lines of a block, fences included; empty if they hold no code."""
    code = block[1:-1]
    if not any(line.strip(" \t>") for line in code):
        return ""
    opener = _OPENER.match(block[0])
    return stored_mark(block[0][opener.end() :] if opener else "", len(code))


def _blocks(text: str) -> list[tuple[int, int]]:
    """The start and end of each closed block, in order, from the feed before its first line."""
    fences = _fences(text)
    longest = _longest_closer_after(fences)
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(fences):
        fence = fences[at]
        if fence.opens and fence.length <= longest[at]:
            at += 1
            while not _ends(fences[at], fence):
                at += 1
            found.append((fence.start, fences[at].end))
        at += 1
    return found


def _fences(text: str) -> list[_Fence]:
    found = _fences_of("`", text) if "```" in text else []
    if "~" in text and "~~~" in text:
        found = sorted([*found, *_fences_of("~", text)])
    return found


def _fences_of(mark: str, text: str) -> list[_Fence]:
    found: list[_Fence] = []
    quotation_end = -1
    at = text.find(mark * 3)
    while at != -1:
        start = text.rfind("\n", 0, at)
        end = text.find("\n", at)
        end = len(text) if end == -1 else end
        bullet: str | None = None
        quotation = 0
        if start + 1 < at:
            lead = _LEAD.fullmatch(text, start + 1, at)
            if lead is None:
                at = text.find(mark * 3, end)
                continue
            bullet = lead.group(1)
            if ">" in lead.group():
                if quotation_end < end:
                    gap = _UNQUOTED.search(text, end)
                    quotation_end = gap.start() if gap else len(text)
                quotation = quotation_end
        rest = text[at:end].lstrip(mark)
        length = end - at - len(rest)
        opens = mark == "~" or mark not in rest
        closes = bullet is None and (not rest or rest.isspace())
        found.append(_Fence(start, end, (mark, quotation), length, opens, closes))
        at = text.find(mark * 3, end)
    return found


def _ends(closer: _Fence, opener: _Fence) -> bool:
    return closer.closes and closer.kind == opener.kind and closer.length >= opener.length


def _longest_closer_after(fences: list[_Fence]) -> list[int]:
    """For each fence, the length of the longest one after it that could close its kind.

    It avoids searches for a closing fence that does not exist, so the time stays linear.
    """
    best: dict[tuple[str, int], int] = {}
    found = [0] * len(fences)
    for at in range(len(fences) - 1, -1, -1):
        fence = fences[at]
        found[at] = best.get(fence.kind, 0)
        if fence.closes:
            best[fence.kind] = max(fence.length, found[at])
    return found
