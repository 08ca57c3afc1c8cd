"""A folder of our own, a seed, and the processes started there.

It ends only what it started, each by its own process id, and leaves the folder only as evidence.
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

WITHIN_S = 120.0  # a limit for what hangs, on a machine with too much to do
REPOSITORY = Path(__file__).parents[1]
KILLED = -signal.SIGKILL
_NOT_PASSED_ON = ("OBSIDIAN_", "RAGD_", "XDG_", "COVERAGE_", "PYTHONDONTWRITEBYTECODE")
_BYTECODE = tempfile.TemporaryDirectory(prefix="ragd-chaos-bytecode-")  # children start the sooner


class Broken(Exception):
    """A promise of ragd that did not hold."""


def require(holds: bool, sentence: str) -> None:
    """Raise Broken unless it holds. Not an assert: these are verdicts, not assumptions."""
    if not holds:
        raise Broken(sentence)


def environment(armed: str = "") -> dict[str, str]:
    """What a child process sees: nothing of this machine's own ragd, perhaps a crash point."""
    ours = {"PYTHONPATH": str(REPOSITORY), "PYTHONPYCACHEPREFIX": _BYTECODE.name}
    point = {"RAGD_CRASHPOINT": armed} if armed else {}
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_NOT_PASSED_ON)}
    return {**kept, **ours, **point}


class Child:
    """A process of ours. Whole lines of its stdout are collected as they come."""

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
        self._words: set[str] = set()
        self._said = threading.Condition()
        self._is_silent = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Until the pipe's other end is closed. A line cut off by the kill was never said."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith(b"\n"):
                with self._said:
                    self.lines.append(line.decode())
                    self._words.add(self.lines[-1].split(" ", 1)[0])
                    self._said.notify_all()
        with self._said:
            self._is_silent = True
            self._said.notify_all()

    def go(self) -> None:
        """Give the word to one that waits for it."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()

    def asked(self, question: str) -> list[str]:
        """Say a line to one that answers; the lines that it says then, up to END."""
        with self._said:
            before = len(self.lines)
        assert self._process.stdin is not None
        self._process.stdin.write(f"{question}\n".encode())
        self._process.stdin.flush()
        with self._said:
            self._said.wait_for(
                lambda: self._is_silent or self.lines[before:][-1:] == ["END\n"], WITHIN_S
            )
            answer = self.lines[before:]
        require(answer[-1:] == ["END\n"], f"{self} did not answer {question}")
        return answer[:-1]

    def wait_for(self, word: str) -> bool:
        """Wait until it says a line that begins with this word; False if it ended without."""
        with self._said:
            settled = self._said.wait_for(lambda: self._is_silent or self.has_said(word), WITHIN_S)
            require(settled, f"{self} did not say {word!r}")
            return self.has_said(word)

    def has_said(self, word: str) -> bool:
        return word in self._words

    def kill(self) -> int:
        """kill -9, and what the process ended with."""
        self._process.kill()
        return self.ended()

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def ended(self, within_s: float = WITHIN_S) -> int:
        """Wait for its end: the exit code, negative for a signal. `lines` is complete then."""
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
    def complaint(self) -> str:
        """What it wrote to stderr."""
        return self._stderr.read_text(errors="replace").strip()

    def __str__(self) -> str:
        armed = f" with {self.armed}" if self.armed else ""
        return f"process {self.pid}{armed} ({self.complaint or 'no complaint'})"


class Arena:
    """One folder, one source of chance, a tally, and every process that was started.

    It is a block: at its end all processes are ended, and the folder goes if all went well.
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
            child.kill()  # one that ended by itself still has its pipes
        if why is None:
            shutil.rmtree(self.folder)
        else:
            why.add_note(f"evidence: {self.folder}")
