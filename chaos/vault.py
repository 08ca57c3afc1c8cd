"""A vault of notes that change, and the rows that an index of their files should have."""

import hashlib
import threading
from functools import cache, lru_cache
from importlib.resources import files as resources
from pathlib import Path
from random import Random
from typing import NamedTuple

from ragd.notes.documents.kinds import is_slow
from ragd.notes.documents.model import Document
from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import parse_note
from ragd.notes.wordpiece import WordPiece
from ragd.vault.collection_paths import VAULT
from ragd.vault.foreign_readers.pdf import read_pdf

WORDS = ("river", "stone", "window", "letter", "garden", "mountain", "paper", "morning")


class TableRow(NamedTuple):
    """One row that the table should have, without its vector."""

    chunk_id: str
    source_file: str
    chunk_index: int
    total_chunks: int
    file_sha256: str
    content_hash: str
    chunk_text: str


class Vault:
    """Notes in one folder, and all versions of each."""

    REMOVED_AT_ONCE = 2

    def __init__(self, folder: Path, rng: Random, parts: tuple[int, int] = (1, 4)) -> None:
        self.folder = folder
        self._rng = rng
        self._parts = parts
        folder.mkdir(exist_ok=True)
        self._had: dict[str, set[frozenset[TableRow]]] = {}
        self.texts: dict[str, str] = {}  # the text to embed, by its hash

    def write(self, number: int, more: str = "") -> str:
        """Write a note of random words, with the word `more` in it if given. Returns its path."""
        rng = self._rng
        sections = [f"# Note {number}"]
        for part in range(rng.randint(*self._parts)):
            sections += [f"## Part {part}", " ".join(rng.choices(WORDS, k=12))]
        if more:
            sections += [f"## {more}", f"Of {more} there is no other word."]
        path = self.folder / f"{number:03d}.md"
        path.write_text("\n\n".join(sections) + "\n")
        self._had.setdefault(path.name, set()).add(self._rows_of(path))
        return path.name

    def remove(self, number: int) -> None:
        (self.folder / f"{number:03d}.md").unlink(missing_ok=True)

    def change(self, numbers: int) -> None:
        """Some notes are rewritten, some are new, some are removed."""
        rng = self._rng
        for _ in range(rng.randint(0, 4)):
            self.write(rng.randrange(numbers))
        for _ in range(rng.randint(0, self.REMOVED_AT_ONCE)):
            self.remove(rng.randrange(numbers))

    def expected_rows(self) -> set[TableRow]:
        """Every row that the notes should have now."""
        return {passage for path in self._notes() for passage in self._rows_of(path)}

    def __len__(self) -> int:
        return len(self._notes())

    def has_had(self, name: str, passages: frozenset[TableRow]) -> bool:
        """Whether some version of this note has had exactly these passages."""
        return passages in self._had.get(name, ())

    def _notes(self) -> list[Path]:
        return list(self.folder.glob("*.md"))

    def _rows_of(self, path: Path) -> frozenset[TableRow]:
        passages, texts = rows_of(path.name, path.read_bytes())
        self.texts |= texts
        return frozenset(passages)


def rows_of(path: str, data: bytes) -> tuple[list[TableRow], dict[str, str]]:
    """The rows that this note or document should have (none if it is hidden), and its texts by
    hash."""
    sha256 = hashlib.sha256(data).hexdigest()
    note = parse_note(
        path,
        data,
        ChunkOptions(),
        _tokenizer().count,
        collection=path[1:].partition("/")[0] if path.startswith("@") else VAULT,
        document=_read_pdf(data) if is_slow(path) else None,
    )
    assert isinstance(note, Note), "every note written here can be parsed"
    total = len(note.chunks)
    rows = [
        TableRow(c.chunk_id, path, c.index, total, sha256, c.content_hash, c.text)
        for c in note.chunks
    ]
    return rows, {chunk.content_hash: chunk.embed_text for chunk in note.chunks}


_one_pdf_at_a_time = threading.Lock()  # its library must not be used in two threads


@lru_cache(maxsize=256)
def _read_pdf(data: bytes) -> Document:
    with _one_pdf_at_a_time:
        return read_pdf(data)


@cache
def _tokenizer() -> WordPiece:
    return WordPiece(resources("ragd").joinpath("data", "vocab.txt").read_text("utf-8"))
