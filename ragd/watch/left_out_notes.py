"""Keeps scans from announcing unchanged notes that were skipped or could not be read.

Such a note is in no index, so every scan would find it new. It reads no file.
"""

from collections.abc import Callable, Iterable

from ragd.state.ledger import Ledger
from ragd.vault.files import NoteFile
from ragd.vault.vault_scan import VaultScan


class LeftOutNotes:
    """The notes in no index, and those left out at their last read, as the last scan saw them."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._last_seen: dict[str, NoteFile] = {}

    def pick(self, scanned: VaultScan) -> dict[str, NoteFile]:
        """The notes of a scan that are to be remembered."""
        catalog = self._ledger.state.catalog
        files, left_out = catalog.files, catalog.skipped.keys() | catalog.failed.keys()
        return {
            note.path: note
            for note in scanned.notes
            if note.path not in files or (left_out and note.path in left_out)
        }

    def remember(self, notes: dict[str, NoteFile]) -> None:
        """These are as the last scan saw them."""
        self._last_seen = notes

    def forget(self, paths: Iterable[str]) -> None:
        """These are about to be read, because their content may have changed."""
        for path in paths:
            self._last_seen.pop(path, None)

    def without_unchanged(
        self, upserts: list[str], notes: dict[str, NoteFile], is_pending: Callable[[str], bool]
    ) -> list[str]:
        """The upserts without unchanged notes, which would only be skipped or fail again.

        A note that is going to be read (`is_pending`) stays: its new content is not known yet. So
        does a stored note: it may have to leave the index.
        """
        catalog = self._ledger.state.catalog

        def is_unchanged(path: str) -> bool:
            return (
                (path in catalog.skipped or path in catalog.failed)
                and self._last_seen.get(path) == notes.get(path)
                and not is_pending(path)
                and not catalog.is_stored(path)
            )

        return [path for path in upserts if not is_unchanged(path)]
