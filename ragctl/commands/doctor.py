"""`ragctl doctor`: what is wrong, and what to do about it. It needs no daemon and starts none."""

import argparse
import os
from typing import Any

from ragctl.cli import add_json
from ragctl.doctor.checks import (
    Finding,
    daemon,
    home,
    index,
    log,
    network,
    no_configuration,
    obsidian,
    provider,
    stores,
    vault,
)
from ragctl.doctor.run_checks import Check, run_checks
from ragctl.failure import UsageError
from ragctl.views.render import Ink, add_home_option, clean, counted, emit_json, print_text
from ragd.errors import EXIT_FAILED, EXIT_OK

EXAMPLES = (
    ("ragctl doctor", "what is wrong here, and what to do about it"),
    ("ragctl doctor --json | jq '.checks[] | select(.verdict != \"ok\")'", "for a program"),
    ("ragctl doctor --bundle report.tar.gz", "a file for a bug report, with nothing of your notes"),
)
CHECKS = {
    "python": Check(home.python),
    "libraries": Check(index.libraries, 20.0),
    "config": Check(home.config),
    "places": Check(home.places),
    "home": Check(home.permissions),
    "disk space": Check(home.space),
    # Before the daemon: without its vault, everything that it advises comes to nothing.
    "vault": Check(vault.reachable),
    "notes": Check(vault.notes),
    "lock": Check(daemon.lock),
    "socket": Check(daemon.socket, 15.0),
    "daemon": Check(daemon.health, 15.0),
    "log": Check(log.integrity, 30.0),
    "snapshots": Check(log.snapshots, 20.0),
    "clock": Check(log.clock),
    "obsidian": Check(obsidian.own_folder),
    "inotify": Check(vault.inotify),
    "provider": Check(provider.ollama, 20.0),
    "weights": Check(provider.weights, 20.0),
    "index": Check(index.probe, 60.0),
    "memories": Check(stores.memories),
    "cache": Check(stores.cache, 20.0),
    "network": Check(network.isolation),
}
_SIGNS = {"ok": ("✓", "green"), "warn": ("▲", "yellow"), "fail": ("✗", "red")}


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "--bundle",
        metavar="FILE",
        help="write the findings, versions and last events to this archive, for a bug report",
    )


def run(args: argparse.Namespace) -> int:
    if args.bundle is not None and os.path.lexists(args.bundle):
        raise UsageError(f"There is a file {args.bundle} already.", "Name another one.")
    found = run_checks(args.home, CHECKS)
    failed = any(finding.verdict == "fail" for finding in found.values())
    written = _bundle(args, found) if args.bundle is not None else None
    if args.json:
        emit_json({"ok": not failed, "checks": as_json(found), "bundle": written})
    else:
        print_text(describe(found, Ink()))
        if written:
            print(f"\n{written['path']} holds {', '.join(written['files'])}.")
            print("Your notes, questions and memories are not in it; paths are hashed.")
    return EXIT_FAILED if failed else EXIT_OK


def _bundle(args: argparse.Namespace, found: dict[str, Finding]) -> dict[str, Any]:
    from ragctl.doctor.bundle import write_bundle

    return write_bundle(args.home, args.bundle, found)


def as_json(found: dict[str, Finding]) -> list[dict[str, str]]:
    """Each finding for a program."""
    return [
        {
            "name": name,
            "verdict": one.verdict,
            "message": add_home_option(one.message),
            "fix": add_home_option(one.fix),
        }
        for name, one in found.items()
    ]


def describe(found: dict[str, Finding], ink: Ink) -> str:
    """A line for each check, and the fix below it where one is needed; all that wait for the
    configuration share one."""
    width = max(len(name) for name in found)
    waiting = [name for name, finding in found.items() if finding == no_configuration()]
    lines: list[str] = []
    for name, finding in found.items():
        if name not in waiting:
            lines += _lines(name, finding, width, ink)
    if waiting:
        lines += _lines("the rest", _all_of(waiting), width, ink)
    return "\n".join([*lines, "", _verdict(found, ink)])


def _lines(name: str, finding: Finding, width: int, ink: Ink) -> list[str]:
    sign, colour = _SIGNS[finding.verdict]
    said = [
        ink.wrap(add_home_option(clean(line)), width + 6) for line in finding.message.splitlines()
    ]
    text = f"\n{'':{width + 6}}".join(said)
    lines = [f"  {ink.paint(ink.sign(sign), colour)} {name:<{width}}  {text}"]
    if finding.fix:
        fix = ink.wrap(add_home_option(clean(finding.fix)), width + 8)
        lines.append(f"{'':{width + 6}}{ink.paint(ink.sign('→'), 'cyan')} {fix}")
    return lines


def _all_of(waiting: list[str]) -> Finding:
    one = no_configuration()
    return one._replace(message=f"{one.message}: {', '.join(waiting)}")


def _verdict(found: dict[str, Finding], ink: Ink) -> str:
    failed = sum(finding.verdict == "fail" for finding in found.values())
    warned = sum(finding.verdict == "warn" for finding in found.values())
    if failed:
        return ink.paint(counted(failed, "check") + " failed.", "red", "bold")
    if warned:
        return ink.paint(f"Nothing failed; {counted(warned, 'warning')}.", "yellow")
    return ink.paint("All is well.", "green")
