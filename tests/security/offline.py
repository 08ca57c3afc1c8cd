"""Runs in a network namespace that has only loopback: `offline.py HOME VAULT`.

It indexes a vault with the real programs and prints the result as JSON.
"""

import errno
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys

from tests.patience import PATIENCE_S

SIOCSIFFLAGS = 0x8914
IFF_UP_RUNNING = 0x41


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP_RUNNING))


def reaches_out() -> bool:
    """Whether a packet could leave; 192.0.2.1 is a reserved test address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        try:
            out.connect(("192.0.2.1", 9))
        except OSError as why:
            return why.errno != errno.ENETUNREACH
    return True


def ragctl(home: str, *line: str) -> tuple[int, list[dict[str, object]]]:
    done = subprocess.run(
        [sys.executable, "-m", "ragctl", "--home", home, *line, "--json"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    return done.returncode, [json.loads(said) for said in done.stdout.splitlines()]


def main(home: str, vault: str) -> None:
    raise_loopback()
    result: dict[str, object] = {
        "interfaces": [name for _, name in socket.if_nameindex()],
        "reaches_out": reaches_out(),
    }
    try:
        result["init"] = ragctl(home, "init", vault)[0]
        result["index"] = ragctl(home, "index")
        result["status"] = ragctl(home, "status")
        result["memory"] = ragctl(home, "memory", "list")
        result["search"] = ragctl(home, "search", "how much do I owe Sreenivas?")
    finally:
        ragctl(home, "stop")
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    assert "PYTHONPATH" in os.environ
    main(*sys.argv[1:])
