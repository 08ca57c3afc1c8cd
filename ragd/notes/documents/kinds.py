"""The kinds of documents: their file names, how they are read, and what people call them. Pure.

It reads no file. A file whose name no kind has is read as Markdown, if a pattern includes it.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from ragd.protocol.kind_names import KIND_NAMES, OPTIONAL_KINDS

MEBIBYTE = 1024 * 1024

HowRead = Literal["note", "reader", "worker"]


class DocumentKind(Struct, frozen=True):
    """One kind. `how`: parsed as a note, read by a pure reader, or read in the worker process."""

    name: str
    suffixes: tuple[str, ...]  # lower case, with the dot
    how: HowRead
    most_bytes: int = 10 * MEBIBYTE  # larger files are skipped

    @property
    def is_slow(self) -> bool:
        """Whether reading one may take long, so that no note waits for it."""
        return self.how == "worker"

    @property
    def by_default(self) -> bool:
        """Whether `ragctl init` includes its files."""
        return self.name not in OPTIONAL_KINDS

    @property
    def plural(self) -> str:
        """What people call several of them."""
        return KIND_NAMES[self.name][1]

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of file names that include all files of this kind."""
        return tuple(f"*{suffix}" for suffix in self.suffixes)


_LARGE = 100 * MEBIBYTE

MARKDOWN = DocumentKind("markdown", (".md", ".markdown"), "note")
_IMAGES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff")

KINDS: dict[str, DocumentKind] = {
    kind.name: kind
    for kind in (
        MARKDOWN,
        DocumentKind("canvas", (".canvas",), "reader"),
        DocumentKind("excalidraw", (".excalidraw", ".excalidraw.md"), "reader"),
        DocumentKind("text", (".txt", ".text", ".org", ".rst"), "reader"),
        DocumentKind("html", (".html", ".htm"), "reader"),
        DocumentKind("session", (".jsonl",), "reader", most_bytes=_LARGE),
        DocumentKind("pdf", (".pdf",), "worker", most_bytes=_LARGE),
        DocumentKind("docx", (".docx",), "worker", most_bytes=_LARGE),
        DocumentKind("epub", (".epub",), "worker", most_bytes=_LARGE),
        DocumentKind("image", _IMAGES, "worker", most_bytes=_LARGE),
    )
}

WRITTEN_KINDS = ("markdown", "text")
"""Kinds whose files are plain text, so that their language can be found without a reader."""

_BY_SUFFIX = {suffix: kind for kind in KINDS.values() for suffix in kind.suffixes}
_MANY = ("session",)  # kinds of which a program may write very many files
_SLOW = frozenset(
    suffix[1:] for suffix, kind in _BY_SUFFIX.items() if kind.is_slow or kind.name in _MANY
)


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


def is_growing(path: str) -> bool:
    """Whether a program may append to this file at any time, so that a read of it soon finds more
    than the index has."""
    return path.endswith(KINDS["session"].suffixes)


def is_slow(path: str) -> bool:
    """Whether reading this file may take long, or that of all files like it, so that no note waits
    for it."""
    return path.rpartition(".")[2].lower() in _SLOW


def default_patterns() -> tuple[str, ...]:
    """The patterns for a new configuration: every kind that is read by default."""
    return with_kinds((), KINDS)


def with_kinds(patterns: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """These patterns, and those of the named kinds, except for kinds that are not read by
    default."""
    wanted = [kind for name, kind in KINDS.items() if name in set(names) and kind.by_default]
    found = dict.fromkeys([*patterns, *(one for kind in wanted for one in kind.patterns)])
    if "*.md" in found:
        found.pop("*.excalidraw.md", None)  # it is included already
    return tuple(found)


def count_kinds(paths: Iterable[str]) -> dict[str, int]:
    """How many of these files are of each kind, in the order of the kinds."""
    listed = list(paths)
    counts: Counter[str] = Counter()
    # Endings are counted first: a vault has very many files and few endings.
    for suffix, files in Counter(path.rpartition(".")[2] for path in listed).items():
        counts[kind_of(f"a.{suffix}").name] += files
    drawings = sum(path.endswith(".excalidraw.md") for path in listed)
    counts["excalidraw"] += drawings
    counts["markdown"] -= drawings
    return {name: counts[name] for name in KINDS if counts[name]}
