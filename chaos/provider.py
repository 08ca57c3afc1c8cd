"""A provider of vectors with Ollama's API, on a port of its own. It records every text.

A vector depends on the text and the model's digest only, so that checks can compute the right one.
"""

import contextlib
import hashlib
import json
import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, NamedTuple

from ragd.embed.providers import local_model
from ragd.embed.providers.embedder_port import CANARY, Vector, pack
from ragd.embed.providers.ollama import space_of

MODEL = "chaos"
DIMENSIONS = 64  # enough for unrelated texts to be far apart


class RequestedText(NamedTuple):
    """One text that a vector was requested for: the vector space, and the text's hash."""

    space: str
    content_hash: str


# Answers a request wrongly. Returns False if the request is to be answered as usual.
Fault = Callable[["Handler"], bool]


class Provider:
    """A server that answers until the end of its `with` block."""

    def __init__(self) -> None:
        self.digest = _digest(0)
        self.delay_s = 0.0  # before every answer
        self.seconds_per_text = 0.0  # and for each text in it
        self.fault: Fault | None = None
        self.released = threading.Event()  # ends all hanging requests
        self.has_model = True
        self.probes = 0  # requests for other things than vectors
        self.requested: list[RequestedText] = []
        self._models = 0
        self._renamed = ""
        self._port = 0
        self._listen()

    def _listen(self) -> None:
        self._server = _Server(("127.0.0.1", self._port), _handler(self))
        self._port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def space(self) -> str:
        return space_of(MODEL, self.digest, DIMENSIONS).identity

    @property
    def settings(self) -> dict[str, Any]:
        """The section of the configuration that selects this provider."""
        base_url = f"http://127.0.0.1:{self._port}"
        return {
            "provider": "ollama",
            "model": MODEL,
            "base_url": base_url,
            "dimensions": DIMENSIONS,
        }

    def change_model(self) -> None:
        """The same name, other weights: an index made from now on is in another space."""
        self._models += 1
        self.digest = _digest(self._models)

    @property
    def shown_digest(self) -> str:
        return self._renamed or self.digest

    def rename_weights(self) -> None:
        """Another digest for the same weights, as when a model is repackaged."""
        self._renamed = _digest(-1 - self._models)

    def vector_of(self, text: str) -> Vector:
        return pack(_numbers(self.digest, text))

    def embed(self, texts: list[str]) -> list[list[float]]:
        hashes = (hashlib.sha256(text.encode()).hexdigest() for text in texts if text != CANARY)
        self.requested += [RequestedText(self.space, content_hash) for content_hash in hashes]
        time.sleep(self.delay_s + self.seconds_per_text * len(texts))
        return [_numbers(self.digest, text) for text in texts]

    def go_offline(self) -> None:
        """Stop listening and close all connections."""
        self._server.shutdown()
        self._server.server_close()

    def go_online(self) -> None:
        """Listen on the same port again, without a fault."""
        self.fault = None
        self.released.set()
        self.released = threading.Event()
        if not self._thread.is_alive():
            self._listen()
            self._thread.start()

    def __enter__(self) -> "Provider":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self.go_offline()


class Embedded:
    """The model that comes with ragd, in a process of its own. Its texts are not recorded."""

    settings: ClassVar[dict[str, Any]] = {"provider": "embedded"}
    space = local_model.SPACE.identity
    requested: ClassVar[list[RequestedText]] = []
    vector_of = None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._connections: list[socket.socket] = []
        super().__init__(address, handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._connections = [c for c in self._connections if c.fileno() >= 0] + [connection]
        return connection, address

    def server_close(self) -> None:
        super().server_close()
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, *_: object) -> None:
        """The client was killed: nothing to report."""


def _digest(number: int) -> str:
    return hashlib.sha256(f"model {number}".encode()).hexdigest()


def _numbers(digest: str, text: str) -> list[float]:
    made = hashlib.shake_128(f"{digest} {text}".encode()).digest(DIMENSIONS)
    return [byte - 127.5 for byte in made]


class Handler(BaseHTTPRequestHandler):
    """One connection. Faults use it to answer wrongly."""

    protocol_version = "HTTP/1.1"
    provider: ClassVar[Provider]
    texts: list[str]  # to embed; empty for a probe

    def do_GET(self) -> None:
        self.texts = []
        if self._apply_fault():
            return
        self.provider.probes += 1
        model = {"name": f"{MODEL}:latest", "digest": self.provider.shown_digest}
        models = [model] if self.provider.has_model else []
        self.answer({"version": "0.33.1"} if self.path == "/api/version" else {"models": models})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.texts = request["input"]
        if self._apply_fault():
            return
        if not self.provider.has_model:
            missing = {"error": f'model "{MODEL}" not found, try pulling it first'}
            self.answer(missing, 404)
        else:
            self.answer({"model": MODEL, "embeddings": self.provider.embed(self.texts)})

    def _apply_fault(self) -> bool:
        return self.provider.fault is not None and self.provider.fault(self)

    def answer(self, body: object, status: int = 200) -> None:
        self.send_bytes(json.dumps(body).encode(), status)

    def send_bytes(self, data: bytes, status: int = 200, promised: int | None = None) -> None:
        """Send these bytes; `promised` is a larger Content-Length."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(promised or len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing is logged: `requested` has every text."""


def _handler(provider: Provider) -> type[Handler]:
    return type("OneHandler", (Handler,), {"provider": provider})
