"""The notes in one table of the index: what is stored, and which vectors are missing. Pure.

It never reads the table itself: the counts come from the facts of the store writer.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, cast

from msgspec import Struct, field
from msgspec.structs import replace

from ragd.events import FilledFile, StoredFile
from ragd.notes.documents.kinds import is_slow
from ragd.vault.collection_paths import root_folder


class Folders:
    """The folders of all notes, each with the number of notes below it.

    Those that may be the root of a collection also have the number of passages.
    """

    def __init__(self, chunks_of: Mapping[str, int] = MappingProxyType({})) -> None:
        """`chunks_of`: the notes, and how many chunks each has."""
        self._notes: dict[str, int] = {}
        self._chunks: dict[str, int] = {}
        for name, notes in Counter(path.rpartition("/")[0] for path in chunks_of).items():
            for folder in _with_parents(name):
                self._notes[folder] = self._notes.get(folder, 0) + notes
        for path in [path for path in chunks_of if path.startswith("@")]:
            self.add_chunks(path, chunks_of[path])

    def __contains__(self, folder: object) -> bool:
        return folder in self._notes

    def __iter__(self) -> Iterator[str]:
        return iter(self._notes)

    def count(self, folder: str) -> int:
        """How many notes are below this folder."""
        return self._notes.get(folder, 0)

    def count_chunks(self, folder: str) -> int:
        """How many chunks are below this root of a collection, whose name begins with `@`."""
        return self._chunks.get(folder, 0)

    def add_chunks(self, path: str, chunks: int) -> None:
        """A note has this many chunks more, or fewer."""
        if path.startswith("@") and "/" in path:
            top = root_folder(path)
            self._chunks[top] = self._chunks.get(top, 0) + chunks

    def add(self, path: str) -> None:
        for folder in _parents(path):
            self._notes[folder] = self._notes.get(folder, 0) + 1

    def remove(self, path: str) -> None:
        for folder in _parents(path):
            self._notes[folder] -= 1
            if not self._notes[folder]:
                del self._notes[folder]


def _parents(path: str) -> Iterator[str]:
    """The folders that this note is in, from the innermost to the outermost."""
    return _with_parents(path.rpartition("/")[0])


def _with_parents(folder: str) -> Iterator[str]:
    """This folder and those that it is in; nothing for the root."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


class Entry(Struct, frozen=True, gc=False):
    """One note in the index. Frozen, so that a copied dict of entries never changes. The garbage
    collector does not look at it: there are as many as notes, and none refers to another."""

    sha256: str
    mtime_ns: int
    size: int
    chunks: int
    embedded: int
    barred: int = 0  # chunks that never get a vector
    withheld: int = 0  # those of the barred chunks that must not leave this machine
    ctime_ns: int = 0  # when the file last changed in any way; 0: not known

    @property
    def lacking(self) -> int:
        """Chunks whose vectors are still missing."""
        return self.chunks - self.embedded - self.barred


def _same_counts(one: Entry, other: Entry) -> bool:
    return (
        one.chunks == other.chunks
        and one.embedded == other.embedded
        and one.barred == other.barred
        and one.withheld == other.withheld
    )


def _stored_entry(file: StoredFile) -> Entry:
    chunks, embedded = file.chunks, file.embedded
    if not 0 <= embedded <= chunks:
        chunks = max(chunks, 0)
        embedded = _clamp(embedded, chunks)
    return Entry(file.sha256, file.mtime_ns, file.size, chunks, embedded, 0, 0, file.ctime_ns)


class Table(Struct, dict=True):
    """The notes in the table of one generation, and the totals of their chunks.

    Change entries only with `put` and `drop`: they update the totals, the set of notes that lack
    vectors, and the folders. The last two follow from the entries, so no snapshot has them.
    """

    files: dict[str, Entry] = field(default_factory=dict)
    chunks: int = 0
    chunks_embedded: int = 0
    chunks_barred: int = 0
    chunks_withheld: int = 0
    table_version: int = 0

    def __post_init__(self) -> None:
        lacking = [p for p, e in self.files.items() if e.chunks > e.embedded + e.barred]
        self.__dict__["lacking"] = dict.fromkeys(lacking)
        self.__dict__["folders"] = Folders({p: e.chunks for p, e in self.files.items()})
        self.__dict__["changes"] = 0

    @property
    def lacking(self) -> dict[str, None]:
        """Paths of notes whose vectors are still missing: an ordered set."""
        return cast(dict[str, None], self.__dict__["lacking"])

    @property
    def changes(self) -> int:
        """A number that changes when an entry does, for who keeps what follows from the entries."""
        return cast(int, self.__dict__["changes"])

    @property
    def folders(self) -> "Folders":
        """Every folder that a note is in, at any depth."""
        return cast(Folders, self.__dict__["folders"])

    @property
    def documents(self) -> int:
        return len(self.files)

    @property
    def backlog(self) -> int:
        """Chunks whose vectors are still missing."""
        return self.chunks - self.chunks_embedded - self.chunks_barred

    @property
    def notes_lack_vectors(self) -> bool:
        """Whether vectors are missing, not counting documents that take long to read: those come
        one by one, after everything else."""
        return self.backlog > 0 and not all(map(is_slow, self.lacking))

    def put(self, path: str, entry: Entry) -> None:
        """Add a note, or replace its entry."""
        derived, files = self.__dict__, self.files
        derived["changes"] += 1
        before = files.get(path)
        files[path] = entry
        lacking: dict[str, None] = derived["lacking"]
        if lacking:
            lacking.pop(path, None)
        if entry.chunks > entry.embedded + entry.barred:  # `lacking`
            lacking[path] = None
        if before is None:
            self.folders.add(path)
        elif _same_counts(before, entry):
            return
        else:
            self._add(before, -1)
        self._add(entry, 1)
        if path.startswith("@"):  # only these are counted for a collection
            self.folders.add_chunks(path, entry.chunks - (before.chunks if before else 0))

    def drop(self, path: str) -> None:
        """Remove a note."""
        self.__dict__["changes"] += 1
        entry = self.files.pop(path, None)
        if entry is not None:
            self._add(entry, -1)
            self.lacking.pop(path, None)
            self.folders.add_chunks(path, -entry.chunks)
            self.folders.remove(path)

    def _add(self, entry: Entry, sign: int) -> None:
        self.chunks += sign * entry.chunks
        self.chunks_embedded += sign * entry.embedded
        if entry.barred or entry.withheld:
            self.chunks_barred += sign * entry.barred
            self.chunks_withheld += sign * entry.withheld

    def copy_from(self, other: "Table") -> None:
        """Replace the content with that of another table. The two share it from then on."""
        for name in Table.__struct_fields__:
            setattr(self, name, getattr(other, name))
        self.__dict__["changes"] += 1
        self.__dict__["lacking"] = other.lacking
        self.__dict__["folders"] = other.folders

    def store(self, files: Iterable[StoredFile]) -> None:
        """The rows of these notes were replaced."""
        own, lacking = self.files, self.lacking
        for file in files:
            path, entry = file.path, _stored_entry(file)
            before = own.get(path)
            if before is not None and not lacking and _same_counts(before, entry):
                own[path] = entry  # nearly always: nothing else follows from it
            else:
                self.put(path, entry)
        self.__dict__["changes"] += 1

    def fill(self, file: FilledFile) -> None:
        """Some rows of a note got vectors, and some never will."""
        entry = self.files.get(file.path)
        if entry is None or entry.sha256 != file.sha256:
            return  # the note has changed since: those rows are gone
        if file.embedded is None:
            embedded = entry.embedded + max(0, min(file.chunks, entry.lacking))
        else:
            embedded = _clamp(file.embedded, entry.chunks - entry.barred)
        left = entry.chunks - embedded - entry.barred
        barred = _clamp(file.barred, left)
        withheld = _clamp(file.withheld, barred)
        self._recount(file.path, entry, embedded, entry.barred + barred, entry.withheld + withheld)

    def recount(self, path: str, sha256: str, embedded: int) -> None:
        """Correct how many rows of a note have a vector, as counted in the table."""
        entry = self.files.get(path)
        if entry is None or entry.sha256 != sha256:
            return  # the note has changed since: those rows are gone
        embedded = _clamp(embedded, entry.chunks)
        barred = min(entry.barred, entry.chunks - embedded)
        self._recount(path, entry, embedded, barred, min(entry.withheld, barred))

    def _recount(self, path: str, entry: Entry, embedded: int, barred: int, withheld: int) -> None:
        counted: dict[str, Any] = {"embedded": embedded, "barred": barred, "withheld": withheld}
        self.put(path, replace(entry, **counted))


class Building(Table):
    """The table of a generation that does not serve yet."""

    generation: str = ""
    job_id: str = ""
    fingerprint: str = ""
    provider: str = ""
    choice: str = ""  # a hash of the settings that chose its model

    def is_chosen_by(self, choice: str) -> bool:
        """Whether settings with this hash chose its model. An older log does not say."""
        return self.choice in ("", choice)


def _clamp(count: int, most: int) -> int:
    return 0 if count < 0 else most if count > most else count
