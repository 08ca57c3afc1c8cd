"""A document worker for tests: it reads plain bytes, and waits at a gate before each document."""

import threading

from ragd.notes.documents.model import Document, Place, Unreadable
from tests.patience import PATIENCE_S

LOCKED = "it is encrypted"


class GatedWorker:
    """Each page of a document ends with a form feed. An open gate lets every document pass."""

    def __init__(self, *, is_open: bool = True) -> None:
        self.read_texts: list[str] = []
        self.began = threading.Semaphore(0)  # one for each document that has begun
        self._gate = threading.Semaphore(0)
        self._is_open = is_open

    def let_pass(self, documents: int = 1) -> None:
        """Let this many documents pass the gate."""
        for _ in range(documents):
            self._gate.release()

    def open(self) -> None:
        """From now on every document passes."""
        self._is_open = True
        self.let_pass(100)

    def read(self, kind: str, data: bytes) -> Document | Unreadable:
        text = data.decode()
        self.read_texts.append(text)
        self.began.release()
        if not self._is_open:
            assert self._gate.acquire(timeout=PATIENCE_S)
        if text == "locked":
            return Unreadable(LOCKED)
        pages = text.split("\f")
        places = tuple(Place(number, f"page={number}") for number in range(1, len(pages) + 1))
        return Document("\n".join(pages), places=places)

    def close(self) -> None:
        self.open()
