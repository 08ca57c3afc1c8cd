"""`ragctl start`: starts the daemon if it is not running. It never starts a second one."""

import argparse
import os

from ragctl.cli import add_json
from ragctl.daemon.start import call_daemon, daemon_command, start_daemon
from ragctl.failure import NotRunning
from ragctl.views.render import clean, emit_json
from ragd.errors import EXIT_OK
from ragd.runtime import subprocesses

EXAMPLES = (
    ("ragctl start", "start the daemon and return when it answers"),
    ("ragctl start --foreground", "run it in this terminal, for systemd and for debugging"),
)


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "--foreground",
        action="store_true",
        help="run the daemon in this process, not in the background",
    )


def run(args: argparse.Namespace) -> int:
    if args.foreground:
        command = daemon_command(args.home)
        os.execve(command[0], command, subprocesses.environment())  # noqa: S606
    started = False
    try:
        answer = call_daemon(args.home, "GET", "/v1/status", start=False)
    except NotRunning:
        start_daemon(args.home)
        started = True
        answer = call_daemon(args.home, "GET", "/v1/status", start=False)
    data = answer.data
    if args.json:
        emit_json({"started": started, "pid": data["pid"], "version": data["version"]})
    else:
        message = "ragd started" if started else "ragd is already running"
        print(f"{message} (pid {data['pid']}, version {clean(data['version'])}).")
    return EXIT_OK
