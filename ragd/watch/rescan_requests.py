"""Requests for a scan before it is due. It scans nothing itself."""

import asyncio

from ragd.clock import Clock
from ragd.runtime.wait_for_event import wait_until_set


class RescanRequests:
    """Shared by the parts of the watcher: some request a scan, one waits for requests."""

    def __init__(self) -> None:
        self._requested = asyncio.Event()
        self._is_owed = False

    def request(self) -> None:
        """Scan soon."""
        self._requested.set()

    def request_after_job(self) -> None:
        """Scan when the running job has ended."""
        self._is_owed = True

    def job_ended(self) -> None:
        if self._is_owed:
            self.request_owed()

    def request_owed(self) -> None:
        """Scan soon; this is also the scan that waited for a job."""
        self._is_owed = False
        self._requested.set()

    @property
    def is_requested(self) -> bool:
        """Whether a scan was requested since the last one began."""
        return self._requested.is_set()

    def clear(self) -> None:
        """A scan begins: it serves all requests so far."""
        self._requested.clear()

    async def wait(self, clock: Clock, seconds: float) -> None:
        """Wait for a request, at most `seconds`."""
        await wait_until_set(self._requested, clock, seconds)
