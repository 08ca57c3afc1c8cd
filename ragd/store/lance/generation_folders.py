"""The folder of all generations: each is a folder with one table.

A generation exists with all its indexes, or not at all: it is created under a temporary name. Its
identity, and whether it is complete, are in the table itself, so they are known without the log.
"""

import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ragd.embed.providers.embedder_port import PassedOver, VectorSpace
from ragd.runtime.durable_files import private_directory, sync_directory
from ragd.store.lance import libraries, table_indexes
from ragd.store.lance.flush import sync_filesystem
from ragd.store.lance.lance_errors import CannotCheck, is_failure_of_lance, is_out_of_resources
from ragd.store.lance.schema import FIRST_COLUMNS, TABLE, arrow_schema

_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,63}")
_TEMPORARY = ".tmp-"
_IDENTITY = "ragd.identity"
_COMPLETE = "ragd.complete"

FolderStamp = tuple[str, int, int]


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
    """Where this generation's table is."""
    return generation_path(folder, generation) / f"{TABLE}.lance"


def folder_stamp(folder: Path, generation: str) -> FolderStamp:
    """Identifies the folder. It changes when another folder takes its place."""
    try:
        found = table_path(folder, generation).stat()
    except OSError:
        return generation, 0, 0
    return generation, found.st_ino, found.st_ctime_ns


def generation_path(folder: Path, generation: str) -> Path:
    """This generation's folder. Raises ValueError if the name is not that of a generation."""
    if not _NAME.fullmatch(generation):
        raise ValueError("not the name of a generation")
    return folder.absolute() / generation


def create(folder: Path, identity: IndexIdentity) -> None:
    """Make an empty, incomplete generation with all its indexes."""
    final = generation_path(folder, identity.generation)
    if final.exists():
        raise FileExistsError(str(final))
    private_directory(folder)
    building = folder.absolute() / f"{_TEMPORARY}{identity.generation}"
    shutil.rmtree(building, ignore_errors=True)
    private_directory(building)
    metadata = {_IDENTITY: msgspec.json.encode(identity).decode(), _COMPLETE: "false"}
    schema = arrow_schema(identity.space.dimensions, metadata)
    table = schema.empty_table()
    dataset = libraries.lance().write_dataset(table, str(building / f"{TABLE}.lance"))
    table_indexes.create_all(dataset)
    sync_filesystem(building)
    building.rename(final)
    sync_directory(folder)


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


def read(folder: Path, generation: str) -> Generation:
    """A generation's identity and size; for a damaged one, only its name. Raises CannotCheck if
    memory or file descriptors run out."""
    path = table_path(folder, generation)
    if not path.is_dir():
        return Generation(generation, None, False)
    try:
        dataset = libraries.lance().dataset(str(path))
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
        return Generation(generation, None, False)


def list_generations(folder: Path) -> list[Generation]:
    """All generations, oldest first, including incomplete and damaged ones."""
    if not folder.is_dir():
        return []
    names = [entry.name for entry in folder.iterdir() if entry.is_dir()]
    return [read(folder, name) for name in sorted(names) if _NAME.fullmatch(name)]


def drop(folder: Path, generation: str) -> None:
    """Remove a generation. It is renamed first, so that it is never half removed."""
    doomed = folder.absolute() / f"{_TEMPORARY}dropped-{generation}"
    shutil.rmtree(doomed, ignore_errors=True)
    try:
        generation_path(folder, generation).rename(doomed)
    except FileNotFoundError:
        return
    sync_directory(folder)
    shutil.rmtree(doomed, ignore_errors=True)


def remove_temporary_files(folder: Path) -> int:
    """Remove the temporary files of a killed process, and return how many there were. Call it only
    while holding the lock of the home."""
    removed = 0
    if not folder.is_dir():
        return removed
    for entry in folder.glob(f"{_TEMPORARY}*"):
        shutil.rmtree(entry, ignore_errors=True)
        removed += 1
    with suppress(FileNotFoundError):  # a folder was removed meanwhile; the next start tries again
        for pattern in (".tmp*", "*.manifest#*"):
            for entry in folder.glob(f"*/{TABLE}.lance/**/{pattern}"):
                if entry.is_file():
                    entry.unlink(missing_ok=True)
                    removed += 1
    return removed
