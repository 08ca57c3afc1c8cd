"""The collections as text: one line or two for each. It makes no request."""

from collections.abc import Sequence
from typing import Any

from ragctl.views.render import Ink, ago, clean, counted

WHY = {
    "missing": "its folder is missing",
    "empty": "its folder is empty",
    "unreadable": "its folder cannot be read",
    "moved": "another disk is in its place",
    "overlaps": "its folder is a link to a folder that ragd reads or writes already",
    "locked": "another program has locked its database",
    "damaged": "its database is damaged",
    "unknown_format": "its database has a format that ragd does not know",
    "not_responding": "its disk or network mount does not respond",
    "unknown": "not read yet",
}


def render_collections(collections: Sequence[dict[str, Any]], ink: Ink) -> str:
    """All of them, the vault first."""
    return "\n".join(_collection(one, ink) for one in collections)


def summarize_collections(collections: Sequence[dict[str, Any]]) -> list[str]:
    """After a job: how many notes each has, and which were not read. Nothing for a vault alone."""
    if len(collections) < 2:
        return []
    counts = ", ".join(f"{_name(one)} {one['notes']:,}" for one in collections)
    lines = [f"In each collection: {clean(counts)}."]
    for one in collections:
        if why := WHY.get(one["state"]):
            lines.append(f"{clean(_name(one))} was not read: {why}.")
    return lines


def with_held_notes(collections: Sequence[dict[str, Any]]) -> list[str]:
    """The names of those with notes that vanished at once. Nothing for a vault alone."""
    return [_name(one) for one in collections if one["held"]] if len(collections) > 1 else []


def _name(one: dict[str, Any]) -> str:
    return "vault" if one["name"] == "vault" else f"@{one['name']}"


def _collection(one: dict[str, Any], ink: Ink) -> str:
    name = _name(one)
    about = [clean(one["path"])]
    if one["private"]:
        about.append("private")
    lines = [f"{ink.paint(clean(name), 'bold')}  {'  '.join(about)}"]
    if described := describe_collection(one, ink):
        lines.append("  " + f" {ink.sign('·')} ".join(described))
    if one["context"]:
        lines.append(f"  {ink.wrap(clean(one['context']), 2)}")
    return "\n".join(lines)


def describe_collection(one: dict[str, Any], ink: Ink) -> list[str]:
    """Its counts, its state and its last sync, in short phrases."""
    found: list[str] = []
    if one["notes"] is not None:
        found += [counted(one["notes"], "note"), counted(one["passages"], "passage")]
    if one["waiting"]:
        found.append(f"{one['waiting']:,} waiting")
    if one["held"]:
        found.append(ink.paint(f"{counted(one['held'], 'deletion')} held", "yellow"))
    if why := WHY.get(one["state"]):
        found.append(ink.paint(why, "dim" if one["state"] == "unknown" else "red"))
    if one["watch"] == "polling":
        found.append("checked every few seconds")
    if one["last_sync"]:
        found.append(f"synced {ago(one['last_sync'])}")
    return found
