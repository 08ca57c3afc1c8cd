"""Loaded by every Python process with this folder on its path: records network calls.

One JSON line for each process start, and for each look-up, connection and datagram.
"""

import json
import os
import sys

_FILE = os.environ["RAGD_AUDIT"]
_TOLD = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"}
_LOOKED_UP = {"socket.gethostbyname", "socket.gethostbyaddr"}


def _write(**said: object) -> None:
    line = json.dumps({"pid": os.getpid(), **said}, default=str).encode() + b"\n"
    handle = os.open(_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(handle, line)
    os.close(handle)


def _hear(event: str, args: tuple[object, ...]) -> None:
    if event in _TOLD or event in _LOOKED_UP:
        whom = args[0] if event in _LOOKED_UP or event == "socket.getaddrinfo" else args[1]
        _write(event=event, to=whom)


_write(event="began", to=sys.orig_argv)
sys.addaudithook(_hear)
