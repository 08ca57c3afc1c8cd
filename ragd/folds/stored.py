"""Which notes are in an index: the one that serves, the one being built, or both. Pure.

It changes nothing. A note that has to leave has to leave both.
"""

from collections.abc import Mapping

from msgspec import structs

from ragd.folds.catalog import Catalog, Entry

UNKNOWN_NS = -1  # no file has this time, so a note with it is read again


def stored_entry(catalog: Catalog, path: str) -> Entry | None:
    """This note, as the index that serves has it, else as the one being built has it."""
    building = catalog.building
    found = catalog.files.get(path)
    return building.files.get(path) if found is None and building is not None else found


def stored_files(catalog: Catalog) -> Mapping[str, Entry]:
    """Every note that one of the indexes has.

    A note that is not the same in both has a time that no file has: it is read again, and then
    stored in both or removed from both. To be asked when no job is filling the new index.
    """
    building = catalog.building
    if building is None:
        return catalog.files
    found: dict[str, Entry] = {}
    for path, entry in catalog.files.items():
        other = building.files.get(path)
        is_same = other is not None and other.sha256 == entry.sha256
        found[path] = entry if is_same else structs.replace(entry, mtime_ns=UNKNOWN_NS)
    for path, entry in building.files.items():
        if path not in found:
            found[path] = structs.replace(entry, mtime_ns=UNKNOWN_NS)
    return found
