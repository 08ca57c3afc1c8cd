"""A daemon over a vault of documents, and searches in it. It judges nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import measured_daemon
from bench.collections import Question, write_vault
from ragctl.daemon.client import request
from ragd.paths import Home

SHARED = Path(__file__).resolve().parents[2] / "shared"
DATA = Path(os.environ.get("RAGD_SHARED", SHARED)) / "data"
TRIES = 5
VECTORS_WITHIN_S = 7200
PASSAGES = 30  # requested, so that ten different notes are among them
TOOL = "/v1/tools/obsidian_rag_search"


class Daemon:
    """A daemon over one collection."""

    def __init__(self, place: Path, language: str = "auto") -> None:
        self._language = language
        place = place.absolute()
        self.vault = place / "vault"
        self.home = Home(str(place / "h"))
        Path(self.home.root).mkdir(mode=0o700, parents=True, exist_ok=True)

    def index(self, documents: Mapping[str, str], days: Mapping[str, str] | None = None) -> None:
        """Write the missing notes of the vault and wait for every vector."""
        known = Path(self.home.vectors).exists()
        write_vault(documents, self.vault, days)
        self._configure({})
        self._ragctl("sync" if known else "index")
        self._ragctl("wait", "--for", "idle", "--timeout", str(VECTORS_WITHIN_S))

    def search_by(self, way: dict[str, object]) -> None:
        self._configure(way)
        request(self.home, "POST", "/v1/reload", {}).data  # noqa: B018  (raises on an error)

    def ask(self, question: Question) -> list[str]:
        body: dict[str, object] = {"query": question.text, "max_results": PASSAGES}
        if question.folder:
            body["directory_filter"] = [question.folder]
        results = self.search(body)["results"]
        return list(dict.fromkeys(result["source_file"] for result in results))

    def search(self, body: dict[str, object]) -> dict[str, Any]:
        """The data of the answer. After an error it tries again: the machine may be busy."""
        for _ in range(TRIES):
            answer = request(self.home, "POST", TOOL, body, 60.0)
            if answer.envelope["error"] is None:
                break
        return answer.data

    def stop(self) -> None:
        self._ragctl("stop")

    def _configure(self, way: dict[str, object]) -> None:
        config = {
            "vault_path": str(self.vault),
            "embedding": {"provider": "embedded", "language": self._language},
            "watch": {"rescan_s": 86400},
            "search": way,
        }
        Path(self.home.config).write_text(json.dumps(config))

    def _ragctl(self, *words: str) -> None:
        environment = measured_daemon.environment(self.home.root)
        command = [sys.executable, "-m", "ragctl", *words]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
