"""Sends messages to the service manager that started the daemon, in systemd's notify protocol.

It never raises, and sends nothing if no service manager asked for messages.
"""

import contextlib
import os
import socket
from collections.abc import MutableMapping

SEND_WITHIN_S = 1.0
_VARIABLES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")


class NotifySocket:
    """The manager's socket. `watchdog_s`: the longest time between messages; None: no limit."""

    def __init__(self, address: str | None = None, watchdog_s: float | None = None) -> None:
        self._address = address
        self.watchdog_s = watchdog_s

    def send(self, *lines: str) -> None:
        """Send one message, such as `READY=1`. Drop it if that takes more than a second."""
        if self._address is None:
            return
        where = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
        ):
            manager.settimeout(SEND_WITHIN_S)
            manager.sendto("\n".join(lines).encode(), where)


def from_environment(environment: MutableMapping[str, str]) -> NotifySocket:
    """The socket that the environment names. The variables are removed, so that child processes
    do not inherit them."""
    address, period, pid = (environment.pop(name, "") for name in _VARIABLES)
    if not address.startswith(("/", "@")) or not hasattr(socket, "AF_UNIX"):
        return NotifySocket()
    for_us = pid in ("", str(os.getpid()))
    return NotifySocket(address, _seconds(period) if for_us else None)


def _seconds(microseconds: str) -> float | None:
    if not (microseconds.isascii() and microseconds.isdigit()):
        return None
    return int(microseconds) / 1_000_000 or None
