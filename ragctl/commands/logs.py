"""`ragctl logs`: what the daemon says about itself, for people. Reads a file; needs no daemon."""

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
    ("ragctl logs -f", "the last lines, then every new one as it comes"),
)
_COLOURS = {"debug": "dim", "warning": "yellow", "error": "red", "critical": "red"}
_LOOK_EVERY_S = 0.2


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("-f", "--follow", action="store_true", help="go on as new lines come")
    parser.add_argument(
        "-n", "--lines", type=at_least(0, int), default=20, metavar="N", help="how many (20)"
    )


def run(args: argparse.Namespace) -> int:
    path = args.home.log_file
    file = _opened(path)
    if file is None and not args.follow:
        raise Failure(
            f"There is no log at {path}: the daemon has not run in this home.",
            "Start it with `ragctl start`.",
        )
    ink = Ink()
    for line in last_lines(path, file, args.lines):
        _show(line, args.json, ink)
    if args.follow:
        if file is None:
            print_notice(f"There is no log at {path} yet; waiting for it.")
        for line in new_lines(path, file):
            _show(line, args.json, ink)
    elif file is not None:
        file.close()
    return EXIT_OK


def new_lines(path: str, file: BinaryIO | None) -> Generator[bytes, None, None]:
    """Every line that is written from now on, also when the file is turned over meanwhile."""
    rest = b""
    try:
        while True:
            if file is None:
                file = _opened(path)
            grown = file.read() if file is not None else b""
            *lines, rest = (rest + grown).split(b"\n")
            yield from lines
            if grown:
                continue
            if file is not None and _was_replaced(path, file):
                file.close()  # read to its end: nothing of it is lost
                file, rest = None, b""
            else:
                time.sleep(_LOOK_EVERY_S)
    finally:
        if file is not None:
            file.close()


def _opened(path: str) -> BinaryIO | None:
    try:
        return open(path, "rb")
    except FileNotFoundError:
        return None


def _was_replaced(path: str, file: BinaryIO) -> bool:
    mine = os.fstat(file.fileno())
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False  # turned over just now: the new one comes
    return not os.path.samestat(mine, there) or there.st_size < file.tell()


def last_lines(path: str, file: BinaryIO | None, count: int) -> list[bytes]:
    """The last lines, from the file before as well. `file` is left behind the last whole one."""
    kept: deque[bytes] = deque(maxlen=count)
    before = _opened(f"{path}.1")
    if before is not None:
        with before:
            kept.extend(before)
    if file is not None:
        whole = 0
        for line in file:
            if not line.endswith(b"\n"):
                break  # being written: it comes whole later
            kept.append(line)
            whole += len(line)
        file.seek(whole)
    return list(kept)


def _show(line: bytes, raw: bool, ink: Ink) -> None:
    line = line.rstrip(b"\r\n")
    if raw:
        emit_bytes(line)
        return
    try:
        said = json.loads(line)
    except ValueError:
        said = None
    text = describe(said, ink) if isinstance(said, dict) else clean(line.decode(errors="replace"))
    print(text, flush=True)


def describe(said: dict[str, Any], ink: Ink) -> str:
    """One line of the log for a person."""
    level = clean(said.get("level", ""))
    colour = _COLOURS.get(level)
    return " ".join(
        [
            ink.paint(local_time(str(said.get("timestamp", ""))), "dim"),
            ink.paint(f"{level:<8}", *((colour,) if colour else ())),
            clean(said.get("event", "")),
            ink.paint(format_fields(said, leave_out=("timestamp", "level", "event")), "dim"),
        ]
    ).rstrip()
