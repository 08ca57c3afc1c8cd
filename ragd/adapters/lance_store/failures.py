"""What lance's failures mean. It has no exception classes of its own, so their words are read.

What is neither damage nor a disk that takes nothing passes through: a bug shall look like one.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ragd.errors import RagdError

_FULL = (
    *("no space left on device", "disk quota exceeded", "os error 28", "os error 122"),
    *("read-only file system", "permission denied", "os error 30", "os error 13"),
)
_MISSING = ("was not found", "dataset at path")
_DAMAGE = (
    "not found:",
    "no such file",
    "failed to fill whole buffer",
    "invalid magic",
    "corrupt",
    "invalid range",
    "range was invalid",
    "size is too small",
    "failed to decode protobuf",
    "does not appear to be a lance file",
    "unsupported index version",
)


def is_failure_of_lance(why: BaseException) -> bool:
    """Lance raises built-in errors; a panic in it is not even an Exception."""
    return isinstance(why, OSError | ValueError | RuntimeError) or is_panic(why)


def is_panic(why: BaseException) -> bool:
    return type(why).__name__ == "PanicException"


def code_of(why: BaseException) -> str | None:
    """The error code this failure stands for, if it stands for one."""
    words = str(why).lower()
    if any(phrase in words for phrase in _FULL):
        return "DISK_FULL"
    if any(phrase in words for phrase in _MISSING):
        return "INDEX_NOT_FOUND"
    if is_panic(why) or any(phrase in words for phrase in _DAMAGE):
        return "INDEX_CORRUPTED"
    return None


@contextmanager
def translated() -> Iterator[None]:
    """Raise damage and a full disk as errors that a person can act on."""
    try:
        yield
    except RagdError:
        raise
    except BaseException as why:
        code = code_of(why) if is_failure_of_lance(why) else None
        if code is None:
            raise
        raise RagdError(code) from why
