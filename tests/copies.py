"""Copies of an index that is in use."""

import shutil
from pathlib import Path


def copy_table(table: Path, to: Path) -> None:
    """Copy a table. Tries again while a compaction changes its files."""
    while True:
        try:
            shutil.copytree(table, to)
            return
        except (shutil.Error, FileNotFoundError):
            shutil.rmtree(to, ignore_errors=True)
