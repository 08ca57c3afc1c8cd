"""Measures how long a thread has waited for the vault's disk, to tell a hanging disk from a long
computation. It never reads or writes a file."""

import functools
import threading
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class DiskWait:
    """The wait of one call. `since` is None while the call does not wait for the disk."""

    def __init__(self) -> None:
        self.since: float | None = None
        self.depth = 0  # marked functions may call each other

    def seconds(self) -> float:
        """For how long the disk has not answered."""
        since = self.since
        return 0.0 if since is None else time.monotonic() - since


class _ThreadWait(threading.local):
    wait: DiskWait | None = None


_this_thread = _ThreadWait()


def begin(wait: DiskWait) -> None:
    """A call begins in this thread. It counts as waiting until a marked function returns."""
    wait.since = time.monotonic()
    _this_thread.wait = wait


def end() -> None:
    """The call of this thread has ended."""
    if _this_thread.wait is not None:
        _this_thread.wait.since = None
    _this_thread.wait = None


def waits_for_disk(function: Callable[P, T]) -> Callable[P, T]:
    """Marks a function that waits for the disk."""

    @functools.wraps(function)
    def marked(*args: P.args, **kwargs: P.kwargs) -> T:
        wait = _this_thread.wait
        if wait is None:
            return function(*args, **kwargs)
        wait.depth += 1
        wait.since = time.monotonic()
        try:
            return function(*args, **kwargs)
        finally:
            wait.depth -= 1
            wait.since = time.monotonic() if wait.depth else None

    return marked


def disk_answered() -> None:
    """To be called in a long marked function each time the disk has answered."""
    wait = _this_thread.wait
    if wait is not None:
        wait.since = time.monotonic()
