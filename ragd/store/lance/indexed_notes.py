"""Which notes a version has, with the numbers of their passages and vectors, for readers.

It is kept by fragment: the next version reads the fragments that changed, and no others. It holds
paths and numbers, no text.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ragd.store.lance import libraries
from ragd.store.lance.fragments import Content, find_changes
from ragd.store.lance.schema import VECTOR
from ragd.vault.collection_paths import VAULT

_ROW_ID = "_rowid"
_FACTS = ("file_sha256", "modified_at")

Counts = tuple[int, int]  # passages, and those of them that have a vector


class NoteFacts(NamedTuple):
    """What the rows of a note say about its file."""

    sha256: str
    modified_at: str


class NotesRead(NamedTuple):
    """The notes of a version. `changed`: the paths whose rows may not be as before; `facts`: of the
    rows that were read for that."""

    notes: "IndexedNotes"
    changed: frozenset[str]
    facts: dict[str, NoteFacts]


class IndexedNotes:
    """The notes of one version."""

    def __init__(
        self,
        version: int,
        contents: Mapping[int, Content],
        counts: Mapping[int, dict[str, Counts]],
        collections: Mapping[int, frozenset[str]],
    ) -> None:
        self.version = version
        self.contents = contents  # by fragment, as the other two
        self.counts = counts
        self._collections = collections

    @property
    def collections(self) -> set[str]:
        """The collections that the notes are in, besides the vault."""
        return set().union(*self._collections.values()) - {VAULT}

    def count(self, path: str) -> Counts:
        """How many passages and vectors a note has; zero if it is not there."""
        found = [known[path] for known in self.counts.values() if path in known]
        return sum(one[0] for one in found), sum(one[1] for one in found)

    def collections_of(self, fragment: int) -> frozenset[str]:
        return self._collections[fragment]


def read_notes(dataset: Any, earlier: IndexedNotes | None = None) -> NotesRead:
    """The notes of this version. `earlier`: what is known of another version of the same table."""
    changes = find_changes(dataset, earlier.contents if earlier is not None else {})
    counts: dict[int, dict[str, Counts]] = {one: {} for one in changes.contents}
    collections: dict[int, frozenset[str]] = {one: frozenset() for one in changes.contents}
    changed: set[str] = set()
    if earlier is not None:
        for one in changes.same:
            counts[one], collections[one] = earlier.counts[one], earlier.collections_of(one)
        for one in earlier.contents.keys() - changes.same:
            changed.update(earlier.counts[one])
    facts: dict[str, NoteFacts] = {}
    if changes.others:
        _read_rows(dataset, changes.others, counts, collections, facts)
        _read_vectors(dataset, changes.others, counts)
    changed.update(facts)
    notes = IndexedNotes(int(dataset.version), changes.contents, counts, collections)
    return NotesRead(notes, frozenset(changed), facts)


def _read_rows(
    dataset: Any,
    fragments: Sequence[Any],
    counts: Mapping[int, dict[str, Counts]],
    collections: dict[int, frozenset[str]],
    facts: dict[str, NoteFacts],
) -> None:
    wanted = ["source_file", *_FACTS, "collection"]  # an earlier table has no collections
    columns = [name for name in wanted if name in dataset.schema.names]
    for group in _groups(dataset, fragments, columns, None):
        fragment, path = group["fragment"], group["source_file"]
        passages, vectors = counts[fragment].get(path, (0, 0))
        counts[fragment][path] = passages + group["count_all"], vectors
        collections[fragment] |= {group.get("collection", VAULT)}
        facts[path] = NoteFacts(*(group[name] for name in _FACTS))


def _read_vectors(
    dataset: Any, fragments: Sequence[Any], counts: Mapping[int, dict[str, Counts]]
) -> None:
    for group in _groups(dataset, fragments, ["source_file"], f"{VECTOR} IS NOT NULL"):
        fragment, path = group["fragment"], group["source_file"]
        passages, vectors = counts[fragment][path]
        counts[fragment][path] = passages, vectors + group["count_all"]


def _groups(
    dataset: Any, fragments: Sequence[Any], columns: Sequence[str], where: str | None
) -> Iterator[dict[str, Any]]:
    """The different rows of these columns by fragment, and how many there are, of each batch."""
    arrow, numpy = libraries.pyarrow(), libraries.numpy()
    scanner = dataset.scanner(
        columns=list(columns), filter=where, fragments=list(fragments), with_row_id=True
    )
    for batch in scanner.to_batches():
        ids = batch.column(_ROW_ID).to_numpy() >> numpy.uint64(32)
        table = arrow.table({name: batch.column(name) for name in columns} | {"fragment": ids})
        yield from table.group_by(["fragment", *columns]).aggregate([([], "count_all")]).to_pylist()
