"""An HTTP proxy between a daemon and an object store that delays, refuses or cuts requests.

It passes the Host header on unchanged, because the signature of a request covers it. It counts all
requests, by method.
"""

import http.client
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal
from urllib.parse import urlsplit

# What happens to one request: it passes, gets this status, or its connection is cut before or
# after the store has done it.
Fault = Literal["pass", "cut", "cut_answer"] | int

CONDITIONS = ("If-None-Match", "If-Match", "x-goog-if-generation-match")


class FaultProxy:
    """`decide` chooses what happens to a request, by its method and its path."""

    def __init__(self, upstream: str) -> None:
        self._upstream, path = urlsplit(upstream).netloc, urlsplit(upstream).path
        self.decide: Callable[[str, str], Fault] = lambda method, path: "pass"
        self.delay_s = 0.0
        self.requests: Counter[str] = Counter()
        self.puts: list[tuple[str, str | None]] = []  # paths, and the condition of each
        self.lock = threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                proxy.forward(self)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}{path}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def total(self) -> int:
        """All requests so far."""
        return sum(self.requests.values())

    def forward(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        with self.lock:
            self.requests[handler.command] += 1
            if handler.command == "PUT":
                found = (handler.headers.get(name) for name in CONDITIONS)
                self.puts.append((handler.path, next(filter(None, found), None)))
        if self.delay_s:
            time.sleep(self.delay_s)
        fault = self.decide(handler.command, handler.path)
        if fault == "cut":
            handler.close_connection = True
            return
        if isinstance(fault, int):
            self._refuse(handler, fault)
            return
        connection = http.client.HTTPConnection(self._upstream, timeout=60)
        try:
            connection.putrequest(
                handler.command, handler.path, skip_host=True, skip_accept_encoding=True
            )
            for name, value in handler.headers.items():
                if name.lower() != "connection":
                    connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            content = answer.read()
            if fault == "cut_answer":
                handler.close_connection = True
                return
            self._answer(handler, answer, content)
        except OSError:
            handler.close_connection = True
        finally:
            connection.close()

    def _answer(
        self, handler: BaseHTTPRequestHandler, answer: http.client.HTTPResponse, content: bytes
    ) -> None:
        handler.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                handler.send_header(name, value)
        size = answer.getheader("Content-Length") if handler.command == "HEAD" else len(content)
        handler.send_header("Content-Length", str(size or 0))
        handler.end_headers()
        handler.wfile.write(content)

    def _refuse(self, handler: BaseHTTPRequestHandler, status: int) -> None:
        content = b"<Error><Code>SlowDown</Code><Message>Reduce your rate.</Message></Error>"
        handler.send_response_only(status)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(content)

    @contextmanager
    def running(self) -> Iterator["FaultProxy"]:
        self._thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
