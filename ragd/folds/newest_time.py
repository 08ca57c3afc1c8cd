"""The time of the newest note in the index, as facts change it. Pure."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from ragd.folds.tables import Entry
from ragd.folds.times import iso_of_ns, us_of_iso, us_of_ns


class DatedNotes(Protocol):
    """Notes by their paths, and the time of the newest one."""

    newest_mtime: str | None

    @property
    def files(self) -> Mapping[str, Entry]: ...


def update_newest(catalog: DatedNotes, now_ns: Iterable[int], before_ns: Iterable[int]) -> None:
    """Update the newest time of all notes, when some changed from one time to another.

    All notes are compared only if the newest one was removed or became older.
    """
    newest = catalog.newest_mtime
    latest_ns = max(now_ns, default=None)
    newest_us = us_of_iso(newest) if newest else None
    if newest and newest_us is None:  # another program wrote it in another way
        is_later = latest_ns is not None and iso_of_ns(latest_ns) >= newest
    else:
        is_later = newest_us is None or (latest_ns is not None and us_of_ns(latest_ns) >= newest_us)
    if is_later:
        catalog.newest_mtime = None if latest_ns is None else iso_of_ns(latest_ns)
    elif newest_us is not None and newest_us in map(us_of_ns, before_ns):
        times = (entry.mtime_ns for entry in catalog.files.values())
        newest_ns = max(times, default=None)
        catalog.newest_mtime = newest if newest_ns is None else iso_of_ns(newest_ns)
