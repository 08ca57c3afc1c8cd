"""`ragctl open`: opens the page in a browser. It starts `ragctl serve` if that does not run."""

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

from ragctl.bridge.bridge_lock import find_bridge, make_bridge_folder
from ragctl.bridge.entry_links import make_code, make_link, write_opening_page
from ragctl.bridge.page_address import view_of
from ragctl.cli import add_json
from ragctl.failure import Failure, TimedOut, UsageError
from ragctl.views.render import emit_json, print_notice
from ragd.errors import EXIT_ALREADY_RUNNING, EXIT_OK
from ragd.paths import Home
from ragd.runtime import subprocesses

if TYPE_CHECKING:
    from subprocess import Popen

EXAMPLES = (
    ("ragctl open", "open the page in your browser"),
    ('ragctl open "/search?q=boat"', "open this view; also a bookmark of an earlier address"),
    ("ragctl open --print", "print a link that is valid once, for a minute"),
)
STARTED_WITHIN_S = 20.0
_POLL_S = 0.02
_TRIES = 5


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "view", metavar="VIEW", nargs="?", help="a path such as /health, or an old address of one"
    )
    parser.add_argument(
        "--print", action="store_true", help="print the link instead of opening a browser"
    )


def run(args: argparse.Namespace) -> int:
    if sys.platform == "win32":
        raise Failure("`ragctl open` does not work on Windows.")
    view = view_of(args.view) if args.view is not None else ""
    if view is None:
        raise UsageError(
            "That is not a view of the page.", 'Give a path, as in `ragctl open "/search?q=boat"`.'
        )
    address, code = _make_code(args.home)
    link = make_link(address, code, view)
    if args.json:
        emit_json({"address": address, "link": link})
    elif args.print:
        print(link)
    else:
        _open_browser(write_opening_page(args.home, code, link))
        print(f"The page is at {address}.")
        print_notice("If your browser shows nothing, run `ragctl open --print`.")
    return EXIT_OK


def _make_code(home: Home) -> tuple[str, str]:
    """The address of the page, and a code for the bridge that is there. A bridge that starts
    removes the codes from before it: so what the code opens is never at another address."""
    for _ in range(_TRIES):
        bridge = find_bridge(home) or _start(home)
        code = make_code(home)
        if find_bridge(home) == bridge:
            return str(bridge["address"]), code
    raise Failure("`ragctl serve` ended at once.", "Run `ragctl serve`.")


def _open_browser(path: str) -> None:
    """The browser gets the path of a private file: other users can see its arguments."""
    import webbrowser
    from pathlib import Path

    if not webbrowser.open(Path(path).as_uri()):  # a folder may have a `#` or a space in its name
        raise Failure("No browser was found.", "Run `ragctl open --print` and open the link.")


def _start(home: Home) -> dict[str, Any]:
    from tempfile import TemporaryFile

    make_bridge_folder(home)
    if sys.stderr.isatty():
        print("Starting the page…", file=sys.stderr)
    with TemporaryFile("w+", encoding="utf-8", errors="replace", dir=home.bridge) as errors:
        child = _spawn(home, errors)
        deadline = time.monotonic() + STARTED_WITHIN_S
        while True:
            if (found := find_bridge(home)) is not None:
                child.returncode = 0  # it outlives ragctl; this stops Popen's warning
                return found
            if child.poll() not in (None, EXIT_ALREADY_RUNNING):  # another one is starting
                errors.seek(0)
                said = errors.read(4000).strip()
                raise Failure(said or "`ragctl serve` ended at once.", "Run `ragctl serve`.")
            if time.monotonic() > deadline:
                child.returncode = 0
                raise TimedOut("`ragctl serve` did not start in time.", "Run `ragctl serve`.")
            time.sleep(_POLL_S)


def _spawn(home: Home, errors: TextIO) -> "Popen[bytes]":
    import subprocess

    return subprocess.Popen(
        [sys.executable, "-m", "ragctl", "serve", "--home", home.root],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        cwd=os.path.abspath(os.sep),
        env=subprocesses.environment(),
        start_new_session=True,
    )
