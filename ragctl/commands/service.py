"""`ragctl service`: have the daemon run by the platform's service manager, from login on.

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
from ragctl.views.render import Ink, clean, clean_lines, emit_json, format_table, print_notice
from ragd.errors import EXIT_NOT_RUNNING, EXIT_OK, ConfigError
from ragd.paths import Home

EXAMPLES = (
    ("ragctl service install", "run from now on, at every login, and again after a crash"),
    ("ragctl service install --dry-run", "show the files and commands, and change nothing"),
    (
        "ragctl service status",
        "whether it is installed, runs, and still fits (exit 3 if it is down)",
    ),
    ("ragctl service uninstall", "stop it and remove what install wrote; your index stays"),
)
ACTIONS = ("install", "uninstall", "status")
STOPPED_WITHIN_S = 60.0
ANSWERS_WITHIN_S = 15.0
_UNTESTED = "This was written to the manual of {} and has never been run: please tell how it went."


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = f"{parser.description}\n\n" + "\n".join(
        (
            "  install     write the unit, start it now and at every login",
            "  uninstall   stop it, and remove what install wrote",
            "  status      what the service manager says of it",
            "",
            "On Linux a systemd user unit, on macOS a launchd agent, on Windows a scheduled",
            "task; the last two are untested (docs/service.md).",
        )
    )
    parser.add_argument("action", metavar="ACTION", type=one_of(*ACTIONS))
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be written and run, and do nothing"
    )


def run(args: argparse.Namespace) -> int:
    kept = service_manager()
    plan = kept.plan(args.home)
    if args.action == "status":
        return _status(kept, plan, args.home, args.json)
    if plan.untested:
        print_notice(_UNTESTED.format(plan.manager))
    if args.action == "install":
        return _install(kept, plan, args)
    return _uninstall(kept, plan, args)


# Install


def _install(kept: ServiceManager, plan: Plan, args: argparse.Namespace) -> int:
    program = build_program(args.home)
    before = read_service_file(plan)
    if not args.dry_run:
        kept.require()
    sandbox = kept.can_sandbox(program)
    content = kept.content(program, sandbox=sandbox)
    changed = content != before
    steps = plan.install if before is None or not changed else plan.reinstall
    said: dict[str, Any] = {
        **_about(plan),
        "dry_run": args.dry_run,
        "written": changed,
        "content": content.decode("utf-16" if content[:2] in _BOMS else "utf-8"),
        "commands": [list(step.argv) for step in steps],
        "sandboxed": sandbox,
    }
    if plan.no_sandbox_hint and not sandbox:
        print_notice(plan.no_sandbox_hint)
    if args.dry_run:
        return _tell_plan(said, args.json)
    _end_a_daemon_without_it(kept, args.home)
    _make_folders(program)
    if changed:
        write_service_file(plan, content)
    run_steps(steps)
    _wait_until_it_answers(plan, args.home)
    if args.json:
        emit_json(said)
        return EXIT_OK
    print(f"{'Wrote' if changed else 'Left as it was:'} {clean(plan.file)}")
    for step in steps:
        print(f"Ran   {clean(join(step.argv))}")
    print(f"ragd runs as the service {plan.name}, from now on and from every login on.")
    for hint in plan.hints:
        print_notice(hint)
    return EXIT_OK


_BOMS = (b"\xff\xfe", b"\xfe\xff")


def _end_a_daemon_without_it(kept: ServiceManager, home: Home) -> None:
    """Only one can run in a home: one that the manager did not start would be in its way."""
    pid = (holder(home) or {}).get("pid")
    if holder(home) is None or (pid is not None and kept.state(home).pid == pid):
        return
    try:
        end_daemon(home, STOPPED_WITHIN_S)
    except NotRunning:  # it went by itself
        return
    print_notice(
        f"Stopped the daemon that ran without the service{f' (pid {pid})' if pid else ''}."
    )


def _make_folders(program: Program) -> None:
    """Folders that the daemon would make by itself: a unit cannot make one writable that is not."""
    for place in program.writable:
        os.makedirs(place, 0o700, exist_ok=True)


def _wait_until_it_answers(plan: Plan, home: Home) -> None:
    deadline = time.monotonic() + ANSWERS_WITHIN_S
    while not is_listening(home):
        if time.monotonic() > deadline:
            raise Failure(
                f"The service {plan.name} is installed, but ragd does not answer.",
                "Run `ragctl service status`, and `ragctl logs` to see what it is doing.",
            )
        time.sleep(0.02)


def _tell_plan(said: dict[str, Any], as_json: bool) -> int:
    if as_json:
        emit_json(said)
        return EXIT_OK
    print(
        f"This would be {'written to' if said['written'] else 'left as it is in'} {said['file']}:\n"
    )
    print("\n".join(f"    {line}".rstrip() for line in clean_lines(said["content"]).splitlines()))
    print("\nThen these commands would be run:\n")
    for argv in said["commands"]:
        print(f"    {clean(join(argv))}")
    print("\nNothing was changed.")
    return EXIT_OK


# Uninstall


def _uninstall(kept: ServiceManager, plan: Plan, args: argparse.Namespace) -> int:
    there = read_service_file(plan) is not None
    steps = (*plan.before_removal, *plan.after_removal) if there else ()
    said = {
        **_about(plan),
        "dry_run": args.dry_run,
        "removed": [plan.file] if there else [],
        "commands": [list(step.argv) for step in steps],
    }
    if there and not args.dry_run:
        kept.require()
        run_steps(plan.before_removal)
        os.unlink(plan.file)
        run_steps(plan.after_removal)
    if args.json:
        emit_json(said)
    elif not there:
        print(f"No service is installed for {clean(args.home.root)}.")
    elif args.dry_run:
        print("These commands would be run, and this file removed; nothing was changed:\n")
        print("\n".join(f"    {clean(join(step.argv))}" for step in steps))
        print(f"    {clean(plan.file)}")
    else:
        for step in steps:
            print(f"Ran     {clean(join(step.argv))}")
        print(f"Removed {clean(plan.file)}")
        print_notice(
            "Your index and your configuration are as they were; `ragctl start` still works."
        )
    return EXIT_OK


# Status


def _status(kept: ServiceManager, plan: Plan, home: Home, as_json: bool) -> int:
    found = read_service_file(plan)
    state = kept.state(home) if found is not None else ServiceState(state=None)
    fits = None if found is None else _fits(kept, home, found)
    if as_json:
        emit_json(
            {
                **_about(plan),
                "installed": found is not None,
                "up_to_date": fits,
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
        _tell_state(plan, state, fits)
    return EXIT_OK if state.running else EXIT_NOT_RUNNING


def _fits(kept: ServiceManager, home: Home, found: bytes) -> bool | None:
    """Whether it is what install would write today; None where that cannot be told."""
    try:
        program = build_program(home)
    except ConfigError:
        return None
    return found in (kept.content(program, sandbox=True), kept.content(program, sandbox=False))


def _tell_state(plan: Plan, state: ServiceState, fits: bool | None) -> None:
    ink = Ink()
    sign, colour = ("●", "green") if state.running else ("✗", "red")
    word = clean(state.state) if state.state else f"{plan.manager} could not be asked"
    print(f"{ink.paint(ink.sign(sign), colour)} {plan.name}: {word}")
    login = {True: "yes", False: "no", None: ""}[state.at_login]
    pairs = (
        ("pid", str(state.pid or "")),
        ("says", clean(state.status_text)),
        ("at login", login),
        ("file", clean(plan.file)),
    )
    print(format_table(pairs, ink))
    if fits is False:
        print_notice(
            "It is not what `ragctl service install` would write today: run that once more."
        )
    if not state.running:
        print_notice("`ragctl start` starts it, or tells why it cannot be.")


def _about(plan: Plan) -> dict[str, Any]:
    return {key: getattr(plan, key) for key in ("manager", "name", "file", "untested")}
