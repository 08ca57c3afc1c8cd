"""The embedding cache: what it keeps, what it erases, and that it never causes an error."""

import asyncio
import hashlib
import os
import random
import sqlite3
import subprocess
import sys
import textwrap
from array import array
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragd.embed.embedding_cache import EmbeddingCache
from ragd.embed.providers.embedder_port import Vector
from ragd.runtime import sqlite_files
from tests.sqlite_connections import record_connections

ROOT = Path(__file__).parents[2]
SPACE = "a" * 32
DAY_S = 86_400


def name(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def vector(number: int, dimensions: int = 384) -> Vector:
    source = random.Random(number)
    return array("f", [source.uniform(-1, 1) for _ in range(dimensions)]).tobytes()


def some(numbers: range) -> dict[str, Vector]:
    return {name(number): vector(number) for number in numbers}


class Days:
    """A calendar that the test sets."""

    today = 20_000.0

    def __call__(self) -> float:
        return self.today * DAY_S


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "embeddings.sqlite3"


@pytest.fixture
async def cache(path: Path) -> AsyncIterator[EmbeddingCache]:
    found = EmbeddingCache(path)
    yield found
    await found.close()


# Keeping


async def test_what_was_put_is_there_for_its_space_only(cache: EmbeddingCache) -> None:
    await cache.put_many(SPACE, some(range(3)))
    assert await cache.get_many(SPACE, [name(1), name(2), name(9)]) == some(range(1, 3))
    assert await cache.get_many("b" * 32, [name(1)]) == {}


async def test_what_was_put_is_there_after_a_restart(path: Path) -> None:
    for expected in ({}, some(range(700)), some(range(700))):
        cache = EmbeddingCache(path)
        assert await cache.get_many(SPACE, [name(number) for number in range(700)]) == expected
        await cache.put_many(SPACE, some(range(700)))
        await cache.close()


async def test_putting_again_replaces(cache: EmbeddingCache) -> None:
    await cache.put_many(SPACE, {name(1): vector(1)})
    await cache.put_many(SPACE, {name(1): vector(2)})
    assert await cache.get_many(SPACE, [name(1)]) == {name(1): vector(2)}


async def test_nothing_is_nothing(cache: EmbeddingCache) -> None:
    await cache.put_many(SPACE, {})
    assert await cache.get_many(SPACE, []) == {}
    assert await cache.keep_only([]) == 0


async def test_many_at_once_do_not_get_in_each_others_way(cache: EmbeddingCache) -> None:
    await asyncio.gather(
        *(cache.put_many(SPACE, some(range(n, n + 10))) for n in range(0, 100, 10))
    )
    found = await cache.get_many(SPACE, [name(number) for number in range(100)])
    assert found == some(range(100))


async def test_only_its_owner_may_read_it(path: Path, cache: EmbeddingCache) -> None:
    old = os.umask(0)
    try:
        await cache.put_many(SPACE, some(range(3)))
    finally:
        os.umask(old)
    modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3  # the database, its log and its index


async def test_a_link_in_its_place_is_not_followed(path: Path, cache: EmbeddingCache) -> None:
    target = path.with_name("precious")
    target.write_text("precious")
    path.symlink_to(target)
    await cache.put_many(SPACE, some(range(3)))
    assert target.read_text() == "precious"
    assert await cache.get_many(SPACE, [name(1)]) == {}


# Making room


async def test_the_longest_unused_makes_room(path: Path) -> None:
    days = Days()
    cache = EmbeddingCache(path, max_bytes=400_000, now=days)
    await cache.put_many(SPACE, some(range(50)))
    days.today += 1
    await cache.put_many(SPACE, some(range(50, 100)))
    days.today += 1
    await cache.get_many(SPACE, [name(number) for number in range(50)])  # used again
    days.today += 1
    for start in range(100, 220, 10):
        await cache.put_many(SPACE, some(range(start, start + 10)))
    found = await cache.get_many(SPACE, [name(number) for number in range(220)])
    kept = [number for number in range(220) if name(number) in found]
    assert set(range(100, 220)) <= set(kept)
    assert len(set(kept) & set(range(50))) > len(set(kept) & set(range(50, 100)))
    await cache.close()


async def test_the_file_stays_within_its_bound(path: Path) -> None:
    cache = EmbeddingCache(path, max_bytes=300_000)
    for start in range(0, 1000, 20):
        await cache.put_many(SPACE, some(range(start, start + 20)))
    await cache.close()
    assert path.stat().st_size < 400_000


# Forgetting


async def test_what_is_forgotten_is_gone_from_every_file(path: Path, cache: EmbeddingCache) -> None:
    await cache.put_many(SPACE, some(range(20)))
    await cache.put_many("b" * 32, some(range(20)))
    path.with_name(f"{path.name}.aside").write_bytes(vector(3))
    await cache.keep_only([name(number) for number in range(10, 20)])
    left = b"".join(file.read_bytes() for file in path.parent.iterdir())
    for number in range(10):
        assert vector(number)[:64] not in left
        assert name(number).encode() not in left
    assert await cache.get_many(SPACE, [name(n) for n in range(20)]) == some(range(10, 20))


async def test_when_it_cannot_forget_one_it_forgets_all(
    path: Path, cache: EmbeddingCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_files, "BUSY_S", 0.01)
    await cache.put_many(SPACE, some(range(20)))
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM vectors").fetchone()  # holds up the checkpoint
    await cache.keep_only([name(number) for number in range(20) if number != 3])
    reader.close()
    left = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert vector(3)[:64] not in left
    await cache.put_many(SPACE, some(range(2)))
    assert await cache.get_many(SPACE, [name(1)]) == {name(1): vector(1)}


# Damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"not a database at all" * 100,
        lambda data: data[:100] + os.urandom(len(data) - 100),
        lambda data: data[: len(data) // 2],
        lambda data: b"",
    ],
    ids=["another file", "overwritten", "cut off", "empty"],
)
async def test_a_damaged_file_is_set_aside(path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    first = EmbeddingCache(path)
    await first.put_many(SPACE, some(range(200)))
    await first.close()
    path.write_bytes(damage(path.read_bytes()))
    cache = EmbeddingCache(path)
    for _ in range(3):  # the first that notices gets nothing
        found = await cache.get_many(SPACE, [name(number) for number in range(200)])
        assert found.items() <= some(range(200)).items()
        await cache.put_many(SPACE, some(range(200)))
    assert await cache.get_many(SPACE, [name(n) for n in range(200)]) == some(range(200))
    await cache.close()


async def test_a_vector_with_a_flipped_bit_is_not_handed_out(path: Path) -> None:
    first = EmbeddingCache(path)
    await first.put_many(SPACE, some(range(3)))
    await first.close()
    data = bytearray(path.read_bytes())
    data[data.index(vector(1)[:64]) + 10] ^= 1
    path.write_bytes(data)
    cache = EmbeddingCache(path)
    found = await cache.get_many(SPACE, [name(n) for n in range(3)])
    assert found == {name(0): vector(0), name(2): vector(2)}
    await cache.close()


async def test_another_versions_cache_is_set_aside(path: Path, cache: EmbeddingCache) -> None:
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 99")
    other.execute("CREATE TABLE vectors (something)")
    other.commit()
    other.close()
    await cache.put_many(SPACE, some(range(3)))
    await cache.put_many(SPACE, some(range(3)))
    assert await cache.get_many(SPACE, [name(1)]) == {name(1): vector(1)}
    assert path.with_name(f"{path.name}.aside").exists()


async def test_without_its_folder_the_cache_is_empty(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "gone" / "embeddings.sqlite3")
    await cache.put_many(SPACE, some(range(3)))
    assert await cache.get_many(SPACE, [name(1)]) == {}
    (tmp_path / "gone").mkdir()
    await cache.put_many(SPACE, some(range(3)))
    assert await cache.get_many(SPACE, [name(1)]) == {name(1): vector(1)}
    await cache.close()


async def test_on_a_full_disk_nothing_is_cached_until_there_is_room(
    cache: EmbeddingCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = record_connections(monkeypatch)
    await cache.put_many(SPACE, some(range(3)))
    (connection,) = opened
    connection.execute("PRAGMA max_page_count = 20")  # SQLite then says SQLITE_FULL
    await cache.put_many(SPACE, some(range(3, 300)))
    assert await cache.get_many(SPACE, [name(n) for n in range(300)]) == some(range(3))
    connection.execute("PRAGMA max_page_count = 100000")
    await cache.put_many(SPACE, some(range(3, 300)))
    assert len(await cache.get_many(SPACE, [name(n) for n in range(300)])) == 300


async def test_a_closed_cache_is_empty(path: Path) -> None:
    cache = EmbeddingCache(path)
    await cache.put_many(SPACE, some(range(3)))
    await cache.close()
    await cache.close()
    await cache.put_many(SPACE, some(range(3)))
    assert await cache.get_many(SPACE, [name(1)]) == {}


@pytest.mark.parametrize("seed", range(4))
async def test_a_kill_loses_nothing_that_was_confirmed(path: Path, seed: int) -> None:
    program = f"""
        import asyncio
        from pathlib import Path
        from ragd.embed.embedding_cache import EmbeddingCache
        from tests.embed.test_embedding_cache import SPACE, some
        async def main():
            cache = EmbeddingCache(Path({str(path)!r}), max_bytes=2_000_000)
            for start in range(0, 100_000, 20):
                await cache.put_many(SPACE, some(range(start, start + 20)))
                print(start + 20, flush=True)
        asyncio.run(main())
    """
    writer = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert writer.stdout is not None
    with writer.stdout:
        for _ in range(random.Random(seed).randrange(5, 60)):
            confirmed = int(writer.stdout.readline())
        writer.kill()
        writer.wait()
        confirmed = max([confirmed, *(int(line) for line in writer.stdout.read().split())])
    cache = EmbeddingCache(path)
    recent = range(max(0, confirmed - 200), confirmed)
    assert await cache.get_many(SPACE, [name(n) for n in recent]) == some(recent)
    await cache.close()
    check = sqlite3.connect(path)
    assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    check.close()
    assert not path.with_name(f"{path.name}.aside").exists()


async def test_a_file_that_was_set_aside_does_not_stay(path: Path) -> None:
    """Nobody knows which vectors it has."""
    path.write_bytes(vector(3))
    cache = EmbeddingCache(path)
    await cache.put_many(SPACE, some(range(3)))  # notices the damage
    aside = path.with_name(f"{path.name}.aside")
    assert aside.exists()
    assert await cache.keep_only(some(range(3))) == 0
    assert not aside.exists()
    await cache.close()


async def test_it_keeps_only_the_given_hashes(path: Path, cache: EmbeddingCache) -> None:
    await cache.put_many(SPACE, some(range(40)))
    await cache.put_many("b" * 32, some(range(20, 60)))
    assert await cache.keep_only([name(number) for number in range(10, 30)]) == 40
    assert set(await cache.get_many(SPACE, some(range(60)))) == set(some(range(10, 30)))
    assert set(await cache.get_many("b" * 32, some(range(60)))) == set(some(range(20, 30)))
    gone = vector(5)
    assert [f for f in path.parent.iterdir() if gone in f.read_bytes()] == []
