"""Reads how much memory, descriptors, threads and tasks this process uses. It changes nothing."""

import asyncio
import os
import threading

from ragd.gateway.live_state import ProcessStats


def read_process_stats(index_bytes: int) -> ProcessStats:
    """The numbers now. Call it in the event loop, which counts the tasks."""
    tasks = len(asyncio.all_tasks())
    return ProcessStats(_memory(), index_bytes, _descriptors(), threading.active_count(), tasks)


def _memory() -> int | None:
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError):  # not on Linux
        return None


def _descriptors() -> int | None:
    try:
        return len(os.listdir("/proc/self/fd")) - 1  # noqa: PTH208 - one is the listing itself
    except OSError:
        return None
