"""Chooses the reader of a document that is read in the daemon itself. Pure.

Documents of the other kinds are read in the worker process, which this module never starts.
"""

from collections.abc import Callable

from ragd.notes.documents.canvas import read_canvas
from ragd.notes.documents.excalidraw import read_excalidraw
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.documents.org import read_org
from ragd.notes.documents.plain_text import read_plain_text
from ragd.notes.documents.restructured_text import read_rst
from ragd.notes.documents.session import read_session
from ragd.notes.documents.web_page import read_web_page

Reader = Callable[[str, bytes], Document | Unreadable]

READERS: dict[str, Reader] = {
    ".canvas": read_canvas,
    ".excalidraw": read_excalidraw,
    ".excalidraw.md": read_excalidraw,
    ".html": read_web_page,
    ".htm": read_web_page,
    ".jsonl": read_session,
    ".org": read_org,
    ".rst": read_rst,
    ".text": read_plain_text,
    ".txt": read_plain_text,
}
"""By suffix. Every suffix of a kind that is read by a pure reader is here."""


def read_document(path: str, data: bytes) -> Document | Unreadable:
    """The document at this path, from the bytes of its file."""
    name = path.rpartition("/")[2].lower()
    suffix = ".excalidraw.md" if name.endswith(".excalidraw.md") else f".{name.rpartition('.')[2]}"
    return READERS[suffix](path, data)
