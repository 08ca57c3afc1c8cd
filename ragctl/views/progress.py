"""A job's progress: one updating line per step for people, JSON lines for programs.

It sends no request. Its lines fit the terminal's width and never wrap.
"""

import sys
import time
from collections import deque
from typing import Any, TextIO

from ragctl.views.render import (
    Ink,
    add_home_option,
    counted,
    emit_json,
    format_duration,
    format_elapsed,
    print_notice,
    terminal_columns,
)

JSON_KEYS = {
    "progress": ("type", "phase", "current", "total"),
    "complete": ("type", "indexed_files", "total_chunks", "text_ms", "duration_ms", "errors"),
    "interrupted": ("type", "outcome", "code", "message", "suggestion"),
}
COUNT_NOUNS = {"text": "notes", "vectors": "passages"}
WAIT_TEXTS = {"queued": "waiting for another job to end", "scan": "looking for changes"}
WAIT_NOTICES = {
    "queued": "Waiting for another job to end. With --no-wait, this command does not wait.",
    "vectors": "The text is stored: searches find it by words. Waiting for vectors, by which they "
    "find it by meaning; with --no-wait, this command does not wait.",
}
WINDOW_S = 60.0
IDLE_S = 60.0  # vectors come in batches: a shorter pause is normal
BAR_WIDTHS = (8, 30)
DEFAULT_COLUMNS = 80  # if the terminal does not report its width


class Pace:
    """How fast a job goes: the average over the last minute."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()

    def record(self, current: int, now: float) -> None:
        marks = self._marks
        if marks and current < marks[-1][1]:
            marks.clear()  # notes were removed or changed: the earlier counts no longer apply
        if not marks or current > marks[-1][1]:
            marks.append((now, current))
        while len(marks) > 2 and marks[1][0] < now - WINDOW_S:
            marks.popleft()

    def rate(self, now: float) -> float:
        """Items per second; 0 while unknown."""
        if len(self._marks) < 2:
            return 0.0
        (began, first), (ended, last) = self._marks[0], self._marks[-1]
        overdue = max(0.0, self.idle_s(now) - self._last_gap())
        return (last - first) / max(ended + overdue - began, 0.001)

    def idle_s(self, now: float) -> float:
        """Seconds since the last progress."""
        return now - self._marks[-1][0] if self._marks else 0.0

    def seconds_left(self, total: int, now: float) -> float | None:
        """Estimated seconds left at the current pace; None while unknown."""
        rate = self.rate(now)
        if not rate:
            return None
        spent = min(self.idle_s(now), self._last_gap())
        return max(1.0, (total - self._marks[-1][1]) / rate - spent)

    def _last_gap(self) -> float:
        """How long the last batch took; the next one may take as long before it is late."""
        return self._marks[-1][0] - self._marks[-2][0]


def format_rate(rate: float) -> str:
    """`80/s`, `3.4/s`, `12/min`."""
    if rate >= 10:
        return f"{rate:,.0f}/s"
    return f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.0f}/min"


def format_time_left(seconds: float) -> str:
    """An estimated duration; from five minutes on, without seconds."""
    return format_duration(seconds if seconds < 300 else seconds // 60 * 60)


def compose_line(name: str, share: float | None, words: list[str], columns: int, ink: Ink) -> str:
    """A progress line of at most `columns` - 1 characters.

    If it does not fit, parts are dropped in this order: the rate, the noun, the bar, the time.
    """
    room = (columns or DEFAULT_COLUMNS) - 1  # some terminals wrap after the last column
    head, dot = f"{name:<7} ", f" {ink.sign('·')} "
    count, *rest = words
    number = count.partition(" ")[0] if rest and share is not None else count
    tails = [dot.join(words), dot.join(words[:2]), dot.join([number, *rest[:1]])]
    for tail in tails:
        width = min(BAR_WIDTHS[1], room - len(head) - len(tail) - 1)
        if share is not None and width >= BAR_WIDTHS[0]:
            return f"{head}{_bar(share, width, ink)} {tail}"
    fitting = [line for tail in (*tails, number) if len(line := head + tail) <= room]
    return fitting[0] if fitting else f"{head}{number}"[:room]


def _bar(share: float, width: int, ink: Ink) -> str:
    full = int(min(max(share, 0.0), 1.0) * width)
    done, open_ = ink.sign("━") * full, ink.sign("─") * (width - full)
    return ink.paint(done, "green") + ink.paint(open_, "dim")


class JsonProgress:
    """For programs: the JSON lines of docs/cli-json.md, nothing else."""

    def step(self, line: dict[str, Any]) -> None:
        if line["total"]:  # zero: nothing to count yet
            self._print(line)

    def tick(self) -> None:
        """Does nothing: time alone changes no JSON line."""

    def print_remark(self, sentence: str) -> None:
        """Does nothing: programs get the causes in the last line."""

    def print_wait(self, step: str) -> None:
        """Print on stderr what a person waits for, who sees no progress line."""
        if step in WAIT_NOTICES:
            print_notice(WAIT_NOTICES[step])

    def end(self, last: dict[str, Any] | None) -> None:
        """Print the last line, except for a failed or cancelled job: `index_job` adds the cause."""
        if last is not None and last["outcome"] not in ("failed", "cancelled"):
            self._print(last)

    def _print(self, line: dict[str, Any]) -> None:
        shown = {key: line[key] for key in JSON_KEYS[line["type"]] if key in line}
        texts = {
            key: add_home_option(line[key]) for key in ("message", "suggestion") if key in shown
        }
        emit_json(shown | texts)
        sys.stdout.flush()


class TerminalProgress:
    """For people: the line of the current step is redrawn; the line of a finished step stays."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._ink = Ink(stream)
        self._clear = "\r\x1b[K" if self._ink.has_ansi else ""
        self._now: dict[str, Any] = {}
        self._began = 0.0
        self._pace = Pace()

    def step(self, line: dict[str, Any]) -> None:
        if line["step"] == "text" and not line["total"]:
            return  # no notes to read
        now = time.monotonic()
        if line["step"] != self._now.get("step"):
            if self._now.get("step") == "scan" and line["step"] == "text":
                self._now = {**self._now, "total": line["total"]}
            self._finish_line(done=True)
            self._began, self._pace = now, Pace()
        self._now = line
        self._pace.record(line["current"], now)
        self.tick()

    def tick(self) -> None:
        """Redraw the line: time passes, and the window may have a new size."""
        if self._now and self._clear:
            self._write(self._clear + self._running_line(time.monotonic()))

    def print_remark(self, sentence: str) -> None:
        """Print a line above the progress line."""
        self._write(f"{self._clear}{self._ink.wrap(add_home_option(sentence), 0)}\n")
        self.tick()

    def print_wait(self, step: str) -> None:
        """Print what a wait is for, unless the progress line has it already."""
        if step in WAIT_NOTICES and step not in WAIT_TEXTS:
            self.print_remark(WAIT_NOTICES[step])

    def end(self, last: dict[str, Any] | None) -> None:
        """Finish the line. `last` is the job's last line; None: the job was interrupted."""
        done = last is not None and last["type"] == "complete"
        if last is not None and done and self._now.get("step") == "vectors":
            counts = {"current": last["chunks_embedded"], "total": last["total_chunks"]}
            self._now = {**self._now, **counts}
        self._finish_line(done=done)

    def _finish_line(self, *, done: bool) -> None:
        """Keep the line on screen. The line of a finished step shows how long it took."""
        if not self._now:
            return
        if done and self._now["step"] == "queued":
            self._write(self._clear)  # not worth a line of its own
        else:
            now = time.monotonic()
            line = self._finished_line(now) if done else self._running_line(now)
            self._write(f"{self._clear}{line}\n")
        self._now = {}

    def _running_line(self, now: float) -> str:
        step, current, total = self._now["step"], self._now["current"], self._now["total"]
        if step in WAIT_TEXTS:
            return self._compose(None, [WAIT_TEXTS[step], format_elapsed(now - self._began)])
        counts = f"{current:,}/{total:,} {COUNT_NOUNS[step]}"
        return self._compose(current / max(total, 1), [counts, *self._describe_pace(total, now)])

    def _finished_line(self, now: float) -> str:
        step, current, total = self._now["step"], self._now["current"], self._now["total"]
        share, words = 1.0, [format_elapsed(now - self._began)]
        if step == "vectors":  # some may be missing; missing notes are listed by name later
            share = current / max(total, 1)
            words.insert(0, f"{current:,}/{total:,} passages")
        elif total:
            words.insert(0, counted(total, "note") + (" to read" if step == "scan" else ""))
        return self._compose(share, words)

    def _compose(self, share: float | None, words: list[str]) -> str:
        return compose_line(
            self._now["step"], share, words, terminal_columns(self._stream), self._ink
        )

    def _describe_pace(self, total: int, now: float) -> list[str]:
        idle_s = self._pace.idle_s(now)
        if idle_s > IDLE_S:
            return [f"nothing new for {format_duration(idle_s)}"]
        seconds_left = self._pace.seconds_left(total, now)
        if seconds_left is None:
            return [format_elapsed(now - self._began)]
        return [f"{format_time_left(seconds_left)} left", format_rate(self._pace.rate(now))]

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
