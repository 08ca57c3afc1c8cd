"""A real daemon over a small vault, with requests like those of a tool call."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragctl.daemon.client import is_listening, request, stream
from ragd.paths import Home
from tests.daemon.processes import Process, start_ragd
from tests.daemon.wire import check_envelope
from tests.patience import PATIENCE_S

NO_PROVIDER = {"provider": "ollama", "base_url": "http://127.0.0.1:9"}  # makes no vectors
WITHIN_S = PATIENCE_S
TOOL = "/v1/tools/obsidian_rag_search"

NOTES = {
    "Journal/2024-01-15.md": "# Monday\n\nFirst session with the new therapist, slept better.\n",
    "Journal/2024-02-01.md": "#finance\nI owe Sreenivas 120 dollars for the tickets to Hampi.\n",
    "Journal/2025/2025-03-09.md": "A kingfisher is back at the weir. #birds/river\n",
    "Projects/Doorbell.md": "---\ntags: [Electronics]\n---\n# Doorbell\n\n## Parts\n\nA reed relay "
    "and a nine volt battery.\n\n## Plan\n\nSolder the board on Sunday.\n",
    "Ideen/Küche.md": "Ein Regal für die Gewürze, Buche geölt, neben dem Fenster.\n",
    "Shopping.md": "- rye bread\n- coriander\n- batteries for the doorbell\n",
}


class ParsedAnswer:
    """One answer and its parts."""

    def __init__(self, status: int, envelope: dict[str, Any]) -> None:
        self.status = status
        self.envelope = envelope
        self.meta: dict[str, Any] = envelope["meta"]
        self.data = envelope["data"]

    @property
    def code(self) -> str | None:
        error = self.envelope["error"]
        return error["code"] if error else None

    @property
    def message(self) -> str:
        return str(self.envelope["error"]["message"])

    @property
    def results(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.data["results"]
        return found

    @property
    def files(self) -> list[str]:
        return [result["source_file"] for result in self.results]


class Vault:
    """A vault, its home and its daemon."""

    def __init__(self, folder: Path, notes: dict[str, str], **config: Any) -> None:
        self.folder = folder
        self.root = folder / "My vault"
        self.home = Home(str(folder / "h"))
        self.process: Process | None = None
        self._config = config
        for path, text in notes.items():
            self.write(path, text)
        Path(self.home.root).mkdir(mode=0o700)
        self.configure()

    def write(self, path: str, text: str) -> Path:
        note = self.root / path
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(text, "utf-8")
        return note

    def configure(self, **config: Any) -> None:
        still = {"debounce_s": 60, "rescan_s": 86400}  # no automatic sync
        whole: dict[str, Any] = {
            "vault_path": str(self.root),
            "embedding": {"provider": "embedded"},
            "watch": still,
            **self._config,
            **config,
        }
        Path(self.home.config).write_text(json.dumps(whole))

    def reload(self, **config: Any) -> None:
        self.configure(**config)
        assert self.post("/v1/reload", {}).status == 200

    def start(self) -> None:
        self.process = start_ragd(self.home)
        deadline = time.monotonic() + WITHIN_S
        while not is_listening(self.home):
            assert time.monotonic() < deadline, self.process.output
            time.sleep(0.02)

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()

    def index(self, mode: str = "full") -> dict[str, Any]:
        """Index and wait for the vectors. Returns the last line of the job."""
        job = self.post("/v1/jobs", {"mode": mode}).data["job_id"]
        lines: Any = stream(self.home, f"/v1/jobs/{job}?follow=1")
        try:
            while True:
                line: dict[str, Any] = json.loads(lines.read_line(WITHIN_S))
                if line["type"] != "progress":
                    return line
        finally:
            lines.close()

    def index_text(self) -> None:
        """Index, and wait until all text is stored; vectors may be missing."""
        job = self.post("/v1/jobs", {"mode": "full"}).data["job_id"]
        deadline = time.monotonic() + WITHIN_S
        stored = ("vectors", "finished")
        while (request(self.home, "GET", f"/v1/jobs/{job}").data)["phase"] not in stored:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def post(self, path: str, body: Any, headers: dict[str, str] | None = None) -> ParsedAnswer:
        answer = request(self.home, "POST", path, body, WITHIN_S, headers=headers)
        return ParsedAnswer(answer.status, check_envelope(answer.body))

    def get(self, path: str) -> ParsedAnswer:
        answer = request(self.home, "GET", path, None, WITHIN_S)
        return ParsedAnswer(answer.status, check_envelope(answer.body))

    def delete(self, path: str) -> ParsedAnswer:
        answer = request(self.home, "DELETE", path, None, WITHIN_S)
        return ParsedAnswer(answer.status, check_envelope(answer.body))

    def until(self, seen: Callable[[], Any]) -> Any:
        """Call it until it returns a true value."""
        deadline = time.monotonic() + WITHIN_S
        while not (found := seen()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return found

    def search(self, query: str, **more: Any) -> ParsedAnswer:
        """The answer. On a busy machine the question's vector may be late, so it is asked again."""
        deadline = time.monotonic() + WITHIN_S
        while (asked := self.search_once(query, **more)).code == "TIMEOUT":
            assert time.monotonic() < deadline
        return asked

    def search_once(self, query: str, **more: Any) -> ParsedAnswer:
        """The first answer, also if the question's vector is late."""
        return self.post(TOOL, {"query": query, **more})


@contextmanager
def serve_vault(notes: dict[str, str] = NOTES, **config: Any) -> Iterator[Vault]:
    """A vault with a complete index and a running daemon."""
    with _vault(notes, config) as vault:
        vault.start()
        vault.index()
        yield vault


@contextmanager
def serve_text(
    notes: dict[str, str], file_times: Mapping[str, float] | None = None, **config: Any
) -> Iterator[Vault]:
    """The same without vectors. `file_times`: the modification times of some notes."""
    with _vault(notes, {"embedding": NO_PROVIDER, **config}) as vault:
        for path, moment in (file_times or {}).items():
            os.utime(vault.root / path, (moment, moment))
        vault.start()
        vault.index_text()
        yield vault


@contextmanager
def _vault(notes: dict[str, str], config: dict[str, Any]) -> Iterator[Vault]:
    folder = Path(tempfile.mkdtemp(prefix="rs", dir="/tmp"))
    vault = Vault(folder, notes, **config)
    try:
        yield vault
    finally:
        vault.end()
        shutil.rmtree(folder, ignore_errors=True)
