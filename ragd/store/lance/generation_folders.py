"""All generations of an index: each is one table, in a folder or in an object store.

A generation exists with all its indexes, or not at all (`index_place.py`). Its identity, and
whether it is complete, are in the table itself, so they are known without the log.
"""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ragd.embed.providers.embedder_port import PassedOver, VectorSpace
from ragd.store.lance import libraries, table_indexes
from ragd.store.lance.index_place import (
    FolderStamp,
    IndexPlace,
    LocalFolder,
    TablePlace,
    place_of,
)
from ragd.store.lance.lance_errors import (
    CannotCheck,
    is_failure_of_lance,
    is_out_of_resources,
    raise_if_store_failed,
)
from ragd.store.lance.schema import FIRST_COLUMNS, arrow_schema

_IDENTITY = "ragd.identity"
_COMPLETE = "ragd.complete"


class IndexIdentity(Struct, frozen=True):
    """What a generation was made with. Another value of any field needs another index."""

    generation: str  # sorts by age
    space: VectorSpace
    fingerprint: str  # of the chunker and its settings
    vault: str  # hash of the vault's root
    canary: bytes = b""  # the vector of a known text when the index was made
    passed_over: PassedOver | None = None  # why Ollama was not chosen, if it was allowed


# Made once, before any thread needs it: msgspec crashes when two threads prepare the same type.
_identity = msgspec.json.Decoder(IndexIdentity)


class Generation(Struct, frozen=True):
    """A generation on the disk. Without an identity: its table cannot be read."""

    name: str
    identity: IndexIdentity | None
    complete: bool
    version: int = 0
    rows: int = 0


def table_path(folder: Path, generation: str) -> Path:
    """Where this generation's table is, in a folder on the disk."""
    return LocalFolder(folder).table(generation).path


def folder_stamp(folder: Path | IndexPlace, generation: str) -> FolderStamp:
    """Identifies the table. It changes when another one takes its place."""
    return place_of(folder).stamp(generation)


def create(folder: Path | IndexPlace, identity: IndexIdentity) -> None:
    """Make an empty, incomplete generation with all its indexes."""
    metadata = {_IDENTITY: msgspec.json.encode(identity).decode(), _COMPLETE: "false"}
    schema = arrow_schema(identity.space.dimensions, metadata)

    def make(table: TablePlace) -> None:
        dataset = libraries.lance().write_dataset(
            schema.empty_table(), table.uri, storage_options=table.options
        )
        table_indexes.create_all(dataset)

    place_of(folder).create(identity.generation, make)


def identity_of(dataset: Any) -> IndexIdentity:
    """The identity in this table. Raises ValueError if it is not a table of ragd."""
    raw = (dataset.schema.metadata or {}).get(_IDENTITY.encode())
    if raw is None:
        raise ValueError("the table has no identity")
    try:
        identity = _identity.decode(raw)
    except msgspec.MsgspecError as why:
        raise ValueError("the table's identity cannot be read") from why
    ours = _shape(arrow_schema(identity.space.dimensions, {}))
    found = _shape(dataset.schema)
    # New columns are added at the end, so a table of an earlier version has only the first ones.
    if found != ours[: max(FIRST_COLUMNS, len(found))]:
        raise ValueError("the table has other columns than it should")
    return identity


def _shape(schema: Any) -> list[tuple[str, Any]]:
    return [(column.name, column.type) for column in schema]


def is_complete(dataset: Any) -> bool:
    return bool((dataset.schema.metadata or {}).get(_COMPLETE.encode()) == b"true")


def set_complete(dataset: Any) -> None:
    """From now on this generation may serve even if the log is lost. One commit."""
    dataset.update_schema_metadata({_COMPLETE: "true"})


def read(folder: Path | IndexPlace, generation: str) -> Generation:
    """A generation's identity and size; for a damaged one, only its name. Raises CannotCheck if
    memory or file descriptors run out, and RagdError if an object store does not respond."""
    table = place_of(folder).table(generation)
    if not table.exists():
        return Generation(generation, None, False)
    try:
        dataset = libraries.open_dataset(table)
        identity = identity_of(dataset)
        if identity.generation != generation:
            raise ValueError("the table is of another generation")
        return Generation(
            generation, identity, is_complete(dataset), dataset.version, dataset.count_rows()
        )
    except BaseException as why:
        if is_out_of_resources(why):
            raise CannotCheck("the table could not be opened") from why
        if not is_failure_of_lance(why):
            raise
        raise_if_store_failed(why)
        return Generation(generation, None, False)


def list_generations(folder: Path | IndexPlace) -> list[Generation]:
    """All generations, oldest first, including incomplete and damaged ones."""
    place = place_of(folder)
    return [read(place, name) for name in place.names()]


def drop(folder: Path | IndexPlace, generation: str) -> None:
    """Remove a generation. It is never half removed."""
    place_of(folder).drop(generation)


def remove_temporary_files(folder: Path | IndexPlace) -> int:
    """Remove the temporary files of a killed process, and return how many there were. Call it only
    while holding the lock of the home."""
    return place_of(folder).remove_temporary_files()
