"""The time of the newest note in the index, as facts change it. Pure."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from ragd.folds.tables import Entry
from ragd.folds.times import iso_of_ns, ns_range_of_iso


class DatedNotes(Protocol):
    """Notes by their paths, and the time of the newest one."""

    newest_mtime: str | None

    @property
    def files(self) -> Mapping[str, Entry]: ...


def update_newest(catalog: DatedNotes, now_ns: Sequence[int], before_ns: Sequence[int]) -> None:
    """Update the newest time of all notes, when some changed from one time to another.

    All notes are compared only if the newest one was removed or became older.
    """
    newest = catalog.newest_mtime
    latest_ns = max(now_ns) if now_ns else None
    same = ns_range_of_iso(newest) if newest else None  # the moments that are written like it
    if newest and same is None:  # another program wrote it in another way
        is_later = latest_ns is not None and iso_of_ns(latest_ns) >= newest
    else:
        is_later = same is None or (latest_ns is not None and latest_ns >= same[0])
    if is_later:
        catalog.newest_mtime = None if latest_ns is None else iso_of_ns(latest_ns)
    elif same is not None:
        first_ns, last_ns = same
        for moment_ns in before_ns:
            if first_ns <= moment_ns <= last_ns:
                catalog.newest_mtime = _newest_of_all(catalog, newest)
                break


def _newest_of_all(catalog: DatedNotes, without_notes: str | None) -> str | None:
    newest_ns = max((entry.mtime_ns for entry in catalog.files.values()), default=None)
    return without_notes if newest_ns is None else iso_of_ns(newest_ns)
