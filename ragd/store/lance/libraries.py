"""The native libraries. Each is imported on first use, because that takes seconds.

Importing this package imports none of them.
"""

import contextlib
import ctypes
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from ragd.store.lance import namespaces

if TYPE_CHECKING:
    from ragd.store.lance.index_place import TablePlace

_THREADS_MAX = 4

READER_CACHES = {
    "index_cache_size_bytes": 64 << 20,
    "metadata_cache_size_bytes": 32 << 20,
}
ROW_CACHES = {
    "index_cache_size_bytes": 8 << 20,  # to read rows by their ids, and to filter small tables
    "metadata_cache_size_bytes": 16 << 20,
}
WRITER_CACHES = {
    "index_cache_size_bytes": 16 << 20,
    "metadata_cache_size_bytes": 16 << 20,
}

_M_ARENA_MAX = -8  # from glibc's malloc.h
_ARENAS = 2


def _prepare() -> None:
    """Set the environment variables that the libraries read when they are loaded."""
    threads = str(min(_THREADS_MAX, os.cpu_count() or 1))
    for name, value in {
        "LANCEDB_LOG": "error",  # otherwise every query prints a warning to stderr
        "LANCE_LOG": "error",
        "LANCE_CPU_THREADS": threads,  # more threads need more memory and are not faster
        "LANCE_IO_THREADS": str(_THREADS_MAX),
        "LANCE_INCLUDE_VECTOR_CENTROIDS": "false",
    }.items():
        os.environ.setdefault(name, value)
    _limit_arenas()


def _limit_arenas() -> None:
    """Share memory pools among the libraries' threads. One for each needs a quarter more memory."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)


@cache
def lance() -> Any:
    """lance: all writes."""
    _prepare()
    import lance as module
    import lance.commit
    import lance.fragment

    return module


def open_dataset(table: "TablePlace", **more: Any) -> Any:
    """This table, opened with lance."""
    return lance().dataset(table.uri, storage_options=table.options, **more)


def index_record(**fields: Any) -> Any:
    """A segment of an index, for a commit. (As an attribute, `lance.dataset` is a function.)"""
    lance()
    from lance.dataset import Index

    return Index(**fields)


@cache
def lancedb() -> Any:
    """lancedb: reads, with queries that do not block the event loop."""
    _prepare()
    with namespaces.left_out():
        import lancedb as module

    return module


@cache
def pyarrow() -> Any:
    """pyarrow: the format of all data that is written or read."""
    import pyarrow as module
    import pyarrow.compute

    return module


@cache
def numpy() -> Any:
    """numpy. lance has imported it already."""
    import numpy as module

    return module
