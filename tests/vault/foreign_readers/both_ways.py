"""Reads a file in the confined process and in this one: confinement must change no answer."""

from ragd.notes.documents.model import Document, Unreadable
from ragd.vault.document_worker import DocumentWorker
from ragd.vault.foreign_readers.__main__ import answer


def read(worker: DocumentWorker, kind: str, data: bytes) -> Document | Unreadable:
    confined = worker.read(kind, data)
    here = answer(kind, data)
    assert not here.defect
    assert confined == (here.document or Unreadable(here.reason))
    return confined


def read_text(worker: DocumentWorker, kind: str, data: bytes) -> Document:
    found = read(worker, kind, data)
    assert isinstance(found, Document), found
    return found
