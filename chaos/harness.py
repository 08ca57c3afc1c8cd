"""A temporary folder, a seed, and the processes started there.

It ends only the processes it started, each by its id, and keeps the folder only after a failure.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from random import Random
from types import TracebackType

WITHIN_S = 120.0  # for hanging processes; long, because the machine may be busy
REPOSITORY = Path(__file__).parents[1]
KILLED = -signal.SIGKILL
_NOT_PASSED_ON = ("OBSIDIAN_", "RAGD_", "XDG_", "COVERAGE_", "PYTHONDONTWRITEBYTECODE")
_BYTECODE = tempfile.TemporaryDirectory(
    prefix="ragd-chaos-bytecode-"
)  # so that children start faster


class Broken(Exception):
    """A promise of ragd that did not hold."""


def require(holds: bool, sentence: str) -> None:
    """Raise Broken unless it holds. Not an assert, which -O would remove."""
    if not holds:
        raise Broken(sentence)


def environment(armed: str = "") -> dict[str, str]:
    """The environment of a child process, without this machine's ragd settings."""
    ours = {"PYTHONPATH": str(REPOSITORY), "PYTHONPYCACHEPREFIX": _BYTECODE.name}
    point = {"RAGD_CRASHPOINT": armed} if armed else {}
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_NOT_PASSED_ON)}
    return {**kept, **ours, **point}


class Child:
    """A started process. Complete lines of its stdout are collected as they arrive."""

    def __init__(self, arguments: list[str], stderr: Path, armed: str = "") -> None:
        self.armed = armed
        self._stderr = stderr
        with stderr.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment(armed),
                cwd=stderr.parent,
            )
        self.pid = self._process.pid
        self.lines: list[str] = []
        self._first_words: set[str] = set()
        self._changed = threading.Condition()
        self._is_at_end = False
        self._reader = threading.Thread(target=self._read_stdout, daemon=True)
        self._reader.start()

    def _read_stdout(self) -> None:
        """Read until the pipe is closed. A line that the kill cut off is dropped."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith(b"\n"):
                with self._changed:
                    self.lines.append(line.decode())
                    self._first_words.add(self.lines[-1].split(" ", 1)[0])
                    self._changed.notify_all()
        with self._changed:
            self._is_at_end = True
            self._changed.notify_all()

    def begin(self) -> None:
        """Send the byte that a prepared process waits for."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()

    def request(self, line: str) -> list[str]:
        """Write a line to its stdin. Returns the lines it prints then, up to END."""
        with self._changed:
            before = len(self.lines)
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_at_end or self.lines[before:][-1:] == ["END\n"], WITHIN_S
            )
            answer = self.lines[before:]
        require(answer[-1:] == ["END\n"], f"{self} did not answer {line}")
        return answer[:-1]

    def wait_for(self, word: str) -> bool:
        """Wait for a line that begins with this word; False if it ended without one."""
        with self._changed:
            settled = self._changed.wait_for(
                lambda: self._is_at_end or self.has_printed(word), WITHIN_S
            )
            require(settled, f"{self} did not print {word!r}")
            return self.has_printed(word)

    def has_printed(self, word: str) -> bool:
        return word in self._first_words

    def kill(self) -> int:
        """kill -9. Returns the exit code."""
        self._process.kill()
        return self.wait_for_exit()

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def wait_for_exit(self, within_s: float = WITHIN_S) -> int:
        """Wait until it has ended. Returns the exit code, negative for a signal. `lines` is
        complete then."""
        try:
            code = self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            raise Broken(f"{self} did not end within {within_s:.0f} s") from None
        self._reader.join(WITHIN_S)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        return code

    @property
    def stderr(self) -> str:
        """What it has written to stderr."""
        return self._stderr.read_text(errors="replace").strip()

    def __str__(self) -> str:
        armed = f" with {self.armed}" if self.armed else ""
        return f"process {self.pid}{armed} ({self.stderr or 'nothing on stderr'})"


class Arena:
    """One folder, one random generator, a tally, and all processes that were started.

    A context manager: at its end all processes are ended, and the folder is removed on success.
    """

    def __init__(self, seed: int, name: str = "") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ragd-chaos-"))
        self.seed = seed
        self.rng = Random(f"{seed} {name}")
        self.tally: Counter[str] = Counter()
        self._children: list[Child] = []
        self._number = 0
        self._starting = threading.Lock()

    def start(self, *arguments: str, armed: str = "") -> Child:
        """Start `python <arguments>`, perhaps with an armed crash point."""
        with self._starting:
            self._number += 1
            errors = self.folder / f"stderr-{self._number:04d}.txt"
            child = Child(list(arguments), errors, armed)
            self._children.append(child)
        return child

    def __enter__(self) -> "Arena":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        why: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for child in self._children:
            child.kill()  # also closes the pipes of one that has ended
        if why is None:
            shutil.rmtree(self.folder)
        else:
            why.add_note(f"evidence: {self.folder}")
