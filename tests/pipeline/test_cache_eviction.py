"""The text of a deleted or hidden note is removed from every file of the home."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ragd.clock import SystemClock
from ragd.embed.cache_eviction import CacheEviction
from ragd.embed.embedding_cache import EmbeddingCache
from ragd.events import JobFinished
from tests.pipeline.test_pipeline import indexed

SECRET = "zyzzyvaquux"


def holding(home: Path, word: str) -> list[str]:
    """Every file below the home that contains the word, in upper or lower case."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return [str(p.relative_to(home)) for p in files if word.encode() in p.read_bytes().lower()]


def count_cached(home: Path) -> int:
    with contextlib.closing(sqlite3.connect(home / "embeddings.sqlite")) as connection:
        (count,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
    return int(count)


async def maintain(running: Any) -> None:
    """Do at once what the daemon does within a quarter of an hour."""
    index = running.pipeline.open_indexes.serving
    while (await index.maintain(keep_s=0)).more:
        pass
    await running.until_state(lambda state: not state.jobs.open)
    cache = EmbeddingCache(Path(running.home.embedding_cache))
    clock, open_indexes = SystemClock(), running.pipeline.open_indexes
    assert await CacheEviction(running.ledger, clock, open_indexes, cache).forget()
    await cache.close()


@pytest.mark.parametrize("how", ["deleted", "hidden"])
async def test_the_text_of_a_note_that_is_gone_leaves_every_file(
    start: Any, write: Any, vault: Path, tmp_path: Path, how: str
) -> None:
    home = tmp_path / "home"
    write(vault, "Secret.md", f"# Diary\n\nThe word {SECRET} is nowhere else.\n")
    running = await indexed(start)
    cached = count_cached(home)
    assert cached == running.catalog.chunks
    assert holding(home, SECRET), "the search for it works"
    seq = running.ledger.state.seq
    if how == "deleted":
        (vault / "Secret.md").unlink()
    else:
        write(vault, "Secret.md", f"---\nrag: false\n---\nThe word {SECRET} is nowhere else.\n")
    await running.until(JobFinished, seq)
    await maintain(running)
    assert holding(home, SECRET) == []
    assert count_cached(home) == running.catalog.chunks == cached - 1


async def test_a_note_that_comes_back_is_not_embedded_again(start: Any, vault: Path) -> None:
    running = await indexed(start)
    text = (vault / "Shopping.md").read_bytes()
    seq = running.ledger.state.seq
    (vault / "Shopping.md").unlink()
    await running.until(JobFinished, seq)
    seq = running.ledger.state.seq
    (vault / "Shopping.md").write_bytes(text)
    finished = await running.until(JobFinished, seq)
    job = running.ledger.state.jobs.find(finished.event.job_id)
    assert (job.chunks_embedded, job.chunks_cached) == (0, 1)
