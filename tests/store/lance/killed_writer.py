"""A writer that runs until it is killed: `killed_writer.py TABLE SEED`. Prints what it has done.

Only lance is loaded, and the writer is called as in the store's thread.
"""

import random
import sys
from pathlib import Path

from ragd.store.lance import maintenance
from ragd.store.lance.writer import TableWriter
from tests.store.lance.drafts import note, vectors_of

NOTES = 12


def draft(number: int, revision: int) -> list[str]:
    return [
        f"common revision{revision} word{number}x{part}" for part in range(1 + (revision * 7) % 9)
    ]


def main(table: Path, seed: int) -> None:
    source = random.Random(seed)
    writer = TableWriter(table)
    revision = seed * 1_000
    print("ready", flush=True)
    while True:
        revision += 1
        chosen = source.sample(range(NOTES), source.randint(1, 4))
        files = [note(f"n{number}.md", *draft(number, revision)) for number in chosen]
        writer.replace(files, [])
        print("stored", revision, *chosen, flush=True)
        if source.random() < 0.7:
            filled = len(writer.fill(vectors_of(files)).found)
            print("filled", filled, flush=True)
        if source.random() < 0.3:
            maintenance.compact(writer)
            maintenance.remove_old_versions(writer, 0)
            print("tidied", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
