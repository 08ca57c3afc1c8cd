"""The native libraries, imported on first use and in whatever thread asks: they take seconds.

It never imports them by itself: whoever imports this package pays nothing.
"""

import contextlib
import ctypes
import os
from functools import cache
from typing import Any

from ragd.store.lance import namespaces

_THREADS_MAX = 4

READER_CACHES = {
    "index_cache_size_bytes": 64 << 20,
    "metadata_cache_size_bytes": 32 << 20,
}
ROW_CACHES = {
    "index_cache_size_bytes": 8 << 20,  # rows are read by their ids; small tables are filtered, too
    "metadata_cache_size_bytes": 16 << 20,
}
WRITER_CACHES = {
    "index_cache_size_bytes": 16 << 20,
    "metadata_cache_size_bytes": 16 << 20,
}

_M_ARENA_MAX = -8  # from glibc's malloc.h
_ARENAS = 2


def _prepare() -> None:
    """What the libraries read from the environment, once, when they are loaded."""
    threads = str(min(_THREADS_MAX, os.cpu_count() or 1))
    for name, value in {
        "LANCEDB_LOG": "error",  # else a warning per query on stderr
        "LANCE_LOG": "error",
        "LANCE_CPU_THREADS": threads,  # more threads are more memory, not more speed
        "LANCE_IO_THREADS": str(_THREADS_MAX),
        "LANCE_INCLUDE_VECTOR_CENTROIDS": "false",
    }.items():
        os.environ.setdefault(name, value)
    _limit_arenas()


def _limit_arenas() -> None:
    """One pool of memory for each of their many threads is a quarter more of it in all."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)


@cache
def lance() -> Any:
    """Lance itself: it alone writes."""
    _prepare()
    import lance as module
    import lance.commit
    import lance.fragment

    return module


def index_record(**fields: Any) -> Any:
    """A segment of an index as a commit names it. (`lance.dataset` is a function of that name.)"""
    lance()
    from lance.dataset import Index

    return Index(**fields)


@cache
def lancedb() -> Any:
    """LanceDB: it reads, with queries that do not block the event loop."""
    _prepare()
    with namespaces.left_out():
        import lancedb as module

    return module


@cache
def pyarrow() -> Any:
    """Arrow: the shape of what goes in and comes out."""
    import pyarrow as module
    import pyarrow.compute

    return module


@cache
def numpy() -> Any:
    """Numbers in bulk; lance has imported it already."""
    import numpy as module

    return module
