"""`ragctl service`: runs the daemon under the platform's service manager, from login on.

It shows what it writes and runs. With --dry-run it only shows it.
"""

import argparse
import os
import time
from shlex import join
from typing import Any

from ragctl.cli import add_json, one_of
from ragctl.daemon.client import answers
from ragctl.daemon.lockfile import holder
from ragctl.daemon.stop import end_daemon
from ragctl.failure import Failure, NotRunning
from ragctl.service_managers import Keeper, Plan, Program, State, keeper
from ragctl.service_managers.apply_plan import do, former, write
from ragctl.service_managers.daemon_command import program_of
from ragctl.views.render import Ink, clean, clean_lines, emit_json, note, rows
from ragd.errors import EXIT_NOT_RUNNING, EXIT_OK, ConfigError
from ragd.paths import Home

EXAMPLES = (
    ("ragctl service install", "start it now, at every login, and again after a crash"),
    ("ragctl service install --dry-run", "show the files and commands, and change nothing"),
    (
        "ragctl service status",
        "whether it is installed, running and up to date (exit 3 if it is down)",
    ),
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
        "--dry-run",
        action="store_true",
        help="show what would be written and run, and change nothing",
    )


def run(args: argparse.Namespace) -> int:
    manager = keeper()
    plan = manager.plan(args.home)
    if args.action == "status":
        return _status(manager, plan, args.home, args.json)
    if plan.untested:
        note(_UNTESTED.format(plan.manager))
    if args.action == "install":
        return _install(manager, plan, args)
    return _uninstall(manager, plan, args)


# Install


def _install(manager: Keeper, plan: Plan, args: argparse.Namespace) -> int:
    program = program_of(args.home)
    installed = former(plan)
    if not args.dry_run:
        manager.require()
    sandbox = manager.can_sandbox(program)
    content = manager.content(program, sandbox=sandbox)
    changed = content != installed
    steps = plan.install if installed is None or not changed else plan.renew
    result: dict[str, Any] = {
        **_plan_fields(plan),
        "dry_run": args.dry_run,
        "written": changed,
        "content": content.decode("utf-16" if content[:2] in _BOMS else "utf-8"),
        "commands": [list(step.argv) for step in steps],
        "sandboxed": sandbox,
    }
    if plan.bare and not sandbox:
        note(plan.bare)
    if args.dry_run:
        return _print_plan(result, args.json)
    _stop_unmanaged_daemon(manager, args.home)
    _create_folders(program)
    if changed:
        write(plan, content)
    do(steps)
    _wait_until_listening(plan, args.home)
    if args.json:
        emit_json(result)
        return EXIT_OK
    print(f"{'Wrote' if changed else 'Unchanged:'} {clean(plan.file)}")
    for step in steps:
        print(f"Ran   {clean(join(step.argv))}")
    print(f"ragd now runs as the service {plan.name} and starts at every login.")
    for hint in plan.hints:
        note(hint)
    return EXIT_OK


_BOMS = (b"\xff\xfe", b"\xfe\xff")


def _stop_unmanaged_daemon(manager: Keeper, home: Home) -> None:
    """Only one daemon can run in a home, so stop one that the service manager did not start."""
    pid = (holder(home) or {}).get("pid")
    if holder(home) is None or (pid is not None and manager.state(home).pid == pid):
        return
    try:
        end_daemon(home, STOPPED_WITHIN_S)
    except NotRunning:  # it has exited in the meantime
        return
    note(f"Stopped the daemon that ran without the service{f' (pid {pid})' if pid else ''}.")


def _create_folders(program: Program) -> None:
    """The unit can only make existing folders writable, so the daemon cannot create them."""
    for place in program.writable:
        os.makedirs(place, 0o700, exist_ok=True)


def _wait_until_listening(plan: Plan, home: Home) -> None:
    deadline = time.monotonic() + ANSWERS_WITHIN_S
    while not answers(home):
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


def _uninstall(manager: Keeper, plan: Plan, args: argparse.Namespace) -> int:
    is_installed = former(plan) is not None
    steps = (*plan.leave, *plan.forget) if is_installed else ()
    result = {
        **_plan_fields(plan),
        "dry_run": args.dry_run,
        "removed": [plan.file] if is_installed else [],
        "commands": [list(step.argv) for step in steps],
    }
    if is_installed and not args.dry_run:
        manager.require()
        do(plan.leave)
        os.unlink(plan.file)
        do(plan.forget)
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
        note("Your index and configuration are unchanged; `ragctl start` still works.")
    return EXIT_OK


# Status


def _status(manager: Keeper, plan: Plan, home: Home, as_json: bool) -> int:
    found = former(plan)
    state = manager.state(home) if found is not None else State(word=None)
    up_to_date = None if found is None else _is_up_to_date(manager, home, found)
    if as_json:
        emit_json(
            {
                **_plan_fields(plan),
                "installed": found is not None,
                "up_to_date": up_to_date,
                "at_login": state.at_login,
                "state": state.word,
                "pid": state.pid,
                "says": state.says or None,
            }
        )
    elif found is None:
        print(f"No service is installed for {clean(home.root)}.")
        note("`ragctl service install` installs one.")
    else:
        _print_state(plan, state, up_to_date)
    return EXIT_OK if state.running else EXIT_NOT_RUNNING


def _is_up_to_date(manager: Keeper, home: Home, found: bytes) -> bool | None:
    """Whether `install` would write the same file today; None if the configuration is invalid."""
    try:
        program = program_of(home)
    except ConfigError:
        return None
    return found in (
        manager.content(program, sandbox=True),
        manager.content(program, sandbox=False),
    )


def _print_state(plan: Plan, state: State, up_to_date: bool | None) -> None:
    ink = Ink()
    sign, colour = ("●", "green") if state.running else ("✗", "red")
    word = clean(state.word) if state.word else f"{plan.manager} gave no answer"
    print(f"{ink.paint(ink.sign(sign), colour)} {plan.name}: {word}")
    login = {True: "yes", False: "no", None: ""}[state.at_login]
    pairs = (
        ("pid", str(state.pid or "")),
        ("message", clean(state.says)),
        ("at login", login),
        ("file", clean(plan.file)),
    )
    print(rows(pairs, ink))
    if up_to_date is False:
        note("The file is out of date: run `ragctl service install` again.")
    if not state.running:
        note("`ragctl start` starts it, or reports why it cannot start.")


def _plan_fields(plan: Plan) -> dict[str, Any]:
    return {key: getattr(plan, key) for key in ("manager", "name", "file", "untested")}
