"""A terminal, borrowed: a page that is drawn over and over, and everything given back as it was.

One write for each drawing and no clearing in between, so nothing flickers. It knows nothing of what
is shown. Not for Windows.
"""

import os
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H\x1b[2J"  # another page, no cursor, lines are cut
_LEAVE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_BEGIN, _END = "\x1b[?2026h\x1b[H", "\x1b[J\x1b[?2026l"  # shown at once, where terminals can
_HEEDED = (signal.SIGWINCH, signal.SIGTSTP, signal.SIGTERM, signal.SIGHUP)


class Screen:
    """The page. `news` becomes readable when a signal has come."""

    def __init__(self) -> None:
        self._keyboard = sys.stdin if sys.stdin is not None and sys.stdin.isatty() else None
        self._modes: list[Any] | None = None
        self.news, self._told = os.pipe()
        for end in (self.news, self._told):
            os.set_blocking(end, False)

    @property
    def keyboard(self) -> int | None:
        return self._keyboard.fileno() if self._keyboard is not None else None

    def draw(self, text: str) -> None:
        """Show this and nothing else; what does not fit below is cut off, and that is said."""
        lines, room = text.split("\n"), os.get_terminal_size(sys.stdout.fileno()).lines
        if len(lines) > room:
            left = len(lines) - room + 1
            lines = [*lines[: room - 1], f"… {left} more lines: make the window higher"]
        self._write(_BEGIN + "\r\n".join(f"{line}\x1b[K" for line in lines) + _END)

    def signals(self) -> set[int]:
        """Those that came since somebody looked."""
        try:
            return set(os.read(self.news, 512))
        except BlockingIOError:
            return set()

    def suspend(self) -> None:
        """Step aside as any program does at Ctrl-Z, until somebody types `fg`."""
        self._leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._enter()

    @contextmanager
    def borrowed(self) -> Iterator[None]:
        """However it ends, the terminal is as it was."""
        before = {number: signal.signal(number, _note) for number in _HEEDED}
        woken = signal.set_wakeup_fd(self._told, warn_on_full_buffer=False)
        try:
            self._enter()
            yield
        finally:
            self._leave()
            signal.set_wakeup_fd(woken)
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


def _note(number: int, frame: object) -> None:
    """The number is in the pipe by now; whoever waits there acts on it."""
