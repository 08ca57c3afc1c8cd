"""`ragctl service`: starts the daemon at every login, with the platform's service manager.

It shows what it writes and runs. With --dry-run it only shows it.
"""

import argparse
import os
import time
from shlex import join
from typing import Any

from ragctl.cli import add_json, one_of
from ragctl.daemon.client import is_listening
from ragctl.daemon.lockfile import holder
from ragctl.daemon.stop import end_daemon
from ragctl.failure import Failure, NotRunning
from ragctl.service_managers import Plan, Program, ServiceManager, ServiceState, service_manager
from ragctl.service_managers.apply_plan import read_service_file, run_steps, write_service_file
from ragctl.service_managers.daemon_command import build_program
from ragctl.service_managers.systemd_page import (
    PageService,
    build_page_program,
    installed_page_service,
    stop_unmanaged_bridge,
    wait_until_serving,
)
from ragctl.views.render import Ink, clean, clean_lines, emit_json, format_table, print_notice
from ragd.errors import EXIT_NOT_RUNNING, EXIT_OK, ConfigError
from ragd.paths import Home

EXAMPLES = (
    ("ragctl service install", "start it now, at every login, and again after a crash"),
    ("ragctl service install --dry-run", "show the files and commands, and change nothing"),
    (
        "ragctl service status",
        "whether it is installed, running and up to date (exit 3 if it is down)",
    ),
    ("ragctl service install --page", "also keep `ragctl serve` running (systemd only)"),
    ("ragctl service uninstall", "stop it and remove what install wrote; your index stays"),
)
ACTIONS = ("install", "uninstall", "status")
STOPPED_WITHIN_S = 60.0
ANSWERS_WITHIN_S = 15.0
_UNTESTED = "This follows the manual of {} and has never been run: please report how it went."


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = f"{parser.description}\n\n" + "\n".join(
        (
            "  install     write the unit, start it now and at every login",
            "  uninstall   stop it, and remove what install wrote",
            "  status      show what the service manager reports",
            "",
            "It is a systemd user unit on Linux, a launchd agent on macOS and a scheduled task",
            "on Windows; the last two are untested (docs/service.md).",
        )
    )
    parser.add_argument("action", metavar="ACTION", type=one_of(*ACTIONS))
    parser.add_argument(
        "--page", action="store_true", help="the service of `ragctl serve`, beside the daemon's"
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="show what would be written and run, and change nothing",
    )


def run(args: argparse.Namespace) -> int:
    manager = PageService() if args.page else service_manager()
    plan = manager.plan(args.home)
    if args.action == "status":
        return _status(manager, plan, args.home, args.json)
    if plan.untested:
        print_notice(_UNTESTED.format(plan.manager))
    if args.action == "install":
        return _install(manager, plan, args)
    return _uninstall(manager, plan, args)


# Install


def _install(manager: ServiceManager, plan: Plan, args: argparse.Namespace) -> int:
    program = _program_for(manager, args.home)
    installed = read_service_file(plan)
    if not args.dry_run:
        manager.require()
    sandbox = manager.can_sandbox(program)
    content = manager.content(program, sandbox=sandbox)
    changed = content != installed
    steps = plan.install if installed is None or not changed else plan.reinstall
    result: dict[str, Any] = {
        **_plan_fields(plan),
        "dry_run": args.dry_run,
        "written": changed,
        "content": content.decode("utf-16" if content[:2] in _BOMS else "utf-8"),
        "commands": [list(step.argv) for step in steps],
        "sandboxed": sandbox,
    }
    if plan.no_sandbox_hint and not sandbox:
        print_notice(plan.no_sandbox_hint)
    if args.dry_run:
        return _print_plan(result, args.json)
    if isinstance(manager, PageService):
        stop_unmanaged_bridge(manager, args.home)
    else:
        _stop_unmanaged_daemon(manager, args.home)
    _create_folders(program)
    if changed:
        write_service_file(plan, content)
    run_steps(steps)
    wait = wait_until_serving if args.page else _wait_until_listening
    wait(plan, args.home)
    if args.json:
        emit_json(result)
        return EXIT_OK
    print(f"{'Wrote' if changed else 'Unchanged:'} {clean(plan.file)}")
    for step in steps:
        print(f"Ran   {clean(join(step.argv))}")
    what = "`ragctl serve`" if args.page else "ragd"
    print(f"{what} now runs as the service {plan.name} and starts at every login.")
    for hint in plan.hints:
        print_notice(hint)
    return EXIT_OK


def _program_for(manager: ServiceManager, home: Home) -> Program:
    return build_page_program(home) if isinstance(manager, PageService) else build_program(home)


_BOMS = (b"\xff\xfe", b"\xfe\xff")


def _stop_unmanaged_daemon(manager: ServiceManager, home: Home) -> None:
    """Only one daemon can run in a home, so stop one that the service manager did not start."""
    pid = (holder(home) or {}).get("pid")
    if holder(home) is None or (pid is not None and manager.state(home).pid == pid):
        return
    try:
        end_daemon(home, STOPPED_WITHIN_S)
    except NotRunning:  # it has exited in the meantime
        return
    print_notice(
        f"Stopped the daemon that ran without the service{f' (pid {pid})' if pid else ''}."
    )


def _create_folders(program: Program) -> None:
    """The unit can only make existing folders writable, so the daemon cannot create them."""
    for place in program.writable:
        os.makedirs(place, 0o700, exist_ok=True)


def _wait_until_listening(plan: Plan, home: Home) -> None:
    deadline = time.monotonic() + ANSWERS_WITHIN_S
    while not is_listening(home):
        if time.monotonic() > deadline:
            raise Failure(
                f"The service {plan.name} is installed, but ragd does not answer.",
                "Run `ragctl service status`, and `ragctl logs` to see what it is doing.",
            )
        time.sleep(0.02)


def _print_plan(result: dict[str, Any], as_json: bool) -> int:
    if as_json:
        emit_json(result)
        return EXIT_OK
    print(f"This {'would be written to' if result['written'] else 'is in'} {result['file']}:\n")
    print("\n".join(f"    {line}".rstrip() for line in clean_lines(result["content"]).splitlines()))
    print("\nThen these commands would be run:\n")
    for argv in result["commands"]:
        print(f"    {clean(join(argv))}")
    print("\nNothing was changed.")
    return EXIT_OK


# Uninstall


def _uninstall(manager: ServiceManager, plan: Plan, args: argparse.Namespace) -> int:
    is_installed = read_service_file(plan) is not None
    if not args.page and installed_page_service(args.home) is not None:
        raise Failure(
            "The service of the page needs the daemon's: nothing was removed.",
            "Run `ragctl service uninstall --page` first.",
        )
    steps = (*plan.before_removal, *plan.after_removal) if is_installed else ()
    result = {
        **_plan_fields(plan),
        "dry_run": args.dry_run,
        "removed": [plan.file] if is_installed else [],
        "commands": [list(step.argv) for step in steps],
    }
    if is_installed and not args.dry_run:
        manager.require()
        run_steps(plan.before_removal)
        os.unlink(plan.file)
        run_steps(plan.after_removal)
    if args.json:
        emit_json(result)
    elif not is_installed:
        print(f"No service is installed for {clean(args.home.root)}.")
    elif args.dry_run:
        print("These commands would be run, and this file removed; nothing was changed:\n")
        print("\n".join(f"    {clean(join(step.argv))}" for step in steps))
        print(f"    {clean(plan.file)}")
    else:
        for step in steps:
            print(f"Ran     {clean(join(step.argv))}")
        print(f"Removed {clean(plan.file)}")
        print_notice("Your index and configuration are unchanged; `ragctl start` still works.")
    return EXIT_OK


# Status


def _status(manager: ServiceManager, plan: Plan, home: Home, as_json: bool) -> int:
    found = read_service_file(plan)
    state = manager.state(home) if found is not None else ServiceState(state=None)
    up_to_date = None if found is None else _is_up_to_date(manager, home, found)
    if as_json:
        emit_json(
            {
                **_plan_fields(plan),
                "installed": found is not None,
                "up_to_date": up_to_date,
                "at_login": state.at_login,
                "state": state.state,
                "pid": state.pid,
                "says": state.status_text or None,
            }
        )
    elif found is None:
        print(f"No service is installed for {clean(home.root)}.")
        print_notice("`ragctl service install` installs one.")
    else:
        _print_state(plan, state, up_to_date)
    return EXIT_OK if state.running else EXIT_NOT_RUNNING


def _is_up_to_date(manager: ServiceManager, home: Home, found: bytes) -> bool | None:
    """Whether `install` would write the same file today; None if the configuration is invalid."""
    try:
        program = _program_for(manager, home)
    except (ConfigError, Failure):
        return None
    return found in (
        manager.content(program, sandbox=True),
        manager.content(program, sandbox=False),
    )


def _print_state(plan: Plan, state: ServiceState, up_to_date: bool | None) -> None:
    ink = Ink()
    sign, colour = ("●", "green") if state.running else ("✗", "red")
    word = clean(state.state) if state.state else f"{plan.manager} gave no answer"
    print(f"{ink.paint(ink.sign(sign), colour)} {plan.name}: {word}")
    login = {True: "yes", False: "no", None: ""}[state.at_login]
    pairs = (
        ("pid", str(state.pid or "")),
        ("message", clean(state.status_text)),
        ("at login", login),
        ("file", clean(plan.file)),
    )
    print(format_table(pairs, ink))
    if up_to_date is False:
        print_notice("The file is out of date: run `ragctl service install` again.")
    if not state.running:
        is_page = plan.name.endswith("-page.service")
        command = "`ragctl open`" if is_page else "`ragctl start`"
        print_notice(f"{command} starts it, or reports why it cannot start.")


def _plan_fields(plan: Plan) -> dict[str, Any]:
    return {key: getattr(plan, key) for key in ("manager", "name", "file", "untested")}
