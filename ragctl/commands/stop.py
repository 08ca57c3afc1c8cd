"""`ragctl stop`: returns when the daemon has exited and its lock is free. It never kills it.

A service manager sees a clean exit and does not restart the daemon. If the manager is about to
restart a crashed daemon, the service is stopped as well.
"""

import argparse

from ragctl.cli import add_json, at_least
from ragctl.daemon.stop import StoppedDaemon, end_daemon
from ragctl.failure import NotRunning
from ragctl.service_managers import installed_service, service_manager
from ragctl.service_managers.run_command import run_command
from ragctl.views.render import emit_json, print_notice
from ragd.errors import EXIT_OK

EXAMPLES = (
    ("ragctl stop", "stop the daemon; work in progress is finished or resumed later"),
    ("ragctl stop --timeout 60", "wait up to a minute, then give up with exit 75"),
)


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "--timeout",
        type=at_least(0, float),
        default=15.0,
        metavar="S",
        help="seconds to wait until it has exited (15)",
    )


def run(args: argparse.Namespace) -> int:
    plan = installed_service(args.home)
    restarting = plan is not None and service_manager().state(args.home).restarting
    try:
        ended = end_daemon(args.home, args.timeout)
    except NotRunning:
        if not restarting:
            raise
        ended = StoppedDaemon(None, 0.0)
    if plan is not None and plan.stop is not None:
        run_command(plan.stop.argv, args.timeout)  # so that the manager does not restart it
    if args.json:
        took_ms = round(ended.took_s * 1000)
        emit_json({"stopped": True, "pid": ended.pid, "took_ms": took_ms})
    else:
        print(f"ragd stopped{f' (pid {ended.pid})' if ended.pid else ''}.")
    if plan is not None:
        print_notice(
            f"The service {plan.name} starts it again at your next login; "
            "`ragctl service uninstall` prevents that."
        )
    return EXIT_OK
