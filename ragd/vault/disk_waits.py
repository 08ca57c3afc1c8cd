"""Notes since when a thread waits for the vault's disk, so that a hanging disk can be told from
long computing. It never reads or writes a file."""

import functools
import threading
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Wait:
    """What one call is doing. `since` is None while it does not wait for the disk."""

    def __init__(self) -> None:
        self.since: float | None = None
        self.depth = 0  # marked functions call each other

    def seconds(self) -> float:
        """How long the disk has not answered."""
        since = self.since
        return 0.0 if since is None else time.monotonic() - since


class _Here(threading.local):
    wait: Wait | None = None


_here = _Here()


def begin(wait: Wait) -> None:
    """A call starts in this thread. It counts as waiting until a marked function has returned."""
    wait.since = time.monotonic()
    _here.wait = wait


def end() -> None:
    """The call of this thread is over."""
    if _here.wait is not None:
        _here.wait.since = None
    _here.wait = None


def on_disk(function: Callable[P, T]) -> Callable[P, T]:
    """Marks a function that waits for the disk."""

    @functools.wraps(function)
    def marked(*args: P.args, **kwargs: P.kwargs) -> T:
        wait = _here.wait
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
    """Inside a long marked function: the disk has just answered."""
    wait = _here.wait
    if wait is not None:
        wait.since = time.monotonic()
