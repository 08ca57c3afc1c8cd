"""Finds notes by a typed name: `Beam Divergence`, `[[Beam Divergence|beams]]`. Pure.

It only compares names. It never decides whether a note may be shown.
"""

from collections.abc import Iterable

from ragd.search.query.filters import normalised

_ENDING = ".md"


def link_target(typed: str) -> str:
    """The name in a wikilink, without brackets, heading and alias; other text stays as typed."""
    name = typed.strip()
    if not (name.startswith("[[") and name.endswith("]]")):
        return typed
    return name[2:-2].partition("|")[0].partition("#")[0].strip()


def notes_named(name: str, paths: Iterable[str]) -> list[str]:
    """The paths of the notes with this name, in any case: a whole path without `.md`, else paths
    that end with the name."""
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
