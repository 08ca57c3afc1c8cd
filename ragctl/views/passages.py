"""Passages for a person: where each comes from, what of the question is in it, what to mind.

It asks nobody. Nothing that a note says can move the terminal: all of it is made safe first.
"""

import re
from typing import Any

from ragctl.views.excerpts import INDENT, LINES, WIDTH, Marks, excerpt, fitting
from ragctl.views.markdown import rendered
from ragctl.views.render import Ink, clean, counted, invoked

DOTS = 5  # of a score

_PROPERTY = re.compile(r"[^\s:#][^:]*:|\s+\S|- ")
_ONE_WORD = re.compile(r"[\w./-][\w./,+@%:#-]*")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")


def described(
    number: int, result: dict[str, Any], marks: Marks, ink: Ink, lines: int | None = LINES
) -> str:
    """One passage: its note, its source and date, its text, and what to mind about it.

    `lines`: how many of its text; None: all of it, and the command that shows the note.
    """
    name = fitting(name_of(result), max(20, ink.columns - 13), ink.sign("…"))
    name = name if ink.columns else name_of(result)
    shown = [
        f"{number}. {ink.paint(name, 'bold')}  {score(float(result['score']), ink)}",
        INDENT + _source(result, ink),
        *(INDENT + marks.paint(line, ink) for line in _text(result, marks, ink, lines)),
        *(INDENT + ink.paint(f"{ink.sign('▲')} {said}", "yellow") for said in cautions(result)),
        *(INDENT + ink.paint(_on_one_line(said, ink), "dim") for said in remarks(result)),
    ]
    if evidence := result.get("evidence"):
        numbers = ink.wrap(f"score {result['score']:.3f}  {_numbers(evidence)}", len(INDENT))
        shown.append(INDENT + ink.paint(numbers, "dim"))
    if lines is None:
        shown.append(INDENT + ink.paint(show_command(result), "dim"))
    return "\n".join(shown)


def _numbers(evidence: dict[str, Any]) -> str:
    """What decided the place of a result, each by its name; what says nothing is left out."""
    told = {name: value for name, value in evidence.items() if value}
    return "  ".join(
        clean(name) if value is True else f"{clean(name)} {value:.3g}"
        for name, value in told.items()
    )


def name_of(result: dict[str, Any]) -> str:
    """The note's name, then the headings that the passage stands under."""
    title = clean(result.get("title") or result["source_file"])
    path = clean(result.get("heading_path") or "")
    if not path or path == title:
        return title
    return path if path.startswith(f"{title} > ") else f"{title} > {path}"


def score(share: float, ink: Ink) -> str:
    """How relevant it is, in dots: one at least, and all of them for 0.9 and more."""
    full = min(DOTS, max(1, round(share * DOTS)))
    return ink.paint(ink.sign("●") * full, "green") + ink.paint(
        ink.sign("○") * (DOTS - full), "dim"
    )


def show_command(result: dict[str, Any]) -> str:
    """What to type to read the passage in its note."""
    return f"{invoked()} show {pasted(clean(result['citation']))}"


def _source(result: dict[str, Any], ink: Ink) -> str:
    """The citation, as a shell takes it; the date; the tags, as far as there is room."""
    dot = f" {ink.sign('·')} "
    cited = pasted(clean(result["citation"]))
    date = clean(result.get("date") or "")
    if result.get("date_source") == "file":
        date = f"file of {clean(result.get('file_date') or date)}"
    tags = " ".join(clean(tag) for tag in result.get("tags", [])[:6])
    after = "".join(dot + part for part in (date, tags) if part)
    if ink.columns:
        after = fitting(after, max(0, ink.columns - len(INDENT) - len(cited)), ink.sign("…"))
    return ink.paint(cited, "cyan") + after


def _text(result: dict[str, Any], marks: Marks, ink: Ink, lines: int | None) -> list[Any]:
    if lines is None:
        return excerpt(result["chunk_text"], marks, ink, None)
    return excerpt(_without_what_is_said(result, marks, ink), marks, ink, lines)


def _without_what_is_said(result: dict[str, Any], marks: Marks, ink: Ink) -> str:
    """The text without the heading that the title line ends with, and without the properties at
    its beginning where they have nothing of the question. What has no other text keeps them."""
    text: str = result["chunk_text"]
    properties, _, rest = text.partition("\n\n")
    is_begin = result.get("chunk_index") == 0 and result.get("start_line") == 2
    if is_begin and all(map(_PROPERTY.match, properties.splitlines())):
        dense = " ".join(word for word in properties.split() if "://" not in word)
        if not rest.strip():
            return fitting(dense, LINES * WIDTH, "…")
        kept = fitting(dense, WIDTH, "…") if marks.different(dense) else ""
        text = f"{kept}\n\n{rest}"
    first, _, below = text.strip("\n").partition("\n")
    if below.strip() and (_HEADING.match(first) or first.startswith("#")):
        shown = rendered(clean(first), ink.sign)
        if shown is not None and name_of(result).endswith(shown.text.strip()):
            return below
    return text


def pasted(citation: str) -> str:
    """The same as a word that a shell takes for one, and no command for an option."""
    return quoted(f"./{citation}" if citation.startswith("-") else citation)


def quoted(word: str) -> str:
    """What a shell takes for this one word."""
    if _ONE_WORD.fullmatch(word):
        return word
    from shlex import quote

    return quote(word)


def _on_one_line(said: str, ink: Ink) -> str:
    return fitting(said, ink.columns - len(INDENT), ink.sign("…")) if ink.columns else said


def remarks(result: dict[str, Any]) -> list[str]:
    """What else is known of a passage: why it is here, and where else it stands."""
    via = result.get("via")
    return ([f"{clean(via)}"] if via else []) + also_in(result)


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
    if newer := result.get("superseded_by"):
        found.append(f"A newer note says otherwise: {pasted(clean(newer))}")
    if result.get("stale"):
        found.append("The note has changed since; run `ragctl sync`.")
    if result.get("unverified"):
        found.append("The vault is away, so nobody could look whether the note is still there.")
    if result.get("sensitive"):
        found.append(f"Sensitive: {clean(', '.join(result['sensitive']))}.")
    if result.get("injection_suspected"):
        found.append("It reads like instructions to an assistant. It is only a note.")
    return found
