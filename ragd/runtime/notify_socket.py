"""Words for the service manager that started us, in systemd's notify protocol, by hand.

It never fails: a manager that does not listen is its own affair, and where none asked to be told,
nothing is said.
"""

import contextlib
import os
import socket
from collections.abc import MutableMapping

SAID_WITHIN_S = 1.0
_VARIABLES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")


class NotifySocket:
    """Where to say it. `watchdog_s`: how long the manager bears silence; None: for ever."""

    def __init__(self, address: str | None = None, watchdog_s: float | None = None) -> None:
        self._address = address
        self.watchdog_s = watchdog_s

    def say(self, *lines: str) -> None:
        """One message, such as `READY=1`. What cannot be sent within a second is dropped."""
        if self._address is None:
            return
        where = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
        ):
            manager.settimeout(SAID_WITHIN_S)
            manager.sendto("\n".join(lines).encode(), where)


def from_environment(environment: MutableMapping[str, str]) -> NotifySocket:
    """What the manager asked for. It is taken out: it is meant for us, not for our children."""
    address, period, pid = (environment.pop(name, "") for name in _VARIABLES)
    if not address.startswith(("/", "@")) or not hasattr(socket, "AF_UNIX"):
        return NotifySocket()
    for_us = pid in ("", str(os.getpid()))
    return NotifySocket(address, _seconds(period) if for_us else None)


def _seconds(microseconds: str) -> float | None:
    if not (microseconds.isascii() and microseconds.isdigit()):
        return None
    return int(microseconds) / 1_000_000 or None
