"""Counting vectors while searches read."""

import subprocess
import sys
from pathlib import Path

from ragd.store.lance import ChunkIndex
from tests.patience import PATIENCE_S
from tests.store.lance.drafts import note


async def test_vectors_are_counted_while_searches_read(index: ChunkIndex, folder: Path) -> None:
    """The process stopped for good: the count held Python's lock, and searches waited for it in
    lance's threads."""
    for part in range(4):
        await index.replace([note(f"n{part}-{n}.md", "some words") for n in range(200)])
    (table,) = folder.glob("*/*.lance")
    command = [sys.executable, "-m", "tests.store.lance.counting_process", str(table)]
    subprocess.run(command, check=True, timeout=PATIENCE_S)
