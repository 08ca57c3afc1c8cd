"""A real terminal with `ragctl` in it: what is typed reaches it as from a keyboard."""

import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence

from tests.patience import PATIENCE_S

CTRL_C = "\x03"
WITHIN_S = PATIENCE_S
_IN_A_TERMINAL = (
    "import os, sys; os.login_tty(0);"
    "os.execv(sys.executable, [sys.executable, '-m', 'ragctl', *sys.argv[1:]])"
)


class Terminal:
    """One command, the keyboard and the screen."""

    def __init__(self, argv: Sequence[str], columns: int, environment: Mapping[str, str]) -> None:
        self._keyboard, screen = pty.openpty()
        self._written = b""
        self.resize(columns)
        self._child = subprocess.Popen(
            [sys.executable, "-c", _IN_A_TERMINAL, *argv],
            stdin=screen,
            stdout=screen,
            stderr=screen,
            env=environment,
        )
        os.close(screen)

    @property
    def raw(self) -> str:
        """All that was written, with what a terminal would obey."""
        return self._written.decode(errors="replace")

    @property
    def text(self) -> str:
        """What was written, without colours and the like."""
        return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", self.raw)

    @property
    def lines(self) -> list[str]:
        """Every line that was ever shown, also those that were written over."""
        return [line for line in re.split(r"[\r\n]+", self.text) if line]

    @property
    def left(self) -> list[str]:
        """The lines that are left on the screen."""
        shown = (line.rpartition("\r")[2] for line in self.text.replace("\r\n", "\n").split("\n"))
        return [line for line in shown if line]

    @property
    def modes(self) -> list[object]:
        """How the terminal treats what is typed: echo, lines, signals."""
        return termios.tcgetattr(self._keyboard)

    def resize(self, columns: int, rows: int = 24) -> None:
        termios.tcsetwinsize(self._keyboard, (rows, columns))

    def signal(self, number: int) -> None:
        self._child.send_signal(number)

    def type(self, keys: str) -> None:
        os.write(self._keyboard, keys.encode())

    def until(self, words: str, times: int = 1) -> None:
        """Wait until these words were written so many times."""
        deadline = time.monotonic() + WITHIN_S
        while self.text.count(words) < times:
            assert time.monotonic() < deadline and self._read(deadline), (words, self.text)

    def ended(self) -> int:
        """Wait for the end; the exit code."""
        deadline = time.monotonic() + WITHIN_S
        while self._read(deadline):
            assert time.monotonic() < deadline, self.text
        return self._child.wait(WITHIN_S)

    def close(self) -> None:
        self._child.kill()
        self._child.wait()
        os.close(self._keyboard)

    def _read(self, deadline: float) -> bool:
        """Take what was written; False when nobody writes any more."""
        if not select.select([self._keyboard], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return True
        try:
            self._written += os.read(self._keyboard, 65536)
        except OSError:  # how a terminal says that its last user is gone
            return False
        return True
