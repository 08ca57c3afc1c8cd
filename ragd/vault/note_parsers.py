"""Splits many notes into chunks in processes beside the daemon, so that questions do not wait for
it; a few notes, such as a saved one, in the daemon itself.

The processes start with the first large read and end after a time without one. If one crashes or
hangs, its notes are split in the daemon: nothing is lost, and nothing is tried forever. The chunks
are the same either way. It never reads a file.
"""

import contextlib
import os
import select
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence

import structlog

from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import Unparsable, parse_note
from ragd.vault.parse_worker import ParseRequest, UnparsedNote, encode_request, read_reply
from ragd.vault.piped_process import IdleTimer, PipedProcess
from ragd.vault.token_count import shipped_word_pieces

log = structlog.get_logger("note_parsers")

MOST_PROCESSES = 2
IDLE_S = 20.0
WITHIN_S = 60.0  # for one request; a busy machine must not fail a good one
REST_S = 600.0  # after several failures in a row, for how long the daemon splits all notes
MOST_FAILURES = 3
HERE_NOTES, HERE_BYTES = 32, 250_000  # up to so many are split in the daemon
REQUEST_NOTES, REQUEST_BYTES = 64, 150_000
COMMAND = (sys.executable, "-P", "-m", "ragd.vault.parse_worker")

Parsed = Note | Unparsable


class NoteParsers:
    """Splits notes into chunks; to be called in any thread."""

    def __init__(
        self,
        command: Sequence[str] = COMMAND,
        idle_s: float = IDLE_S,
        within_s: float = WITHIN_S,
    ) -> None:
        self.count_tokens = shipped_word_pieces().count
        self._command = command
        self._within_s = within_s
        self._one_at_a_time = threading.Lock()
        self._idle = IdleTimer(idle_s, self._one_at_a_time, self._end_all)
        self._guard = threading.Lock()  # of `_processes` and `_closed`
        self._processes: list[PipedProcess] = []
        self._closed = False
        self._failures = 0  # in a row
        self._rests_until = 0.0

    @property
    def pids(self) -> list[int]:
        """The process ids of the processes that run."""
        with self._guard:
            return [process.pid for process in self._processes]

    def parse(
        self, collection: str, notes: Sequence[UnparsedNote], options: ChunkOptions
    ) -> list[Parsed]:
        """The notes of one collection, split into chunks, in the same order."""
        requests = _requests(collection, notes, options)
        if _are_few(notes) or self._must_rest():
            return self._parse_here(requests)
        with self._one_at_a_time:
            self._idle.cancel()
            try:
                return self._parse_there(requests)
            finally:
                self._idle.start()

    def close(self) -> None:
        """End the processes. Notes that are being split are finished in the daemon."""
        with self._guard:
            self._closed = True
            for process in self._processes:
                process.kill()
        with self._one_at_a_time:
            self._idle.cancel()
            self._end_all()

    def _must_rest(self) -> bool:
        return self._closed or time.monotonic() < self._rests_until

    def _parse_here(self, requests: Sequence[ParseRequest]) -> list[Parsed]:
        return [
            parse_note(
                note.path, note.data, one.options, self.count_tokens, collection=one.collection
            )
            for one in requests
            for note in one.notes
        ]

    def _parse_there(self, requests: Sequence[ParseRequest]) -> list[Parsed]:
        """Keep all processes busy; each gets its next request when it has answered the last."""
        waiting = deque(enumerate(requests))
        answers: list[list[Parsed] | None] = [None] * len(requests)
        busy: deque[tuple[PipedProcess, int]] = deque()
        for process in self._running(min(MOST_PROCESSES, _cores(), len(requests))):
            self._send_next(process, waiting, busy)
        while busy:
            process, place = _first_done(busy, self._within_s)
            answers[place] = _answer(process, requests[place], self._within_s)
            if answers[place] is None:
                self._drop(process)
            else:
                self._failures = 0
                self._send_next(process, waiting, busy)
        return [
            note
            for one, notes in zip(requests, answers, strict=True)
            for note in (self._parse_here([one]) if notes is None else notes)
        ]

    def _send_next(
        self,
        process: "PipedProcess",
        waiting: deque[tuple[int, ParseRequest]],
        busy: deque[tuple["PipedProcess", int]],
    ) -> None:
        if waiting:
            place, request = waiting.popleft()
            _send(process, request, self._within_s)
            busy.append((process, place))

    def _running(self, count: int) -> list["PipedProcess"]:
        """This many processes, or fewer if they cannot be started."""
        for process in list(self._processes):
            if process.has_ended:
                self._end(process)
        with self._guard:
            while len(self._processes) < count and not self._closed:
                try:
                    self._processes.append(PipedProcess(self._command))
                except OSError:
                    break
            return self._processes[:count]

    def _drop(self, process: "PipedProcess") -> None:
        """This one has failed: its notes are split in the daemon."""
        self._end(process)
        if self._closed:
            return
        self._failures += 1
        log.warning("note_parser_ended", failures=self._failures)
        if self._failures >= MOST_FAILURES:
            self._rests_until = time.monotonic() + REST_S
            self._failures = 0

    def _end(self, process: "PipedProcess") -> None:
        with self._guard:
            self._processes = [one for one in self._processes if one is not process]
        process.end()

    def _end_all(self) -> None:
        for process in list(self._processes):
            self._end(process)


def _send(process: PipedProcess, request: ParseRequest, within_s: float) -> None:
    """Send a request. If that is not possible, `_answer` returns None."""
    with process.killed_after(within_s), contextlib.suppress(OSError, ValueError):
        process.write(encode_request(request))


def _answer(process: PipedProcess, request: ParseRequest, within_s: float) -> list[Parsed] | None:
    """The answer to the request that was sent; None if the process crashed or hangs."""
    try:
        with process.killed_after(within_s):
            return read_reply(process.replies, request)
    except (OSError, ValueError):  # it has ended, or sends what is not a reply
        return None


def _first_done(busy: deque[tuple[PipedProcess, int]], within_s: float) -> tuple[PipedProcess, int]:
    """Remove and return one that has begun to answer, if the system can tell."""
    if sys.platform != "win32":
        ready = select.select([process.replies for process, _ in busy], [], [], within_s)[0]
        while ready and busy[0][0].replies not in ready:
            busy.rotate(-1)
    return busy.popleft()


def _requests(
    collection: str, notes: Sequence[UnparsedNote], options: ChunkOptions
) -> list[ParseRequest]:
    """The notes in requests of about the same size."""
    requests: list[ParseRequest] = []
    part: list[UnparsedNote] = []
    size = 0
    for note in notes:
        part.append(note)
        size += len(note.data)
        if len(part) >= REQUEST_NOTES or size >= REQUEST_BYTES:
            requests.append(ParseRequest(collection, options, part))
            part, size = [], 0
    if part:
        requests.append(ParseRequest(collection, options, part))
    return requests


def _are_few(notes: Sequence[UnparsedNote]) -> bool:
    return len(notes) <= HERE_NOTES and sum(len(note.data) for note in notes) <= HERE_BYTES


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
