"""How much of the machine this process takes: a look at itself, as the system tells it."""

import asyncio
import os
import threading

from ragd.gateway.status import Footprint


def footprint() -> Footprint:
    """As it is now; from within the event loop."""
    return Footprint(_memory(), _descriptors(), threading.active_count(), len(asyncio.all_tasks()))


def _memory() -> int | None:
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError):  # not on Linux
        return None


def _descriptors() -> int | None:
    try:
        return len(os.listdir("/proc/self/fd")) - 1  # noqa: PTH208 - one is of this look
    except OSError:
        return None
