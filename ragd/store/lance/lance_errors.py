"""Translates lance's failures to error codes. lance has no exception classes, so messages are read.

Damage has too many messages to list. So whatever lance raises counts as damage, except for messages
about a wrong call. Those, and exceptions that are not lance's, are raised unchanged, so that a bug
looks like a bug. A lack of memory or file descriptors is not damage.
"""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb

from ragd.errors import RagdError
from ragd.objects.store_errors import ObjectStoreError, store_code
from ragd.store.lance.index_place import TablePlace, table_at

_FULL = re.compile(
    r"no space left on device|disk quota exceeded|read-only file system|permission denied"
    r"|os error (?:13|28|30|122)\b"
)
_TAKEN_OVER = "incompatible with concurrent transaction Restore"  # see fence.py
_MISSING = ("was not found", "dataset at path")
_NO_DAMAGE = (
    *("no field named", "error parsing", "error resolving", "error during planning"),
    *("no vector column found", "commit conflict"),
)
_RESOURCE_ERRNOS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_OUT_OF_RESOURCES = re.compile(
    r"too many open files|cannot allocate memory|os error (?:12|23|24)\b"
)
_PANICS = ("PanicException", "RustPanic")  # in the thread that called, and in what it awaits
_TASK_PANICKED = re.compile(r"\btask \d+ panicked\b")  # in a thread of lance's own
_LANCE = ("lance", "lancedb")


class CannotCheck(Exception):
    """The index could not be checked: it may be whole or damaged."""


def is_failure_of_lance(why: BaseException) -> bool:
    """lance raises built-in errors; a panic in it may not even be an Exception."""
    return isinstance(why, OSError | ValueError | RuntimeError) or _is_panic(why)


def is_out_of_resources(why: BaseException) -> bool:
    """Whether memory or file descriptors ran out."""
    if isinstance(why, MemoryError) or (isinstance(why, OSError) and why.errno in _RESOURCE_ERRNOS):
        return True
    return _OUT_OF_RESOURCES.search(str(why).lower()) is not None


def _is_panic(why: BaseException) -> bool:
    return type(why).__name__ in _PANICS or _TASK_PANICKED.search(str(why)) is not None


def code_of(why: BaseException) -> str | None:
    """The error code of this failure; None if it is not one of lance's."""
    if not is_failure_of_lance(why) or is_out_of_resources(why):
        return None
    if _TAKEN_OVER in str(why):
        return "INDEX_HELD"
    if (code := store_code(str(why))) is not None:
        return code
    words = str(why).lower()
    if _FULL.search(words):
        return "DISK_FULL"
    if any(phrase in words for phrase in _MISSING):
        return "INDEX_NOT_FOUND"
    if _is_panic(why) or isinstance(why, FileNotFoundError):
        return "INDEX_CORRUPTED"
    if any(phrase in words for phrase in _NO_DAMAGE) or not _was_raised_by_lance(why):
        return None
    return "INDEX_CORRUPTED"


def _was_raised_by_lance(why: BaseException) -> bool:
    """Whether the traceback contains lance's own Python code, which makes all its native calls."""
    frames = (frame for frame, _ in walk_tb(why.__traceback__))
    return any(str(f.f_globals.get("__name__")).partition(".")[0] in _LANCE for f in frames)


def raise_if_store_failed(why: BaseException) -> None:
    """Raise a failure of the object store, which says nothing about the table, as RagdError."""
    if (code := store_code(str(why))) is not None:
        raise ObjectStoreError(code) from why


@contextmanager
def translated(table: Path | TablePlace | None = None) -> Iterator[None]:
    """Raise damage and a full disk as RagdError. If the folder of the table is gone, the table is
    missing, not damaged."""
    try:
        yield
    except RagdError:
        raise
    except BaseException as why:
        code = code_of(why)
        if code is None:
            raise
        if code == "INDEX_CORRUPTED" and table is not None and not table_at(table).exists():
            code = "INDEX_NOT_FOUND"
        raise RagdError(code) from why
