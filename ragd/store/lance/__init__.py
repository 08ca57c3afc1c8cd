"""The vector store: the only package that imports lance and pyarrow.

    <vectors>/<generation>/obsidian_chunks.lance    one table for each generation of the index

One thread writes; a few others read, pinned to a version. lance is imported on first use, because
that takes a second. A generation's identity, and whether it is complete, are in its table.
"""

from ragd.store.lance.checked_files import CheckedFiles
from ragd.store.lance.checkup import IndexDefect, probe
from ragd.store.lance.checkup_process import examine_apart
from ragd.store.lance.generation_folders import Generation, IndexIdentity, folder_stamp
from ragd.store.lance.index_place import FolderStamp
from ragd.store.lance.lance_errors import CannotCheck
from ragd.store.lance.nearest_units import cosines, nearest_units
from ragd.store.lance.packed_rows import LinkRow
from ragd.store.lance.schema import TABLE, ChunkRow, FileRows
from ragd.store.lance.sql import condition, in_scope, one_of, sql_text
from ragd.store.lance.store import ChunkIndex, LanceStore, MaintenanceResult
from ragd.store.lance.table_version import ChunkHit
from ragd.store.lance.writer import FillResult

__all__ = [
    "TABLE",
    "CannotCheck",
    "CheckedFiles",
    "ChunkHit",
    "ChunkIndex",
    "ChunkRow",
    "FileRows",
    "FillResult",
    "FolderStamp",
    "Generation",
    "IndexDefect",
    "IndexIdentity",
    "LanceStore",
    "LinkRow",
    "MaintenanceResult",
    "condition",
    "cosines",
    "examine_apart",
    "folder_stamp",
    "in_scope",
    "nearest_units",
    "one_of",
    "probe",
    "sql_text",
]
