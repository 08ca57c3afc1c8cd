"""A vault of notes that change, and the rows that an index of their files should have."""

import hashlib
import threading
from functools import cache, lru_cache
from importlib.resources import files as resources
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from chaos.documents import make_document
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
    """Notes in one folder, and all versions of each; perhaps also notes and documents of two
    collections beside it."""

    REMOVED_AT_ONCE = 2

    def __init__(
        self,
        folder: Path,
        rng: Random,
        parts: tuple[int, int] = (1, 4),
        *,
        with_collections: bool = False,
    ) -> None:
        self.folder = folder
        self._rng = rng
        self._parts = parts
        names = ("work", "papers") if with_collections else ()
        self._roots = {f"@{name}": folder.with_name(f"{folder.name} {name}") for name in names}
        for root in (folder, *self._roots.values()):
            root.mkdir(exist_ok=True)
        self._had: dict[str, set[frozenset[TableRow]]] = {}
        self.texts: dict[str, str] = {}  # the text to embed, by its hash

    @property
    def settings(self) -> dict[str, Any]:
        """The section of the configuration with its collections."""
        return {"collections": {name[1:]: {"path": str(at)} for name, at in self._roots.items()}}

    def file(self, path: str) -> Path:
        """The file of a note, by its path in the index."""
        first, _, inner = path.partition("/")
        return self._roots[first] / inner if first in self._roots else self.folder / path

    def write(self, number: int, more: str = "") -> str:
        """Write a note of random words, with the word `more` in it if given. Returns its path."""
        rng = self._rng
        sections = [f"# Note {number}"]
        for part in range(rng.randint(*self._parts)):
            sections += [f"## Part {part}", " ".join(rng.choices(WORDS, k=12))]
        if more:
            sections += [f"## {more}", f"Of {more} there is no other word."]
        path = self._path_of(number)
        data = ("\n\n".join(sections) + "\n").encode()
        if path.endswith(".pdf"):
            data = make_document(".pdf", [line.lstrip("# ") for line in sections])
        self.file(path).write_bytes(data)
        self._had.setdefault(path, set()).add(self._rows_of(path))
        return path

    def _path_of(self, number: int) -> str:
        """With collections, two of five files are in one of them, half of those are documents."""
        if self._roots and number % 5 >= 3:
            return f"@work/{number:03d}.md" if number % 5 == 3 else f"@papers/{number:03d}.pdf"
        return f"{number:03d}.md"

    def remove(self, number: int) -> None:
        self.file(self._path_of(number)).unlink(missing_ok=True)

    def change(self, numbers: int) -> None:
        """Some notes are rewritten, some are new, some are removed."""
        rng = self._rng
        for _ in range(rng.randint(0, 4)):
            self.write(rng.randrange(numbers))
        for _ in range(rng.randint(0, self.REMOVED_AT_ONCE)):
            self.remove(rng.randrange(numbers))

    def expected_rows(self) -> set[TableRow]:
        """Every row that the notes should have now."""
        return {passage for path in self._paths() for passage in self._rows_of(path)}

    def __len__(self) -> int:
        return len(self._paths())

    def has_had(self, name: str, passages: frozenset[TableRow]) -> bool:
        """Whether some version of this note has had exactly these passages."""
        return passages in self._had.get(name, ())

    def _paths(self) -> list[str]:
        others = [f"{name}/{one.name}" for name, at in self._roots.items() for one in at.iterdir()]
        return [one.name for one in self.folder.glob("*.md")] + others

    def _rows_of(self, path: str) -> frozenset[TableRow]:
        passages, texts = rows_of(path, self.file(path).read_bytes())
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
