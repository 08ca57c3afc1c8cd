"""Documents: read here or by the worker, and kept for a while."""

import hashlib

import pytest

from ragd.notes.documents.model import Document, Unreadable
from ragd.vault import document_reader
from ragd.vault.document_reader import NO_WORKER, DocumentReader


class CountingWorker:
    """Returns the data as text, and counts."""

    def __init__(self) -> None:
        self.read_kinds: list[str] = []
        self.is_closed = False

    def read(self, kind: str, data: bytes) -> Document | Unreadable:
        self.read_kinds.append(kind)
        return Unreadable("it is encrypted") if data == b"locked" else Document(data.decode())

    def close(self) -> None:
        self.is_closed = True


def read(reader: DocumentReader, path: str, data: bytes) -> Document | Unreadable:
    return reader.read(path, data, hashlib.sha256(data).hexdigest())


def test_a_document_is_read_by_the_worker_once() -> None:
    worker = CountingWorker()
    reader = DocumentReader(worker)
    for path in ("a.pdf", "copy/of a.PDF", "a.pdf"):
        assert read(reader, path, b"text") == Document("text")
    assert worker.read_kinds == ["pdf"]
    read(reader, "a.docx", b"text")
    assert worker.read_kinds == ["pdf", "docx"]


def test_a_document_that_was_refused_is_read_again() -> None:
    worker = CountingWorker()
    reader = DocumentReader(worker)
    for _ in range(2):
        assert read(reader, "a.pdf", b"locked") == Unreadable("it is encrypted")
    assert len(worker.read_kinds) == 2


def test_only_some_documents_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_reader, "MOST_CHARACTERS", 10)
    worker = CountingWorker()
    reader = DocumentReader(worker)
    for data in (b"aaaa", b"bbbb", b"aaaa", b"cccc", b"aaaa", b"bbbb", b"longer than all"):
        read(reader, "a.pdf", data)
    assert len(worker.read_kinds) == 5  # `bbbb` was dropped, `aaaa` was used more recently
    read(reader, "a.pdf", b"longer than all")
    assert len(worker.read_kinds) == 6


def test_other_kinds_are_read_without_the_worker() -> None:
    worker = CountingWorker()
    reader = DocumentReader(worker)
    assert read(reader, "a.txt", b"words") == Document("words")
    assert worker.read_kinds == []
    reader.close()
    assert worker.is_closed


def test_without_a_worker_its_kinds_are_refused() -> None:
    assert read(DocumentReader(), "a.pdf", b"x") == Unreadable(NO_WORKER)
