"""Requests over connections that stay open between them: a new one costs as much as a quick answer.

For a process that asks often, such as the bridge. A command asks once and uses `client.request`.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from ragctl.daemon.client import Answer, read_answer, request_bytes
from ragctl.daemon.connection import DaemonConnection, connect
from ragctl.failure import Disconnected
from ragd.paths import Home

IDLE_MAX_S = 4.0  # the daemon closes an idle connection later (ragd/gateway/http_server.py)
IDLE_MAX = 4


class KeptConnections:
    """Threads share one. A request has a connection for itself."""

    def __init__(self, home: Home, now: Callable[[], float] = time.monotonic) -> None:
        self._home = home
        self._now = now
        self._mutex = threading.Lock()
        self._idle: list[tuple[float, DaemonConnection]] = []  # the last used one at the end
        self._is_closed = False

    def request(
        self, method: str, path: str, body: dict[str, Any] | None, timeout: float
    ) -> Answer:
        """Send one request and read the whole answer. Raises Failure as `client.request` does."""
        kept = self._take()
        if kept is not None:
            try:
                return self._ask(kept, method, path, body, timeout)
            except Disconnected:
                if method != "GET":  # the daemon may have done it already
                    raise
        return self._ask(connect(self._home, timeout), method, path, body, timeout)

    def close(self) -> None:
        """Close the idle connections. One that is in use is closed after its answer."""
        with self._mutex:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _ask(
        self,
        connection: DaemonConnection,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        timeout: float,
    ) -> Answer:
        answer = None
        try:
            connection.set_timeout(timeout)
            connection.send(request_bytes(method, path, body, keep=True))
            answer = read_answer(connection)
            return answer
        finally:
            if answer is not None and answer.headers.get("connection", "").lower() != "close":
                self._put_back(connection)
            else:
                connection.close()

    def _take(self) -> DaemonConnection | None:
        """An idle connection that the daemon has not closed."""
        with self._mutex:
            taken = self._idle.pop() if self._idle else None
        if taken is None:
            return None
        since, connection = taken
        try:
            if self._now() - since <= IDLE_MAX_S and not connection.is_ready(0):
                return connection
        except ValueError:  # `select` knows no handle over 1023
            pass
        connection.close()  # the others are older, and closed when their turn comes
        return None

    def _put_back(self, connection: DaemonConnection) -> None:
        with self._mutex:
            if not self._is_closed and len(self._idle) < IDLE_MAX:
                self._idle.append((self._now(), connection))
                return
        connection.close()
