"""Checks whether the index is whole, by using it. It never repairs or changes anything.

Counting rows proves nothing, because it only reads the manifest. So the size of every file that the
manifest names is checked, a row of every fragment is read, and every index gets a query with a
known answer. There are no checksums: a bit that flips inside a vector or a text is not noticed.

With `CheckedFiles`, fragments and indexes that have not changed since the last check are not read
again.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ragd.store.lance import generation_folders, libraries, table_indexes
from ragd.store.lance.checked_files import CheckedFiles
from ragd.store.lance.index_place import (
    FileSizes,
    IndexPlace,
    LocalFolder,
    TablePlace,
    place_of,
    table_at,
)
from ragd.store.lance.lance_errors import (
    CannotCheck,
    is_failure_of_lance,
    is_out_of_resources,
    raise_if_store_failed,
)
from ragd.store.lance.object_place import ObjectPlace
from ragd.store.lance.schema import SEARCH_TEXT, VECTOR
from ragd.store.lance.sql import sql_text

FRAGMENTS_READ = 64
INDEX_FOLDER = "_indices/"
DELETIONS_FOLDER = "_deletions/"


class IndexDefect(Struct, frozen=True):
    """What is wrong: an error code, and the step of the check that found it."""

    code: str
    where: str


def probe(
    folder: Path | IndexPlace,
    generation: str | None = None,
    expected: int = 0,
    vault: str = "",
    checked: CheckedFiles | None = None,
) -> str | None:
    """What is wrong with the index in `folder`: an error code, or None if it serves.

    Without a generation it checks the newest complete one. A version below `expected` means that a
    commit was lost. `vault`: the id of the vault that the index must belong to. `checked`: what
    earlier probes have read; for one generation only.
    """
    place = place_of(folder)
    if generation is None or checked is None or not isinstance(place, LocalFolder):
        quick = isinstance(place, ObjectPlace)  # every request to a store takes time, and costs
        finding = examine(place, generation, expected, vault, quick=quick)
        return finding.code if finding is not None else None
    if checked.begin(place.table(generation).path, expected, vault):
        return None
    try:
        finding = examine(folder, generation, expected, vault, checked)
    except BaseException:
        checked.forget()
        raise
    if finding is None:
        return None
    checked.forget()
    return finding.code


def examine(
    folder: Path | IndexPlace,
    generation: str | None = None,
    expected: int = 0,
    vault: str = "",
    checked: CheckedFiles | None = None,
    *,
    quick: bool = False,
) -> IndexDefect | None:
    """Like `probe`, with the step that found it. `quick`: only the manifest is read. Raises
    CannotCheck if memory or file descriptors run out."""
    try:
        name = generation or _serving(folder)
        if name is None:
            return IndexDefect("INDEX_NOT_FOUND", "generation")
        table = place_of(folder).table(name)
        finding = examine_table(table, expected, vault, checked, quick=quick)
        if finding is not None and generation is None and _serving(folder) != name:
            return examine(folder)  # a newer one has replaced it meanwhile
        return finding
    except OSError as why:
        if is_out_of_resources(why):
            raise CannotCheck("the folder could not be read") from why
        return IndexDefect("INDEX_CORRUPTED", "folder")


def _serving(folder: Path | IndexPlace) -> str | None:
    """The newest complete generation; if there is none, one that cannot be read."""
    found = generation_folders.list_generations(folder)
    complete = [known.name for known in found if known.complete]
    unreadable = [known.name for known in found if known.identity is None]
    candidates = complete or unreadable
    return candidates[-1] if candidates else None


def examine_table(
    path: Path | TablePlace,
    expected: int = 0,
    vault: str = "",
    checked: CheckedFiles | None = None,
    *,
    quick: bool = False,
) -> IndexDefect | None:
    """What is wrong with the table at `path`. One that was removed meanwhile is missing."""
    table = table_at(path)
    finding = _examine_table(table, expected, vault, checked, quick) if table.exists() else None
    return finding if table.exists() else IndexDefect("INDEX_NOT_FOUND", "table")


def _examine_table(
    table: TablePlace, expected: int, vault: str, checked: CheckedFiles | None, quick: bool
) -> IndexDefect | None:
    step = "manifest"
    lance = libraries.lance()  # with a new session, so that nothing comes from a cache
    session = lance.Session(**libraries.WRITER_CACHES)
    try:
        dataset = libraries.open_dataset(table, session=session)
        if vault not in ("", generation_folders.identity_of(dataset).vault):
            return IndexDefect("INDEX_OF_ANOTHER_VAULT", "vault")
        if dataset.version < expected:
            return IndexDefect("INDEX_CORRUPTED", "lost_commit")
        if not dataset.count_rows():
            return IndexDefect("INDEX_NOT_FOUND", "rows")
        if quick:
            return None
        files = list(version_files(dataset))
        for step, is_well in _steps(table, dataset, files, checked):
            if not is_well:
                return IndexDefect("INDEX_CORRUPTED", step)
        if checked is not None:
            checked.passed(name for name, _ in files)
    except BaseException as why:
        if is_out_of_resources(why):
            raise CannotCheck(f"the check ended at {step}") from why
        if not (isinstance(why, LookupError) or is_failure_of_lance(why)):
            raise
        raise_if_store_failed(why)
        return IndexDefect("INDEX_CORRUPTED", step)
    return None


def _steps(
    table: TablePlace,
    dataset: Any,
    files: Sequence[tuple[str, int | None]],
    checked: CheckedFiles | None,
) -> Iterator[tuple[str, bool]]:
    """The name of each step before it runs, and again with its result."""
    is_whole = checked.is_whole if checked is not None else lambda name: False
    yield "files", True
    sizes = table.sizes()
    yield "files", all(_is_whole(sizes, name, size) for name, size in files)
    yield "index_files", True
    yield "index_files", all(_has_size(sizes, segment) for segment in _segments(dataset))
    yield "rows", True
    fragments = dataset.get_fragments()
    deletions = _deletion_files(files)
    unread = [part for part in fragments if not all(map(is_whole, _files_of(part, deletions)))]
    sample: list[dict[str, Any]] = []
    if unread:
        columns, rows = ["chunk_id", "source_file"], sum(part.count_rows() for part in unread)
        yield "rows", len(dataset.scanner(columns=columns, fragments=unread).to_table()) == rows
        sample = _sample(dataset, [part.fragment_id for part in unread])
        yield "rows", len(sample) > 0 or not rows
    new = [name for name, _ in files if name.startswith(INDEX_FOLDER) and not is_whole(name)]
    is_everything_unread = len(unread) == len(fragments)
    if new or is_everything_unread:
        last = [part.fragment_id for part in fragments if part.count_rows()][-1:]
        yield from _query_indexes(dataset, (sample or _sample(dataset, last))[0])
    if (is_everything_unread and _may_have_vectors(dataset)) or _is_of_vectors(dataset, new):
        yield "vector_leg", True
        _query_vectors(dataset)


def _deletion_files(files: Iterable[tuple[str, int | None]]) -> dict[int, list[str]]:
    """By fragment, the files that name its deleted rows. Their names begin with its number."""
    found: dict[int, list[str]] = {}
    for name, _ in files:
        if name.startswith(DELETIONS_FOLDER):
            number = name.removeprefix(DELETIONS_FOLDER).partition("-")[0]
            found.setdefault(int(number), []).append(name)
    return found


def _files_of(part: Any, deletions: Mapping[int, Sequence[str]]) -> list[str]:
    """The files of a fragment."""
    return [f"data/{file.path}" for file in part.metadata.files] + [
        *deletions.get(part.fragment_id, ())
    ]


def _query_indexes(dataset: Any, row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Ask each index for a row that is there."""
    for column, condition in _known_conditions(row):
        yield f"{column}_idx", True
        yield f"{column}_idx", dataset.count_rows(condition) > 0
    yield "text_leg", True
    words = " ".join(row[SEARCH_TEXT].split()[:8])
    dataset.scanner(columns=["chunk_id"], full_text_query=words, limit=1).to_table()


def _may_have_vectors(dataset: Any) -> bool:
    """False for an index that was made without a model: no search by meaning uses it, and a query
    would read the empty column of all rows."""
    return generation_folders.identity_of(dataset).space.is_known


def _is_of_vectors(dataset: Any, files: Iterable[str]) -> bool:
    """Whether one of these files belongs to the index of the vectors. Without an index a query
    reads all vectors, so that is left to whole checks."""
    segments = tuple(
        f"{INDEX_FOLDER}{segment.uuid}/"
        for index in dataset.describe_indices()
        if VECTOR in index.field_names
        for segment in index.segments
    )
    return any(name.startswith(segments) for name in files)


def version_files(dataset: Any) -> Iterator[tuple[str, int | None]]:
    """Every file of this version, and its size if the manifest has it."""
    known: dict[str, int | None] = {}
    for part in dataset.get_fragments():
        for file in part.metadata.files:
            known[f"data/{file.path}"] = file.file_size_bytes
    tracked = dataset.tracked_files(min_version=dataset.version).read_all().to_pylist()
    for file in tracked:
        if file["type"] != "transaction file":  # lance does not need it
            yield file["path"], known.get(file["path"])


def _segments(dataset: Any) -> Iterator[Any]:
    """The segments of every index. No search uses an index that covers no rows yet."""
    for index in dataset.describe_indices():
        yield from index.segments


def _has_size(sizes: FileSizes, segment: Any) -> bool:
    """Whether all its files together have the size in the manifest."""
    found = sizes.of_folder(f"{INDEX_FOLDER}{segment.uuid}")
    return found is not None and segment.size_bytes in (None, found)


def _is_whole(sizes: FileSizes, path: str, size: int | None) -> bool:
    found = sizes.of_file(path)
    if found is None:
        return False
    return found == size if size else found > 0


def _sample(dataset: Any, wanted: Collection[int]) -> list[dict[str, Any]]:
    """The last row of each of these fragments (of some, if there are many), with all its
    columns."""
    ends, total = [], 0
    for fragment, count in table_indexes.rows_by_fragment(dataset).items():
        total += count
        if count and fragment in wanted:
            ends.append(total - 1)
    if not ends:
        return []
    step = max(1, -(-len(ends) // FRAGMENTS_READ))
    rows: list[dict[str, Any]] = dataset.take(ends[::step]).to_pylist()
    return rows


def _known_conditions(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """For each scalar index a condition that this row meets."""
    for column, kind in table_indexes.SCALAR.items():
        if column not in row:
            continue  # a table of an earlier version
        value = row[column]
        if kind == "LABEL_LIST":
            yield column, f"array_has({column}, {sql_text(value[0])})" if value else "TRUE"
        elif value is None:
            yield column, f"{column} IS NULL"
        else:
            yield column, f"{column} = {sql_text(value)}"


def _query_vectors(dataset: Any) -> None:
    dimensions = dataset.schema.field(VECTOR).type.list_size
    pa = libraries.pyarrow()
    nearest = {"column": VECTOR, "q": pa.array([1.0] * dimensions, pa.float32()), "k": 1}
    dataset.scanner(columns=["chunk_id"], nearest=nearest).to_table()
