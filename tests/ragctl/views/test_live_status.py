"""`ragctl status --watch`: on a real terminal, with a daemon that changes."""

import re
import signal
from typing import Any

import pytest

from ragctl.daemon.client import request
from ragctl.views.live_status import LiveStatus
from ragctl.views.render import Ink
from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl, StartTerminal
from tests.ragctl.terminal import CTRL_C, Terminal

LEFT = "\x1b[?7h\x1b[?25h\x1b[?1049l"
BEGIN = "\x1b[?2026h"


def last_page(terminal: Terminal) -> list[str]:
    """The lines of the last drawing, without the returns that a terminal adds to ours."""
    page = terminal.raw.rpartition(BEGIN)[2]
    return re.split(r"\r+\n", re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", page))


def lose_the_provider(fake: FakeDaemon) -> None:
    fake.be("degraded", "OLLAMA_UNREACHABLE")
    fake.record("health_changed")


@pytest.mark.parametrize("argv", [(), ("--json",)])
def test_it_needs_somebody_who_looks(
    ragctl: Ragctl, fake: FakeDaemon, argv: tuple[str, ...]
) -> None:
    result = ragctl("status", "--watch", *argv)
    assert result.code == 2 and result.out == ""
    assert "ragctl events -f --health" in result.err
    assert fake.requests == []


def test_a_terminal_that_obeys_nothing_will_not_do(
    terminal: StartTerminal, fake: FakeDaemon
) -> None:
    screen = terminal("status", "--watch", TERM="dumb")
    assert screen.ended() == 2 and "needs a terminal" in screen.text


def test_it_shows_what_changes_with_the_fact_that_says_so(
    terminal: StartTerminal, fake: FakeDaemon
) -> None:
    screen = terminal("status", "--watch")
    screen.until("● healthy")
    lose_the_provider(fake)
    screen.until("OLLAMA_UNREACHABLE")
    assert last_page(screen)[0].startswith("▲ degraded")
    assert screen.raw.count("\x1b[2J") == 1  # it is drawn over, never cleared
    assert "GET /v1/events?after=0&follow=1" in fake.requests


@pytest.mark.parametrize(("key", "code"), [("q", 0), (CTRL_C, 130)])
def test_the_terminal_is_left_as_it_was(
    terminal: StartTerminal, fake: FakeDaemon, key: str, code: int
) -> None:
    screen = terminal("status", "--watch")
    before = screen.modes
    screen.until("q quits")
    assert screen.modes != before  # what is typed is not shown
    screen.type(key)
    assert screen.ended() == code
    assert screen.raw.endswith(LEFT) and screen.modes == before


def test_a_signal_leaves_it_as_it_was_too(terminal: StartTerminal, fake: FakeDaemon) -> None:
    screen = terminal("status", "--watch")
    screen.until("q quits")
    screen.signal(signal.SIGTERM)
    assert screen.ended() == 0 and screen.raw.endswith(LEFT)


def test_it_follows_the_size_of_the_window(terminal: StartTerminal, fake: FakeDaemon) -> None:
    lose_the_provider(fake)
    screen = terminal("status", "--watch", columns=200)
    screen.until("so meaning-based search is off.")
    screen.resize(40, rows=10)
    screen.until("more lines: make the window taller")
    page = last_page(screen)
    assert len(page) == 10
    assert max(len(line) for line in page[:-1]) <= 40


def test_a_daemon_that_goes_is_waited_for(
    terminal: StartTerminal, fake: FakeDaemon, home: Home
) -> None:
    screen = terminal("status", "--watch")
    screen.until("● healthy")
    fake.close()
    screen.until("ragd is not running.")
    again = type(fake)(home)
    try:
        lose_the_provider(again)
        screen.until("OLLAMA_UNREACHABLE")
        screen.type("q")
        assert screen.ended() == 0
    finally:
        again.close()


def test_a_dropped_stream_is_taken_up_again(terminal: StartTerminal, fake: FakeDaemon) -> None:
    fake.when_followed += [fake.drop_followers, lambda: lose_the_provider(fake)]
    screen = terminal("status", "--watch")
    screen.until("OLLAMA_UNREACHABLE")


def test_without_start_a_missing_daemon_is_exit_3(terminal: StartTerminal, home: Home) -> None:
    screen = terminal("status", "--watch", "--no-start")
    assert screen.ended() == 3 and "ragd is not running." in screen.text
    assert "\x1b[?1049h" not in screen.raw


def vectors(made: int, total: int = 1000) -> dict[str, Any]:
    job = {"id": "01J", "mode": "full", "phase": "vectors", "progress": made / total}
    return {**job, "current": made, "total": total}


def test_the_time_left_for_vectors_follows_from_how_they_came(
    fake: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("ragctl.views.live_status.time.monotonic", lambda: now[0])
    fake.more["active_job"] = vectors(0)
    watched = LiveStatus(fake.home, request(fake.home, "GET", "/v1/status"))
    try:
        assert "left" not in watched.render(Ink())
        for made in (20, 40, 60):  # ten a second
            now[0] += 2
            fake.more["active_job"] = vectors(made)
            watched.refresh()  # no fact tells of it: it is asked for all the same
        assert "60 of 1,000 vectors), about 1 min 34 s left" in watched.render(Ink())
        fake.more["active_job"] = None
        now[0] += 2
        watched.refresh()
        assert "left" not in watched.render(Ink())
    finally:
        watched.close()
