"""The native libraries. Each is imported on first use, because that takes seconds.

Importing this package imports none of them.
"""

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from ragd.runtime import allocator

if TYPE_CHECKING:
    from ragd.store.lance.index_place import TablePlace

_THREADS_MAX = 4

READER_CACHES = {
    "index_cache_size_bytes": 64 << 20,
    "metadata_cache_size_bytes": 96 << 20,  # 610 fragments of 1,024 rows need 72 MB
}
WRITER_CACHES = {
    "index_cache_size_bytes": 16 << 20,
    "metadata_cache_size_bytes": 16 << 20,
}

# For reading all rows: less read ahead needs less memory, and takes as long.
READ_ALL = {"batch_size": 1_024, "batch_readahead": 2, "fragment_readahead": 1}


def _prepare() -> None:
    """Set the environment variables that the libraries read when they are loaded."""
    threads = str(min(_THREADS_MAX, os.cpu_count() or 1))
    for name, value in {
        "LANCE_LOG": "error",  # otherwise some queries print a warning to stderr
        "LANCE_CPU_THREADS": threads,  # more threads need more memory and are not faster
        "LANCE_IO_THREADS": str(_THREADS_MAX),
        "LANCE_INCLUDE_VECTOR_CENTROIDS": "false",
        "ARROW_DEFAULT_MEMORY_POOL": "system",  # its own pools keep 30 MB that are not used
        "OPENBLAS_NUM_THREADS": "1",  # matrices are small, and idle threads would spin
    }.items():
        os.environ.setdefault(name, value)
    allocator.limit_kept_memory()


def return_unused_memory() -> None:
    """Give memory that is free back to the system. The allocators would keep what a large read
    needed for a moment."""
    pyarrow().default_memory_pool().release_unused()
    allocator.return_free_memory()


@cache
def lance() -> Any:
    """lance: all writes and reads."""
    _prepare()
    import lance as module
    import lance.commit
    import lance.fragment

    return module


def open_dataset(table: "TablePlace", **more: Any) -> Any:
    """This table, opened with lance."""
    return lance().dataset(table.uri, storage_options=table.options, **more)


@cache
def full_text() -> Any:
    """lance's full-text queries."""
    lance()
    import lance.query as module

    return module


def index_record(**fields: Any) -> Any:
    """A segment of an index, for a commit. (As an attribute, `lance.dataset` is a function.)"""
    lance()
    from lance.dataset import Index

    return Index(**fields)


@cache
def pyarrow() -> Any:
    """pyarrow: the format of all data that is written or read."""
    _prepare()
    import pyarrow as module
    import pyarrow.compute

    return module


@cache
def numpy() -> Any:
    """numpy. lance has imported it already."""
    _prepare()
    import numpy as module

    return module
