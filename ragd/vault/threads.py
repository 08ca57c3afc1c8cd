"""Threads for calls that touch the vault. Such calls never run on the event loop's default pool.

A disk or network mount that hangs blocks a thread, and a blocked thread cannot be ended. So each
kind of caller has a lane with a few threads of its own for each collection: one that hangs never
takes a thread from another. A call that gets no answer from the disk for too long is given up with
VaultNotResponding. While every thread of a lane is blocked, further calls fail at once with the
same error.
"""

import asyncio
import concurrent.futures
import functools
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from ragd.errors import RagdError
from ragd.events import DependencyLost, VaultUnavailable
from ragd.vault import disk_waits
from ragd.vault.collection_paths import VAULT
from ragd.vault.walk import VaultGone

CODE = "VAULT_NOT_RESPONDING"
FINISH_ON_DISK_S = 1.0  # the longest wait for a disk call when the process ends
QUEUE_CHECK_S = 0.25
CHECK_AGAIN_S = 0.05  # the shortest wait between two checks of a call
SEVERAL_WITHIN_S = 0.05  # how long one thread may take to ask several collections in turn
LINGER_S = 10.0  # how long a thread waits for its next call; starting one takes longer than a call
MOST_LANES = 256  # for one kind of caller; more than that are dropped when they are idle

P = ParamSpec("P")
T = TypeVar("T")


class VaultNotResponding(VaultGone):
    """The disk or mount of a root hangs: it did not answer within the time limit."""

    def __init__(self, collection: str = VAULT) -> None:
        super().__init__("unreadable", collection)


class _Call:
    """One call, and for how long it has waited for the disk."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self.answer: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self.wait = disk_waits.DiskWait()

    def run(self) -> None:
        if not self.answer.set_running_or_notify_cancel():
            return
        disk_waits.begin(self.wait)
        try:
            result = self._work()
        except BaseException as why:  # the caller gets it
            disk_waits.end()
            self.answer.set_exception(why)
        else:
            disk_waits.end()
            self.answer.set_result(result)


class Lane:
    """A few threads for one kind of caller and one collection, so that callers do not starve each
    other."""

    def __init__(self, name: str, threads: int, limit_s: float, collection: str = VAULT) -> None:
        self.name = name
        self.limit_s = limit_s
        self.collection = collection
        self._threads = threads
        self._lock = threading.Lock()
        self._handed_over = threading.Condition(self._lock)
        self._for_idle: deque[_Call] = deque()  # calls for threads that wait for one
        self._idle = 0  # threads that wait for a call, without those that a call was given to
        self._running: set[_Call] = set()
        self._waiting: deque[_Call] = deque()  # calls without a thread yet

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Make the call in a thread and return its result. Raises VaultNotResponding."""
        if self.is_blocked():
            raise VaultNotResponding(self.collection)
        call = _Call(functools.partial(work, *args, **kwargs))
        self._submit(call)
        answer: asyncio.Future[T] = asyncio.wrap_future(call.answer)
        try:
            while not answer.done():
                left = self.limit_s - call.wait.seconds()
                if left <= 0 or (self.is_blocked() and not call.answer.running()):
                    raise VaultNotResponding(self.collection)
                if not call.answer.running():  # the calls before it may turn out to be blocked
                    left = min(left, QUEUE_CHECK_S)
                await asyncio.wait({answer}, timeout=max(left, CHECK_AGAIN_S))
            return answer.result()
        finally:
            if not answer.done():  # given up, or the caller was cancelled
                answer.cancel()
                self._remove_waiting(call)

    def run_and_wait(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same without an event loop; the limit is for the whole call."""
        call = _Call(functools.partial(work, *args, **kwargs))
        self._submit(call)
        concurrent.futures.wait([call.answer], self.limit_s)
        if not call.answer.done():
            raise VaultNotResponding(self.collection)
        result: T = call.answer.result()
        return result

    def is_blocked(self) -> bool:
        """Whether every thread has waited for the disk for longer than the limit."""
        with self._lock:
            blocked = [call for call in self._running if call.wait.seconds() >= self.limit_s]
            return len(blocked) == self._threads

    @property
    def is_idle(self) -> bool:
        """Whether no call runs or waits."""
        with self._lock:
            return not self._running

    def finish(self, deadline: float) -> None:
        """Wait for running calls, except for those that have waited for the disk for a second."""
        with self._lock:
            calls = [call for call in self._running if call.wait.seconds() < FINISH_ON_DISK_S]
        answers = [call.answer for call in calls]
        concurrent.futures.wait(answers, max(0.0, deadline - time.monotonic()))

    def _submit(self, call: _Call) -> None:
        with self._lock:
            if len(self._running) >= self._threads:
                self._waiting.append(call)
                return
            self._running.add(call)
            if self._idle:
                self._idle -= 1
                self._for_idle.append(call)
                self._handed_over.notify()
                return
        # A daemon thread, so that a blocked one cannot keep the process from ending.
        name = f"vault-{self.name}"
        threading.Thread(target=self._work, args=(call,), name=name, daemon=True).start()

    def _work(self, call: _Call) -> None:
        """Run this call, then the waiting ones. End after some time without any."""
        following: _Call | None = call
        while following is not None:
            following.run()
            with self._lock:
                self._running.discard(following)
                following = self._next()

    def _next(self) -> _Call | None:
        """The next call for this thread; None if there is none for some time."""
        if self._waiting:
            following = self._waiting.popleft()
            self._running.add(following)
            return following
        self._idle += 1
        self._handed_over.wait_for(lambda: self._for_idle, LINGER_S)
        if self._for_idle:
            return self._for_idle.popleft()
        self._idle -= 1
        return None

    def _remove_waiting(self, call: _Call) -> None:
        with self._lock:
            if call in self._waiting:
                self._waiting.remove(call)


class Lanes:
    """The lanes of one kind of caller: one for each collection, made when it is first used.

    `several`: for short calls to several collections in turn. A thread for each would take longer
    than the calls. Its threads belong to no collection, so one that hangs takes none from another.
    """

    def __init__(self, name: str, threads: int, limit_s: float) -> None:
        self.name = name
        self.limit_s = limit_s
        self.several = Lane(name, threads, SEVERAL_WITHIN_S)
        self._threads = threads
        self._lock = threading.Lock()
        self._lanes: dict[str, Lane] = {}

    def of(self, collection: str) -> Lane:
        """The lane for calls to this collection."""
        with self._lock:
            lane = self._lanes.get(collection)
            if lane is None:
                if len(self._lanes) >= MOST_LANES:  # collections come and go
                    self._lanes = {c: one for c, one in self._lanes.items() if not one.is_idle}
                lane = Lane(self.name, self._threads, self.limit_s, collection)
                self._lanes[collection] = lane
            lane.limit_s = self.limit_s
            return lane

    def finish(self, deadline: float) -> None:
        """Wait for running calls, as Lane.finish does."""
        with self._lock:
            lanes = [self.several, *self._lanes.values()]
        for lane in lanes:
            lane.finish(deadline)


SEARCH = Lanes("search", 2, 5.0)  # do the notes of results still exist?
NOTES = Lanes("notes", 4, 7.0)  # lines of a note and sources of memories: a person is waiting
DOCUMENTS = Lanes("documents", 2, 7.0)  # the same, of documents that take long to read
MEMORIES = Lanes("memories", 2, 5.0)  # have the sources of memories changed?
CHECK = Lanes("check", 2, 7.0)  # does the vault exist?
SCAN = Lanes("scan", 2, 30.0)
WATCH = Lanes("watch", 2, 60.0)  # beginning a native watch is one long call
READ = Lanes("read", 2, 30.0)  # for indexing
BACKLOG = Lanes("backlog", 2, 30.0)  # for vectors

LANES = (SEARCH, NOTES, DOCUMENTS, MEMORIES, CHECK, SCAN, WATCH, READ, BACKLOG)


def unavailable_fact(why: VaultGone) -> VaultUnavailable | DependencyLost:
    """The fact to record when a collection could not be used."""
    name = "" if why.collection == VAULT else why.collection
    if isinstance(why, VaultNotResponding):
        return DependencyLost(dependency="vault", code=CODE, collection=name)
    return VaultUnavailable(reason=why.reason, collection=name)


def unavailable_error(why: VaultGone) -> RagdError:
    """The error to answer a request with when a collection could not be used."""
    if why.collection != VAULT:
        return RagdError("COLLECTION_NOT_FOUND")
    return RagdError(CODE if isinstance(why, VaultNotResponding) else "VAULT_NOT_FOUND")


def finish(within_s: float) -> None:
    """Wait for running calls when the process ends, but not for a disk that hangs."""
    deadline = time.monotonic() + within_s
    for lane in LANES:
        lane.finish(deadline)
