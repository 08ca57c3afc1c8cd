"""What people call the kinds of documents: for the daemon's answers and for ragctl. Pure.

It knows no file names: these are in `ragd.notes.documents.kinds`.
"""

from collections.abc import Iterable

KIND_NAMES: dict[str, tuple[str, str]] = {
    "markdown": ("note", "notes"),
    "canvas": ("canvas", "canvases"),
    "excalidraw": ("Excalidraw drawing", "Excalidraw drawings"),
    "text": ("text file", "text files"),
    "html": ("web page", "web pages"),
    "session": ("conversation", "conversations"),
    "pdf": ("PDF", "PDFs"),
    "docx": ("Word document", "Word documents"),
    "epub": ("EPUB", "EPUBs"),
    "image": ("image", "images"),
}
"""One of the kind, and several."""

OPTIONAL_KINDS = ("session", "image")
"""Kinds that are read only if a person includes them."""


def count_phrase(kind: str, count: int) -> str:
    """`1 PDF`, `1,200 PDFs`. A kind that this version does not know has its own name."""
    one, several = KIND_NAMES.get(kind, (f"{kind} file", f"{kind} files"))
    return f"{count:,} {one if count == 1 else several}"


def counts_phrase(counts: Iterable[tuple[str, int]]) -> str:
    """Counts by kind, in words: `12 PDFs, 3 canvases and 1 image`."""
    listed = [count_phrase(kind, count) for kind, count in counts if count]
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} and {listed[-1]}"
