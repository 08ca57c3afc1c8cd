"""What the index has of each collection and folder, as a table. It makes no request."""

from collections.abc import Iterable
from typing import Any

from ragctl.views.excerpts import cell_width, truncate
from ragctl.views.render import Ink, clean, counted, local_time

HEADINGS = ("", "notes", "passages", "vectors", "last change", "")
NUMBERS = (1, 2, 3)  # columns that are aligned to the right
FILES_SHOWN = 10
LONGEST_NAME = 48
MINUTES = len("2026-11-15 14:30")

Data = dict[str, Any]


def render_coverage(data: Data, ink: Ink) -> str:
    """The whole answer: folders below their collections, then the files with problems."""
    blocks = [_table(_rows(data), ink)]
    if data["left_out"]:
        left = counted(data["left_out"], "smaller folder")
        blocks.append(ink.paint(f"{left} left out: name a folder to see what is below it.", "dim"))
    if "notes" in data:
        blocks.append(_notes(data, ink))
    blocks += _problems("could not be read", data["failed"], ink)
    blocks += _problems("left out on purpose", data["skipped"], ink)
    return "\n\n".join(blocks)


def _rows(data: Data) -> list[tuple[str, Data]]:
    """The name of each row with its indent, and its numbers."""
    if top := data["folder"]:
        start = "" if top["path"] == "@vault" else f"{top['path']}/"
        name = clean(top["path"]) if start else "vault"
        return [(name, top), *((_inside(one["path"], start), one) for one in data["folders"])]
    found: list[tuple[str, Data]] = []
    for one in data["collections"]:
        name = one["name"] if one["name"] == "vault" else f"@{one['name']}"
        private = " (private)" if one["private"] else ""
        found.append((f"{clean(name)}{private}", one))
        start = "" if one["name"] == "vault" else f"@{one['name']}/"
        own = [each for each in data["folders"] if each["collection"] == one["name"]]
        found += [(_inside(each["path"], start), each) for each in own]
    return found


def _inside(path: str, start: str) -> str:
    steps = path.removeprefix(start).split("/")
    return "  " * len(steps) + clean(steps[-1])


def _table(rows: Iterable[tuple[str, Data]], ink: Ink) -> str:
    lines = [HEADINGS, *(_cells(name, one, ink) for name, one in rows)]
    widths = [max(_width(line[at]) for line in lines) for at in range(len(HEADINGS))]
    heading, *others = (_align(cells, widths) for cells in lines)
    return "\n".join([ink.paint(heading, "dim"), *others])


def _align(cells: tuple[str, ...], widths: list[int]) -> str:
    parts = []
    for at, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        room = " " * (width - _width(cell))
        parts.append(room + cell if at in NUMBERS else cell + room)
    return "  ".join(parts).rstrip()


def _width(text: str) -> int:
    return sum(map(cell_width, text))


def _cells(name: str, one: Data, ink: Ink) -> tuple[str, ...]:
    return (
        truncate(name, LONGEST_NAME, ink.sign("…")),
        f"{one['notes']:,}",
        f"{one['passages']:,}",
        _vectors(one),
        local_time(one["last_change"])[:MINUTES] if one["last_change"] else "",
        ", ".join(_remarks(one)),
    )


def _vectors(one: Data) -> str:
    """The share of passages with a vector. It is 100 % only if none is missing."""
    return f"{int(100 * one['vectors'] / one['passages'])} %" if one["passages"] else ""


def _remarks(one: Data) -> list[str]:
    named = (
        ("vectors_missing", "without a vector yet"),
        ("vectors_never", "never with a vector"),
        ("failed", "failed"),
        ("skipped", "left out"),
        ("waiting", "waiting"),
    )
    return [f"{one[name]:,} {words}" for name, words in named if one[name]]


def _notes(data: Data, ink: Ink) -> str:
    lines = [f"  {clean(note['path'])}  {ink.paint(_about(note), 'dim')}" for note in data["notes"]]
    if data["more"]:
        lines.append(ink.paint(f"  and {counted(data['more'], 'more note')}", "dim"))
    return "\n".join(lines) or "No note is directly in it."


def _about(note: Data) -> str:
    if note["reason"]:
        return f"{clean(note['state'])}: {clean(note['reason'])}"
    if note["state"] != "indexed":
        return clean(note["state"])
    return f"{counted(note['passages'], 'passage')}, {note['vectors']:,} with a vector"


def _problems(what: str, listed: Data, ink: Ink) -> list[str]:
    if not listed["total"]:
        return []
    lines = [ink.paint(f"{counted(listed['total'], 'file')} {what}", "bold")]
    lines += [
        f"  {clean(one['path'])}  {ink.paint(clean(one['reason']), 'dim')}"
        for one in listed["files"][:FILES_SHOWN]
    ]
    if listed["total"] > FILES_SHOWN:
        lines.append(ink.paint(f"  and {listed['total'] - FILES_SHOWN:,} more", "dim"))
    return ["\n".join(lines)]
