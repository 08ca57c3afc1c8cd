"""The kinds of documents: their file names, how they are read, and what people call them. Pure.

It reads no file. A file whose name no kind has is read as Markdown, if a pattern includes it.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

MEBIBYTE = 1024 * 1024

HowRead = Literal["note", "reader", "worker"]


class DocumentKind(Struct, frozen=True):
    """One kind. `how`: parsed as a note, read by a pure reader, or read in the worker process."""

    name: str
    suffixes: tuple[str, ...]  # lower case, with the dot
    how: HowRead
    singular: str
    plural: str
    by_default: bool = True  # `ragctl init` includes its files
    most_bytes: int = 10 * MEBIBYTE  # larger files are skipped

    @property
    def is_slow(self) -> bool:
        """Whether reading one may take long, so that no note waits for it."""
        return self.how == "worker"

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of file names that include all files of this kind."""
        return tuple(f"*{suffix}" for suffix in self.suffixes)


_LARGE = 100 * MEBIBYTE

MARKDOWN = DocumentKind("markdown", (".md", ".markdown"), "note", "note", "notes")

KINDS: dict[str, DocumentKind] = {
    kind.name: kind
    for kind in (
        MARKDOWN,
        DocumentKind("canvas", (".canvas",), "reader", "canvas", "canvases"),
        DocumentKind(
            "excalidraw",
            (".excalidraw", ".excalidraw.md"),
            "reader",
            "Excalidraw drawing",
            "Excalidraw drawings",
        ),
        DocumentKind(
            "text", (".txt", ".text", ".org", ".rst"), "reader", "text file", "text files"
        ),
        DocumentKind("html", (".html", ".htm"), "reader", "web page", "web pages"),
        DocumentKind("pdf", (".pdf",), "worker", "PDF", "PDFs", most_bytes=_LARGE),
        DocumentKind(
            "docx", (".docx",), "worker", "Word document", "Word documents", most_bytes=_LARGE
        ),
        DocumentKind("epub", (".epub",), "worker", "EPUB", "EPUBs", most_bytes=_LARGE),
        DocumentKind(
            "image",
            (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff"),
            "worker",
            "image",
            "images",
            by_default=False,
            most_bytes=_LARGE,
        ),
    )
}

_BY_SUFFIX = {suffix: kind for kind in KINDS.values() for suffix in kind.suffixes}
_SLOW = frozenset(suffix[1:] for suffix, kind in _BY_SUFFIX.items() if kind.is_slow)


def known_kind(path: str) -> DocumentKind | None:
    """The kind that has this file name; None for a name that no kind has."""
    name = path.rpartition("/")[2].lower()
    if name.endswith(".excalidraw.md"):
        return KINDS["excalidraw"]
    _, dot, suffix = name.rpartition(".")
    return _BY_SUFFIX.get(f".{suffix}") if dot else None


def kind_of(path: str) -> DocumentKind:
    """How a file is read: by its name, and as Markdown if no kind has the name."""
    return known_kind(path) or MARKDOWN


def is_slow(path: str) -> bool:
    """Whether reading this file may take long, so that no note waits for it."""
    return path.rpartition(".")[2].lower() in _SLOW


def default_patterns() -> tuple[str, ...]:
    """The patterns for a new configuration: every kind that is read by default."""
    listed = (pattern for kind in KINDS.values() if kind.by_default for pattern in kind.patterns)
    # `*.md` includes `*.excalidraw.md`.
    return tuple(pattern for pattern in listed if pattern != "*.excalidraw.md")


def count_phrase(count: int, kind: DocumentKind) -> str:
    """`1 PDF`, `1,200 PDFs`."""
    return f"{count:,} {kind.singular if count == 1 else kind.plural}"


def counts_phrase(counts: Iterable[tuple[str, int]]) -> str:
    """Counts by the name of a kind, in words: `12 PDFs, 3 canvases and 1 image`."""
    listed = [count_phrase(n, KINDS[name]) for name, n in counts if n and name in KINDS]
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} and {listed[-1]}"
