"""A daemon of the bench's own: a home, a vault, a process, and its facts. It measures nothing."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from ragctl.daemon import client
from ragctl.failure import Failure
from ragd.paths import Home

WITHIN_S = 30.0
REPOSITORY = Path(__file__).parents[1]


def environment(home: str) -> dict[str, str]:
    """What a child sees: the checkout, this home, and a place to keep bytecode in."""
    ours = {
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONPYCACHEPREFIX": str(Path(home).parent / "bytecode"),
        "OBSIDIAN_RAG_HOME": home,
    }
    hidden = ("RAGD_", "PYTHONDONTWRITEBYTECODE")
    return {**{k: v for k, v in os.environ.items() if not k.startswith(hidden)}, **ours}


class House:
    """One home with its vault; the daemon may be started and stopped in it."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.vault = folder / "vault"
        self.vault.mkdir(parents=True)
        self.home = Home(str(folder / "h"))
        Path(self.home.root).mkdir(mode=0o700)
        quick = {"debounce_s": 0.0, "collect_s": 0.0, "rescan_s": 86_400}
        config = {"vault_path": str(self.vault), "watch": quick, **settings}
        Path(self.home.config).write_text(json.dumps(config))
        self.process: subprocess.Popen[bytes] | None = None

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """The daemon at work, its probes through, until the end of the block."""
        command = [sys.executable, "-m", "ragd", "--home", self.home.root]
        self.process = subprocess.Popen(command, env=environment(self.home.root))
        try:
            self._until_settled()
            yield
        finally:
            self.process.terminate()
            self.process.wait(WITHIN_S)

    def _until_settled(self) -> None:
        end = time.monotonic() + WITHIN_S
        while time.monotonic() < end:
            with contextlib.suppress(Failure):
                if all(reason["code"] != "STARTING" for reason in self.status()["reasons"]):
                    return
            time.sleep(0.01)
        raise RuntimeError("the daemon did not answer")

    def status(self) -> dict[str, Any]:
        return client.request(self.home, "GET", "/v1/status").data

    def job(self, mode: str) -> str:
        """Ask for a job; its id."""
        answer = client.request(self.home, "POST", "/v1/jobs", {"mode": mode})
        return str(answer.data["job_id"])

    def follow(self, after: int, *types: str) -> Iterator[dict[str, Any]]:
        """Records of these types from then on, for as long as somebody takes them."""
        wanted = "".join(f"&type={name}" for name in types)
        lines = client.stream(self.home, f"/v1/events?follow=1&after={after}{wanted}")
        assert isinstance(lines, client.Stream)
        try:
            while (line := lines.line()) is not None:
                yield json.loads(line)
        finally:
            lines.close()

    def until_finished(self, job_id: str, after: int) -> dict[str, Any]:
        """The record that ended this job."""
        for record in self.follow(after, "job_finished"):
            if record["event"]["job_id"] == job_id:
                return record
        raise RuntimeError("the daemon went away")

    def cpu_s(self) -> float:
        """What the daemon's own process has used so far."""
        assert self.process is not None
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mb(self) -> float:
        """The most memory the daemon's own process ever had."""
        assert self.process is not None
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def moment(record: dict[str, Any]) -> float:
    """When a record was written, in seconds."""
    return datetime.fromisoformat(record["ts"]).timestamp()
