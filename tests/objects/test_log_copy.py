"""The copy of a home: what goes into it, and what comes out of it in another home."""

import io
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ragd.errors import RagdError
from ragd.objects import log_copy
from ragd.objects.log_copy import CurrentCopy
from ragd.paths import Home
from tests.memory_buckets import MemoryBuckets, MemoryClient


@pytest.fixture
def client(buckets: MemoryBuckets) -> MemoryClient:
    return buckets.client()


@pytest.fixture
def new_home(tmp_path: Path) -> Callable[[str], Home]:
    def make(name: str) -> Home:
        (tmp_path / name).mkdir()
        return Home(str(tmp_path / name))

    return make


NewHome = Callable[[str], Home]


def write(path: str | Path, data: bytes = b"x") -> Path:
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return place


def files_in(home: Home) -> dict[str, bytes]:
    root = Path(home.root)
    found = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def test_memories_and_agents_notes_come_back_in_another_home(new_home: NewHome) -> None:
    first, second = new_home("first"), new_home("second")
    write(first.memory_secret, b"secret")
    write(f"{first.agent_notes}/main/2026/walk.md", b"A walk.")
    write(f"{first.agent_notes}/main/picture.png", b"no note")
    write(first.config, b"{}")  # it is copied apart
    with closing(sqlite3.connect(first.memories)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE facts (text)")
        database.execute("INSERT INTO facts VALUES ('The key is under the pot.')")
        database.commit()  # it is in the write-ahead log only, as in a daemon that runs
        log_copy.unpack_memories(second, log_copy.pack_memories(first))
    restored = files_in(second)
    assert set(restored) == {"memories.sqlite", "memories.key", "memory/main/2026/walk.md"}
    assert restored["memories.key"] == b"secret"
    assert restored["memory/main/2026/walk.md"] == b"A walk."
    with closing(sqlite3.connect(second.memories)) as database:
        assert database.execute("SELECT text FROM facts").fetchall() == [
            ("The key is under the pot.",)
        ]
    assert Path(second.memories).stat().st_mode & 0o777 == 0o600
    assert Path(second.agent_notes).stat().st_mode & 0o777 == 0o700


def test_a_home_without_memories_makes_an_archive_that_adds_nothing(new_home: NewHome) -> None:
    first, second = new_home("first"), new_home("second")
    log_copy.unpack_memories(second, log_copy.pack_memories(first))
    assert files_in(second) == {}


def test_an_archive_writes_only_plain_files_in_the_home(tmp_path: Path, new_home: NewHome) -> None:
    home = new_home("home")
    outside = tmp_path / "outside.md"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name in ("../outside.md", str(outside), "memory/inside.md"):
            member = tarfile.TarInfo(name)
            member.size = 3
            archive.addfile(member, io.BytesIO(b"new"))
        link = tarfile.TarInfo("memory/link.md")
        link.type, link.linkname = tarfile.SYMTYPE, str(outside)
        archive.addfile(link)
    log_copy.unpack_memories(home, packed.getvalue())
    assert files_in(home) == {"memory/inside.md": b"new"}
    assert not Path(home.agent_notes, "link.md").is_symlink()
    assert not outside.exists()


def test_the_stamp_changes_with_each_memory_and_each_note(new_home: NewHome) -> None:
    home = new_home("home")
    stamps = [log_copy.memory_stamp(home)]
    assert stamps == [()]
    for path in (home.memories, f"{home.memories}-wal", f"{home.agent_notes}/main/a.md"):
        write(path)
        stamps.append(log_copy.memory_stamp(home))
    write(f"{home.memories}-wal", b"one more memory")
    stamps.append(log_copy.memory_stamp(home))
    Path(home.agent_notes, "main", "a.md").unlink()
    stamps.append(log_copy.memory_stamp(home))
    assert len(set(stamps)) == len(stamps)
    write(home.sync_result)
    assert log_copy.memory_stamp(home) == stamps[-1]


def test_the_log_is_its_segments_its_snapshots_and_the_configuration(new_home: NewHome) -> None:
    home = new_home("home")
    segment = write(f"{home.events}/0000000000000001.ndjson")
    snapshot = write(f"{home.snapshots}/0000000000000009.json")
    write(f"{home.events}/0000000000000002.ndjson.tmp")
    write(f"{home.events}/aside/0000000000000001.ndjson")
    write(f"{home.events}/notes.json")
    Path(home.snapshots, "0000000000000010.json").mkdir()
    assert log_copy.log_files(home) == {
        "config.json": Path(home.config),
        "events/0000000000000001.ndjson": segment,
        "snapshots/0000000000000009.json": snapshot,
    }


def test_an_address_without_a_copy_has_no_current_one(client: MemoryClient) -> None:
    with pytest.raises(log_copy.NoCopy):
        log_copy.read_current(client)
    client.put(log_copy.CURRENT, b'{"holder":"A","vault":"v","fence":3}')
    assert log_copy.read_current(client) == CurrentCopy("A", "v", 3)


@pytest.mark.parametrize("data", [b"", b"not ours", b'{"holder":1,"vault":"v"}', b'{"vault":"v"}'])
def test_an_object_of_another_program_is_named_as_such(client: MemoryClient, data: bytes) -> None:
    client.put(log_copy.CURRENT, data)
    with pytest.raises(RagdError, match="not one of ragd") as refused:
        log_copy.read_current(client)
    assert refused.value.code == "INDEX_CORRUPTED"


def test_only_the_log_of_the_copy_that_counts_is_restored(
    client: MemoryClient, new_home: NewHome
) -> None:
    client.put("log/A/events/1.ndjson", b"a record")
    client.put("log/A/snapshots/1.json", b"a state")
    client.put("log/A/config.json", b"{}")
    client.put("log/A/events/aside/1.ndjson", b"damaged")
    client.put("log/A/memories.sealed", b"sealed")
    client.put("log/B/events/2.ndjson", b"of another machine")
    home = new_home("home")
    assert log_copy.restore_log(client, CurrentCopy("A", "v"), home) == 2
    assert files_in(home) == {"events/1.ndjson": b"a record", "snapshots/1.json": b"a state"}
    assert Path(home.events).stat().st_mode & 0o777 == 0o700


def test_an_object_that_vanishes_meanwhile_is_not_restored(
    client: MemoryClient, new_home: NewHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other machine removes old segments from its copy."""
    client.put("log/A/events/1.ndjson", b"old")
    client.put("log/A/events/2.ndjson", b"new")
    listed = client.list_objects("log/A")
    client.delete(["log/A/events/1.ndjson"])
    monkeypatch.setattr(client, "list_objects", lambda prefix: listed)
    home = new_home("home")
    assert log_copy.restore_log(client, CurrentCopy("A", "v"), home) == 1
    assert files_in(home) == {"events/2.ndjson": b"new"}
