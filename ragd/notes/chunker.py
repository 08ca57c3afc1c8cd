"""Cuts sections into passages: a section that fits is one passage, a longer one becomes windows.

Passages of a few words join a neighbour. It never drops text: every word is in a passage.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from msgspec.structs import replace

from ragd.notes.cut_passage import CutPassage
from ragd.notes.markdown.code_marks import lines_after, without_marks
from ragd.notes.markdown.fences import CODE_LINE
from ragd.notes.markdown.sections import Section
from ragd.notes.tiny_passages import WrittenLines, join_tiny_passages
from ragd.notes.windows import Limits, windows

MOST_CHARACTERS = 2_000
LONGEST_JOINED = 600  # characters of properties; longer ones are a passage of their own

_BLANK_LINES = re.compile("\n\n\n+")

Count = Callable[[str], int]


def cut_passages(
    properties: Section | None,
    sections: list[Section],
    code: dict[int, str],
    written: WrittenLines,
    limits: Limits,
    count: Count,
) -> Iterator[CutPassage]:
    """All passages of a note, in order. `code` has the kept code by line."""
    passages = _cut_all(properties, sections, code, limits, count)
    return join_tiny_passages(passages, written, lambda text: _fits(text, limits, count))


def searched_text(text: str) -> str:
    """The text of a passage as it is searched and embedded: without marks for code."""
    bare = without_marks(text)
    return text if bare == text else _normalised(bare).strip("\n")


def _cut_all(
    properties: Section | None,
    sections: list[Section],
    code: dict[int, str],
    limits: Limits,
    count: Count,
) -> Iterator[CutPassage]:
    sections = _join_bare_sections(sections)
    if properties is not None:
        whole = _prepend(properties, sections[0]) if sections else properties
        text = _normalised(whole.text)
        if CODE_LINE not in text and _fits(text, limits, count):
            prose = sections[0].text if sections else ""
            yield CutPassage(text, prose, whole.line, whole.last + lines_after(text), whole)
            sections = sections[1:]
        elif (
            sections and len(properties.text) <= LONGEST_JOINED and CODE_LINE not in properties.text
        ):
            # They begin the first window: alone, they would be a result without words of its own.
            first, *others = _cut(whole, code, limits, count)
            yield first._replace(prose=first.prose.removeprefix(properties.text))
            yield from others
            sections = sections[1:]
        else:
            for passage in _cut(properties, {}, limits, count):
                yield passage._replace(prose="")
    for section in sections:
        yield from _cut(section, code, limits, count)


def _join_bare_sections(sections: list[Section]) -> list[Section]:
    """The sections that have words; empty headings and single tags join a neighbour.

    They join the section after them, or the one before them if the next has a higher level.
    """
    found: list[Section] = []
    held: list[Section] = []
    for section in sections:
        if section.bare:
            held.append(section)
            continue
        if held and found and section.level < min(one.level for one in held):
            found[-1] = _join([found[-1], *held], found[-1])
            held = []
        found.append(_join([*held, section], section))
        held = []
    if held:
        main = found.pop() if found else None
        found.append(_join([main, *held] if main else held, main or held[0]))
    return found


def _prepend(upper: Section, lower: Section) -> Section:
    """The lower section with the upper one's text before its own, line for line."""
    return _join([upper, lower], lower)


def _join(parts: list[Section], main: Section) -> Section:
    """The parts as one section, line for line, with the name and path of `main`."""
    if len(parts) == 1:
        return parts[0]
    texts = [parts[0].text]
    for upper, lower in pairwise(parts):
        texts.append("\n" * (lower.line - upper.last) + lower.text)
    text = "".join(texts)
    return replace(main, text=text, line=parts[0].line, last=parts[-1].last)


def _cut(
    section: Section, code: dict[int, str], limits: Limits, count: Count
) -> Iterator[CutPassage]:
    if code:
        if CODE_LINE in section.text:
            section = _with_code(section, code)
        else:
            code = {}
    whole = section.text
    text = _normalised(whole)
    if _fits(text, limits, count):
        prose = _without_code(code, whole, section.line) if code else text
        yield CutPassage(text, prose, section.line, section.last + lines_after(text), section)
        return
    line, before = section.line, 0
    for start, end in windows(whole, limits, count):
        line += whole.count("\n", before, start)
        before = start
        shown = whole[start:end]
        prose = _without_code(code, shown, line) if code else shown
        text = _normalised(shown)
        if searched_text(text):  # a window of marks only has nothing to find
            last = line + shown.count("\n") + lines_after(text)
            yield CutPassage(text, prose, line, last, section, is_window=True)


def _with_code(section: Section, code: dict[int, str]) -> Section:
    lines = [
        code[number].rstrip() if line == CODE_LINE else line
        for number, line in enumerate(section.text.split("\n"), section.line)
    ]
    text = "\n".join(lines)
    kept = text.lstrip()
    line = section.line + text.count("\n", 0, len(text) - len(kept))
    kept = kept.rstrip()
    return replace(section, text=kept, line=line, last=line + kept.count("\n"))


def _without_code(code: dict[int, str], text: str, first_line: int) -> str:
    """The lines of the text that are not code."""
    lines = enumerate(text.split("\n"), first_line)
    return "\n".join([line for number, line in lines if number not in code])


def _normalised(text: str) -> str:
    return _BLANK_LINES.sub("\n\n", text) if "\n\n\n" in text else text


def _fits(text: str, limits: Limits, count: Count) -> bool:
    if len(text) > limits.characters:
        return False
    # A token of ASCII text has at least one character; a Hangul syllable may be three tokens.
    return (len(text) <= limits.tokens and text.isascii()) or count(text) <= limits.tokens
