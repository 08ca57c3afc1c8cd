"""Which notes a version has, with the numbers of their passages and vectors, for readers.

It is kept by fragment. The next version reads the fragments that are new; of those that lost rows,
only which rows are left. It holds paths and numbers (about 5 bytes for a row, 300 for a note), no
text.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from ragd.store.lance import libraries
from ragd.store.lance.fragments import Content, find_changes
from ragd.store.lance.schema import VECTOR
from ragd.vault.collection_paths import VAULT

_ROW_ID = "_rowid"
_FACTS = ("file_sha256", "modified_at")
_GONE = 0xFFFF_FFFF  # instead of a note: there is no such row

Counts = tuple[int, int]  # passages, and those of them that have a vector


class NoteFacts(NamedTuple):
    """What the rows of a note say about its file."""

    sha256: str
    modified_at: str


class NotesRead(NamedTuple):
    """The notes of a version. `changed`: paths whose rows may differ. `facts`: file facts of the
    paths that were read again."""

    notes: "IndexedNotes"
    changed: frozenset[str]
    facts: dict[str, NoteFacts]


class FragmentNotes:
    """The notes of one fragment. `notes` has a number of a note for each row, by its place."""

    def __init__(self, numbers: Mapping[str, int], where: list[str], notes: Any, has: Any) -> None:
        self._numbers = numbers
        self._where = where  # the collection, by the number of the note
        self._notes = notes
        self._has_vector = has
        exists = notes != _GONE
        numpy, most = libraries.numpy(), len(numbers)
        self._passages = numpy.bincount(notes[exists], minlength=most)
        self._vectors = numpy.bincount(notes[exists & has], minlength=most)

    def count(self, paths: Set[str]) -> Iterator[tuple[str, Counts]]:
        """How many passages and vectors these notes have here."""
        fewer = paths if len(paths) < len(self._numbers) else self._numbers.keys()
        for path in fewer:
            if path in paths and (number := self._numbers.get(path)) is not None:
                yield path, (int(self._passages[number]), int(self._vectors[number]))

    @property
    def paths(self) -> list[str]:
        """The notes that have rows here."""
        return [path for path, number in self._numbers.items() if self._passages[number]]

    @property
    def collections(self) -> set[str]:
        there = self._passages.tolist()
        return {name for name, rows in zip(self._where, there, strict=True) if rows}

    def with_rows(self, places: Any) -> "FragmentNotes | None":
        """The same, with only the rows in these places; None if some of them are not known: after a
        restore, deleted rows are there again."""
        if places.size and int(places.max()) >= len(self._notes):
            return None
        notes = libraries.numpy().full_like(self._notes, _GONE)
        notes[places] = self._notes[places]
        if (notes[places] == _GONE).any():
            return None
        return FragmentNotes(self._numbers, self._where, notes, self._has_vector)

    def paths_that_differ(self, other: "FragmentNotes") -> list[str]:
        """The notes that have other rows there. `other` comes from `with_rows`."""
        differ = self._passages != other._passages
        return [path for path, number in self._numbers.items() if differ[number]]


class IndexedNotes:
    """The notes of one version."""

    def __init__(
        self,
        version: int,
        contents: Mapping[int, Content],
        fragments: Mapping[int, FragmentNotes],
    ) -> None:
        self.version = version
        self.contents = contents
        self.fragments = fragments

    @property
    def collections(self) -> set[str]:
        """The collections that the notes are in, besides the vault."""
        found = (one.collections for one in self.fragments.values())
        return set[str]().union(*found) - {VAULT}

    def count(self, paths: Set[str]) -> dict[str, Counts]:
        """How many passages and vectors these notes have. A note that is not there is left out.

        One pass: there are hundreds of fragments, and the first look asks for all notes.
        """
        found: dict[str, Counts] = {}
        for fragment in self.fragments.values():
            for path, (passages, vectors) in fragment.count(paths):
                before = found.get(path, (0, 0))
                found[path] = before[0] + passages, before[1] + vectors
        return {path: counts for path, counts in found.items() if counts[0]}


def read_notes(dataset: Any, earlier: IndexedNotes | None = None) -> NotesRead:
    """The notes of this version. `earlier`: what is known of another version of the same table."""
    known = earlier.fragments if earlier is not None else {}
    before = earlier.contents if earlier is not None else {}
    contents, same, others = find_changes(dataset, before)
    fragments = {one: known[one] for one in same}
    changed: set[str] = set()
    smaller = [one for one in others if _has_same_files(one.fragment_id, contents, before)]
    for number, places in _places(dataset, smaller).items():
        if (left := known[number].with_rows(places)) is not None:
            fragments[number] = left
            changed.update(known[number].paths_that_differ(left))
    new, facts = _read(dataset, [one for one in others if one.fragment_id not in fragments])
    for number in known.keys() - fragments.keys():
        changed.update(known[number].paths)
    notes = IndexedNotes(int(dataset.version), contents, fragments | new)
    return NotesRead(notes, frozenset(changed | facts.keys()), facts)


def _has_same_files(number: int, now: Mapping[int, Content], before: Mapping[int, Content]) -> bool:
    """Whether it has the same files and more deleted rows."""
    known = before.get(number)
    return known is not None and known[0] == now[number][0] and known[1] < now[number][1]


def _places(dataset: Any, fragments: Sequence[Any], where: str | None = None) -> dict[int, Any]:
    """The places of the rows that these fragments have, by the number of the fragment."""
    if not fragments:
        return {}
    found: dict[int, list[Any]] = {int(one.fragment_id): [] for one in fragments}
    for batch in _batches(dataset, fragments, [], where):
        for number, _, places in _by_fragment(batch):
            found[number].append(places)
    empty = libraries.numpy().empty(0, "u8")
    return {one: libraries.numpy().concatenate([empty, *parts]) for one, parts in found.items()}


def _read(
    dataset: Any, fragments: Sequence[Any]
) -> tuple[dict[int, FragmentNotes], dict[str, NoteFacts]]:
    """The notes of these fragments, and what their rows say about the files."""
    if not fragments:
        return {}, {}
    wanted = ["source_file", *_FACTS, "collection"]  # an earlier table has no collections
    columns = [name for name in wanted if name in dataset.schema.names]
    drafts = {int(one.fragment_id): _Draft() for one in fragments}
    facts: dict[str, NoteFacts] = {}
    where: dict[str, str] = {}
    for batch in _batches(dataset, fragments, columns, None):
        table = libraries.pyarrow().Table.from_batches([batch])
        for group in table.group_by(columns).aggregate([]).to_pylist():
            path = group["source_file"]
            facts[path] = NoteFacts(*(group[name] for name in _FACTS))
            where[path] = group.get("collection", VAULT)
        for number, chosen, places in _by_fragment(batch):
            drafts[number].add(batch.column("source_file").filter(chosen), places)
    vectors = _places(dataset, fragments, f"{VECTOR} IS NOT NULL")
    read = {one: draft.finished(where, vectors[one]) for one, draft in drafts.items()}
    return read, facts


class _Draft:
    """A fragment whose rows are being read."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._parts: list[tuple[Any, Any]] = []  # places, and the notes in them

    def add(self, paths: Any, places: Any) -> None:
        encoded = paths.dictionary_encode()
        different = encoded.dictionary.to_pylist()
        numbers = [self._numbers.setdefault(one, len(self._numbers)) for one in different]
        notes = libraries.numpy().array(numbers, "u4")[encoded.indices.to_numpy()]
        self._parts.append((places, notes))

    def finished(self, where: Mapping[str, str], vectors: Any) -> FragmentNotes:
        numpy = libraries.numpy()
        size = max((int(places.max()) + 1 for places, _ in self._parts), default=0)
        notes, has_vector = numpy.full(size, _GONE, "u4"), numpy.zeros(size, bool)
        for places, known in self._parts:
            notes[places] = known
        has_vector[vectors] = True
        collections = [where[path] for path in self._numbers]
        return FragmentNotes(self._numbers, collections, notes, has_vector)


def _batches(
    dataset: Any, fragments: Sequence[Any], columns: Sequence[str], where: str | None
) -> Iterator[Any]:
    scanner = dataset.scanner(
        columns=list(columns), filter=where, fragments=list(fragments), with_row_id=True
    )
    for batch in scanner.to_batches():
        if batch.num_rows:
            yield batch


def _by_fragment(batch: Any) -> Iterator[tuple[int, Any, Any]]:
    """The fragments of the rows of a batch: the number, which rows, and their places there."""
    numpy = libraries.numpy()
    ids = batch.column(_ROW_ID).to_numpy()
    numbers = ids >> numpy.uint64(32)
    for number in numpy.unique(numbers).tolist():
        chosen = numbers == number
        yield number, libraries.pyarrow().array(chosen), ids[chosen] & numpy.uint64(0xFFFF_FFFF)
