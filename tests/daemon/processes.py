"""Real daemons in processes of their own, and the facts in their logs."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ragd.paths import Home
from tests.daemon.wire import Reply, ask
from tests.patience import PATIENCE_S

WITHIN_S = PATIENCE_S
CHILD = Path(__file__).with_name("child.py")
REPOSITORY = Path(__file__).parents[2]


def write_config(home: Home, **keys: Any) -> None:
    vault = Path(home.root).parent / "vault"
    vault.mkdir(exist_ok=True)
    (vault / "note.md").write_text("A note.\n")
    Path(home.root).mkdir(mode=0o700, exist_ok=True)
    Path(home.config).write_text(json.dumps({"vault_path": str(vault), **keys}))


def environment(**more: str) -> dict[str, str]:
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith(("OBSIDIAN_", "RAGD_", "XDG_"))},
        "PYTHONPATH": str(REPOSITORY),
        **more,
    }


class Process:
    """A daemon process, which may also fail to start."""

    def __init__(self, home: Home, command: list[str], **env: str) -> None:
        self.home = home
        self._stdout = tempfile.TemporaryFile()  # noqa: SIM115
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        self.popen = subprocess.Popen(
            command, stdout=self._stdout, stderr=self._stderr, env=environment(**env), cwd="/"
        )
        self.pid = self.popen.pid

    async def wait_for_exit(self, within_s: float = WITHIN_S) -> int:
        """Wait until it has ended. Returns the exit code, negative for a signal."""
        return await asyncio.to_thread(self.popen.wait, within_s)

    def signal(self, number: int) -> None:
        self.popen.send_signal(number)

    async def stop(self) -> int:
        self.signal(signal.SIGTERM)
        return await self.wait_for_exit()

    @property
    def output(self) -> str:
        """What it has written to stdout and stderr."""
        text = ""
        for file in (self._stdout, self._stderr):
            file.seek(0)
            text += file.read().decode()
        return text

    async def wait_until_ready(self) -> Reply:
        """Wait for its first status, and return it."""
        deadline = time.monotonic() + WITHIN_S
        while True:
            assert self.popen.poll() is None, f"exit {self.popen.returncode}: {self.output}"
            assert time.monotonic() < deadline, self.output
            try:
                return await self.ask("GET", "/v1/status")
            except (FileNotFoundError, ConnectionError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.01)

    async def ask(self, method: str, target: str, body: Any = None) -> Reply:
        return await ask(self.home.socket, method, target, body)

    async def status(self) -> dict[str, Any]:
        data: dict[str, Any] = (await self.ask("GET", "/v1/status")).data
        return data

    async def wait_for_reasons(self, *codes: str, absent: bool = False) -> list[str]:
        """Wait until the reasons hold all of `codes` (or, `absent`, none of them)."""
        deadline = time.monotonic() + WITHIN_S
        while True:
            reasons = [r["code"] for r in (await self.status())["reasons"]]
            if not absent and set(codes) <= set(reasons):
                return reasons
            if absent and not set(codes) & set(reasons):
                return reasons
            assert time.monotonic() < deadline, reasons
            await asyncio.sleep(0.01)

    def kill(self) -> None:
        """Kill it if it runs, and close its files."""
        if self.popen.poll() is None:
            self.popen.kill()
            self.popen.wait()
        self._stdout.close()
        self._stderr.close()


def start_ragd(home: Home, **env: str) -> Process:
    """Start `ragd` unchanged."""
    return Process(home, [sys.executable, "-m", "ragd", "--home", home.root], **env)


def start_modified(home: Home, *twists: str, **env: str) -> Process:
    """Start `ragd` with parts replaced (child.py), always without lancedb."""
    return Process(home, [sys.executable, str(CHILD), home.root, *twists], **env)


def facts(home: Home) -> list[dict[str, Any]]:
    """Every whole record in the files of the log, without the checksums."""
    found = []
    for segment in sorted(Path(home.events).glob("*.ndjson")):
        for line in segment.read_bytes().split(b"\n")[1:-1]:  # the last one may be half written
            found.append(json.loads(line[9:]))
    return found


def types(home: Home) -> list[str]:
    return [record["event"]["type"] for record in facts(home)]
