"""The pipes of a worker process: requests from the daemon, and replies to it.

What libraries print goes to stderr, so that it never gets between two replies.
"""

import contextlib
import os
import select
import threading
from typing import BinaryIO


def own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the daemon, under numbers that no library uses."""
    requests, replies = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")


def send(replies: BinaryIO, framed: bytes) -> None:
    """Send a reply. If the daemon is gone, the process ends."""
    try:
        replies.write(framed)
        replies.flush()
    except OSError:
        os._exit(0)


def exit_with_daemon(requests: BinaryIO) -> None:
    """From now on the process ends when the daemon does, also in the middle of a request.

    Windows cannot tell; there the process ends with the request.
    """
    if hasattr(select, "poll"):
        threading.Thread(target=_wait_for_end, args=(requests.fileno(),), daemon=True).start()


def _wait_for_end(requests: int) -> None:
    closed = select.poll()
    closed.register(requests, 0)  # only a hang-up is reported
    with contextlib.suppress(OSError):
        closed.poll()
    os._exit(0)


def exit_with_stdin() -> None:
    """For a process that gets no requests: it ends when the daemon closes its stdin, or dies."""
    threading.Thread(target=_read_until_closed, daemon=True).start()


def _read_until_closed() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)
