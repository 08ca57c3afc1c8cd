"""`ragctl service`: have the daemon run by the platform's service manager, from login on.

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
    kept = keeper()
    plan = kept.plan(args.home)
    if args.action == "status":
        return _status(kept, plan, args.home, args.json)
    if plan.untested:
        note(_UNTESTED.format(plan.manager))
    if args.action == "install":
        return _install(kept, plan, args)
    return _uninstall(kept, plan, args)


# Install


def _install(kept: Keeper, plan: Plan, args: argparse.Namespace) -> int:
    program = program_of(args.home)
    before = former(plan)
    if not args.dry_run:
        kept.require()
    sandbox = kept.can_sandbox(program)
    content = kept.content(program, sandbox=sandbox)
    changed = content != before
    steps = plan.install if before is None or not changed else plan.renew
    said: dict[str, Any] = {
        **_about(plan),
        "dry_run": args.dry_run,
        "written": changed,
        "content": content.decode("utf-16" if content[:2] in _BOMS else "utf-8"),
        "commands": [list(step.argv) for step in steps],
        "sandboxed": sandbox,
    }
    if plan.bare and not sandbox:
        note(plan.bare)
    if args.dry_run:
        return _tell_plan(said, args.json)
    _end_a_daemon_without_it(kept, args.home)
    _make_folders(program)
    if changed:
        write(plan, content)
    do(steps)
    _wait_until_it_answers(plan, args.home)
    if args.json:
        emit_json(said)
        return EXIT_OK
    print(f"{'Wrote' if changed else 'Left as it was:'} {clean(plan.file)}")
    for step in steps:
        print(f"Ran   {clean(join(step.argv))}")
    print(f"ragd runs as the service {plan.name}, from now on and from every login on.")
    for hint in plan.hints:
        note(hint)
    return EXIT_OK


_BOMS = (b"\xff\xfe", b"\xfe\xff")


def _end_a_daemon_without_it(kept: Keeper, home: Home) -> None:
    """Only one can run in a home: one that the manager did not start would be in its way."""
    pid = (holder(home) or {}).get("pid")
    if holder(home) is None or (pid is not None and kept.state(home).pid == pid):
        return
    try:
        end_daemon(home, STOPPED_WITHIN_S)
    except NotRunning:  # it went by itself
        return
    note(f"Stopped the daemon that ran without the service{f' (pid {pid})' if pid else ''}.")


def _make_folders(program: Program) -> None:
    """Folders that the daemon would make by itself: a unit cannot make one writable that is not."""
    for place in program.writable:
        os.makedirs(place, 0o700, exist_ok=True)


def _wait_until_it_answers(plan: Plan, home: Home) -> None:
    deadline = time.monotonic() + ANSWERS_WITHIN_S
    while not answers(home):
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


def _uninstall(kept: Keeper, plan: Plan, args: argparse.Namespace) -> int:
    there = former(plan) is not None
    steps = (*plan.leave, *plan.forget) if there else ()
    said = {
        **_about(plan),
        "dry_run": args.dry_run,
        "removed": [plan.file] if there else [],
        "commands": [list(step.argv) for step in steps],
    }
    if there and not args.dry_run:
        kept.require()
        do(plan.leave)
        os.unlink(plan.file)
        do(plan.forget)
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
        note("Your index and your configuration are as they were; `ragctl start` still works.")
    return EXIT_OK


# Status


def _status(kept: Keeper, plan: Plan, home: Home, as_json: bool) -> int:
    found = former(plan)
    state = kept.state(home) if found is not None else State(word=None)
    fits = None if found is None else _fits(kept, home, found)
    if as_json:
        emit_json(
            {
                **_about(plan),
                "installed": found is not None,
                "up_to_date": fits,
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
        _tell_state(plan, state, fits)
    return EXIT_OK if state.running else EXIT_NOT_RUNNING


def _fits(kept: Keeper, home: Home, found: bytes) -> bool | None:
    """Whether it is what install would write today; None where that cannot be told."""
    try:
        program = program_of(home)
    except ConfigError:
        return None
    return found in (kept.content(program, sandbox=True), kept.content(program, sandbox=False))


def _tell_state(plan: Plan, state: State, fits: bool | None) -> None:
    ink = Ink()
    sign, colour = ("●", "green") if state.running else ("✗", "red")
    word = clean(state.word) if state.word else f"{plan.manager} could not be asked"
    print(f"{ink.paint(ink.sign(sign), colour)} {plan.name}: {word}")
    login = {True: "yes", False: "no", None: ""}[state.at_login]
    pairs = (
        ("pid", str(state.pid or "")),
        ("says", clean(state.says)),
        ("at login", login),
        ("file", clean(plan.file)),
    )
    print(rows(pairs, ink))
    if fits is False:
        note("It is not what `ragctl service install` would write today: run that once more.")
    if not state.running:
        note("`ragctl start` starts it, or tells why it cannot be.")


def _about(plan: Plan) -> dict[str, Any]:
    return {key: getattr(plan, key) for key in ("manager", "name", "file", "untested")}
