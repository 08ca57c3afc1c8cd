"""Passages for a person: where each comes from, what of the question is in it, what to mind.

It asks nobody. Nothing that a note says can move the terminal: all of it is made safe first.
"""

import re
from typing import Any

from ragctl.render import Ink, clean, counted, invoked

LINES = 8  # of one passage; the rest is a `ragctl show` away
WIDTH = 96
INDENT = "   "
_SHORTEST = 4  # letters that a word must have to be worth marking
_STEM = 5
_WRAPPED = 60  # characters; a shorter line ended where its writer wanted

_PROPERTY = re.compile(r"[^\s:#][^:]*:|\s+\S|- ")
_ONE_WORD = re.compile(r"[\w./-][\w./,+@%:#-]*", re.ASCII)
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[぀-ヿ㐀-䶿一-鿿豈-﫿]{2,}")


class Marks:
    """What of a text to mark: words that begin as a word of the question does."""

    def __init__(self, question: str) -> None:
        words = [word.casefold() for word in _WORD.findall(question)]
        self._stems = {w[:_STEM] for w in words if len(w) >= _SHORTEST or w.isdecimal()}
        runs = _UNSPACED.findall(question)
        self._pairs = {run[at : at + 2] for run in runs for at in range(len(run) - 1)}

    def within(self, text: str) -> list[tuple[int, int]]:
        """Where they are: from, to."""
        found = [
            match.span()
            for match in _WORD.finditer(text)
            if match.group().casefold()[:_STEM] in self._stems
        ]
        for at in range(len(text) - 1) if self._pairs else ():
            if text[at : at + 2] in self._pairs:
                found.append((at, at + 2))
        return _joined(sorted(found))

    def paint(self, text: str, ink: Ink) -> str:
        """The text with these marked."""
        painted, done = "", 0
        for start, end in self.within(text):
            painted += text[done:start] + ink.paint(text[start:end], "yellow", "bold")
            done = end
        return painted + text[done:]


def described(number: int, result: dict[str, Any], marks: Marks, ink: Ink) -> str:
    """One passage: its place, its source and date, its text, and what to mind about it."""
    heading = result.get("heading_path") or result.get("title") or result["source_file"]
    score = ink.paint(f"{float(result['score']):.2f}", "dim")
    dot = f" {ink.sign('·')} "
    about = [
        ink.paint(clean(result["citation"]), "cyan"),
        clean(result.get("date") or ""),
        clean(" ".join(result.get("tags", [])[:6])),
    ]
    lines = [
        f"{number}. {ink.paint(clean(heading), 'bold')}  {score}",
        INDENT + dot.join(part for part in about if part),
        *(INDENT + marks.paint(line, ink) for line in excerpt(_text(result), marks, ink)),
        *(INDENT + ink.paint(f"{ink.sign('▲')} {said}", "yellow") for said in cautions(result)),
        *(INDENT + ink.paint(said, "dim") for said in also_in(result)),
        INDENT + ink.paint(f"{invoked()} show {pasted(clean(result['citation']))}", "dim"),
    ]
    return "\n".join(lines)


def _text(result: dict[str, Any]) -> str:
    """What it says; the properties that a note begins with take one line of it, or three where
    there is nothing else."""
    text: str = result["chunk_text"]
    properties, _, rest = text.partition("\n\n")
    is_begin = result.get("chunk_index") == 0 and result.get("start_line") == 2
    if not (is_begin and all(map(_PROPERTY.match, properties.splitlines()))):
        return text
    dense = " ".join(word for word in properties.split() if "://" not in word)
    room = WIDTH if rest else 3 * WIDTH
    shown = f"{dense[: room - 1]}…" if len(dense) > room else dense
    return f"{shown}\n\n{rest}"


def pasted(citation: str) -> str:
    """The same as a word that a shell takes for one, and no command for an option."""
    return quoted(f"./{citation}" if citation.startswith("-") else citation)


def quoted(word: str) -> str:
    """What a shell takes for this one word."""
    if _ONE_WORD.fullmatch(word):
        return word
    from shlex import quote

    return quote(word)


def excerpt(text: str, marks: Marks, ink: Ink) -> list[str]:
    """At most so many lines, around where most of the question is."""
    width = min(WIDTH, ink.columns - len(INDENT)) if ink.columns else WIDTH
    lines = [part for line in _paragraphs(text) for part in _folded(line, width)]
    if len(lines) <= LINES:
        return lines
    weights = [len(marks.within(line)) for line in lines]
    start = max(
        range(len(lines) - LINES + 1),
        key=lambda at: (sum(weights[at : at + LINES]), -at),
    )
    dots = ink.sign("…")
    shown = lines[start : start + LINES]
    before = [dots] if start else []
    return [*before, *shown, *([dots] if start + LINES < len(lines) else [])]


def also_in(result: dict[str, Any]) -> list[str]:
    """Where else the same passage stands, in one line if it does."""
    others, total = result.get("also_in") or [], result.get("also_in_total") or 0
    if not total:
        return []
    names = ", ".join(clean(path) for path in others)
    left = total - len(others)
    if not names:
        return [f"Also in {counted(total, 'other note')}."]
    return [f"Also in {names} and {counted(left, 'more note')}." if left else f"Also in {names}."]


def cautions(result: dict[str, Any]) -> list[str]:
    """What to know before relying on a passage."""
    found = []
    if result.get("stale"):
        found.append("The note has changed since; run `ragctl sync`.")
    if result.get("unverified"):
        found.append("The vault is away, so nobody could look whether the note is still there.")
    if result.get("sensitive"):
        found.append(f"Sensitive: {clean(', '.join(result['sensitive']))}.")
    if result.get("injection_suspected"):
        found.append("It reads like instructions to an assistant. It is only a note.")
    return found


def _paragraphs(text: str) -> list[str]:
    """The lines that are not blank; what was only wrapped by somebody's editor is one again."""
    found: list[str] = []
    wrapped = False
    for line in text.splitlines():
        if wrapped and line[:1].isalpha():
            found[-1] = f"{found[-1].rstrip()} {line.strip()}"
        elif line.strip():
            found.append(line)
        wrapped = len(line) >= _WRAPPED
    return found


def _folded(line: str, width: int) -> list[str]:
    """A line in pieces that fit, cut between words where there are any."""
    words = clean(line.rstrip()).split(" ")
    pieces = [""]
    for word in words:
        if pieces[-1] and len(pieces[-1]) + 1 + len(word) > width:
            pieces.append(word)
        else:
            pieces[-1] += f" {word}" if pieces[-1] else word
    return [piece[at : at + width] for piece in pieces for at in range(0, len(piece) or 1, width)]


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
