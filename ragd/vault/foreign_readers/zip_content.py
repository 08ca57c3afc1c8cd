"""The files in a zip archive, unpacked in memory within limits.

Names are only looked up. They are never used as names of files, and an archive in the archive is
not opened.
"""

import struct
import zipfile
import zlib
from io import BytesIO

from ragd.vault.foreign_readers import limits
from ragd.vault.foreign_readers.reasons import (
    DAMAGED,
    ENCRYPTED,
    TOO_MUCH_UNPACKED,
    CannotParse,
)

_COMPOUND_FILE = b"\xd0\xcf\x11\xe0"  # how Office stores a file that has a password
_IS_ENCRYPTED = 0x1
_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError),
    *(NotImplementedError, RuntimeError, LookupError),
)


class ZipContent:
    """An open archive. Every method raises CannotParse."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(_COMPOUND_FILE):
            raise CannotParse(ENCRYPTED)
        try:
            self._archive = zipfile.ZipFile(BytesIO(data))
            entries = self._archive.infolist()
        except _ERRORS:
            raise CannotParse(DAMAGED) from None
        if len(entries) > limits.ZIP_ENTRIES:
            raise CannotParse(TOO_MUCH_UNPACKED)
        self._entries = {entry.filename: entry for entry in entries}
        self._unpacked = 0

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def read(self, name: str) -> bytes:
        """The file of this name."""
        entry = self._entries.get(name)
        if entry is None:
            raise CannotParse(DAMAGED)
        if entry.flag_bits & _IS_ENCRYPTED:
            raise CannotParse(ENCRYPTED)
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise CannotParse(DAMAGED)
        self._admit(entry)
        try:
            with self._archive.open(entry) as file:
                found = file.read(entry.file_size)
        except _ERRORS:
            raise CannotParse(DAMAGED) from None
        self._unpacked += len(found)
        return found

    def read_if_present(self, name: str) -> bytes | None:
        return self.read(name) if name in self else None

    def _admit(self, entry: zipfile.ZipInfo) -> None:
        """Refuse what the archive itself says is too large; no more than that is unpacked."""
        size = entry.file_size
        dense = size > limits.ZIP_RATIO_FROM_BYTES and size > limits.ZIP_RATIO * max(
            entry.compress_size, 1
        )
        if dense or size > limits.ZIP_ENTRY_BYTES or self._unpacked + size > limits.ZIP_BYTES:
            raise CannotParse(TOO_MUCH_UNPACKED)
