"""A server with Ollama's API that makes up vectors, so that a large vault has all in minutes.

A vector depends on its text only. It is near one of 200 topics, as vectors of real notes are near
those of other notes. It says nothing about the quality of answers.
"""

import json
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import orjson

MODEL = "made-up"
DIGEST = "0" * 64
DIMENSIONS = 384
TOPICS = 200
NOISE = 4_099  # rows of noise, shared by all texts; a prime, so that pairs do not repeat soon


class VectorMaker:
    """Vectors by text."""

    def __init__(self) -> None:
        source = np.random.default_rng(1)
        self._topics = source.standard_normal((TOPICS, DIMENSIONS), dtype=np.float32)
        self._noise = 0.7 * source.standard_normal((NOISE, DIMENSIONS), dtype=np.float32)

    def vectors_of(self, texts: list[str]) -> Any:
        """One row for each text, of length 1."""
        keys = np.array([zlib.crc32(text.encode()) for text in texts])
        made = self._topics[keys % TOPICS] + self._noise[keys // TOPICS % NOISE]
        return made / np.linalg.norm(made, axis=1, keepdims=True)


@contextmanager
def server() -> Iterator[dict[str, Any]]:
    """A running server. Yields the section of the configuration that selects it."""
    handler = type("OneHandler", (_Handler,), {"maker": VectorMaker()})
    listening = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    listening.daemon_threads = True
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield {
            "provider": "ollama",
            "model": MODEL,
            "base_url": f"http://127.0.0.1:{listening.server_address[1]}",
            "dimensions": DIMENSIONS,
        }
    finally:
        listening.shutdown()
        listening.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    maker: VectorMaker

    def do_GET(self) -> None:
        models = {"models": [{"name": f"{MODEL}:latest", "digest": DIGEST}]}
        self._answer({"version": "0.33.1"} if self.path == "/api/version" else models)

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        made = self.maker.vectors_of(request["input"])
        self._answer({"model": MODEL, "embeddings": np.ascontiguousarray(made)})

    def _answer(self, body: dict[str, Any]) -> None:
        data = orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""
