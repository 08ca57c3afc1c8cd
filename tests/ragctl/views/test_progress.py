"""The progress line: its figures and its width."""

import io

import pytest

from ragctl.views import progress
from ragctl.views.progress import (
    Pace,
    TerminalProgress,
    compose_line,
    format_rate,
    format_time_left,
)
from ragctl.views.render import Ink, format_elapsed
from tests.ragctl.conftest import complete, step


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class Screen(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """A terminal without colours, 80 columns wide."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    return Screen()


def left(screen: Screen) -> list[str]:
    """The finished lines on the screen."""
    written = screen.getvalue().replace("\x1b[K", "")
    return [line.rpartition("\r")[2] for line in written.split("\n")]


# Figures


def test_the_rate_follows_recent_progress() -> None:
    pace = Pace()
    for second in range(11):
        pace.record(second * 10, float(second))
    assert (pace.rate(10.0), pace.seconds_left(200, 10.0)) == (10.0, 10.0)
    for second in range(11, 91):
        pace.record(100 + (second - 10) * 2, float(second))
    assert pace.rate(90.0) == pytest.approx(2.0)


def test_there_is_no_estimate_before_any_progress() -> None:
    pace = Pace()
    assert (pace.rate(0.0), pace.seconds_left(10, 0.0)) == (0.0, None)
    pace.record(300, 0.0)  # from the cache: not a measurement
    pace.record(300, 5.0)
    assert pace.seconds_left(1000, 5.0) is None


def test_time_left_falls_until_the_next_batch_is_late_and_then_grows() -> None:
    pace = Pace()
    pace.record(0, 0.0)
    pace.record(100, 10.0)
    assert [pace.seconds_left(300, now) for now in (10.0, 14.0, 20.0, 30.0)] == [
        20.0,
        16.0,
        10.0,
        30.0,
    ]
    assert [pace.rate(now) for now in (10.0, 20.0, 30.0)] == [10.0, 10.0, 5.0]
    assert pace.idle_s(30.0) == 20.0


def test_time_left_is_at_least_a_second() -> None:
    pace = Pace()
    pace.record(0, 0.0)
    pace.record(99, 10.0)
    assert pace.seconds_left(100, 12.0) == 1.0


def test_a_falling_count_starts_a_new_measurement() -> None:
    pace = Pace()
    pace.record(0, 0.0)
    pace.record(100, 1.0)
    pace.record(60, 2.0)
    assert pace.rate(2.0) == 0.0
    pace.record(70, 4.0)
    assert pace.rate(4.0) == 5.0


@pytest.mark.parametrize(
    ("rate", "words"), [(1234.0, "1,234/s"), (80.4, "80/s"), (3.42, "3.4/s"), (0.2, "12/min")]
)
def test_a_rate_has_a_readable_unit(rate: float, words: str) -> None:
    assert format_rate(rate) == words


def test_a_short_time_has_tenths_and_a_long_estimate_has_no_seconds() -> None:
    assert [format_elapsed(s) for s in (0.04, 1.26, 75.0)] == ["0.0 s", "1.3 s", "1 min 15 s"]
    assert [format_time_left(s) for s in (41.9, 125.0, 628.0)] == ["41 s", "2 min 5 s", "10 min"]


# The line


WORDS = ["150/3,421 passages", "41 s left", "80/s"]


def test_a_wide_window_shows_all_parts() -> None:
    line = compose_line("vectors", 0.5, WORDS, 80, Ink())
    assert line == f"vectors {'━' * 15}{'─' * 15} 150/3,421 passages · 41 s left · 80/s"


@pytest.mark.parametrize("share", [None, 0.0, 0.37, 1.0])
def test_it_never_reaches_the_last_column(share: float | None) -> None:
    for columns in range(1, 200):
        assert len(compose_line("vectors", share, WORDS, columns, Ink())) < columns


def test_in_a_narrow_window_the_count_stays_longest() -> None:
    widths = (60, 50, 43, 40, 32, 26, 20, 12)
    assert [compose_line("vectors", 0.5, WORDS, columns, Ink()) for columns in widths] == [
        f"vectors {'━' * 6}{'─' * 7} 150/3,421 passages · 41 s left · 80/s",
        f"vectors {'━' * 5}{'─' * 5} 150/3,421 passages · 41 s left",
        f"vectors {'━' * 6}{'─' * 6} 150/3,421 · 41 s left",
        f"vectors {'━' * 4}{'─' * 5} 150/3,421 · 41 s left",
        "vectors 150/3,421 · 41 s left",
        "vectors 150/3,421",
        "vectors 150/3,421",
        "vectors 150",
    ]


def test_a_line_without_a_bar_is_cut_at_the_end() -> None:
    words = ["looking for changes", "1.5 s"]
    lines = [compose_line("scan", None, words, columns, Ink()) for columns in (80, 35, 20)]
    assert lines[0] == "scan    looking for changes · 1.5 s"
    assert lines[1:] == ["scan    looking for changes", "scan    looking for"]


def test_a_terminal_of_unknown_width_has_eighty_columns() -> None:
    assert compose_line("text", 1.0, WORDS, 0, Ink()) == compose_line("text", 1.0, WORDS, 80, Ink())


def test_the_bar_can_be_read_without_colours_and_without_unicode() -> None:
    ink = Ink(io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert (
        compose_line("text", 0.5, ["5/10 notes"], 40, ink)
        == f"text    {'#' * 10}{'.' * 10} 5/10 notes"
    )
    ink.colour = True
    assert "\x1b[32m##" in compose_line("text", 0.5, ["5/10 notes"], 40, ink)


# The steps


def test_each_step_leaves_a_line_with_the_time_it_took(clock: Clock, screen: Screen) -> None:
    shown = TerminalProgress(screen)
    shown.step(step("queued"))
    shown.step(step("scan"))
    clock.now += 1.5
    shown.tick()
    assert left(screen)[-1] == "scan    looking for changes · 1.5 s"
    shown.step(step("text", 0, 200))
    clock.now += 4
    shown.step(step("text", 64, 200))
    assert left(screen)[-1].endswith(" 64/200 notes · 8 s left · 16/s")
    shown.step(step("vectors", 30, 930))
    clock.now += 2
    shown.tick()
    assert left(screen)[-1].endswith(" 30/930 passages · 2.0 s")
    clock.now += 8
    shown.step(step("vectors", 130, 930))
    clock.now += 5
    shown.tick()
    assert left(screen)[-1].endswith(" 130/930 passages · 1 min 15 s left · 10/s")
    shown.end(complete(chunks_embedded=930, total_chunks=930))
    full = "━" * 30
    assert left(screen) == [
        f"scan    {full} 200 notes to read · 1.5 s",
        f"text    {full} 200 notes · 4.0 s",
        f"vectors {full} 930/930 passages · 15 s",
        "",
    ]


def test_a_long_pause_is_shown_instead_of_an_old_rate(clock: Clock, screen: Screen) -> None:
    shown = TerminalProgress(screen)
    shown.step(step("vectors", 0, 930))
    clock.now += 10
    shown.step(step("vectors", 130, 930))
    clock.now += 65
    shown.tick()
    assert left(screen)[-1].endswith(" 130/930 passages · nothing new for 1 min 5 s")


def test_without_notes_to_read_there_is_no_empty_bar(clock: Clock, screen: Screen) -> None:
    shown = TerminalProgress(screen)
    shown.step(step("scan"))
    shown.step(step("text", 0, 0))
    shown.end(complete())
    assert [line.split()[0] for line in left(screen)[:-1]] == ["scan"]


def test_the_line_of_an_interrupted_step_stays(clock: Clock, screen: Screen) -> None:
    shown = TerminalProgress(screen)
    shown.step(step("text", 5, 10))
    shown.end(None)
    assert left(screen)[0].endswith(" 5/10 notes · 0.0 s") and left(screen)[1] == ""


def test_a_dumb_terminal_gets_only_finished_lines(
    clock: Clock, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    shown = TerminalProgress(screen)
    shown.step(step("scan"))
    shown.step(step("text", 5, 10))
    shown.tick()
    shown.end(complete())
    assert "\r" not in screen.getvalue() and "\x1b" not in screen.getvalue()
    assert len(screen.getvalue().splitlines()) == 2
