"""Collects the facts of the log over the socket, with a thread for each run of the daemon."""

import json
import threading
from datetime import datetime
from typing import Any, NamedTuple

from chaos import client


class ReceivedFact(NamedTuple):
    """One fact: its seq, when it was recorded (seconds), and its fields."""

    seq: int
    at: float
    fact: dict[str, Any]

    @property
    def type(self) -> str:
        return str(self.fact["type"])


class Listener:
    """Follows the log; after a restart it continues where it was."""

    def __init__(self, socket: str) -> None:
        self._socket = socket
        self._changed = threading.Condition()
        self.facts: list[ReceivedFact] = []

    def follow(self) -> None:
        """Follow until this daemon ends. Raises OSError if no daemon listens."""
        connection = client.connect(self._socket)
        after = self.facts[-1].seq if self.facts else 0
        client.send(connection, "GET", f"/v1/events?after={after}&follow=1")
        connection.settimeout(None)
        threading.Thread(target=self._receive, args=(connection,), daemon=True).start()

    def _receive(self, connection: Any) -> None:
        with connection:
            lines = connection.makefile("rb")
            try:
                for line in lines:
                    if line.startswith(b"{") and line.endswith(b"}\n"):
                        self._add(json.loads(line))
            except OSError:
                return  # the daemon was killed

    def _add(self, record: dict[str, Any]) -> None:
        at = datetime.fromisoformat(record["ts"]).timestamp()
        with self._changed:
            if not self.facts or record["seq"] > self.facts[-1].seq:
                self.facts.append(ReceivedFact(record["seq"], at, record["event"]))
                self._changed.notify_all()

    def wait_for(self, kind: str, within_s: float) -> bool:
        """Wait for the next fact of this type; False if there is none within that time."""
        with self._changed:
            begin = len(self.facts)
            return self._changed.wait_for(
                lambda: any(received.type == kind for received in self.facts[begin:]), within_s
            )
