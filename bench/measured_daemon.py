"""A daemon with its own home and vault, and access to its facts. It measures nothing."""

import compileall
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from ragctl.daemon import client
from ragctl.failure import Failure
from ragd.paths import Home

WITHIN_S = 30.0
REPOSITORY = Path(__file__).parents[1]


def environment(home: str) -> dict[str, str]:
    """The environment of a child: the checkout, with its bytecode, and this home."""
    _compile_bytecode()
    ours = {"PYTHONPATH": str(REPOSITORY), "OBSIDIAN_RAG_HOME": home}
    hidden = ("RAGD_", "PYTHONDONTWRITEBYTECODE")
    return {**{k: v for k, v in os.environ.items() if not k.startswith(hidden)}, **ours}


@cache
def _compile_bytecode() -> None:
    """An installation has its bytecode. Without it, each process would compile what it imports,
    and that would be measured: 0.4 s of CPU time for a daemon."""
    for package in ("ragd", "ragctl"):
        compileall.compile_dir(REPOSITORY / package, quiet=1)


class MeasuredDaemon:
    """One home with its vault, in which a daemon can be started and stopped."""

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
    def running(self, *, settled: bool = True) -> Iterator[None]:
        """A daemon runs during the block; if `settled`, its first probes are done before."""
        command = [sys.executable, "-m", "ragd", "--home", self.home.root]
        self.process = subprocess.Popen(command, env=environment(self.home.root))
        try:
            if settled:
                self._wait_until_settled()
            yield
        finally:
            self.process.terminate()
            self.process.wait(WITHIN_S)

    def _wait_until_settled(self) -> None:
        end = time.monotonic() + WITHIN_S
        while time.monotonic() < end:
            with contextlib.suppress(Failure):
                if all(reason["code"] != "STARTING" for reason in self.status()["reasons"]):
                    return
            time.sleep(0.01)
        raise RuntimeError("the daemon did not answer")

    def status(self) -> dict[str, Any]:
        return client.request(self.home, "GET", "/v1/status").data

    def request_job(self, mode: str) -> str:
        """Request a job. Returns its id."""
        answer = client.request(self.home, "POST", "/v1/jobs", {"mode": mode})
        return str(answer.data["job_id"])

    def job(self, job_id: str) -> dict[str, Any]:
        return client.request(self.home, "GET", f"/v1/jobs/{job_id}").data

    def children(self) -> list[int]:
        """The daemon's worker processes that run now."""
        assert self.process is not None
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return [int(pid) for task in tasks for pid in (task / "children").read_text().split()]

    def follow(self, after: int, *types: str) -> Iterator[dict[str, Any]]:
        """Yield records of these types after this seq, without an end."""
        wanted = "".join(f"&type={name}" for name in types)
        lines = client.stream(self.home, f"/v1/events?follow=1&after={after}{wanted}")
        assert isinstance(lines, client.Stream)
        try:
            while (line := lines.read_line()) is not None:
                yield json.loads(line)
        finally:
            lines.close()

    def wait_for_job(self, job_id: str, after: int) -> dict[str, Any]:
        """Wait for the record that ends this job."""
        for record in self.follow(after, "job_finished"):
            if record["event"]["job_id"] == job_id:
                return record
        raise RuntimeError("the daemon has ended")

    def cpu_s(self) -> float:
        """The CPU time of the daemon so far."""
        assert self.process is not None
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mb(self) -> float:
        """The peak memory of the daemon."""
        assert self.process is not None
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def moment(record: dict[str, Any]) -> float:
    """When a record was written, in seconds."""
    return datetime.fromisoformat(record["ts"]).timestamp()
