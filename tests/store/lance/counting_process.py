"""Counts vectors while two threads scan the table, then ends: `counting_process.py TABLE`."""

import os
import sys
import threading
from pathlib import Path

from ragd.store.lance import libraries
from ragd.store.lance.writer import TableWriter

COUNTS = 300


def main(table: Path) -> None:
    dataset = libraries.lance().dataset(str(table))

    def scan() -> None:
        while True:
            for _ in dataset.scanner(columns=["chunk_text"], batch_size=16).to_batches():
                pass

    for _ in range(2):
        threading.Thread(target=scan, daemon=True).start()
    for _ in range(COUNTS):
        TableWriter(table).count_vectors()  # a new one remembers no counts
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
