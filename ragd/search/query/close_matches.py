"""The notes, folders, tags and properties of the index that are closest to a typed name. Pure."""

from collections.abc import Collection, Iterable

from ragd.close_match import close_matches, closest
from ragd.search.query.filters import normalised

MOST = 3
COMPARED = 20_000  # notes; more would take too long for a suggestion
_LONGEST = 200


def closest_notes(path: str, known: Collection[str]) -> list[str]:
    """Paths of notes with this name, in any folder or case; else with a similar name."""
    wanted = _name(path[-_LONGEST:])
    by_name: dict[str, list[str]] = {}
    for other in list(known)[:COMPARED]:
        by_name.setdefault(_name(other), []).append(other)
    names = [wanted] if wanted in by_name else close_matches(wanted, by_name, MOST, 0.75)
    return [other for name in names for other in sorted(by_name[name])][:MOST]


def closest_folder(path: str, known: Iterable[str]) -> str | None:
    """The folder that may have been meant: by its own name at any depth, else by a similar path."""
    wanted = normalised(path[-_LONGEST:]).strip("/")
    by_path: dict[str, str] = {}
    by_name: dict[str, str] = {}
    for folder in sorted(known, key=lambda one: (one.count("/"), one))[:COMPARED]:
        by_path.setdefault(normalised(folder), folder)
        by_name.setdefault(normalised(folder.rpartition("/")[2]), folder)
    for names, name in ((by_name, wanted.rpartition("/")[2]), (by_path, wanted)):
        if close := closest(name, names):
            return names[close]
    return None


def closest_name(typed: str, known: Iterable[str]) -> str | None:
    """The name that may have been meant, as it is spelled in the index."""
    spellings = {normalised(name): name for name in sorted(known, reverse=True)[:COMPARED]}
    close = closest(normalised(typed[-_LONGEST:]), spellings)
    return spellings[close] if close is not None else None


def _name(path: str) -> str:
    """The file's name in the form that is compared, without `.md`."""
    name = normalised(path.rpartition("/")[2])
    return name.removesuffix(".md")
