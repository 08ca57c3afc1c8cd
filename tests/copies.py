"""Copies of an index that is in use."""

import shutil
from pathlib import Path


def copy_table(table: Path, to: Path) -> None:
    """As often as it takes: files of a table that is tidied meanwhile come and go."""
    while True:
        try:
            shutil.copytree(table, to)
            return
        except (shutil.Error, FileNotFoundError):
            shutil.rmtree(to, ignore_errors=True)
