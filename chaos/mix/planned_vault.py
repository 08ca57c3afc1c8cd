"""The vault and the collections in the plan of a round: paths and bytes in memory. It never touches
a disk. Paths are those of the daemon: `@papers/a.pdf` is `a.pdf` in the collection `papers`."""

import re
from random import Random
from typing import NamedTuple

from chaos.documents import SUFFIXES, make_document

WORDS = ("river", "stone", "window", "letter", "garden", "mountain", "paper", "morning")
FOLDERS = ("", "", "Daily/", "Daily/", "Projects/", "Projects/Deep/", "Private/")
HIDING = b"---\nrag: false\n---\n"
LARGE_PARTS = (20, 40, 80, 160)
ANCHORS = ("anchor 1.md", "anchor 2.md")
NOTES_OF_A_COLLECTION = (4, 9)
PAPERS = "papers"  # most of its files are documents
OUTSIDE_THE_VAULT = 0.45  # how likely a new path is in a collection
PATTERNS = ["*.md", *(f"*{suffix}" for suffix in dict.fromkeys(SUFFIXES))]

_MARK = re.compile(rb"mark[0-9]{4}qx")


class ParkedFolder(NamedTuple):
    """A folder on disk that is not configured: its last name, and its files."""

    name: str
    files: dict[str, bytes]


class PlannedVault:
    """The notes; each version has a unique word, its mark.

    Anchors are never removed: if all notes of a root vanished, a deletion hold would wait for a
    person.
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._marks = 0
        self._names = 0
        self.notes: dict[str, bytes] = {}
        self.collections: dict[str, str] = {}  # name -> its folder
        self.parked: dict[str, ParkedFolder] = {}  # by folder
        self.unplugged = ""  # a folder of a collection that is away now

    def reachable(self) -> list[str]:
        """The paths of all files that can be changed. Sorted, so that the same seed chooses the
        same ones."""
        away = tuple(f"@{name}/" for name in self.collections.keys() - set(self.present()))
        return sorted(path for path in self.notes if not path.startswith(away))

    def present(self) -> list[str]:
        """The names of all collections whose folders are there."""
        return [name for name, folder in self.collections.items() if folder != self.unplugged]

    def any_path(self) -> str:
        return self._rng.choice(self.reachable())

    def any_note(self) -> str:
        """A random Markdown note."""
        return self._rng.choice([path for path in self.reachable() if path.endswith(".md")])

    def removable(self) -> list[str]:
        """Notes that may be deleted, moved or hidden."""
        return [path for path in self.reachable() if path.rpartition("/")[2] not in ANCHORS]

    def visible(self) -> list[str]:
        paths = self.removable()
        return [path for path in paths if path.endswith(".md") and not is_hiding(self.notes[path])]

    def hidden(self) -> list[str]:
        return [path for path in self.reachable() if is_hiding(self.notes[path])]

    def folders(self) -> list[str]:
        """Folders that can be moved, without the roots."""
        found = {path.rpartition("/")[0] for path in self.removable()}
        return sorted(found - {""} - {f"@{name}" for name in self.collections})

    def new_path(self, suffix: str = "", root: str | None = None) -> str:
        """A path that was never used, in any root or in this one."""
        self._names += 1
        root = self.any_root() if root is None else root
        suffix = suffix or self._any_suffix(root)
        return f"{root}{self._rng.choice(FOLDERS)}note {self._names:03d}{suffix}"

    def _any_suffix(self, root: str) -> str:
        is_document = self._rng.random() < (0.7 if root == f"@{PAPERS}/" else 0.1)
        return self._rng.choice(SUFFIXES) if is_document else ".md"

    def any_root(self) -> str:
        """The prefix of the vault, which is empty, or of a collection."""
        others = [f"@{name}/" for name in self.present()]
        is_outside = others and self._rng.random() < OUTSIDE_THE_VAULT
        return self._rng.choice(others) if is_outside else ""

    def new_folder(self) -> str:
        self._names += 1
        return f"{self.any_root()}Folder {self._names:03d}"

    def mark(self) -> str:
        """A unique word. All have the same length."""
        self._marks += 1
        return f"mark{self._marks:04d}qx"

    def compose(self, path: str, parts: int = 0) -> bytes:
        """A note or document of some sections, each with a mark."""
        rng = self._rng
        text = [f"# About {rng.choice(WORDS)}", f"The word {self.mark()} is only here."]
        for part in range(parts or rng.randint(0, 4)):
            text += [f"## Part {part}", " ".join(rng.choices(WORDS, k=12)) + f" {self.mark()}"]
        if path.endswith(".md"):
            return ("\n\n".join(text) + "\n").encode()
        return make_document(path[path.rindex(".") :], [line.lstrip("# ") for line in text])

    def compose_large(self, path: str) -> bytes:
        return self.compose(path, self._rng.choice(LARGE_PARTS))

    def with_line_added(self, path: str) -> bytes:
        line = f"\n{self._rng.choice(WORDS)} {self.mark()}\n"
        return self.notes[path] + line.encode()

    def with_other_mark(self, path: str) -> bytes:
        """Other content of the same size."""
        data = self.notes[path]
        found = _MARK.search(data)
        if found is None:
            return data.swapcase()
        return data[: found.start()] + self.mark().encode() + data[found.end() :]

    def move_folder(self, folder: str, to: str) -> None:
        """Rename a folder."""
        self._move_all(f"{folder}/", f"{to}/")

    def _move_all(self, prefix: str, to: str) -> None:
        for path in [path for path in self.notes if path.startswith(prefix)]:
            self.notes[to + path[len(prefix) :]] = self.notes.pop(path)

    # Collections

    def fill_collection(self, name: str) -> dict[str, bytes]:
        """A new collection with its own folder. Returns its files, which are not on disk yet."""
        self.collections[name] = f"folder of {name}"
        root = f"@{name}/"
        paths = [root + anchor for anchor in ANCHORS]
        paths += [
            self.new_path(root=root) for _ in range(self._rng.randint(*NOTES_OF_A_COLLECTION))
        ]
        files = {path: self.compose(path) for path in paths}
        self.notes |= files
        return files

    def new_name(self) -> str:
        self._names += 1
        return f"c{self._names:03d}"

    def remove_collection(self, name: str) -> None:
        """Its folder stays on disk, or away, but is not configured any more."""
        root = f"@{name}/"
        paths = [path for path in self.notes if path.startswith(root)]
        files = {path[len(root) :]: self.notes.pop(path) for path in paths}
        self.parked[self.collections.pop(name)] = ParkedFolder(name, files)

    def restorable(self) -> list[str]:
        """Folders that can be configured again."""
        return sorted(self.parked.keys() - {self.unplugged})

    def restore_collection(self, folder: str, name: str) -> None:
        """A parked folder is configured again."""
        parked = self.parked.pop(folder)
        self.collections[name] = folder
        self.notes |= {f"@{name}/{inner}": data for inner, data in parked.files.items()}

    def rename_collection(self, name: str, to: str) -> None:
        self.collections[to] = self.collections.pop(name)
        self._move_all(f"@{name}/", f"@{to}/")


def is_hiding(data: bytes) -> bool:
    return data.startswith(HIDING)


def marks_in(data: bytes) -> list[str]:
    return [mark.decode() for mark in _MARK.findall(data)]
