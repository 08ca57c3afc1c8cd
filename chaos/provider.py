"""A provider of vectors that counts: it speaks as Ollama does, on a port of its own.

What it makes follows from the text and the model's digest alone, so that everybody can tell which
vector is the right one, and every text that it was asked for is on record.
"""

import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, NamedTuple

from ragd.adapters import embedded
from ragd.adapters.ollama import space_of
from ragd.embedding import CANARY, Vector, pack

MODEL = "chaos"
DIMENSIONS = 8


class Asked(NamedTuple):
    """One text it was asked for: the vector space, and the text's hash."""

    space: str
    content_hash: str


class Provider:
    """A server that answers until the end of its block."""

    def __init__(self) -> None:
        self.digest = _digest(0)
        self.delay_s = 0.0  # before every answer
        self.asked: list[Asked] = []
        self._models = 0
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def space(self) -> str:
        return space_of(MODEL, self.digest, DIMENSIONS).identity

    @property
    def settings(self) -> dict[str, Any]:
        """The section of the configuration that leads here."""
        base_url = f"http://127.0.0.1:{self._server.server_address[1]}"
        return {
            "provider": "ollama",
            "model": MODEL,
            "base_url": base_url,
            "dimensions": DIMENSIONS,
        }

    def take_another_model(self) -> None:
        """The same name, other weights: an index made from now on is in another space."""
        self._models += 1
        self.digest = _digest(self._models)

    def vector_of(self, text: str) -> Vector:
        return pack(_numbers(self.digest, text))

    def embed(self, texts: list[str]) -> list[list[float]]:
        hashes = (hashlib.sha256(text.encode()).hexdigest() for text in texts if text != CANARY)
        self.asked += [Asked(self.space, content_hash) for content_hash in hashes]
        time.sleep(self.delay_s)
        return [_numbers(self.digest, text) for text in texts]

    def __enter__(self) -> "Provider":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class Embedded:
    """The model that comes with ragd, in a process of its own. Nobody counts what it makes."""

    settings: ClassVar[dict[str, Any]] = {"provider": "embedded"}
    space = embedded.SPACE.identity
    asked: ClassVar[list[Asked]] = []
    vector_of = None


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Whoever asked was killed."""


def _digest(number: int) -> str:
    return hashlib.sha256(b"model %d" % number).hexdigest()


def _numbers(digest: str, text: str) -> list[float]:
    made = hashlib.sha256(f"{digest} {text}".encode()).digest()
    return [byte - 127.5 for byte in made[:DIMENSIONS]]


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            model = {"name": f"{MODEL}:latest", "digest": provider.digest}
            about = {"version": "0.33.1"} if self.path == "/api/version" else {"models": [model]}
            self._answer(about)

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._answer({"model": MODEL, "embeddings": provider.embed(asked["input"])})

        def _answer(self, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """The record is in `asked`."""

    return Handler
