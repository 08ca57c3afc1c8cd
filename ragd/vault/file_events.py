"""File events below a folder, from the operating system.

The system may drop events silently, so callers also need scans. It reads no file and follows no
link.
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

# `awatch` does not report when the watch has begun, and blocks the event loop until then.
from watchfiles._rust_notify import RustNotify

from ragd.vault import inotify
from ragd.vault.inotify import Inotify

QUIET_MS = 5000
WATCHES_TREES = sys.platform in (
    "darwin",
    "win32",
)  # one watch covers all subfolders; links are not followed
MOST_FOLDERS = 50_000  # each takes about a kilobyte of the system's memory
BEGIN_TRIES = 3
CHECK_MS = 250  # how soon an outdated watch is noticed, where nothing can wake the thread
ROOT = "."  # the path of the watched folder itself

EventKind = Literal["added", "modified", "deleted"]
FileEvent = tuple[EventKind, str]  # the path is relative to the folder, with `/`
_KINDS: dict[int, EventKind] = {1: "added", 2: "modified", 3: "deleted"}


class WatchDied(Exception):
    """The watch ended; `reason` is the name of an exception."""

    def __init__(self, why: Exception) -> None:
        self.reason = type(why).__name__
        super().__init__(self.reason)


class FileEvents:
    """An open watch on a folder and on the named folders below it. Must be closed."""

    def __init__(self, root: str, step_ms: int, folders: Collection[str] = ()) -> None:
        """Begins to watch. It visits every folder, so call it in a thread. Raises WatchDied.

        `folders` are relative to the root, with `/`. Missing ones are skipped.
        """
        self._root = os.path.realpath(root)  # some systems report only real paths
        self._step_ms = step_ms
        self._stop = threading.Event()
        self._thread = ThreadPoolExecutor(1, "file-events")
        self._closing: Future[None] | None = None
        self.is_outdated = False  # the folders have changed: open a new watch
        self._folders = set(folders)
        try:
            self._notify = self._begin()
        except (OSError, RuntimeError) as why:
            raise WatchDied(why) from None

    def _begin(self) -> RustNotify | Inotify:
        """Watches each folder separately, because a watch of a tree follows links out of it.

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
                if inotify.IS_AVAILABLE:
                    return Inotify(paths)
                return RustNotify(paths, False, False, 0, False, False)
            except FileNotFoundError:
                continue  # one of them was removed meanwhile
        raise FileNotFoundError(self._root)

    def _path_of(self, folder: str) -> str:
        return f"{self._root}/{folder}"

    def set_folders(self, folders: Collection[str]) -> None:
        """Set the folders to watch. If they differ from the current ones, the watch becomes
        outdated and `next` returns soon."""
        if not WATCHES_TREES and self._folders != set(folders):
            self.is_outdated = True
            self._wake()

    def _wake(self) -> None:
        if isinstance(self._notify, Inotify):
            self._notify.wake()

    async def next(self) -> set[FileEvent]:
        """Wait for events; an empty set after some quiet seconds. Raises WatchDied."""
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
        self._forget_folders(path for kind, path in events if kind == "deleted")
        return events

    def _forget_folders(self, gone: Iterable[str]) -> None:
        """A removed folder lost its watches, even if a folder of that name exists again."""
        for path in gone:
            if path in self._folders:
                below = f"{path}/"
                self._folders = {
                    name for name in self._folders if name != path and not name.startswith(below)
                }

    def close(self) -> None:
        """Close the watch, without waiting."""
        self._start_closing()

    async def wait_closed(self) -> None:
        """Close the watch and wait, so that the system can give the same watches again."""
        await asyncio.shield(asyncio.wrap_future(self._start_closing()))

    def _start_closing(self) -> "Future[None]":
        """Only the thread that waits for events may close the watch, and only once."""
        if self._closing is None:
            self._stop.set()
            self._wake()
            self._closing = self._thread.submit(self._notify.close)
            self._thread.shutdown(wait=False)
        return self._closing

    def _wait(self) -> set[tuple[int, str]]:
        end = time.monotonic() + QUIET_MS / 1000
        check_ms = QUIET_MS if isinstance(self._notify, Inotify) else min(QUIET_MS, CHECK_MS)
        while True:
            found = self._notify.watch(self._step_ms, self._step_ms, check_ms, self._stop)
            if not isinstance(found, str):
                return found
            if found != "timeout" or self.is_outdated or time.monotonic() >= end:
                return set()


def _is_folder(path: str) -> bool:
    """Whether this is a folder, and not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
