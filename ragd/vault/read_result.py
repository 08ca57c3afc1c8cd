"""What a read of notes found: each note's chunks, or why it has none. It reads no file."""

from msgspec import Struct, field

from ragd.batch.in_flight import ReadFile
from ragd.events import TouchedFile
from ragd.notes.documents.kinds import is_growing
from ragd.notes.model import Note
from ragd.notes.parse import Unparsable
from ragd.vault.files import FileStat, VaultGone


class NoteBytes(Struct):
    """A note that was read and has changed. `note`: its chunks, if it was parsed already."""

    path: str
    data: bytes
    digest: str
    facts: FileStat
    note: Note | Unparsable | None = None


class ReadResult(Struct):
    """What a read found at each of its paths."""

    files: list[ReadFile] = field(default_factory=list)
    touched: list[TouchedFile] = field(default_factory=list)  # the same content as before
    gone: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    unstable: list[str] = field(default_factory=list)  # changed meanwhile, or not readable now
    left: list[str] = field(default_factory=list)  # not read: the byte limit was reached
    bytes_parsed: int = 0
    # Not read, because their collection is gone: they may still exist.
    unreachable: list[str] = field(default_factory=list)
    lost: dict[str, VaultGone] = field(default_factory=dict)  # those collections

    def add(self, found: NoteBytes, note: Note | Unparsable) -> None:
        """Add a note that was split into chunks."""
        if isinstance(note, Unparsable):
            self.failed.append((found.path, note.reason))
        elif note.hidden is not None:
            self.skipped.append((found.path, note.hidden))
        else:
            times = found.facts
            self.files.append(
                ReadFile(found.path, found.digest, times.mtime_ns, times.size, note, times.ctime_ns)
            )


def text_bytes(found: NoteBytes) -> int:
    """How much text was read. Most of a session is not kept, so only its chunks count."""
    if not isinstance(found.note, Note) or not is_growing(found.path):
        return len(found.data)
    return sum(len(chunk.text) for chunk in found.note.chunks)
