"""The vault in the plan of a round: paths and bytes in memory. It never touches a disk."""

from random import Random

WORDS = ("river", "stone", "window", "letter", "garden", "mountain", "paper", "morning")
FOLDERS = ("", "", "Daily/", "Daily/", "Projects/", "Projects/Deep/", "Private/")
HIDING = b"---\nrag: false\n---\n"
LARGE_PARTS = (20, 40, 80, 160)
ANCHORS = ("anchor 1.md", "anchor 2.md")


class PlannedVault:
    """The notes; each version has a unique word, its mark.

    Anchors are never removed: if all notes vanished, a deletion hold would wait for a person.
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._marks = 0
        self._names = 0
        self.notes: dict[str, bytes] = {}

    def any_path(self) -> str:
        """A random path. Sorted, so that the same seed chooses the same one."""
        return self._rng.choice(sorted(self.notes))

    def removable(self) -> list[str]:
        """Notes that may be deleted, moved or hidden."""
        return sorted(self.notes.keys() - set(ANCHORS))

    def visible(self) -> list[str]:
        return [path for path in self.removable() if not is_hiding(self.notes[path])]

    def hidden(self) -> list[str]:
        return sorted(path for path, data in self.notes.items() if is_hiding(data))

    def folders(self) -> list[str]:
        return sorted({path.rpartition("/")[0] for path in self.notes} - {""})

    def new_path(self) -> str:
        self._names += 1
        return f"{self._rng.choice(FOLDERS)}note {self._names:03d}.md"

    def new_folder(self) -> str:
        self._names += 1
        return f"Folder {self._names:03d}"

    def mark(self) -> str:
        """A unique word. All have the same length."""
        self._marks += 1
        return f"mark{self._marks:04d}qx"

    def compose(self, parts: int = 0) -> bytes:
        """A note of some sections, each with a mark."""
        rng = self._rng
        text = [f"# About {rng.choice(WORDS)}", f"The word {self.mark()} is only here."]
        for part in range(parts or rng.randint(0, 4)):
            text += [f"## Part {part}", " ".join(rng.choices(WORDS, k=12)) + f" {self.mark()}"]
        return ("\n\n".join(text) + "\n").encode()

    def compose_large(self) -> bytes:
        return self.compose(self._rng.choice(LARGE_PARTS))

    def with_line_added(self, path: str) -> bytes:
        line = f"\n{self._rng.choice(WORDS)} {self.mark()}\n"
        return self.notes[path] + line.encode()

    def with_other_mark(self, path: str) -> bytes:
        """Other content of the same size."""
        data = self.notes[path]
        place = data.find(b"mark")
        if place < 0:
            return data.swapcase()
        mark = self.mark().encode()
        return data[:place] + mark + data[place + len(mark) :]

    def move_folder(self, folder: str, to: str) -> dict[str, str]:
        """Rename a folder. Returns the new path of each note by its old one."""
        inside = [path for path in self.notes if path.startswith(f"{folder}/")]
        moved = {path: to + path[len(folder) :] for path in inside}
        for old, new in moved.items():
            self.notes[new] = self.notes.pop(old)
        return moved


def is_hiding(data: bytes) -> bool:
    return data.startswith(HIDING)


def marks_in(data: bytes) -> list[str]:
    words = data.decode().split()
    return [word for word in words if word.startswith("mark") and word.endswith("qx")]
