"""`ragctl logs`: the daemon's own log, for people. It reads a file and needs no daemon."""

import argparse
import json
import os
import time
from collections import deque
from collections.abc import Generator
from typing import Any, BinaryIO

from ragctl.cli import add_json, at_least
from ragctl.failure import Failure
from ragctl.views.render import Ink, clean, emit_bytes, format_fields, local_time, print_notice
from ragd.errors import EXIT_OK

EXAMPLES = (
    ("ragctl logs -n 100", "the last hundred lines"),
    ("ragctl logs -f", "the last lines, then each new one"),
)
_COLOURS = {"debug": "dim", "warning": "yellow", "error": "red", "critical": "red"}
_POLL_INTERVAL_S = 0.2


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("-f", "--follow", action="store_true", help="keep showing new lines")
    parser.add_argument(
        "-n", "--lines", type=at_least(0, int), default=20, metavar="N", help="how many lines (20)"
    )


def run(args: argparse.Namespace) -> int:
    path = args.home.log_file
    file = _open_log(path)
    if file is None and not args.follow:
        raise Failure(
            f"There is no log at {path}: the daemon has not run in this home.",
            "Start it with `ragctl start`.",
        )
    ink = Ink()
    for line in last_lines(path, file, args.lines):
        _print_line(line, args.json, ink)
    if args.follow:
        if file is None:
            print_notice(f"There is no log at {path} yet; waiting for it.")
        for line in new_lines(path, file):
            _print_line(line, args.json, ink)
    elif file is not None:
        file.close()
    return EXIT_OK


def new_lines(path: str, file: BinaryIO | None) -> Generator[bytes, None, None]:
    """Every line that is written from now on, even if the file is rotated meanwhile."""
    rest = b""
    try:
        while True:
            if file is None:
                file = _open_log(path)
            grown = file.read() if file is not None else b""
            *lines, rest = (rest + grown).split(b"\n")
            yield from lines
            if grown:
                continue
            if file is not None and _was_replaced(path, file):
                file.close()  # it was read to its end
                file, rest = None, b""
            else:
                time.sleep(_POLL_INTERVAL_S)
    finally:
        if file is not None:
            file.close()


def _open_log(path: str) -> BinaryIO | None:
    try:
        return open(path, "rb")
    except FileNotFoundError:
        return None


def _was_replaced(path: str, file: BinaryIO) -> bool:
    opened = os.fstat(file.fileno())
    try:
        current = os.stat(path)
    except FileNotFoundError:
        return False  # being rotated: the new file follows
    return not os.path.samestat(opened, current) or current.st_size < file.tell()


def last_lines(path: str, file: BinaryIO | None, count: int) -> list[bytes]:
    """The last lines, also of the rotated file. Leaves `file` after its last complete line."""
    lines: deque[bytes] = deque(maxlen=count)
    rotated = _open_log(f"{path}.1")
    if rotated is not None:
        with rotated:
            lines.extend(rotated)
    if file is not None:
        complete_bytes = 0
        for line in file:
            if not line.endswith(b"\n"):
                break  # still being written
            lines.append(line)
            complete_bytes += len(line)
        file.seek(complete_bytes)
    return list(lines)


def _print_line(line: bytes, raw: bool, ink: Ink) -> None:
    line = line.rstrip(b"\r\n")
    if raw:
        emit_bytes(line)
        return
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    text = (
        format_record(record, ink)
        if isinstance(record, dict)
        else clean(line.decode(errors="replace"))
    )
    print(text, flush=True)


def format_record(record: dict[str, Any], ink: Ink) -> str:
    """One line of the log, for a person."""
    level = clean(record.get("level", ""))
    colour = _COLOURS.get(level)
    return " ".join(
        [
            ink.paint(local_time(str(record.get("timestamp", ""))), "dim"),
            ink.paint(f"{level:<8}", *((colour,) if colour else ())),
            clean(record.get("event", "")),
            ink.paint(format_fields(record, leave_out=("timestamp", "level", "event")), "dim"),
        ]
    ).rstrip()
