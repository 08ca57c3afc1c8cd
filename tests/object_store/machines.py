"""A machine of its own: a home, and a daemon that is used through `ragctl`."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE_S


class Machine:
    """One home. `environment`: the credentials of its object store."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self.home = home
        others = {name: value for name, value in os.environ.items() if not _is_credential(name)}
        self._environment = {**others, "HOME": str(home.parent), **environment}

    def configure(self, **settings: Any) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        quick = {"debounce_s": 0.05, "collect_s": 0.05, "rescan_s": 3600}
        whole = {
            "embedding": {"provider": "embedded", "language": "english"},
            "watch": quick,
            "health": {"probe_s": 0.5},
            **settings,
        }
        (self.home / "config.json").write_text(json.dumps(whole))

    def ragctl(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "ragctl", "--home", str(self.home), *words],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )

    def run(self, *words: str) -> str:
        """The output of a command that must work."""
        done = self.ragctl(*words)
        assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def answer(self, *words: str) -> dict[str, Any]:
        """The envelope of a command, even of one that fails."""
        found: dict[str, Any] = json.loads(self.ragctl(*words, "--json").stdout)
        return found

    def found(self, question: str) -> list[str]:
        """The notes that a search finds, best first; none if it is refused."""
        data = self.answer("search", question).get("data")
        return [one["source_file"] for one in data["results"]] if data else []

    def codes(self) -> list[str]:
        data = self.answer("status")["data"]
        return [one["code"] for one in data["reasons"]]

    def wait_for(self, what: Callable[[], bool]) -> None:
        """Wait until this holds."""
        deadline = time.monotonic() + PATIENCE_S
        while not what():
            assert time.monotonic() < deadline, "it never happened"
            time.sleep(0.1)

    @property
    def pid(self) -> int | None:
        try:
            return int(json.loads((self.home / "ragd.lock").read_text())["pid"])
        except (OSError, ValueError, KeyError):
            return None

    def kill(self) -> None:
        """As a power cut does it. Returns when the daemon has ended: until then, its socket still
        accepts connections."""
        pid = self.pid  # of the last daemon, which may have ended
        if pid is not None and str(self.home).encode() in _command_of(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            self.wait_for(lambda: _has_ended(pid))

    def stop(self) -> None:
        self.ragctl("stop")


def _is_credential(name: str) -> bool:
    return name.startswith(("AWS_", "AZURE_", "GOOGLE_"))


def _has_ended(pid: int) -> bool:
    """Whether no thread is left: the last one closes the socket."""
    try:
        states = [one.read_text().rpartition(")")[2] for one in _threads_of(pid)]
    except OSError:
        return not _threads_of(pid)
    return all(state.split()[0] in "ZX" for state in states)


def _threads_of(pid: int) -> list[Path]:
    return list(Path("/proc").glob(f"{pid}/task/*/stat"))


def _command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
