"""How far a job is: for people one line for each step, which moves; for programs lines of JSON.

It asks nobody. What it writes fits the terminal's width, whatever that is: a line never wraps.
"""

import sys
import time
from collections import deque
from typing import Any, TextIO

from ragctl.views.render import Ink, columns_of, counted, emit_json, for_home, span

SPOKEN = {
    "progress": ("type", "phase", "current", "total"),
    "complete": ("type", "indexed_files", "total_chunks", "text_ms", "duration_ms", "errors"),
    "interrupted": ("type", "outcome", "code", "message", "suggestion"),
}
COUNTED = {"text": "notes", "vectors": "passages"}
WAITING = {"queued": "waits for another job to end", "scan": "looks for what changed"}
WINDOW_S = 30.0
QUIET_S = 60.0  # vectors come in handfuls: a silence shorter than this says nothing
BAR = (8, 30)
COLUMNS = 80  # of a terminal that does not know


class Pace:
    """How fast it goes: a moving figure, from what came within the last half minute."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()

    def mark(self, current: int, now: float) -> None:
        marks = self._marks
        if marks and current < marks[-1][1]:
            marks.clear()  # notes went or changed: what was before is no measure
        if not marks or current > marks[-1][1]:
            marks.append((now, current))
        while len(marks) > 2 and marks[1][0] < now - WINDOW_S:
            marks.popleft()

    def rate(self, now: float) -> float:
        """So many in a second; 0 while nobody can say."""
        if len(self._marks) < 2:
            return 0.0
        (began, first), (ended, last) = self._marks[0], self._marks[-1]
        overdue = max(0.0, self.quiet(now) - self._gap())
        return (last - first) / max(ended + overdue - began, 0.001)

    def quiet(self, now: float) -> float:
        """For how many seconds nothing came."""
        return now - self._marks[-1][0] if self._marks else 0.0

    def left(self, total: int, now: float) -> float | None:
        """Seconds to go, if it goes on like this."""
        rate = self.rate(now)
        if not rate:
            return None
        spent = min(self.quiet(now), self._gap())
        return max(1.0, (total - self._marks[-1][1]) / rate - spent)

    def _gap(self) -> float:
        """How long the last handful was in coming; the next may take as long before it is late."""
        return self._marks[-1][0] - self._marks[-2][0]


def per_time(rate: float) -> str:
    """`80/s`, `3.4/s`, `12/min`."""
    if rate >= 10:
        return f"{rate:,.0f}/s"
    return f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.0f}/min"


def took(seconds: float) -> str:
    """A length of time that may be short."""
    return span(seconds) if seconds >= 10 else f"{seconds:.1f} s"


def to_go(seconds: float) -> str:
    """An estimate: of many minutes, nobody believes the seconds."""
    return span(seconds if seconds < 300 else seconds // 60 * 60)


def composed(name: str, share: float | None, words: list[str], columns: int, ink: Ink) -> str:
    """A line of at most `columns` - 1 letters, of a count and what is known besides.

    Where the room is too small, what is least needed goes first: the rate, what is counted, the
    bar, and at last the time.
    """
    room = (columns or COLUMNS) - 1  # a letter in the last column makes some terminals wrap
    head, dot = f"{name:<7} ", f" {ink.sign('·')} "
    count, *rest = words
    number = count.partition(" ")[0] if rest and share is not None else count
    tails = [dot.join(words), dot.join(words[:2]), dot.join([number, *rest[:1]])]
    for tail in tails:
        width = min(BAR[1], room - len(head) - len(tail) - 1)
        if share is not None and width >= BAR[0]:
            return f"{head}{_bar(share, width, ink)} {tail}"
    fitting = [line for tail in (*tails, number) if len(line := head + tail) <= room]
    return fitting[0] if fitting else f"{head}{number}"[:room]


def _bar(share: float, width: int, ink: Ink) -> str:
    full = int(min(max(share, 0.0), 1.0) * width)
    done, open_ = ink.sign("━") * full, ink.sign("─") * (width - full)
    return ink.paint(done, "green") + ink.paint(open_, "dim")


class Plain:
    """For programs: the lines of the contract, nothing else."""

    def step(self, said: dict[str, Any]) -> None:
        if said["total"]:  # before that there is nothing to count
            self._print(said)

    def tick(self) -> None:
        """Time alone is nothing new."""

    def remark(self, sentence: str) -> None:
        """What programs are told when all is over."""

    def end(self, last: dict[str, Any] | None) -> None:
        """A job that failed or was cancelled has its last line printed with the cause."""
        if last is not None and last["outcome"] not in ("failed", "cancelled"):
            self._print(last)

    def _print(self, said: dict[str, Any]) -> None:
        spoken = {key: said[key] for key in SPOKEN[said["type"]] if key in said}
        texts = {key: for_home(said[key]) for key in ("message", "suggestion") if key in spoken}
        emit_json(spoken | texts)
        sys.stdout.flush()


class Moving:
    """For people: the line of the step under way moves; that of a step that is done stays."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._ink = Ink(stream)
        self._clear = "\r\x1b[K" if self._ink.obeyed else ""
        self._now: dict[str, Any] = {}
        self._began = 0.0
        self._pace = Pace()

    def step(self, said: dict[str, Any]) -> None:
        if said["step"] == "text" and not said["total"]:
            return  # no note is to be read
        now = time.monotonic()
        if said["step"] != self._now.get("step"):
            if self._now.get("step") == "scan" and said["step"] == "text":
                self._now = {**self._now, "total": said["total"]}
            self._leave(done=True)
            self._began, self._pace = now, Pace()
        self._now = said
        self._pace.mark(said["current"], now)
        self.tick()

    def tick(self) -> None:
        """Draw it as it is now: time goes by, and windows change their size."""
        if self._now and self._clear:
            self._write(self._clear + self._moving(time.monotonic()))

    def remark(self, sentence: str) -> None:
        """A line of its own, above the one that moves."""
        self._write(f"{self._clear}{self._ink.wrap(for_home(sentence), 0)}\n")
        self.tick()

    def end(self, last: dict[str, Any] | None) -> None:
        """Nothing more comes: with the last word all is done, without one it was broken off."""
        done = last is not None and last["type"] == "complete"
        if last is not None and done and self._now.get("step") == "vectors":
            counts = {"current": last["chunks_embedded"], "total": last["total_chunks"]}
            self._now = {**self._now, **counts}
        self._leave(done=done)

    def _leave(self, *, done: bool) -> None:
        """Let the line stand; that of a step that is done says how long it took."""
        if not self._now:
            return
        if done and self._now["step"] == "queued":
            self._write(self._clear)  # not worth a line of its own
        else:
            now = time.monotonic()
            line = self._still(now) if done else self._moving(now)
            self._write(f"{self._clear}{line}\n")
        self._now = {}

    def _moving(self, now: float) -> str:
        step, current, total = self._now["step"], self._now["current"], self._now["total"]
        if step in WAITING:
            return self._composed(None, [WAITING[step], took(now - self._began)])
        counts = f"{current:,}/{total:,} {COUNTED[step]}"
        return self._composed(current / max(total, 1), [counts, *self._pace_words(total, now)])

    def _still(self, now: float) -> str:
        step, current, total = self._now["step"], self._now["current"], self._now["total"]
        share, words = 1.0, [took(now - self._began)]
        if step == "vectors":  # some may be missing; whether notes are is said with their names
            share = current / max(total, 1)
            words.insert(0, f"{current:,}/{total:,} passages")
        elif total:
            words.insert(0, counted(total, "note") + (" to read" if step == "scan" else ""))
        return self._composed(share, words)

    def _composed(self, share: float | None, words: list[str]) -> str:
        return composed(self._now["step"], share, words, columns_of(self._stream), self._ink)

    def _pace_words(self, total: int, now: float) -> list[str]:
        quiet = self._pace.quiet(now)
        if quiet > QUIET_S:
            return [f"nothing new for {span(quiet)}"]
        left = self._pace.left(total, now)
        if left is None:
            return [took(now - self._began)]
        return [f"{to_go(left)} left", per_time(self._pace.rate(now))]

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
