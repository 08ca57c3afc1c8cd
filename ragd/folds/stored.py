"""The notes in the index that serves and in the one being built, as one table. Pure.

It changes nothing.
"""

from collections.abc import Mapping

from msgspec import structs

from ragd.folds.catalog import Catalog, Entry

UNKNOWN_NS = -1  # no file has this time, so a note with it is read again


def stored_entry(catalog: Catalog, path: str) -> Entry | None:
    """The entry of this note in the index that serves, else in the one being built."""
    building = catalog.building
    found = catalog.files.get(path)
    return building.files.get(path) if found is None and building is not None else found


def stored_files(catalog: Catalog) -> Mapping[str, Entry]:
    """Every note that one of the two indexes has.

    A note that differs between them gets a time that no file has. So it is read again, and stored
    in both or removed from both. Only for use while no job fills the new index.
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
