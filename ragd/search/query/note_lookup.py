"""Finds the notes that a typed name means: `Beam Divergence`, `[[Beam Divergence|beams]]`. Pure.

It compares names and nothing else; whether a note may be shown is decided elsewhere.
"""

from collections.abc import Iterable

from ragd.search.query.filters import normalised

_ENDING = ".md"


def link_target(typed: str) -> str:
    """The name in a wikilink, without its brackets, its heading and its alias; else as typed."""
    name = typed.strip()
    if not (name.startswith("[[") and name.endswith("]]")):
        return typed
    return name[2:-2].partition("|")[0].partition("#")[0].strip()


def notes_named(name: str, paths: Iterable[str]) -> list[str]:
    """The paths of the notes with this name, in any case: the path without its ending, else the
    end of a path, such as the file's name."""
    wanted = normalised(name).removesuffix(_ENDING).strip("/")
    if not wanted:
        return []
    ends: list[str] = []
    for path in paths:
        known = normalised(path).removesuffix(_ENDING)
        if known == wanted:
            return [path]
        if known.endswith(f"/{wanted}"):
            ends.append(path)
    return sorted(ends)
