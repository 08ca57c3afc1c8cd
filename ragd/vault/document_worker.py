"""Reads PDF files, office files and images in a process that has limits and may crash.

The process starts with the first file and is ended after a time without any. A file on which it
hangs, crashes or answers nonsense gets a reason; the next file gets a new process. The daemon
itself never parses these files, and never waits longer than the limit for one.
"""

import contextlib
import signal
import sys
import threading
from collections.abc import Sequence
from typing import NamedTuple

import structlog

from ragd.notes.documents.model import Document, Unreadable
from ragd.runtime import subprocesses
from ragd.runtime.frames import read_frame
from ragd.vault.foreign_readers import limits
from ragd.vault.foreign_readers.messages import KINDS, checked, encode_request
from ragd.vault.foreign_readers.reasons import (
    CRASHED,
    TOO_LARGE,
    TOO_MUCH_MEMORY,
    TOO_SLOW,
    UNKNOWN_KIND,
)
from ragd.vault.piped_process import IdleTimer, PipedProcess

log = structlog.get_logger("documents")

IDLE_S = 30.0
FILES_PER_PROCESS = 200  # then a new one starts, in case the libraries leak memory
MUCH_MEMORY = 0.4  # of the limit: a crash with more is for lack of memory
COMMAND = (sys.executable, "-P", "-m", "ragd.vault.foreign_readers")
_OUT_OF_TIME = -signal.SIGXCPU if hasattr(signal, "SIGXCPU") else None


class CannotRead(Exception):
    """Nothing is known about the file: the worker was closed, or its process could not start."""


class _Ended(Exception):
    """The process has ended, or must not be used any more."""

    def __init__(self, reason: str, *, may_differ: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.may_differ = may_differ  # a new process may read the file


class _Request(NamedTuple):
    kind: str
    framed: bytes


class DocumentWorker:
    """Reads one file at a time; to be called in any thread."""

    def __init__(
        self,
        idle_s: float = IDLE_S,
        within_s: float = limits.WALL_S,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self.within_s = within_s
        self._command = command
        self._one_at_a_time = threading.Lock()
        self._idle = IdleTimer(idle_s, self._one_at_a_time, self._end)
        self._guard = threading.Lock()  # of `_process` and `_closed`
        self._process: _Process | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The process id while the process runs."""
        process = self._process
        return process.pipes.pid if process is not None else None

    def read(self, kind: str, data: bytes) -> Document | Unreadable:
        """The text of a file, or why there is none. Raises CannotRead if nothing is known about the
        file: then it may be tried again."""
        if kind not in KINDS:
            return Unreadable(UNKNOWN_KIND)
        if len(data) > limits.INPUT_BYTES:
            return Unreadable(TOO_LARGE)
        request = _Request(kind, encode_request(kind, data))
        with self._one_at_a_time:
            self._idle.cancel()
            try:
                return self._read(request)
            finally:
                self._idle.start()

    def close(self) -> None:
        """End the process. A read that is under way raises CannotRead."""
        with self._guard:
            self._closed = True
            if self._process is not None:
                self._process.pipes.kill()
        with self._one_at_a_time:
            self._idle.cancel()
            self._end()

    def _read(self, request: _Request) -> Document | Unreadable:
        """Only a new process decides that a file crashes it: the one before may have been damaged
        by an earlier file, or killed from outside."""
        try:
            return self._read_once(request)
        except _Ended as why:
            if not why.may_differ:
                return Unreadable(why.reason)
        try:
            return self._read_once(request)
        except _Ended as why:
            return Unreadable(why.reason)

    def _read_once(self, request: _Request) -> Document | Unreadable:
        process = self._running(request.kind)
        try:
            found, defect = process.ask(request, self.within_s)
        except _Ended as why:
            self._end()
            if self._closed:
                raise CannotRead("the worker was closed") from None
            log.warning("document_reader_ended", kind=request.kind, reason=why.reason)
            raise
        if defect:
            log.warning("document_reader_failed", kind=request.kind, error=defect)
        if found == Unreadable(TOO_MUCH_MEMORY):
            self._end()
            if process.answered > 1:
                raise _Ended(TOO_MUCH_MEMORY, may_differ=True)
        elif process.answered >= FILES_PER_PROCESS:
            self._end()
        return found

    def _running(self, kind: str) -> "_Process":
        """The process for this kind. The models for images stay in memory, so what is read after
        an image gets a process of its own."""
        process = self._process
        if process is not None and (
            process.pipes.has_ended or (process.has_models and kind != "image")
        ):
            self._end()
        with self._guard:
            if self._closed:
                raise CannotRead("the worker was closed")
            if self._process is None:
                try:
                    self._process = _Process(self._command)
                except OSError:
                    raise CannotRead("the process could not be started") from None
            return self._process

    def _end(self) -> None:
        """End the process: it has nothing to save, so it is killed."""
        with self._guard:
            process, self._process = self._process, None
        if process is not None:
            process.pipes.end()


class _Process:
    """The running process. Raises OSError if it cannot be started."""

    def __init__(self, command: Sequence[str]) -> None:
        self.pipes = PipedProcess(
            command, ORT_DISABLE_TELEMETRY="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"
        )
        self.answered = 0
        self.has_models = False
        self._inherited = _most_memory()

    def ask(self, request: _Request, within_s: float) -> tuple[Document | Unreadable, str]:
        """The answer, and the place of a defect of the reader, if there was one. Raises _Ended."""
        self.has_models |= request.kind == "image"
        # Suppressed: the process has ended, or sends what is not a reply.
        pipes = self.pipes
        with pipes.killed_after(within_s) as too_slow, contextlib.suppress(OSError, ValueError):
            pipes.write(request.framed)
            body = read_frame(pipes.replies, limits.REPLY_BYTES)
            if body is not None:
                answer = checked(body)
                self.answered += 1
                return answer
        raise self._why_ended(too_slow.is_set())

    def _why_ended(self, too_slow: bool) -> _Ended:
        code, memory = self.pipes.kill_and_wait()
        if too_slow or code == _OUT_OF_TIME:
            return _Ended(TOO_SLOW, may_differ=False)
        crashed = subprocesses.has_crashed(code)
        most = limits.OCR_MEMORY_BYTES if self.has_models else limits.MEMORY_BYTES
        full = crashed and memory > max(MUCH_MEMORY * most, self._inherited)
        reason = TOO_MUCH_MEMORY if full else CRASHED
        return _Ended(reason, may_differ=not crashed or self.answered > 0)


def _most_memory() -> int:
    """The memory that this process had at most. The system counts it for a child, too, because the
    child begins as a copy: what the child needs itself is known only above this."""
    if sys.platform == "win32":
        return 0
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used * (1 if sys.platform == "darwin" else 1024)
