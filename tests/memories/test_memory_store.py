"""The file of memories: durable, limited in size, and without traces of forgotten ones."""

import asyncio
import random
import sqlite3
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ragd.errors import RagdError
from ragd.memories import memory_store
from ragd.memories.matching import Memory
from ragd.memories.memory_store import MemoryStore
from ragd.runtime import sqlite_files
from tests.sqlite_connections import record_connections


def memory(key: str, value: str = "a fact", at: str = "2026-01-01T00:00:00Z") -> Memory:
    return Memory(key, value, "note.md", at)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memories.sqlite"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[MemoryStore]:
    found = MemoryStore(path)
    yield found
    await found.close()


def everything(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_a_memory_is_read_as_it_was_stored(store: MemoryStore, path: Path) -> None:
    kept = memory("debt_to_sreenivas", "I owe Sreenivas $70.\n欠钱 😀")
    await store.store(kept)
    assert await store.all() == [kept]
    await store.close()
    assert await MemoryStore(path).all() == [kept]


async def test_the_same_key_replaces_and_the_newest_comes_first(store: MemoryStore) -> None:
    await store.store(memory("a", "old", "2026-01-01"))
    await store.store(memory("b", "other", "2026-01-02"))
    await store.store(memory("a", "new", "2026-01-03"))
    assert [(m.key, m.value) for m in await store.all()] == [("a", "new"), ("b", "other")]


async def test_what_was_read_last_is_known_without_the_file_until_it_changes(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[str] = []

    async def search() -> tuple[list[str], int]:
        found = await store.find_matching("a fact about the debt", 5)
        return [one.key for one in found], len(await store.known_facts())

    assert await search() == ([], 0)
    loop = type(asyncio.get_running_loop())
    run = loop.run_in_executor

    def counted(*given: Any) -> Any:
        used.append("thread")
        return run(*given)

    monkeypatch.setattr(loop, "run_in_executor", counted)
    assert await search() == ([], 0)
    assert used == []
    await store.store(memory("debt"))
    assert await search() == (["debt"], 2)
    await store.forget("debt")
    assert await search() == ([], 0)


async def test_forgetting_returns_whether_there_was_one(store: MemoryStore) -> None:
    await store.store(memory("a"))
    assert await store.forget("a") is True
    assert await store.forget("a") is False
    assert await store.all() == []


async def test_the_files_are_private_and_synchronous_is_full(
    store: MemoryStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = record_connections(monkeypatch)
    await store.store(memory("a"))
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    (connection,) = opened
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


async def test_forgotten_and_replaced_texts_are_in_no_file(store: MemoryStore, path: Path) -> None:
    await store.store(memory("first", "canary-one"))
    await store.store(memory("first", "canary-two " * 900))
    await store.store(memory("other", "canary-three"))
    raw = everything(path.parent)
    assert b"canary-one" not in raw and b"canary-two" in raw
    assert await store.forget("first")
    raw = everything(path.parent)
    assert b"canary-two" not in raw and b"first" not in raw and b"canary-three" in raw


async def test_rows_that_were_moved_between_pages_leave_no_traces(
    store: MemoryStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """secure_delete alone left traces of about one in four thousand."""
    opened = record_connections(monkeypatch)
    await store.store(memory("last", "canary"))
    (connection,) = opened
    connection.execute("PRAGMA synchronous = OFF")
    gone = _churn(connection, random.Random(1), 6_000)
    assert await store.forget("last")
    raw = everything(path.parent)
    assert len(gone) > 4_000
    assert [mark for mark in gone if mark.encode() in raw] == []


def _churn(connection: sqlite3.Connection, chance: random.Random, steps: int) -> list[str]:
    """Insert, replace and delete rows of many sizes. Returns the texts of the deleted ones."""
    alive: dict[str, str] = {}
    gone: list[str] = []
    for n in range(steps):
        number = chance.randrange(60)
        key = f"key-{'k' * number * 2}-{number}-end"
        mark = f"canary-{n}-{chance.getrandbits(64):x}-"
        if key in alive:
            gone.append(alive[key])
        alive[key] = mark
        value = f"{mark} {'x' * chance.choice([5, 50, 300, 900, 3000])} {mark}"
        connection.execute("DELETE FROM memories WHERE key = ?", (key,))
        connection.execute(
            "INSERT INTO memories (key, value, source, stored_at) VALUES (?, ?, 'note.md', '')",
            (key, value),
        )
        if chance.random() < 0.4:
            victim = chance.choice(sorted(alive))
            gone.append(alive.pop(victim))
            connection.execute("DELETE FROM memories WHERE key = ?", (victim,))
    return gone


async def test_the_number_of_memories_is_limited(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_store, "MEMORIES_MAX", 3)
    for key in "abc":
        await store.store(memory(key))
    with pytest.raises(RagdError) as why:
        await store.store(memory("d"))
    assert why.value.code == "INVALID_REQUEST" and "forget" in why.value.suggestion
    await store.store(memory("a", "still replaced"))
    assert len(await store.all()) == 3
    assert await store.forget("b")
    await store.store(memory("d"))


async def test_the_size_is_limited_and_a_refused_memory_replaces_nothing(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_store, "CHARACTERS_MAX", 100)
    await store.store(memory("a", "x" * 60))
    with pytest.raises(RagdError, match="no room"):
        await store.store(memory("a", "x" * 200))
    assert [m.value for m in await store.all()] == ["x" * 60]
    await store.store(memory("a", "y" * 90))


async def test_a_damaged_file_is_reported_and_not_changed(store: MemoryStore, path: Path) -> None:
    path.write_bytes(b"this is not a database at all, but somebody's only copy")
    with pytest.raises(RagdError, match="damaged"):
        await store.all()
    with pytest.raises(RagdError, match="damaged"):
        await store.store(memory("a"))
    assert path.read_bytes().startswith(b"this is not a database")


async def test_a_file_of_a_newer_version_is_not_changed(store: MemoryStore, path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(RagdError, match="newer version"):
        await store.store(memory("a"))


async def test_forgetting_fails_while_another_program_reads_the_file(
    store: MemoryStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_files, "BUSY_S", 0.05)
    await store.store(memory("a", "canary"))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM memories").fetchall()
    with pytest.raises(RagdError) as why:
        await store.forget("a")
    assert why.value.code == "TIMEOUT" and "traces" in why.value.message
    other.close()
    assert await store.forget("a") is False
    assert b"canary" not in everything(path.parent)


async def test_memories_are_found_by_words_they_share(store: MemoryStore) -> None:
    await store.store(memory("debt_to_sreenivas", "I owe Sreenivas $70."))
    await store.store(memory("doorbell", "A light in place of a sound."))
    found = await store.find_matching("how much do I owe sreenivas?", 5)
    assert [m.key for m in found] == ["debt_to_sreenivas"]
    await store.forget("debt_to_sreenivas")
    assert await store.find_matching("how much do I owe sreenivas?", 5) == []
