"""The vector store: the only package that knows lance, lancedb and pyarrow.

    <vectors>/<generation>/obsidian_chunks.lance    one table for each generation of the index

lance writes, in one thread; lancedb reads, pinned to a version. Neither is imported before it is
used: they take seconds. A generation's identity, and whether it is complete, are in its table.
"""

from ragd.adapters.lance_store.apart import examine_apart
from ragd.adapters.lance_store.checkup import Finding, probe
from ragd.adapters.lance_store.failures import NothingKnown
from ragd.adapters.lance_store.generations import Generation, Identity, Place, place
from ragd.adapters.lance_store.packed_rows import LinkRow
from ragd.adapters.lance_store.reader import Missing
from ragd.adapters.lance_store.schema import TABLE, FileRows, Row, cosines, unit_cosines
from ragd.adapters.lance_store.snapshot import Hit
from ragd.adapters.lance_store.sql import condition, one_of, sql_text
from ragd.adapters.lance_store.store import ChunkIndex, LanceStore, Maintained
from ragd.adapters.lance_store.writer import Filled

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
