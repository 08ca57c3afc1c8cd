"""kill -9 during replace, fill and compaction: the table is always complete."""

import asyncio
import random
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from ragd.store import lance as lance_store
from ragd.store.lance import LanceStore, generation_folders
from tests.store.lance.drafts import identity, missing
from tests.store.lance.killed_writer import NOTES, draft

ROOT = Path(__file__).parents[3]
ROUNDS = 4
KILLS_PER_ROUND = 4


def prepare(folder: Path) -> Path:
    generation_folders.create(folder, identity())
    return generation_folders.table_path(folder, "01A")


def kill_one(table: Path, seed: int) -> dict[int, int]:
    """Run a writer and kill it at a random moment. Returns the stored revision of each note."""
    source = random.Random(seed)
    stored: dict[int, int] = {}
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.store.lance.killed_writer", str(table), str(seed)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert child.stdout is not None
    with child, child.stdout as lines:
        for _ in range(source.randint(1, 12)):
            note_down(lines.readline(), stored)
        time.sleep(source.uniform(0, 0.03))  # anywhere in the next step
        child.kill()
        for line in lines:
            note_down(line, stored)
    return stored


def note_down(line: str, stored: dict[int, int]) -> None:
    verb, *numbers = line.split() or [""]
    if verb == "stored" and line.endswith("\n"):
        revision, *chosen = map(int, numbers)
        stored.update(dict.fromkeys(chosen, revision))


def rows_of(table: Path) -> dict[str, list[dict[str, Any]]]:
    import lance

    columns = ["source_file", "chunk_id", "chunk_index", "total_chunks", "chunk_text"]
    found = defaultdict(list)
    for row in lance.dataset(str(table)).scanner(columns=columns).to_table().to_pylist():
        found[row["source_file"]].append(row)
    return found


def check(table: Path, stored: dict[int, int]) -> None:
    """Every note is complete, of one revision, and not older than the acknowledged one."""
    everything = rows_of(table)
    assert len(everything) <= NOTES
    ids = [row["chunk_id"] for rows in everything.values() for row in rows]
    assert len(set(ids)) == len(ids), "a chunk is there twice"
    for number in range(NOTES):
        rows = sorted(everything[f"n{number}.md"], key=lambda row: row["chunk_index"])
        if number in stored:
            assert rows, "a stored note is gone"
        if rows:
            revision = int(rows[0]["chunk_text"].split()[1].removeprefix("revision"))
            assert [row["chunk_text"] for row in rows] == draft(number, revision)
            assert {row["total_chunks"] for row in rows} == {len(rows)}
            assert revision >= stored.get(number, 0)


@pytest.mark.slow
@pytest.mark.parametrize("round_number", range(ROUNDS))
def test_a_killed_writer_leaves_a_whole_table(tmp_path: Path, round_number: int) -> None:
    table = prepare(tmp_path)
    stored: dict[int, int] = {}
    for kill in range(KILLS_PER_ROUND):
        seed = 1 + KILLS_PER_ROUND * round_number + kill
        stored.update(kill_one(table, seed))
        if stored:
            check(table, stored)
            assert lance_store.probe(tmp_path, "01A") is None, f"seed {seed}"
    asyncio.run(still_works(tmp_path))


async def still_works(folder: Path) -> None:
    """The next start cleans up, continues, and both kinds of search agree with the rows."""
    store = LanceStore(folder)
    await store.remove_temporary_files()
    assert not [path for path in folder.rglob("*") if path.name.startswith(".tmp")]
    index = await store.open("01A")
    for path, rows in rows_of(generation_folders.table_path(folder, "01A")).items():
        word = rows[0]["chunk_text"].split()[2]
        hits = await index.find_by_words(word, 5)
        assert [hit.chunk_id for hit in hits] == [rows[0]["chunk_id"]]
        assert await index.count(f"source_file = '{path}'") == len(rows)
    await index.maintain(keep_s=0)
    without = await missing(index)
    total = await index.count()
    assert len(await index.find_by_vector(b"\x00\x00\x80\x3f" * 16, 1_000)) == total - len(without)
    index.close()
    store.close()
