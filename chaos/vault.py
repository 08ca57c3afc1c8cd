"""A vault of our own: notes that change, and the rows that they should have by their files."""

import hashlib
from functools import cache
from importlib.resources import files as resources
from pathlib import Path
from random import Random
from typing import NamedTuple

from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import parse_note
from ragd.notes.wordpiece import WordPiece

WORDS = ("river", "stone", "window", "letter", "garden", "mountain", "paper", "morning")


class Passage(NamedTuple):
    """One row as it should be, without its vector."""

    chunk_id: str
    source_file: str
    chunk_index: int
    total_chunks: int
    file_sha256: str
    content_hash: str
    chunk_text: str


class Vault:
    """Notes in one folder, and every version that each of them has had."""

    REMOVED_AT_ONCE = 2

    def __init__(self, folder: Path, rng: Random, parts: tuple[int, int] = (1, 4)) -> None:
        self.folder = folder
        self._rng = rng
        self._parts = parts
        folder.mkdir(exist_ok=True)
        self._had: dict[str, set[frozenset[Passage]]] = {}
        self.texts: dict[str, str] = {}  # what is embedded, by its hash

    def write(self, number: int, more: str = "") -> str:
        """A note with new words in it, and perhaps one of its own; its path."""
        rng = self._rng
        sections = [f"# Note {number}"]
        for part in range(rng.randint(*self._parts)):
            sections += [f"## Part {part}", " ".join(rng.choices(WORDS, k=12))]
        if more:
            sections += [f"## {more}", f"Of {more} there is no other word."]
        path = self.folder / f"{number:03d}.md"
        path.write_text("\n\n".join(sections) + "\n")
        self._had.setdefault(path.name, set()).add(self._passages_of(path))
        return path.name

    def remove(self, number: int) -> None:
        (self.folder / f"{number:03d}.md").unlink(missing_ok=True)

    def change(self, numbers: int) -> None:
        """Some notes are written, some are new, some go."""
        rng = self._rng
        for _ in range(rng.randint(0, 4)):
            self.write(rng.randrange(numbers))
        for _ in range(rng.randint(0, self.REMOVED_AT_ONCE)):
            self.remove(rng.randrange(numbers))

    def passages(self) -> set[Passage]:
        """Every row that the notes should have now."""
        return {passage for path in self._notes() for passage in self._passages_of(path)}

    def __len__(self) -> int:
        return len(self._notes())

    def was(self, name: str, passages: frozenset[Passage]) -> bool:
        """Whether a note has ever been so."""
        return passages in self._had.get(name, ())

    def _notes(self) -> list[Path]:
        return list(self.folder.glob("*.md"))

    def _passages_of(self, path: Path) -> frozenset[Passage]:
        passages, texts = passages_of(path.name, path.read_bytes())
        self.texts |= texts
        return frozenset(passages)


def passages_of(path: str, data: bytes) -> tuple[list[Passage], dict[str, str]]:
    """The rows that this note should have (none if it hides itself), and its texts by hash."""
    sha256 = hashlib.sha256(data).hexdigest()
    note = parse_note(path, data, ChunkOptions(), _words().count)
    assert isinstance(note, Note), "we write notes that can be read"
    total = len(note.chunks)
    rows = [
        Passage(c.chunk_id, path, c.index, total, sha256, c.content_hash, c.text)
        for c in note.chunks
    ]
    return rows, {chunk.content_hash: chunk.embed_text for chunk in note.chunks}


@cache
def _words() -> WordPiece:
    return WordPiece(resources("ragd").joinpath("data", "vocab.txt").read_text("utf-8"))
