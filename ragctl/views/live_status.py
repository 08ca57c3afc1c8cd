"""`ragctl status --watch`: the status, kept on the screen until Ctrl-C or q.

It asks again when the daemon has recorded something. What no fact tells (a full disk) it sees a few
seconds late. A daemon that goes away is waited for; it is never started.
"""

import os
import select
import signal
import time
from typing import Any

from ragctl.commands.status import render_status
from ragctl.daemon.client import Answer, Stream, request
from ragctl.daemon.wait import facts_behind
from ragctl.failure import Disconnected, Failure, NotRunning
from ragctl.views.progress import Pace, to_go
from ragctl.views.render import Ink, for_home, local_now
from ragctl.views.screen import Screen
from ragd.errors import EXIT_OK
from ragd.paths import Home

TICK_S = 1.0  # ages grow
ASK_EVERY_S = 5.0
ASK_AT_MOST_EVERY_S = 0.2
_LINE_WITHIN_S = 5.0


class Watched:
    """What is known of the daemon, and its facts as they come."""

    def __init__(self, home: Home, answer: Answer) -> None:
        self._home = home
        self._data: dict[str, Any] = answer.data
        self._asked_at = time.monotonic()
        self._news = False
        self._trouble: Failure | None = None
        self._trouble_since = ""
        self._facts: Stream | None = None
        self._job, self._pace = "", Pace()  # the job whose vectors are made, and how fast
        self._mark()
        self._follow()

    @property
    def facts(self) -> Stream | None:
        return self._facts

    def page(self, ink: Ink) -> str:
        """What is shown now."""
        if self._trouble is not None:
            said = [
                ink.paint(f"{ink.sign('✗')} no answer", "red", "bold"),
                f"  {self._trouble.message}  {ink.paint(f'since {self._trouble_since}', 'dim')}",
                f"  {ink.paint(ink.sign('→'), 'cyan')} {self._trouble.suggestion}",
            ]
            shown = for_home("\n".join([said[0], "", *said[1:]]))
        else:
            grown = int(time.monotonic() - self._asked_at)
            data = {**self._data, "uptime_s": self._data.get("uptime_s", 0) + grown}
            data["time_left"] = self._time_left()
            shown = for_home(render_status(data, ink))
        return f"{shown}\n\n{ink.paint(f'{local_now()}  q ends this', 'dim')}"

    def _mark(self) -> None:
        """Remember how far the vectors are, to tell how fast they come."""
        job = self._data.get("active_job") or {}
        if job.get("phase") != "vectors":
            self._job, self._pace = "", Pace()
            return
        if job["id"] != self._job:
            self._job, self._pace = job["id"], Pace()
        self._pace.mark(job.get("current", 0), time.monotonic())

    def _time_left(self) -> str | None:
        """How long the vectors will still take, as they came in the last half minute."""
        if not self._job:
            return None
        total = (self._data.get("active_job") or {}).get("total", 0)
        left = self._pace.left(total, time.monotonic())
        return None if left is None else to_go(left)

    def patience(self) -> float:
        """How long to wait for something to happen."""
        if self._news:
            return max(0.0, self._asked_at + ASK_AT_MOST_EVERY_S - time.monotonic())
        return TICK_S

    def take(self) -> None:
        """Take the facts that are there; they say only that it is time to ask again."""
        try:
            while self._facts is not None and self._facts.ready(0):
                if self._facts.line(_LINE_WITHIN_S) is None:
                    raise NotRunning("")
                self._news = True
        except Failure:  # dropped for being slow, or the daemon is going: asking again tells which
            self._let_go()
            self._news = True

    def ask(self) -> None:
        """Ask again, if there is a reason to, and not too often."""
        passed = time.monotonic() - self._asked_at
        quiet = self._trouble is None and self._facts is not None and not self._job
        due = ASK_EVERY_S if quiet else TICK_S  # no fact tells of vectors while they are made
        if passed < (ASK_AT_MOST_EVERY_S if self._news else due):
            return
        self._news = False
        self._asked_at = time.monotonic()
        try:
            self._data = request(self._home, "GET", "/v1/status").data
            self._mark()
            self._trouble = None
            if self._facts is None:
                self._follow()
        except Failure as why:
            self._let_go()
            if self._trouble is None:
                self._trouble_since = local_now()
            self._trouble = why

    def close(self) -> None:
        self._let_go()

    def _follow(self) -> None:
        try:
            self._facts = facts_behind(self._home, self._data["log"]["seq"], [], on=True)
        except (NotRunning, Disconnected):
            self._facts = None  # it is going: the next question tells

    def _let_go(self) -> None:
        if self._facts is not None:
            self._facts.close()
            self._facts = None


def keep_on_screen(home: Home, answer: Answer) -> int:
    """Show it until somebody has seen enough."""
    screen = Screen()
    watched = Watched(home, answer)
    with screen.borrowed():
        try:
            while True:
                screen.draw(watched.page(Ink()))
                if _is_enough(screen, watched):
                    return EXIT_OK
                watched.take()
                watched.ask()
        finally:
            watched.close()


def _is_enough(screen: Screen, watched: Watched) -> bool:
    """Wait for a fact, a key, a signal or a second; whether it was one that ends it."""
    facts = watched.facts
    if facts is not None and facts.ready(0):
        return False
    ends = [end for end in (facts, screen.keyboard, screen.news) if end is not None]
    ready = select.select(ends, [], [], watched.patience())[0]
    if screen.keyboard in ready and _is_quit(screen.keyboard):
        return True
    came = screen.signals()
    if signal.SIGTSTP in came:
        screen.suspend()
    return bool(came & {signal.SIGTERM, signal.SIGHUP})


def _is_quit(keyboard: int | None) -> bool:
    assert keyboard is not None
    return os.read(keyboard, 64) in (b"q", b"Q", b"")
