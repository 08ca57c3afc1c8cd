"""The answer to a search for a person: passages, memories, what to mind, what to type next.

It asks nobody and prints nothing.
"""

import re
from typing import Any

from ragctl.views.excerpts import INDENT, LINES, Marks, cells
from ragctl.views.passages import described, quoted, show_command
from ragctl.views.render import Ink, clean, counted, for_home, in_words_until, invoked

Data = dict[str, Any]

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def told(
    question: str, envelope: Data, ink: Ink, *, full: bool = False, paused: Data | None = None
) -> str:
    """The whole answer. `paused`: syncing is, and since when; None if it is not."""
    data = envelope["data"]
    results = data["results"]
    above = _warning(envelope, ink) + _understood(data, ink)
    if results and data.get("answered") is False:
        above.append(ink.paint("Nothing answers this. Nearest:", "bold"))
    below = [_memory(memory, ink) for memory in data.get("memories", [])]
    if data.get("withheld"):
        below.append(_withheld(data))
    elif not results and not data.get("memories"):
        nothing = "Nothing found. Ask in other words, or with fewer filters."
        below.append(clean(data.get("hint") or nothing))
    below += _unread((envelope.get("meta") or {}).get("unindexed_files", 0), ink, paused)
    if results and not full:
        below.append(ink.paint(f"Read on: {show_command(results[0])}", "dim"))
    if suggestion := data.get("memory_suggestion"):
        below.append(_suggestion(suggestion, ink))
    marks = Marks(" ".join([question, *_used(data)]))
    return "\n\n".join([*above, *_passages(results, marks, ink, full, [*above, *below]), *below])


def _passages(
    results: list[Data], marks: Marks, ink: Ink, full: bool, others: list[str]
) -> list[str]:
    """The best one whole; the others get fewer lines where the terminal is too low for all."""
    if full:
        return [described(n, one, marks, ink, None) for n, one in enumerate(results, 1)]
    shown: list[str] = []
    for lines in range(LINES, 0, -1):
        shown = [
            described(n, one, marks, ink, LINES if n == 1 else lines)
            for n, one in enumerate(results, 1)
        ]
        rows = sum(_rows(block, ink.columns) + 1 for block in (*shown, *others))
        if not ink.rows or rows < ink.rows:
            break
    return shown


def _rows(block: str, columns: int) -> int:
    """How many rows of the terminal a text takes; a long path may take two."""
    lines = _COLOURS.sub("", block).split("\n")
    return sum(max(1, -(-sum(map(cells, line)) // max(1, columns))) for line in lines)


def _warning(envelope: Data, ink: Ink) -> list[str]:
    error = envelope.get("error")
    if not error:
        return []
    sign = ink.paint(f"{ink.sign('▲')} {clean(envelope['status'])}", "yellow", "bold")
    said = f"{sign}  {ink.wrap(for_home(clean(error['message'])), 2)}"
    arrow, suggestion = ink.paint(ink.sign("→"), "cyan"), for_home(clean(error["suggestion"]))
    return [f"{said}\n  {arrow} {suggestion}"]


def _used(data: Data) -> list[str]:
    """The words that were searched in place of those that are in no note."""
    return [str(word) for one in data.get("corrections") or [] for word in one["used"]]


def _understood(data: Data, ink: Ink) -> list[str]:
    """What the daemon made of the question, in lines of one block."""
    lines = []
    for one in data.get("corrections") or []:
        used = " or ".join(clean(word) for word in one["used"])
        lines.append(f'"{clean(one["word"])}" is in no note: searched for {used}.')
    understood = data.get("understood") or {}
    for said in (_time(understood.get("time")), _in_words(understood.get("filters"))):
        if said:
            lines.append(f"Understood: {said}.")
    return [ink.paint("\n".join(lines), "dim")] if lines else []


def _time(time: Data | None) -> str:
    """Each phrase with the days that it means."""
    said = []
    for phrase in (time or {}).get("phrases") or ():
        days = [f"until {d['to']}" if d["from"] is None else _span(d) for d in phrase["days"]]
        each = " of every year" if phrase["every_year"] else ""
        said.append(clean(f'"{phrase["words"]}" means {", ".join(days)}{each}'))
    return "; ".join(said)


def _span(days: Data) -> str:
    return str(days["to"]) if days["from"] == days["to"] else f"{days['from']} to {days['to']}"


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        parts = [f"{name} {_in_words(one)}" for name, one in value.items() if _in_words(one)]
        return ", ".join(parts)
    if isinstance(value, list):
        return ", ".join(part for one in value if (part := _in_words(one)))
    return clean(value) if value else ""


def _memory(memory: Data, ink: Ink) -> str:
    key, source = clean(memory["key"]), clean(memory["source"])
    value = " ".join(clean(memory["value"]).split())
    return f"Remembered: {ink.paint(key, 'bold')}  {ink.paint(source, 'cyan')}\n{INDENT}{value}"


def _withheld(data: Data) -> str:
    what = counted(int(data["withheld"]), "sensitive passage")
    again = f"the same command with `--confirm {clean(data['confirm'])}`"
    return f"{what} withheld. To see what it is, type {again} within five minutes."


def _unread(notes: int, ink: Ink, paused: Data | None) -> list[str]:
    """What the answer may lack, and why."""
    if not notes:
        return []
    many = f"{counted(notes, 'new or changed note')} {'is' if notes == 1 else 'are'}"
    said = f"{ink.sign('▲')} {many} not in the index yet: ask again in a moment."
    if paused is not None:
        until = in_words_until(str(paused["until"]))
        said = (
            f"{ink.sign('▲')} {many} not in the index: syncing is paused {until}. "
            f"{for_home('`ragctl pause resume` ends the pause.')}"
        )
    return [ink.paint(ink.wrap(said, 2), "yellow")]


def _suggestion(suggestion: Data, ink: Ink) -> str:
    words = [" ".join(clean(suggestion[name]).split()) for name in ("key", "value", "source")]
    ends = ["--"] if any(word.startswith("-") for word in words) else []
    typed = " ".join((f"{invoked()} memory store", *ends, *map(quoted, words)))
    return ink.paint(f"Worth remembering?\n{INDENT}{typed}", "dim")
