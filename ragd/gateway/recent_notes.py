"""The notes of the index that changed last, for a client that lists them.

It has their paths and times, never their text. It covers what a search without names covers: no
private collection, and nothing that the asker may not search.
"""

import heapq
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ragd.errors import RagdError
from ragd.folds.catalog import Entry
from ragd.folds.times import iso_of_ns
from ragd.gateway.access_control import AccessControl
from ragd.guard.live_rules import LiveGuard
from ragd.notes.documents.kinds import kind_of
from ragd.protocol.asker import Asker
from ragd.state.ledger import Ledger

MOST = 100
BY_DEFAULT = 50


class RecentNotes:
    """Lists them. `may_be_shown`: whether the configuration in force includes this path."""

    def __init__(
        self,
        ledger: Ledger,
        access: AccessControl,
        guard: LiveGuard,
        may_be_shown: Callable[[str], bool],
    ) -> None:
        self._ledger = ledger
        self._access = access
        self._guard = guard
        self._may_be_shown = may_be_shown

    def list(self, most: int, asker: Asker) -> dict[str, Any]:
        """At most this many, newest first. Raises RagdError for a number that is out of range."""
        if not 1 <= most <= MOST:
            raise RagdError(
                "INVALID_REQUEST", f"The parameter `max` should be a number from 1 to {MOST}."
            )
        scope = self._access.scope_of_list(asker)
        files = self._ledger.state.catalog.files
        shown = (path for path in files if scope.includes(path) and self._may_be_shown(path))
        found = newest_first(shown, files, most)
        kept = [path for path in found if not self._guard.withholds(path, asker)]
        data: dict[str, Any] = {
            "notes": [
                {
                    "path": path,
                    "kind": kind_of(path).name,
                    "modified": iso_of_ns(files[path].mtime_ns),
                }
                for path in kept
            ]
        }
        if len(kept) < len(found):
            data["withheld"] = len(found) - len(kept)
        return data


def newest_first(paths: Iterable[str], files: Mapping[str, Entry], most: int) -> list[str]:
    """Those of these paths that changed last. Paths break ties, so that two calls have the same
    order."""
    return heapq.nlargest(most, paths, key=lambda path: (files[path].mtime_ns, path))
