"""What lance's failures mean. It has no exception classes of its own, so their words are read.

Damage has more words than anybody can list: whatever lance raises is damage, unless it speaks of a
mistake of ours. That, and what is not lance's, passes through: a bug shall look like one. A want of
descriptors or memory says nothing about the index.
"""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb

from ragd.errors import RagdError

_FULL = re.compile(
    r"no space left on device|disk quota exceeded|read-only file system|permission denied"
    r"|os error (?:13|28|30|122)\b"
)
_MISSING = ("was not found", "dataset at path")
_NO_DAMAGE = (
    *("no field named", "error parsing", "error resolving", "error during planning"),
    *("no vector column found", "commit conflict"),
)
_WANTS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_WANT = re.compile(r"too many open files|cannot allocate memory|os error (?:12|23|24)\b")
_PANICS = ("PanicException", "RustPanic")  # in the thread that called, and in what it awaits
_TASK_PANICKED = re.compile(r"\btask \d+ panicked\b")  # in a thread of lance's own
_LANCE = ("lance", "lancedb")


class CannotCheck(Exception):
    """Nobody could look at the index: it may be whole or damaged."""


def is_failure_of_lance(why: BaseException) -> bool:
    """Lance raises built-in errors; a panic in it may not even be an Exception."""
    return isinstance(why, OSError | ValueError | RuntimeError) or _is_panic(why)


def is_want(why: BaseException) -> bool:
    """The process, or the machine, lacks what one needs to look."""
    if isinstance(why, MemoryError) or (isinstance(why, OSError) and why.errno in _WANTS):
        return True
    return _WANT.search(str(why).lower()) is not None


def _is_panic(why: BaseException) -> bool:
    return type(why).__name__ in _PANICS or _TASK_PANICKED.search(str(why)) is not None


def code_of(why: BaseException) -> str | None:
    """The error code this failure stands for, if it stands for one."""
    if not is_failure_of_lance(why) or is_want(why):
        return None
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
    """All that is native in it is called from its own Python."""
    frames = (frame for frame, _ in walk_tb(why.__traceback__))
    return any(str(f.f_globals.get("__name__")).partition(".")[0] in _LANCE for f in frames)


@contextmanager
def translated(table: Path | None = None) -> Iterator[None]:
    """Raise damage and a full disk as errors that a person can act on. If the folder of the table
    is gone, the table is missing and not damaged."""
    try:
        yield
    except RagdError:
        raise
    except BaseException as why:
        code = code_of(why)
        if code is None:
            raise
        if code == "INDEX_CORRUPTED" and table is not None and not table.is_dir():
            code = "INDEX_NOT_FOUND"
        raise RagdError(code) from why
