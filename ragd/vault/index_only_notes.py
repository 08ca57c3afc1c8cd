"""The notes of a reader: there is no vault, so nothing can be checked or read there.

Every result is unverified, and whatever is in the index may be shown.
"""

from collections.abc import Mapping, Sequence

from ragd.notes.documents.model import Document, Unreadable
from ragd.vault.files import FileStat, VaultGone
from ragd.vault.note_reader import NoteReader


class IndexOnlyNotes:
    """What answers need to know about notes, without a vault."""

    def __init__(self, notes: NoteReader) -> None:
        self._notes = notes
        self.count_tokens = notes.count_tokens

    @property
    def collections(self) -> tuple[str, ...]:
        return self._notes.collections

    @property
    def keeps_code(self) -> bool:
        return self._notes.keeps_code

    def collection_of(self, path: str) -> str:
        return self._notes.collection_of(path)

    def includes(self, path: str) -> bool:
        """The writer has decided what is in the index."""
        return True

    def includes_folder(self, folder: str) -> bool:
        return True

    def stat_notes(self, collection: str, paths: Sequence[str]) -> Mapping[str, FileStat | None]:
        raise VaultGone("missing")

    def read_bytes(self, path: str) -> tuple[bytes, str]:
        raise VaultGone("missing")

    def read_document(self, path: str, data: bytes, sha256: str) -> Document | Unreadable:
        raise VaultGone("missing")
