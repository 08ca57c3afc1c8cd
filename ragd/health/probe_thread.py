"""Runs a probe that may hang (on a dead mount) in its own thread, which nothing waits for.

It never starts a second thread for a probe that still hangs.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable

_THREAD_NAME = "probe"


class ProbeThread:
    """One blocking probe as a coroutine. While it hangs, later calls wait for the same answer."""

    def __init__(self, probe: Callable[[], str | None]) -> None:
        self._probe = probe
        self._answer: asyncio.Future[str | None] | None = None

    async def __call__(self) -> str | None:
        if self._answer is None or self._answer.done():
            self._answer = asyncio.get_running_loop().create_future()
            arguments = (self._probe, self._answer)
            threading.Thread(target=_run, args=arguments, name=_THREAD_NAME, daemon=True).start()
        return await asyncio.shield(self._answer)


def _run(probe: Callable[[], str | None], answer: "asyncio.Future[str | None]") -> None:
    loop = answer.get_loop()
    with contextlib.suppress(RuntimeError):  # the loop is closed: the answer is not needed
        try:
            loop.call_soon_threadsafe(answer.set_result, probe())
        except Exception as why:
            loop.call_soon_threadsafe(answer.set_exception, why)


def join_probe_threads(within_s: float) -> None:
    """Wait for running probes, at most this long. A probe that hangs is left running."""
    deadline = time.monotonic() + within_s
    for thread in threading.enumerate():
        if thread.name == _THREAD_NAME:
            thread.join(max(0.0, deadline - time.monotonic()))
