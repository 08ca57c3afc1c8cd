"""The vector store: the only package that knows lance, lancedb and pyarrow.

    <vectors>/<generation>/obsidian_chunks.lance    one table for each generation of the index

lance writes, in one thread; lancedb reads, pinned to a version. Neither is imported before it is
used: they take seconds. A generation's identity, and whether it is complete, are in its table.
"""

from ragd.store.lance.checkup import Finding, probe
from ragd.store.lance.checkup_process import examine_apart
from ragd.store.lance.generation_folders import Generation, Identity, Place, place
from ragd.store.lance.lance_errors import NothingKnown
from ragd.store.lance.packed_rows import LinkRow
from ragd.store.lance.reader import Missing
from ragd.store.lance.schema import TABLE, FileRows, Row, cosines, unit_cosines
from ragd.store.lance.snapshot import Hit
from ragd.store.lance.sql import condition, one_of, sql_text
from ragd.store.lance.store import ChunkIndex, LanceStore, Maintained
from ragd.store.lance.writer import Filled

__all__ = [
    "TABLE",
    "ChunkIndex",
    "FileRows",
    "Filled",
    "Finding",
    "Generation",
    "Hit",
    "Identity",
    "LanceStore",
    "LinkRow",
    "Maintained",
    "Missing",
    "NothingKnown",
    "Place",
    "Row",
    "condition",
    "cosines",
    "examine_apart",
    "one_of",
    "place",
    "probe",
    "sql_text",
    "unit_cosines",
]
