"""File events on Linux, straight from the kernel: the thread that waits sleeps until one comes.

It has the methods of watchfiles' `RustNotify`, which wakes up twenty times a second to look for
events. It watches the folders that it is given, not those below them, reads no file and follows no
link.
"""

import ctypes
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Iterable, Iterator

MODIFY, ATTRIB = 0x2, 0x4
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF, UNMOUNT, OVERFLOW, IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
ONLY_FOLDER, NO_LINK = 0x1000000, 0x2000000
ADDED, MODIFIED, DELETED = 1, 2, 3  # as watchfiles numbers them

_CHANGES = MODIFY | ATTRIB | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF
_KINDS = (
    (CREATE | MOVED_TO, ADDED),
    (DELETE | MOVED_FROM | DELETE_SELF | MOVE_SELF | UNMOUNT, DELETED),
    (MODIFY | ATTRIB, MODIFIED),
)
_HEADER = struct.Struct("iIII")  # which watch, what happened, a cookie, the length of the name
READ_BYTES = 256 * 1024
QUIET_SHARE = 0.2  # of a step: without events for that long, those that came are returned

Event = tuple[int, str]

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
IS_AVAILABLE = _libc is not None and hasattr(_libc, "inotify_init1") and hasattr(os, "eventfd")


class Inotify:
    """An open watch. One thread waits and closes it; any thread may wake that one."""

    def __init__(self, folders: Iterable[str]) -> None:
        """Watch from now on. Raises OSError: FileNotFoundError if one is not a folder any more."""
        self._descriptor = _checked(_libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK), "inotify")  # type: ignore[union-attr]
        self._folders: dict[int, str] = {}  # by the number of its watch
        self._paths: set[str] = set()  # the same folders
        self._root = ""
        self._lock = threading.Lock()
        self._waker: int | None = None
        try:
            for folder in folders:
                self._add(folder)
            self._waker = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        except BaseException:
            os.close(self._descriptor)
            raise
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)
        self._poll.register(self._waker, select.POLLIN)

    def _add(self, folder: str) -> None:
        mask = ctypes.c_uint32(_CHANGES | ONLY_FOLDER | NO_LINK)
        try:
            watch = _checked(
                _libc.inotify_add_watch(self._descriptor, os.fsencode(folder), mask),  # type: ignore[union-attr]
                folder,
            )
        except NotADirectoryError:
            raise FileNotFoundError(folder) from None
        self._folders[watch] = folder
        self._paths.add(folder)
        self._root = self._root or folder  # the first one

    def watch(
        self, debounce_ms: int, step_ms: int, timeout_ms: int, stop: threading.Event
    ) -> set[Event] | str:
        """The next events: those of a moment, at most of `step_ms`. "timeout" if none came or the
        thread was woken, "stop" if `stop` is set."""
        self._poll.poll(timeout_ms)
        self._clear_waker()
        if stop.is_set():
            return "stop"
        found: set[Event] = set()
        end = time.monotonic() + step_ms / 1000
        while more := set(self._read()):
            found |= more
            left_ms = (end - time.monotonic()) * 1000
            if left_ms <= 0 or not self._poll.poll(min(left_ms, step_ms * QUIET_SHARE)):
                break
        return found or "timeout"

    def _read(self) -> Iterator[Event]:
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except BlockingIOError:
            return
        offset = 0
        while offset < len(data):
            watch, mask, _, length = _HEADER.unpack_from(data, offset)
            offset += _HEADER.size
            name = data[offset : offset + length].rstrip(b"\0").decode()
            offset += length
            if mask & OVERFLOW:
                yield ADDED, self._root  # some events are lost: everything has to be looked at
            elif (folder := self._folders.get(watch)) is not None:
                path = f"{folder}/{name}" if name else folder
                for bits, kind in _KINDS:
                    if mask & bits:
                        yield kind, path
                        if kind == DELETED:
                            self._forget(path)
            if mask & IGNORED and watch in self._folders:
                self._paths.discard(self._folders.pop(watch))

    def _forget(self, path: str) -> None:
        """A folder that was moved is watched no longer, nor are those in it: they may be outside
        now."""
        if path not in self._paths:
            return
        below = f"{path}/"
        for watch, folder in list(self._folders.items()):
            if folder == path or folder.startswith(below):
                del self._folders[watch]
                self._paths.discard(folder)
                _libc.inotify_rm_watch(self._descriptor, watch)  # type: ignore[union-attr]

    def wake(self) -> None:
        """Let `watch` return soon."""
        with self._lock:
            if self._waker is not None:
                os.eventfd_write(self._waker, 1)

    def _clear_waker(self) -> None:
        if self._waker is not None:
            try:
                os.eventfd_read(self._waker)
            except BlockingIOError:
                return

    def close(self) -> None:
        """End the watch. Only the thread that waits for events may call it, and once."""
        with self._lock:
            waker, self._waker = self._waker, None
        if waker is not None:
            os.close(waker)
            os.close(self._descriptor)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result
