"""Reads the documents that are not Markdown: in this process, or in the worker process.

What the worker read is kept in memory for a while, because the same document is read again for its
vectors and when somebody opens a citation. It never reads a file itself.
"""

import threading
from collections import OrderedDict
from typing import Protocol

from ragd.notes.documents.kinds import kind_of
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.documents.read_document import read_document

NO_WORKER = "its kind cannot be read by this installation"
MOST_CHARACTERS = 24_000_000  # of all documents that are kept: 24 to 100 MB
MOST_DOCUMENTS = 64


class DocumentWorkerPort(Protocol):
    """Reads one document after the other in a process with limits; from any thread. Raises
    CannotRead if it cannot tell anything about the document now."""

    def read(self, kind: str, data: bytes) -> Document | Unreadable: ...

    def close(self) -> None: ...


class DocumentReader:
    """Reads documents by the kind of their path, in any thread."""

    def __init__(self, worker: DocumentWorkerPort | None = None) -> None:
        self._worker = worker
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Document] = OrderedDict()
        self._characters = 0

    def read(self, path: str, data: bytes, sha256: str) -> Document | Unreadable:
        """The document with this content. `sha256` is the hash of the data. Raises CannotRead if
        the worker cannot tell anything about it now."""
        kind = kind_of(path)
        if not kind.is_slow:
            return read_document(path, data)
        key = (kind.name, sha256)
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        if self._worker is None:
            return Unreadable(NO_WORKER)
        found = self._worker.read(kind.name, data)
        if isinstance(found, Document):
            self._keep(key, found)
        return found

    def _keep(self, key: tuple[str, str], document: Document) -> None:
        with self._lock:
            if len(document.text) > MOST_CHARACTERS or key in self._kept:
                return
            self._kept[key] = document
            self._characters += len(document.text)
            while self._characters > MOST_CHARACTERS or len(self._kept) > MOST_DOCUMENTS:
                _, dropped = self._kept.popitem(last=False)
                self._characters -= len(dropped.text)

    def close(self) -> None:
        """End the worker process."""
        if self._worker is not None:
            self._worker.close()
