"""What happens below a folder, as the system tells it.

It may drop events without a word, so nobody may rely on these alone. It reads no file.
"""

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

# `awatch` does not tell when the watch has begun, and holds up the loop until then.
from watchfiles._rust_notify import RustNotify

QUIET_MS = 5000
ROOT = "."  # the folder itself, among the paths

EventKind = Literal["added", "modified", "deleted"]
FileEvent = tuple[EventKind, str]  # the path is relative to the folder, with `/`
_KINDS: dict[int, EventKind] = {1: "added", 2: "modified", 3: "deleted"}


class WatchDied(Exception):
    """There will be no more events; `reason` is the name of an exception."""

    def __init__(self, why: Exception) -> None:
        self.reason = type(why).__name__
        super().__init__(self.reason)


class FileEvents:
    """An open watch. To be closed."""

    def __init__(self, root: str, step_ms: int) -> None:
        """Begins to watch, which takes a look at every folder: for a thread. Raises WatchDied."""
        self._root = os.path.realpath(root)  # some systems tell only real paths
        self._step_ms = step_ms
        self._stop = threading.Event()
        self._thread = ThreadPoolExecutor(1, "file-events")
        try:
            # Were it told to ignore what it may not read, it would ignore every other error too,
            # and leave an unknown part of the folders unwatched.
            self._notify = RustNotify([self._root], False, False, 0, True, False)
        except (OSError, RuntimeError) as why:
            raise WatchDied(why) from None

    async def next(self) -> set[FileEvent]:
        """What happened; nothing after some quiet seconds. Raises WatchDied."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._thread, self._wait)
        except (OSError, RuntimeError, UnicodeDecodeError) as why:
            raise WatchDied(why) from None
        below = self._root.rstrip(os.sep) + os.sep
        events: set[FileEvent] = set()
        for kind, name in found:
            if name == self._root:
                events.add((_KINDS[kind], ROOT))
            elif name.startswith(below):
                events.add((_KINDS[kind], name[len(below) :].replace(os.sep, "/")))
        return events

    def close(self) -> None:
        """Let go, without waiting; only the thread that waits for events may close them."""
        self._stop.set()
        self._thread.submit(self._notify.close)
        self._thread.shutdown(wait=False)

    def _wait(self) -> set[tuple[int, str]]:
        found = self._notify.watch(self._step_ms, self._step_ms, QUIET_MS, self._stop)
        return set() if isinstance(found, str) else found
