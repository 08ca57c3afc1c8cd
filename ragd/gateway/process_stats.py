"""Reads how much memory, descriptors, threads and tasks this process uses, and how much memory its
worker processes use. It changes nothing."""

import asyncio
import os
import threading

from ragd.gateway.live_state import ProcessStats


def read_process_stats(index_bytes: int) -> ProcessStats:
    """The numbers now. Call it in the event loop, which counts the tasks."""
    workers = _workers()
    return ProcessStats(
        _memory("self"),
        index_bytes,
        _descriptors(),
        threading.active_count(),
        len(asyncio.all_tasks()),
        None if workers is None else len(workers),
        None if workers is None else sum(_memory(pid) or 0 for pid in workers),
    )


def _memory(pid: str) -> int | None:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError):  # not on Linux, or it has just ended
        return None


def _workers() -> list[str] | None:
    """The process ids of all processes that this one has started."""
    try:
        threads = os.listdir("/proc/self/task")  # noqa: PTH208
    except OSError:
        return None
    return [pid for thread in threads for pid in _started_by(thread)]


def _started_by(thread: str) -> list[str]:
    try:
        with open(f"/proc/self/task/{thread}/children", encoding="ascii") as file:  # noqa: PTH123
            return file.read().split()
    except OSError:  # the thread has just ended, or the kernel does not report it
        return []


def _descriptors() -> int | None:
    try:
        return len(os.listdir("/proc/self/fd")) - 1  # noqa: PTH208 - one is the listing itself
    except OSError:
        return None
