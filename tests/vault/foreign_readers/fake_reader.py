"""Stands in for the process that reads documents, and does what a file tells it to do.

The data of a request is a command and perhaps a path: `hang /tmp/began`.
"""

import os
import signal
from pathlib import Path

from ragd.notes.documents.model import Document, Place
from ragd.runtime import frames
from ragd.runtime.worker_pipes import exit_with_daemon, own_pipes, send
from ragd.vault.foreign_readers import limits
from ragd.vault.foreign_readers.messages import (
    REQUEST_BYTES,
    ReadReply,
    decode_request,
    encode_reply,
)
from ragd.vault.foreign_readers.reasons import TOO_MUCH_MEMORY

GOOD = Document("It is read.", places=(Place(1, "page=1"),))


def main() -> None:
    requests, replies = own_pipes()
    exit_with_daemon(requests)
    answered = 0
    while (body := frames.read_frame(requests, REQUEST_BYTES)) is not None:
        command, _, argument = decode_request(body).data.decode().partition(" ")
        runs = note_run(Path(argument)) if argument else 0
        if command == "crash" or (command == "crash-if-used" and answered):
            os.kill(os.getpid(), signal.SIGSEGV)
        if command == "killed" or (command == "killed-once" and runs == 1):
            os.kill(os.getpid(), signal.SIGKILL)
        if command == "out-of-time":
            os.kill(os.getpid(), signal.SIGXCPU)
        while command == "hang":
            signal.pause()
        answered += 1
        reply = reply_to(command, argument, answered)
        if command == "half":
            send(replies, reply[: len(reply) // 2])
            return
        send(replies, reply)


def note_run(runs: Path) -> int:
    """Write the id of this process to the file of all runs; return their number."""
    with runs.open("a") as file:
        file.write(f"{os.getpid()} ")
    return len(runs.read_text().split())


def reply_to(command: str, argument: str, answered: int) -> bytes:
    match command:
        case "garbage":
            return frames.frame(b"\xc1 not msgpack", 99)
        case "too-long":
            return frames.HEADER.pack(limits.REPLY_BYTES + 1) + b"x" * 1000
        case "unknown-reason":
            return encode_reply(ReadReply(reason=argument or "a sentence of the file"))
        case "defect":
            return encode_reply(ReadReply(reason="the reader crashed on it", defect="E at f:1"))
        case "full-if-used" if answered > 1:
            return encode_reply(ReadReply(reason=TOO_MUCH_MEMORY))
        case "pid":
            return encode_reply(ReadReply(Document(str(os.getpid()))))
        case "environment":
            return encode_reply(ReadReply(Document(" ".join(sorted(os.environ)))))
        case _:
            return encode_reply(ReadReply(GOOD))


if __name__ == "__main__":
    main()
