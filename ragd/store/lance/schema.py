"""The columns of the table, and the conversion of notes to rows. It never touches a disk."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct, field

from ragd.clock import iso
from ragd.embed.providers.embedder_port import Vector
from ragd.embed.unit_vectors import units_of, vector_of
from ragd.notes.markdown.links import link_key, linked_name
from ragd.notes.model import Chunk
from ragd.notes.names import name_key
from ragd.store.lance import libraries
from ragd.vault.collection_paths import VAULT

TABLE = "obsidian_chunks"

VECTOR = "vector"
SEARCH_TEXT = "search_text"
KEYS = "keys"
UNITS = "units"
LINKS = "links"  # the key of all passages that have links
FIRST_COLUMNS = 19  # up to the full-text column; every table has these


class FileRows(Struct, frozen=True):
    """One note to be stored. A chunk that is not in `vectors` has no vector yet."""

    path: str
    sha256: str
    mtime_ns: int
    indexed_at: str
    title: str
    chunks: Sequence[Chunk]
    vectors: Mapping[str, Vector] = field(default_factory=dict)  # by chunk id, maybe with units


class ChunkRow(Struct, frozen=True):
    """One chunk in the table, without the columns that only searches need."""

    chunk_id: str
    chunk_text: str
    source_file: str
    source_directory: str
    section: str | None
    date: str | None
    tags: list[str]
    chunk_index: int
    total_chunks: int
    modified_at: str
    indexed_at: str
    content_hash: str
    file_sha256: str
    start_line: int
    end_line: int
    title: str
    heading_path: str
    # A table of an earlier version does not have these.
    note_tags: list[str] = []
    names: list[str] = []
    links: list[str] = []
    properties: list[str] = []
    language: str | None = None
    position: str = ""  # empty: the lines are those of the file
    kind: str = ""  # empty: not known
    collection: str = VAULT


def arrow_schema(dimensions: int, metadata: Mapping[str, str]) -> Any:
    """The table's schema: the columns of the product's contract in their order, then ours."""
    pa = libraries.pyarrow()
    text, number = pa.string(), pa.int32()
    return pa.schema(
        [
            pa.field(VECTOR, pa.list_(pa.float32(), dimensions)),
            pa.field("chunk_id", text, nullable=False),
            pa.field("chunk_text", text, nullable=False),
            pa.field("source_file", text, nullable=False),
            pa.field("source_directory", text, nullable=False),
            pa.field("section", text),
            pa.field("date", text),
            pa.field("tags", pa.list_(text), nullable=False),
            pa.field("chunk_index", number, nullable=False),
            pa.field("total_chunks", number, nullable=False),
            pa.field("modified_at", text, nullable=False),
            pa.field("indexed_at", text, nullable=False),
            pa.field("content_hash", text, nullable=False),
            pa.field("file_sha256", text, nullable=False),
            pa.field("start_line", number, nullable=False),
            pa.field("end_line", number, nullable=False),
            pa.field("title", text, nullable=False),
            pa.field("heading_path", text, nullable=False),
            pa.field(SEARCH_TEXT, text, nullable=False),
            pa.field("note_tags", pa.list_(text), nullable=False),
            pa.field("names", pa.list_(text), nullable=False),
            pa.field("links", pa.list_(text), nullable=False),
            pa.field("properties", pa.list_(text), nullable=False),
            pa.field("language", text),
            pa.field(KEYS, text, nullable=False),
            pa.field(UNITS, pa.binary()),
            pa.field("position", text, nullable=False),
            pa.field("kind", text, nullable=False),
            pa.field("collection", text, nullable=False),
        ],
        metadata=dict(metadata),
    )


def dimensions_of(schema: Any) -> int:
    """How many numbers the vectors of this table have."""
    return int(schema.field(VECTOR).type.list_size)


def arrow_table(files: Iterable[FileRows], schema: Any) -> Any:
    """All chunks of these notes as one Arrow table."""
    pa = libraries.pyarrow()
    rows = [(file, chunk) for file in files for chunk in file.chunks]
    columns = _columns(rows)
    arrays = [vector_array([f.vectors.get(c.chunk_id) for f, c in rows], dimensions_of(schema))]
    for described in list(schema)[1:]:
        arrays.append(_array(columns[described.name], described.type))
    return pa.Table.from_arrays(arrays, schema=schema)


def _columns(rows: Sequence[tuple[FileRows, Chunk]]) -> dict[str, list[Any]]:
    return {
        "chunk_id": [c.chunk_id for _, c in rows],
        "chunk_text": [c.text for _, c in rows],
        "source_file": [f.path for f, _ in rows],
        "source_directory": [top_directory(f.path) for f, _ in rows],
        "section": [c.section for _, c in rows],
        "date": [c.date for _, c in rows],
        "tags": [list(c.tags) for _, c in rows],
        "chunk_index": [c.index for _, c in rows],
        "total_chunks": [len(f.chunks) for f, _ in rows],
        "modified_at": [iso_of_ns(f.mtime_ns) for f, _ in rows],
        "indexed_at": [f.indexed_at for f, _ in rows],
        "content_hash": [c.content_hash for _, c in rows],
        "file_sha256": [f.sha256 for f, _ in rows],
        "start_line": [c.start_line for _, c in rows],
        "end_line": [c.end_line for _, c in rows],
        "title": [f.title for f, _ in rows],
        "heading_path": [c.heading_path for _, c in rows],
        SEARCH_TEXT: [c.search_text for _, c in rows],
        "note_tags": [list(c.note_tags) for _, c in rows],
        "names": [list(c.names) for _, c in rows],
        "links": [list(c.links) for _, c in rows],
        "properties": [list(c.properties) for _, c in rows],
        "language": [c.language for _, c in rows],
        KEYS: [_keys(f.title, linked_name(f.path), c) for f, c in rows],
        UNITS: [unit_bytes(f.vectors.get(c.chunk_id)) for f, c in rows],
        "position": [c.position for _, c in rows],
        "kind": [c.kind for _, c in rows],
        "collection": [c.collection for _, c in rows],
    }


def unit_bytes(made: Vector | None) -> bytes | None:
    """The value in the column of units for this vector; None if it has no units."""
    return units_of(made) or None if made is not None else None


def key_of_name(name: str) -> str:
    """The key of a note with this name; empty if the name has no letters."""
    key = name_key(name)
    return f"name:{key}" if key else ""


def key_of_heading(heading: str) -> str:
    """The key of a note that begins with this heading."""
    key = name_key(heading)
    return f"head:{key}" if key else ""


def key_of_link(target: str) -> str:
    """The key of a passage that links to a note with this name."""
    key = link_key(target)
    return f"link:{key}" if key else ""


def _keys(title: str, file_name: str, chunk: Chunk) -> str:
    """A note's first passage has the keys of its names, each passage those of its links. Links to a
    document name its file."""
    keys = dict.fromkeys([*map(key_of_link, chunk.links), LINKS if chunk.links else ""])
    if chunk.index == 0:
        names = [title, file_name, *(name for name in chunk.names if name != chunk.opening)]
        keys.update(dict.fromkeys([*map(key_of_name, names), key_of_heading(chunk.opening)]))
    return " ".join(key for key in keys if key)


def _array(values: list[Any], kind: Any) -> Any:
    pa = libraries.pyarrow()
    try:
        return pa.array(values, type=kind)
    except UnicodeEncodeError:  # half a surrogate pair, from an escape in a note's frontmatter
        return pa.array([_encodable(value) for value in values], type=kind)


def _encodable(value: Any) -> Any:
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value


def vector_array(vectors: Sequence[Vector | None], dimensions: int) -> Any:
    """Vectors as an Arrow array, None as null. Raises ValueError for a vector of another size, or
    with a value that is not a number."""
    pa = libraries.pyarrow()
    vectors = [None if made is None else vector_of(made) for made in vectors]
    blank = bytes(4 * dimensions)
    if any(vector is not None and len(vector) != len(blank) for vector in vectors):
        raise ValueError(f"a vector that is not of {dimensions} dimensions")
    data = pa.py_buffer(b"".join(blank if vector is None else vector for vector in vectors))
    values = pa.Array.from_buffers(pa.float32(), dimensions * len(vectors), [None, data])
    if pa.compute.all(pa.compute.is_finite(values)).as_py() is False:
        raise ValueError("a vector that is not of numbers")
    blanks = pa.array([vector is None for vector in vectors], type=pa.bool_())
    return pa.FixedSizeListArray.from_arrays(values, dimensions, mask=blanks)


def vectors_of(column: Any) -> list[Vector | None]:
    """The vectors in an Arrow column, as bytes."""
    found: list[Vector | None] = []
    for chunk in column.chunks:
        size = 4 * chunk.type.list_size
        start = size * chunk.offset
        data = chunk.values.buffers()[1]
        data = b"" if data is None else data.to_pybytes()
        # `values` is the whole child array, with an offset of its own.
        start += 4 * chunk.values.offset
        for number, is_valid in enumerate(chunk.is_valid().to_pylist()):
            at = start + size * number
            found.append(data[at : at + size] if is_valid else None)
    return found


def top_directory(path: str) -> str:
    """The first folder of a path from the vault's root; empty for a note at the root."""
    head, slash, _ = path.partition("/")
    return head if slash else ""


def iso_of_ns(moment_ns: int) -> str:
    """A file's time in the table's format. A time outside the calendar becomes the nearest valid
    one."""
    try:
        return iso(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=moment_ns // 1000))
    except OverflowError:
        return iso((datetime.max if moment_ns > 0 else datetime.min).replace(tzinfo=UTC))
