"""Markdown for a terminal: one line of a note as a reader sees it, with its styles.

It prints nothing and does not remove control characters: the caller cleans the text first.
"""

import re
from collections.abc import Callable

Sign = Callable[[str], str]  # maps a sign to one that the stream can show

_DEPTH_MAX = 4  # markup nested deeper than this (bold in a link in bold) is not rendered
_FENCE = re.compile(r"\s*(?:```|~~~)")
_RULE = re.compile(r"\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,}|={3,}|[-*+])")
# Each part matches in one way only: otherwise each empty cell of a row takes six times as long.
_DIVIDER = re.compile(r"\s*+\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+(?:(?::-*+:?|-++:?)\s*+)?)*+")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*")
_QUOTE = re.compile(r"\s{0,3}(?:>\s?)+")
_CALLOUT = re.compile(r"\[!([\w-]+)\][+-]?\s*")
_TASK = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+\[(.)\]\s+")
_BULLET = re.compile(r"(\s*)[-*+]\s+")
_ROW = re.compile(r"\s*\|(.*)\|\s*")
_BLOCK_ID = re.compile(r"\s\^[\w-]+\s*$")
_INLINE = re.compile(
    r"(?P<ticks>`+)(?P<code>[^`].*?|[^`])(?P=ticks)(?!`)"
    r"|\\(?P<escaped>[\\`*_{}\[\]()#+\-.!|>~=<])"
    r"|!?\[\[(?P<target>[^\[\]|\n]+)(?:\|(?P<alias>[^\[\]\n]*))?\]\]"
    r"|(?P<image>!?)\[(?P<text>[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]"
    r"\((?P<url>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+[\"'][^\"'\n]*[\"'])?\)"
    r"|(?P<footnote>\[\^[^\]\s]+\]:?)"
    r"|\*\*(?P<bold>(?=\S).+?(?<=\S))\*\*(?!\*)"
    r"|(?<!\w)__(?P<bold_too>(?=\S).+?(?<=\S))__(?!\w|\.\w)"
    r"|~~(?P<struck>(?=\S).+?(?<=\S))~~"
    r"|==(?P<marked>(?=\S).+?(?<=\S))=="
    r"|(?<![\w*])\*(?P<italic>(?=[^\s*])[^*]*(?<=\S))\*(?![\w*])"
    r"|(?<!\w)_(?P<italic_too>(?=[^\s_])[^_]*(?<=\S))_(?!\w)"
    r"|<(?P<address>https?://[^<>\s]+)>"
)
_STYLES = {
    "bold": "bold",
    "bold_too": "bold",
    "marked": "bold",
    "italic": "italic",
    "italic_too": "italic",
    "struck": "dim",
}


class StyledText:
    """A text and the style of each character; an empty name means no style."""

    __slots__ = ("styles", "text")

    def __init__(self, text: str = "", styles: list[str] | None = None) -> None:
        self.text = text
        self.styles = [""] * len(text) if styles is None else styles

    def add(self, text: str, style: str = "") -> "StyledText":
        self.text += text
        self.styles += [style] * len(text)
        return self

    def add_all(self, other: "StyledText") -> "StyledText":
        self.text += other.text
        self.styles += other.styles
        return self

    def part(self, start: int, end: int) -> "StyledText":
        return StyledText(self.text[start:end], self.styles[start:end])


def render_line(line: str, sign: Sign) -> StyledText | None:
    """The line as a reader sees it; None for a fence or a rule, which have no text."""
    if _FENCE.match(line) or _RULE.fullmatch(line) or _DIVIDER.fullmatch(line):
        return None
    line = _BLOCK_ID.sub("", line)
    if heading := _HEADING.fullmatch(line):
        return _add_inline(StyledText(), heading[1], "bold")
    shown = StyledText()
    if quote := _QUOTE.match(line):
        shown.add(f"{sign('│')} ", "dim")
        line = line[quote.end() :]
        if callout := _CALLOUT.match(line):
            line = line[callout.end() :] or callout[1].capitalize()
    if task := _TASK.match(line):
        shown.add(f"{task[1]}{sign('☐' if task[2] == ' ' else '☑')} ")
        line = line[task.end() :]
    elif bullet := _BULLET.match(line):
        shown.add(f"{bullet[1]}{sign('•')} ")
        line = line[bullet.end() :]
    elif row := _ROW.fullmatch(line):
        line = f" {sign('│')} ".join(cell.strip() for cell in re.split(r"(?<!\\)\|", row[1]))
    return _add_inline(shown, line, "")


def _add_inline(shown: StyledText, text: str, style: str, depth: int = 0) -> StyledText:
    """Add the text without its Markdown signs, in their styles."""
    done = 0
    for match in _INLINE.finditer(text) if depth < _DEPTH_MAX else ():
        shown.add(text[done : match.start()], style)
        done = match.end()
        _add_match(shown, match, style, depth)
    return shown.add(text[done:], style)


def _add_match(shown: StyledText, match: re.Match[str], style: str, depth: int) -> None:
    parts = match.groupdict()
    if (target := parts["target"]) is not None:
        shown.add(parts["alias"] or target.replace("#", " > ").removeprefix(" > "), "cyan")
    elif parts["text"] is not None:
        label = parts["text"] or (parts["url"] if not parts["image"] else "")
        _add_inline(shown, label, style or "cyan", depth + 1)
    elif parts["footnote"] is None:
        for name in ("code", "escaped", "address"):
            if parts[name] is not None:
                shown.add(parts[name], style)
                return
        for name, added in _STYLES.items():
            if parts[name] is not None:
                _add_inline(shown, parts[name], style or added, depth + 1)
                return
