"""`ragctl status --watch`: the status, kept on the screen until Ctrl-C or q.

It requests the status again after each new fact. A change without a fact (a full disk) shows a few
seconds late. It waits for a daemon that stops, and never starts one.
"""

import os
import select
import signal
import time
from typing import Any

from ragctl.commands.status import render_status
from ragctl.daemon.client import Answer, Stream, request
from ragctl.daemon.wait import stream_facts_after
from ragctl.failure import Disconnected, Failure, NotRunning
from ragctl.views.progress import Pace, format_time_left
from ragctl.views.render import Ink, add_home_option, local_clock
from ragctl.views.screen import Screen
from ragd.errors import EXIT_OK
from ragd.paths import Home

TICK_S = 1.0  # so that displayed ages grow
ASK_EVERY_S = 5.0
ASK_AT_MOST_EVERY_S = 0.2
_LINE_WITHIN_S = 5.0


class LiveStatus:
    """The last known status, and the stream of facts that says when to refresh it."""

    def __init__(self, home: Home, answer: Answer) -> None:
        self._home = home
        self._data: dict[str, Any] = answer.data
        self._asked_at = time.monotonic()
        self._has_new_facts = False
        self._failure: Failure | None = None
        self._failure_since = ""
        self._facts: Stream | None = None
        self._job, self._pace = "", Pace()  # the job that makes vectors, and its pace
        self._record_pace()
        self._follow()

    @property
    def facts(self) -> Stream | None:
        return self._facts

    def render(self, ink: Ink) -> str:
        """The text to show now."""
        if self._failure is not None:
            lines = [
                ink.paint(f"{ink.sign('✗')} no answer", "red", "bold"),
                f"  {self._failure.message}  {ink.paint(f'since {self._failure_since}', 'dim')}",
                f"  {ink.paint(ink.sign('→'), 'cyan')} {self._failure.suggestion}",
            ]
            shown = add_home_option("\n".join([lines[0], "", *lines[1:]]))
        else:
            grown = int(time.monotonic() - self._asked_at)
            data = {**self._data, "uptime_s": self._data.get("uptime_s", 0) + grown}
            data["time_left"] = self._time_left()
            shown = add_home_option(render_status(data, ink))
        return f"{shown}\n\n{ink.paint(f'{local_clock()}  q quits', 'dim')}"

    def _record_pace(self) -> None:
        """Record how many vectors exist, to estimate the time left."""
        job = self._data.get("active_job") or {}
        if job.get("phase") != "vectors":
            self._job, self._pace = "", Pace()
            return
        if job["id"] != self._job:
            self._job, self._pace = job["id"], Pace()
        self._pace.record(job.get("current", 0), time.monotonic())

    def _time_left(self) -> str | None:
        """How long the vectors will still take, at the pace of the last half minute."""
        if not self._job:
            return None
        total = (self._data.get("active_job") or {}).get("total", 0)
        left = self._pace.seconds_left(total, time.monotonic())
        return None if left is None else format_time_left(left)

    def wait_s(self) -> float:
        """How long to wait before the next refresh."""
        if self._has_new_facts:
            return max(0.0, self._asked_at + ASK_AT_MOST_EVERY_S - time.monotonic())
        return TICK_S

    def read_facts(self) -> None:
        """Read and drop the new facts: they only show that a refresh is due."""
        try:
            while self._facts is not None and self._facts.is_ready(0):
                if self._facts.read_line(_LINE_WITHIN_S) is None:
                    raise NotRunning("")
                self._has_new_facts = True
        except Failure:  # too slow a reader, or the daemon is stopping: a refresh shows which
            self._stop_following()
            self._has_new_facts = True

    def refresh(self) -> None:
        """Request the status again if that is due."""
        passed = time.monotonic() - self._asked_at
        quiet = self._failure is None and self._facts is not None and not self._job
        due = ASK_EVERY_S if quiet else TICK_S  # no facts are recorded while vectors are made
        if passed < (ASK_AT_MOST_EVERY_S if self._has_new_facts else due):
            return
        self._has_new_facts = False
        self._asked_at = time.monotonic()
        try:
            self._data = request(self._home, "GET", "/v1/status").data
            self._record_pace()
            self._failure = None
            if self._facts is None:
                self._follow()
        except Failure as why:
            self._stop_following()
            if self._failure is None:
                self._failure_since = local_clock()
            self._failure = why

    def close(self) -> None:
        self._stop_following()

    def _follow(self) -> None:
        try:
            self._facts = stream_facts_after(self._home, self._data["log"]["seq"], [], follow=True)
        except (NotRunning, Disconnected):
            self._facts = None  # it is stopping: the next refresh shows it

    def _stop_following(self) -> None:
        if self._facts is not None:
            self._facts.close()
            self._facts = None


def watch_status(home: Home, answer: Answer) -> int:
    """Show the status until the user quits."""
    screen = Screen()
    status = LiveStatus(home, answer)
    with screen.full_screen():
        try:
            while True:
                screen.draw(status.render(Ink()))
                if _wait_for_quit(screen, status):
                    return EXIT_OK
                status.read_facts()
                status.refresh()
        finally:
            status.close()


def _wait_for_quit(screen: Screen, status: LiveStatus) -> bool:
    """Wait for a fact, a key, a signal or the next tick. Whether to quit."""
    facts = status.facts
    if facts is not None and facts.is_ready(0):
        return False
    ends = [end for end in (facts, screen.keyboard, screen.signal_pipe) if end is not None]
    ready = select.select(ends, [], [], status.wait_s())[0]
    if screen.keyboard in ready and _is_quit_key(screen.keyboard):
        return True
    signals = screen.read_signals()
    if signal.SIGTSTP in signals:
        screen.suspend()
    return bool(signals & {signal.SIGTERM, signal.SIGHUP})


def _is_quit_key(keyboard: int | None) -> bool:
    assert keyboard is not None
    return os.read(keyboard, 64) in (b"q", b"Q", b"")
