"""A home in a short folder, `ragctl` in this process, and a daemon that says what a test wants."""

import fcntl
import json
import os
import shutil
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

import ragd
from ragctl.__main__ import main
from ragctl.daemon.lockfile import holder
from ragd import __version__
from ragd.errors import CODES, NO_SUCH_ENDPOINT
from ragd.paths import Home
from ragd.protocol import tool_schemas
from ragd.protocol.asker import AGENT_HEADER, CHAT_HEADER
from tests.ragctl.terminal import Terminal


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Ragctl = Callable[..., Result]


class Process(subprocess.Popen[str]):
    """A command with both of its outputs read by the test."""

    stdout: IO[str]
    stderr: IO[str]


StartProcess = Callable[..., Process]
StartTerminal = Callable[..., Terminal]


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose name leaves room for a socket's."""
    folder = Path(tempfile.mkdtemp(prefix="rc"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def home(short: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A home with a valid configuration and a vault with one note. Whatever ran there is ended."""
    for name in ("NO_COLOR", "RAGCTL_DEBUG", "XDG_CONFIG_HOME", "RAGD_CRASHPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(short / "user"))
    monkeypatch.setenv("OBSIDIAN_RAG_HOME", str(short / "h"))
    # Hints are short, as in the usual home; test_home_in_commands.py is about the others.
    monkeypatch.setattr("ragctl.views.next_command.platform_home", lambda: str(short / "h"))
    vault = short / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "note.md").write_text("# A note\n")
    home = Home(str(short / "h"))
    os.mkdir(home.root, 0o700)
    Path(home.config).write_text(json.dumps({"vault_path": str(vault)}))
    yield home
    about = holder(home)
    if about and about["pid"] != os.getpid():
        os.kill(about["pid"], signal.SIGKILL)
        with open(home.lock, "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # it is gone when its lock is


def pid_of(home: Home) -> int:
    """The process that holds the lock of this home."""
    about = holder(home)
    assert about is not None
    return int(about["pid"])


@pytest.fixture
def ragctl(home: Home, capsys: pytest.CaptureFixture[str]) -> Ragctl:
    """Run one command in this process."""

    def run(*argv: str) -> Result:
        capsys.readouterr()
        code = main(list(argv))
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return run


def reason(code: str, since: str = "2026-11-15T14:30:00.000000Z") -> dict[str, Any]:
    kind = CODES[code]
    return {
        "code": code,
        "state": kind.status,
        "since": since,
        "message": kind.message,
        "suggestion": kind.suggestion,
        "recoverable": kind.recoverable,
    }


JOB = "01JOB"
NO_FILES: dict[str, Any] = {"total": 0, "reasons": {}, "files": []}
EMPTY_VIEWS: dict[str, dict[str, Any]] = {  # of an index without notes
    "/v1/coverage": {
        "collections": [],
        "folder": None,
        "folders": [],
        "left_out": 0,
        "failed": NO_FILES,
        "skipped": NO_FILES,
    },
    "/v1/timeline": {
        "from": "",
        "before": {"reasons": []},
        "changes": [],
        "runs": [],
        "jobs": [],
        "damage": [],
    },
}


def step(name: str, current: int = 0, total: int = 0) -> dict[str, Any]:
    """A line about a job under way, as the daemon sends it."""
    phase = "embedding" if name == "vectors" else "storing"
    counts = {"current": current, "total": total}
    return {"type": "progress", "phase": phase, **counts, "step": name}


def complete(outcome: str = "complete", **more: Any) -> dict[str, Any]:
    """The last line about a job, as the daemon sends it."""
    counts: dict[str, Any] = {"indexed_files": 10, "total_chunks": 18, "errors": []}
    counts |= {"text_ms": 1210, "duration_ms": 5445}
    unsaid = {"errors_total": 0, "chunks_embedded": 18, "deletions_held": 0}
    return {"type": "complete", **counts, "outcome": outcome, **unsaid, **more}


NOTE: dict[str, Any] = {
    "path": "Journal/2024-01-15.md",
    "from": 9,
    "to": 13,
    "total_lines": 40,
    "truncated": False,
    "lines_after": 27,
    "text": "# Monday\n\nA walk to the weir.\n  - a kingfisher\n\tand a heron",
    "citation": "Journal/2024-01-15.md#L9-L13",
    "link": "obsidian://open?vault=Notes&file=Journal%2F2024-01-15.md",
    "stale": False,
    "trust": "untrusted-note",
    "injection_suspected": False,
    "sensitive": [],
    "sensitive_detected": False,
}


class FakeDaemon:
    """Speaks the daemon's contract over a real socket and holds the real lock."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.version = __version__
        self.health = "healthy"
        self.reasons: list[dict[str, Any]] = []
        self.more: dict[str, Any] = {}  # what a test wants to see in status
        self.records: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self.jobs_asked: list[dict[str, Any]] = []
        self.job_refusal: tuple[str, str] | None = None  # code and message, for every new job
        self.job_lines: list[dict[str, Any]] = []  # what followers of the job see, as it is said
        self.job: dict[str, Any] = {"id": JOB, "mode": "full", "phase": "running", "progress": 0.5}
        self.reload_answer: tuple[int, dict[str, Any]] = (200, {"applied": [], "needs_restart": []})
        self.when_followed: list[Callable[[], None]] = []  # one for each follower that comes
        self.note: dict[str, Any] = dict(NOTE)  # empty: there is no such note
        self.note_hint = "Did you mean `Note.md`?"  # where there is no note
        self.searches: list[dict[str, Any]] = []
        self.search_refusal: tuple[str, str | None] | None = None  # code and message
        self.search_suggestion: str | None = None
        self.hang_ups = 0  # searches and new jobs that get no answer
        self.results: list[dict[str, Any]] = []
        self.withheld = 0  # passages of every search
        self.memories: list[dict[str, Any]] = []  # of every search
        self.collections: list[dict[str, Any]] = [{"name": "vault", "context": ""}]
        self.askers: dict[str, tuple[str | None, str | None]] = {}  # by path: agent and chat
        self.blocks = False  # a note is shown to who brings the token only
        self.tokens: list[dict[str, Any]] = []
        self.unknown: set[str] = set()  # endpoints that this version does not have
        self.heeds_stop = True
        self.changed = threading.Condition()
        self.dropped = 0
        self._aside: list[threading.Thread] = []
        self.stopped = False
        self._lock = os.open(home.lock, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        os.write(self._lock, json.dumps({"pid": os.getpid(), "version": __version__}).encode())
        self._server = _Server(home.socket, _Handler)
        self._server.fake = self
        os.chmod(home.socket, 0o600)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def be(self, health: str, *codes: str) -> None:
        self.health, self.reasons = health, [reason(code) for code in codes]

    def record(
        self, kind: str, actor: str = "daemon", cause: int | None = None, **fields: Any
    ) -> None:
        with self.changed:
            seq = len(self.records) + 1
            self.records.append(
                {
                    "seq": seq,
                    "d": seq - 1,
                    "ts": f"2026-11-15T14:30:{seq:02}.000000Z",
                    "run": "01RUN",
                    "actor": actor,
                    "cause": cause,
                    "event": {"type": kind, **fields},
                }
            )
            self.changed.notify_all()

    def hear(self, request: str) -> None:
        with self.changed:
            self.requests.append(request)
            self.changed.notify_all()

    def when_asked(self, request: str, do: Callable[[], None]) -> None:
        """Do something as soon as somebody asks this."""

        def wait() -> None:
            with self.changed:
                self.changed.wait_for(lambda: request in self.requests or self.stopped)
            do()

        self.aside(wait)

    def aside(self, do: Callable[[], None]) -> None:
        """Do something in a thread that is over before the test is."""
        self._aside.append(threading.Thread(target=do))
        self._aside[-1].start()

    def say(self, *lines: dict[str, Any]) -> None:
        """The next lines about the job."""
        with self.changed:
            self.job_lines += lines
            self.changed.notify_all()

    def drop_followers(self) -> None:
        with self.changed:
            self.dropped += 1
            self.changed.notify_all()

    def close(self) -> None:
        with self.changed:
            if self.stopped:
                return
            self.stopped = True
            self.changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        os.unlink(self.home.socket)
        os.close(self._lock)

    def wait_aside(self) -> None:
        for thread in self._aside:
            thread.join()

    def status(self) -> dict[str, Any]:
        return {
            "plugin_health": self.health,
            "total_docs": 677,
            "total_chunks": 3421,
            "chunks_embedded": 3421,
            "last_sync": "2026-11-15T14:00:00.000000Z",
            "unindexed_files": 0,
            "ollama_status": "up",
            "active_job": None,
            "last_job": None,
            "reasons": self.reasons,
            "version": self.version,
            "pid": os.getpid(),
            "run": "01RUN",
            "started_at": "2026-11-15T12:00:00.000000Z",
            "uptime_s": 7384,
            "vault": {"path": "/vault", "found": True, "watch": "native", "templates": []},
            "index": {
                "generation": "g1",
                "provider": "embedded",
                "model": "small",
                "dimensions": 384,
            },
            "provider": "auto",
            "actors": [
                {"name": "watcher", "state": "running", "crashes": 0, "last_crash": None},
            ],
            "process": {
                "memory_bytes": 60461056,
                "index_bytes": 0,
                "descriptors": 14,
                "threads": 3,
                "tasks": 28,
                "workers": 0,
                "workers_bytes": 0,
            },
            "log": {
                "seq": len(self.records),
                "oldest_seq": 1,
                "snapshot_seq": 0,
                "full_since": None,
                "unknown_events": 0,
            },
            "skipped": {"total": 0, "files": []},
            "failed": {"total": 0, "files": []},
            **self.more,
        }


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = False
    block_on_close = True
    fake: FakeDaemon


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        fake = self.server.fake
        fake.hear(f"{self.command} {self.path}")
        url = urlsplit(self.path)
        self.note_asker(url.path)
        if url.path in fake.unknown:
            return self.refuse(NO_SUCH_ENDPOINT, status=404)
        if url.path == "/v1/status":
            return self.answer(200, fake.status())
        if url.path == "/v1/tools":
            return self.answer(200, {"tools": tool_schemas.published_tools()})
        if url.path == "/v1/collections":
            return self.answer(200, {"collections": fake.collections})
        if url.path == "/v1/approvals":
            return self.answer(200, {"approvals": []})
        if url.path == "/v1/tokens":
            return self.answer(200, {"tokens": fake.tokens})
        if url.path in EMPTY_VIEWS:
            return self.answer(200, EMPTY_VIEWS[url.path])
        if url.path == "/v1/token":  # it accepts none
            return self.refuse("No.", "TOKEN_REFUSED", status=401)
        if url.path == "/v1/memories":
            return self.answer(200, {"memories": []})
        query = parse_qs(url.query)
        if url.path == "/v1/notes":
            return self.send_note(query)
        if url.path == f"/v1/jobs/{JOB}":
            return self.send_job_lines() if query else self.answer(200, fake.job)
        known = {"health_changed", *(r["event"]["type"] for r in fake.records)}
        unknown = set(query.get("type", [])) - known
        if unknown:
            return self.refuse("The parameter `type` is not a type of fact.")
        return self.send_events(query)

    def note_asker(self, path: str) -> None:
        asker = (self.headers.get(AGENT_HEADER), self.headers.get(CHAT_HEADER))
        self.server.fake.askers[path] = asker

    def send_note(self, query: dict[str, list[str]]) -> None:
        fake = self.server.fake
        if not fake.note:
            error = {"code": "INVALID_REQUEST", "message": "There is no such note in the vault."}
            more = {"recoverable": False, "suggestion": fake.note_hint}
            return self.answer(404, None, error | more)
        withheld = {"text": None, "withheld": 1, "confirm": "token"}
        agreed = not fake.blocks or query.get("confirm") == ["token"]
        return self.answer(200, fake.note if agreed else fake.note | withheld)

    def do_POST(self) -> None:
        fake = self.server.fake
        fake.hear(f"{self.command} {self.path}")
        self.note_asker(self.path)
        if self.path == "/v1/reload":
            status, data = fake.reload_answer
            self.answer(200, data) if status == 200 else self.refuse(data["message"])
        elif self.path == "/v1/stop":
            self.answer(200, {"stopping": True})
            if fake.heeds_stop:
                fake.aside(fake.close)
        elif self.path == "/v1/jobs":
            fake.jobs_asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            if fake.hang_ups:
                fake.hang_ups -= 1
                self.close_connection = True
            elif fake.job_refusal:
                self.refuse(fake.job_refusal[1], fake.job_refusal[0])
            else:
                held = {key: fake.more.get(key) for key in ("paused", "needs_restart")}
                self.answer(200, {"job_id": JOB, "status": "started", **held})
        elif self.path in ("/v1/pause", "/v1/resume"):
            self.rfile.read(int(self.headers["Content-Length"]))
            pause = {"since": "2026-11-15T14:30:00.000000Z", "until": "2999-01-01T00:00:00.000000Z"}
            self.answer(200, {"paused": pause, "was_paused": True})
        elif self.path == "/v1/tools/obsidian_rag_search":
            self.answer_search()
        elif self.path == f"/v1/jobs/{JOB}/cancel":
            self.answer(200, fake.job)

    def answer_search(self) -> None:
        fake = self.server.fake
        fake.searches.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if fake.hang_ups:
            fake.hang_ups -= 1
            self.close_connection = True
            return
        found: dict[str, Any] = {"results": fake.results, "memories": fake.memories}
        if fake.search_refusal:
            code, message = fake.search_refusal
            self.refuse(message or CODES[code].message, code, suggestion=fake.search_suggestion)
        elif fake.withheld:
            found |= {"withheld": fake.withheld, "confirm": "token"}
            self.answer(200, found, reason("SENSITIVE_FILTERED"))
        else:
            self.answer(200, found)

    def do_DELETE(self) -> None:
        self.server.fake.hear(f"{self.command} {self.path}")
        self.answer(200, {"forgotten": False, "key": "k"})

    def answer(self, status: int, data: Any, error: Any = None) -> None:
        meta = {"query_time_ms": 0, "chunks_scanned": 0, "index_version": "", "vault_mtime": None}
        fake = self.server.fake
        body = json.dumps({"status": fake.health, "data": data, "error": error, "meta": meta})
        self.send_response(status)
        self.send_header("X-Ragd-Version", fake.version)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())
        self.close_connection = True

    def refuse(
        self,
        message: str,
        code: str = "INVALID_REQUEST",
        status: int = 400,
        suggestion: str | None = None,
    ) -> None:
        error = {"code": code, "message": message, "recoverable": False}
        self.answer(status, None, {**error, "suggestion": suggestion or CODES[code].suggestion})

    def begin_lines(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.close_connection = True

    def send_line(self, said: dict[str, Any]) -> bool:
        """False when the client has had enough."""
        line = json.dumps(said).encode() + b"\n"
        try:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(line), line))
        except OSError:
            return False
        return True

    def send_job_lines(self) -> None:
        """What is said about the job until its last line; a daemon that stops breaks off."""
        fake, position = self.server.fake, 0
        self.begin_lines()
        while True:
            with fake.changed:
                while len(fake.job_lines) == position and not fake.stopped:
                    fake.changed.wait()
                fresh, position = fake.job_lines[position:], len(fake.job_lines)
            if not all(self.send_line(said) for said in fresh):
                return
            if not fresh or fresh[-1]["type"] != "progress":
                with suppress(OSError):  # a client that has the last line waits for no more
                    self.wfile.write(b"0\r\n\r\n")
                return

    def send_events(self, query: dict[str, list[str]]) -> None:
        fake, position = self.server.fake, int(query["after"][0])
        follow, types = query.get("follow") == ["1"], query.get("type")
        drops = fake.dropped
        self.begin_lines()
        if follow and fake.when_followed:
            fake.when_followed.pop(0)()
        while True:
            with fake.changed:
                while follow and not (
                    len(fake.records) > position or fake.stopped or fake.dropped > drops
                ):
                    fake.changed.wait()
                fresh, position = fake.records[position:], len(fake.records)
            for record in fresh:
                wanted = not types or record["event"]["type"] in types
                if wanted and not self.send_line(record):
                    return
            if fake.dropped > drops:
                return  # without the closing chunk: the connection breaks
            if not follow or fake.stopped:
                self.wfile.write(b"0\r\n\r\n")
                return


@pytest.fixture
def fake(home: Home) -> Iterator[FakeDaemon]:
    daemon = FakeDaemon(home)
    yield daemon
    daemon.close()
    daemon.wait_aside()


@pytest.fixture
def process(home: Home) -> Iterator[StartProcess]:
    """Run one command as a process of its own, which is ended with the test."""
    started: list[Process] = []

    def start(*argv: str, **settings: Any) -> Process:
        place = str(Path(ragd.__file__).parent.parent)
        child = Process(
            [sys.executable, "-m", "ragctl", *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": place, **settings},
        )
        started.append(child)
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate()


@pytest.fixture
def terminal(home: Home) -> Iterator[StartTerminal]:
    """Run one command on a terminal of its own."""
    opened: list[Terminal] = []

    def start(*argv: str, columns: int = 80, **settings: str) -> Terminal:
        environment = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **settings}
        environment["PYTHONPATH"] = str(Path(ragd.__file__).parent.parent)
        opened.append(Terminal(argv, columns, environment))
        return opened[-1]

    yield start
    for one in opened:
        one.close()
