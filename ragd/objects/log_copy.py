"""The copy of a home in the object store: what is in it, and how it is read back.

    log/current.json           which home's copy counts
    log/HOLDER/events/…        segments of the event log
    log/HOLDER/snapshots/…     snapshots of the folded state
    log/HOLDER/config.json     the configuration, which never has credentials
    log/HOLDER/memories.sealed memories and agents' notes, encrypted

Each home writes only its own copy, so a machine that was replaced cannot damage the new one's.
"""

import io
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct

from ragd.errors import RagdError
from ragd.objects.object_client import ObjectClient
from ragd.paths import Home
from ragd.runtime.durable_files import private_directory, replace_file

FOLDER = "log"
CURRENT = f"{FOLDER}/current.json"
MEMORIES = "memories.sealed"
CONFIG = "config.json"
_DATABASE = "memories.sqlite"
_MEMORY_KEY = "memories.key"
_NOTES = "memory"


class CurrentCopy(Struct, frozen=True):
    """The content of `current.json`: whose copy counts, and the id of the vault in the index."""

    holder: str
    vault: str
    fence: int = 0


# Made once, before any thread needs it: msgspec crashes when two threads prepare the same type.
_decoder = msgspec.json.Decoder(CurrentCopy)


class NoCopy(Exception):
    """There is no copy at this address."""


def decode_current(data: bytes) -> CurrentCopy:
    """The content of `current.json`. Raises RagdError if it is not one of ragd."""
    try:
        return _decoder.decode(data)
    except msgspec.MsgspecError:
        raise RagdError(
            "INDEX_CORRUPTED",
            f"The object `{CURRENT}` in the object store is not one of ragd.",
            "Choose another address, or delete that object.",
        ) from None


def read_current(client: ObjectClient) -> CurrentCopy:
    """Which copy counts. Raises NoCopy, or RagdError if the store does not say."""
    found = client.get(CURRENT)
    if found is None:
        raise NoCopy
    return decode_current(found.data)


def log_files(home: Home) -> dict[str, Path]:
    """The files of the log by their names in a copy: segments, snapshots, the configuration."""
    found = {CONFIG: Path(home.config)}
    for name, folder in (("events", home.events), ("snapshots", home.snapshots)):
        for path in sorted(Path(folder).glob("*.*json")):
            if path.is_file() and path.stem.isdecimal():
                found[f"{name}/{path.name}"] = path
    return found


def pack_memories(home: Home) -> bytes:
    """Memories and agents' notes as one archive. The database is copied as one moment of it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=6) as archive:
        if Path(home.memories).is_file():
            _add(archive, _DATABASE, _database_bytes(Path(home.memories)))
        if Path(home.memory_secret).is_file():
            _add(archive, _MEMORY_KEY, Path(home.memory_secret).read_bytes())
        for path in _notes_in(Path(home.agent_notes)):
            name = path.relative_to(home.agent_notes).as_posix()
            _add(archive, f"{_NOTES}/{name}", path.read_bytes())
    return packed.getvalue()


def unpack_memories(home: Home, data: bytes) -> None:
    """Write them to a new home."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member) if member.isfile() else None
            parts = Path(member.name).parts
            if file is None or ".." in parts or Path(member.name).is_absolute():
                continue
            target = Path(home.root, *parts)
            private_directory(target.parent)
            replace_file(target, file.read())


def memory_stamp(home: Home) -> tuple[tuple[str, int, int], ...]:
    """Changes when a memory or an agent's note changes."""
    paths = [Path(home.memories), Path(f"{home.memories}-wal"), *_notes_in(Path(home.agent_notes))]
    stats = [(path, path.stat()) for path in paths if path.is_file()]
    return tuple((str(path), found.st_size, found.st_mtime_ns) for path, found in stats)


def _database_bytes(path: Path) -> bytes:
    with (
        closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as source,
        closing(sqlite3.connect(":memory:")) as copy,
    ):
        source.backup(copy)
        return copy.serialize()


def _notes_in(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in sorted(folder.rglob("*.md")) if path.is_file())


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(data), 0o600
    archive.addfile(member, io.BytesIO(data))


def restore_log(client: ObjectClient, copy: CurrentCopy, home: Home) -> int:
    """Write the segments and snapshots of a copy to a new home, and return how many there are."""
    prefix = f"{FOLDER}/{copy.holder}/"
    restored = 0
    for one in client.list_objects(prefix.rstrip("/")):
        name = one.name.removeprefix(prefix)
        folder, _, file = name.partition("/")
        if folder not in ("events", "snapshots") or not file or "/" in file:
            continue
        found = client.get(one.name)
        if found is None:
            continue
        place = Path(home.events if folder == "events" else home.snapshots)
        private_directory(place)
        replace_file(place / file, found.data)
        restored += 1
    return restored
