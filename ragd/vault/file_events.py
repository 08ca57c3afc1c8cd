"""What happens below a folder, as the system tells it.

It may drop events without a word, so nobody may rely on these alone. It reads no file, and follows
no link.
"""

import asyncio
import errno
import os
import stat
import sys
import threading
import time
from collections.abc import Collection, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Literal

# `awatch` does not tell when the watch has begun, and holds up the loop until then.
from watchfiles._rust_notify import RustNotify

QUIET_MS = 5000
WATCHES_TREES = sys.platform in ("darwin", "win32")  # the system does, and follows no link
MOST_FOLDERS = 50_000  # each takes about a kilobyte of the system's memory
BEGIN_TRIES = 3
LOOK_MS = 250  # so soon a watch that is outdated is noticed
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
    """An open watch on a folder and on those below it that were named. To be closed."""

    def __init__(self, root: str, step_ms: int, folders: Collection[str] = ()) -> None:
        """Begins to watch, which takes a look at every folder: for a thread. Raises WatchDied.

        `folders` are relative to the root, with `/`. Those that are gone are left out.
        """
        self._root = os.path.realpath(root)  # some systems tell only real paths
        self._step_ms = step_ms
        self._stop = threading.Event()
        self._thread = ThreadPoolExecutor(1, "file-events")
        self._closing: Future[None] | None = None
        self.is_outdated = False  # other folders have to be watched: open another watch
        self._folders = set(folders)
        try:
            self._notify = self._begin()
        except (OSError, RuntimeError) as why:
            raise WatchDied(why) from None

    def _begin(self) -> RustNotify:
        """Watches each folder by itself: a watch of a whole tree follows links out of it.

        Where the system watches trees without following links, one watch of the root is enough.
        """
        if WATCHES_TREES:
            return RustNotify([self._root], False, False, 0, True, False)
        if len(self._folders) > MOST_FOLDERS:
            raise OSError(errno.ENOSPC, "too many folders")
        for _ in range(BEGIN_TRIES):
            self._folders = {name for name in self._folders if _is_folder(self._path_of(name))}
            paths = [self._root, *map(self._path_of, self._folders)]
            try:
                return RustNotify(paths, False, False, 0, False, False)
            except FileNotFoundError:
                continue  # one of them went meanwhile
        raise FileNotFoundError(self._root)

    def _path_of(self, folder: str) -> str:
        return f"{self._root}/{folder}"

    def follow(self, folders: Collection[str]) -> None:
        """The folders that are to be watched now. If others are watched, `next` returns soon, and
        the watch `is_outdated`."""
        if not WATCHES_TREES and self._folders != set(folders):
            self.is_outdated = True

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
        self._forget(path for kind, path in events if kind == "deleted")
        return events

    def _forget(self, gone: Iterable[str]) -> None:
        """A folder that went took its watches along, also if one of that name is there again."""
        for path in gone:
            if path in self._folders:
                below = f"{path}/"
                self._folders = {
                    name for name in self._folders if name != path and not name.startswith(below)
                }

    def close(self) -> None:
        """Let go, without waiting."""
        self._let_go()

    async def closed(self) -> None:
        """Let go, and wait for it, so that the system can give the same watches again."""
        await asyncio.shield(asyncio.wrap_future(self._let_go()))

    def _let_go(self) -> "Future[None]":
        """Only the thread that waits for events may close them, and only once."""
        if self._closing is None:
            self._stop.set()
            self._closing = self._thread.submit(self._notify.close)
            self._thread.shutdown(wait=False)
        return self._closing

    def _wait(self) -> set[tuple[int, str]]:
        end = time.monotonic() + QUIET_MS / 1000
        while True:
            look_ms = min(QUIET_MS, LOOK_MS)
            found = self._notify.watch(self._step_ms, self._step_ms, look_ms, self._stop)
            if not isinstance(found, str):
                return found
            if found != "timeout" or self.is_outdated or time.monotonic() >= end:
                return set()


def _is_folder(path: str) -> bool:
    """Whether this is a folder and not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
