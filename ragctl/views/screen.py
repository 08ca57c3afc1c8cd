"""A full-screen page that is redrawn in place. The terminal is restored at the end.

Each redraw is one write without clearing the screen, so nothing flickers. Not for Windows.
"""

import os
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ENTER = (
    "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H\x1b[2J"  # alternate screen, no cursor, long lines are cut
)
_LEAVE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_BEGIN, _END = (
    "\x1b[?2026h\x1b[H",
    "\x1b[J\x1b[?2026l",
)  # synchronized update, where the terminal supports it
_SIGNALS = (signal.SIGWINCH, signal.SIGTSTP, signal.SIGTERM, signal.SIGHUP)


class Screen:
    """The screen. `signal_pipe` becomes readable when a signal arrives."""

    def __init__(self) -> None:
        self._keyboard = sys.stdin if sys.stdin is not None and sys.stdin.isatty() else None
        self._modes: list[Any] | None = None
        self.signal_pipe, self._signal_writer = os.pipe()
        for handle in (self.signal_pipe, self._signal_writer):
            os.set_blocking(handle, False)

    @property
    def keyboard(self) -> int | None:
        return self._keyboard.fileno() if self._keyboard is not None else None

    def draw(self, text: str) -> None:
        """Replace the page. If it is too long, the last line shows how many lines are missing."""
        lines, room = text.split("\n"), os.get_terminal_size(sys.stdout.fileno()).lines
        if len(lines) > room:
            left = len(lines) - room + 1
            lines = [*lines[: room - 1], f"… {left} more lines: make the window taller"]
        self._write(_BEGIN + "\r\n".join(f"{line}\x1b[K" for line in lines) + _END)

    def read_signals(self) -> set[int]:
        """The signals since the last call."""
        try:
            return set(os.read(self.signal_pipe, 512))
        except BlockingIOError:
            return set()

    def suspend(self) -> None:
        """Suspend at Ctrl-Z, until `fg`."""
        self._leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._enter()

    @contextmanager
    def full_screen(self) -> Iterator[None]:
        """Use the whole terminal; restore it at the end, also after an error."""
        before = {number: signal.signal(number, _ignore_signal) for number in _SIGNALS}
        previous_fd = signal.set_wakeup_fd(self._signal_writer, warn_on_full_buffer=False)
        try:
            self._enter()
            yield
        finally:
            self._leave()
            signal.set_wakeup_fd(previous_fd)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _enter(self) -> None:
        if self._keyboard is not None:
            self._modes = termios.tcgetattr(self._keyboard)
            quiet = termios.tcgetattr(self._keyboard)
            quiet[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(self._keyboard, termios.TCSADRAIN, quiet)
        self._write(_ENTER)

    def _leave(self) -> None:
        self._write(_LEAVE)
        if self._keyboard is not None and self._modes is not None:
            termios.tcsetattr(self._keyboard, termios.TCSAFLUSH, self._modes)

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def _ignore_signal(number: int, frame: object) -> None:
    """Does nothing: the wake-up pipe already holds the signal's number."""
