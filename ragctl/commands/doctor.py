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
    ("ragctl doctor --json | jq '.checks[] | select(.verdict != \"ok\")'", "only the problems"),
    ("ragctl doctor --bundle report.tar.gz", "a file for a bug report, without any note text"),
)
CHECKS = {
    "python": Check(home.python),
    "libraries": Check(index.libraries, 20.0),
    "config": Check(home.config),
    "places": Check(home.places),
    "home": Check(home.permissions),
    "disk space": Check(home.space),
    # Before the daemon: while the vault is missing, the daemon's advice does not help.
    "vault": Check(vault.reachable),
    "collections": Check(vault.collections),
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
        raise UsageError(f"{args.bundle} already exists.", "Choose another name.")
    findings = run_checks(args.home, CHECKS)
    failed = any(finding.verdict == "fail" for finding in findings.values())
    bundle = _write_bundle(args, findings) if args.bundle is not None else None
    if args.json:
        emit_json({"ok": not failed, "checks": as_json(findings), "bundle": bundle})
    else:
        print_text(render_findings(findings, Ink()))
        if bundle:
            print(f"\n{bundle['path']} contains {', '.join(bundle['files'])}.")
            print("Your notes, questions and memories are not in it; paths are hashed.")
    return EXIT_FAILED if failed else EXIT_OK


def _write_bundle(args: argparse.Namespace, findings: dict[str, Finding]) -> dict[str, Any]:
    from ragctl.doctor.bundle import write_bundle

    return write_bundle(args.home, args.bundle, findings)


def as_json(findings: dict[str, Finding]) -> list[dict[str, str]]:
    """Each finding, for a program."""
    return [
        {
            "name": name,
            "verdict": one.verdict,
            "message": add_home_option(one.message),
            "fix": add_home_option(one.fix),
        }
        for name, one in findings.items()
    ]


def render_findings(findings: dict[str, Finding], ink: Ink) -> str:
    """A line for each check, with the fix below it where one is needed. Checks that need a valid
    configuration share one line."""
    width = max(len(name) for name in findings)
    waiting = [name for name, finding in findings.items() if finding == no_configuration()]
    lines: list[str] = []
    for name, finding in findings.items():
        if name not in waiting:
            lines += _finding_lines(name, finding, width, ink)
    if waiting:
        lines += _finding_lines("the rest", _merge_names(waiting), width, ink)
    return "\n".join([*lines, "", _verdict(findings, ink)])


def _finding_lines(name: str, finding: Finding, width: int, ink: Ink) -> list[str]:
    sign, colour = _SIGNS[finding.verdict]
    wrapped = [
        ink.wrap(add_home_option(clean(line)), width + 6) for line in finding.message.splitlines()
    ]
    text = f"\n{'':{width + 6}}".join(wrapped)
    lines = [f"  {ink.paint(ink.sign(sign), colour)} {name:<{width}}  {text}"]
    if finding.fix:
        fix = ink.wrap(add_home_option(clean(finding.fix)), width + 8)
        lines.append(f"{'':{width + 6}}{ink.paint(ink.sign('→'), 'cyan')} {fix}")
    return lines


def _merge_names(waiting: list[str]) -> Finding:
    one = no_configuration()
    return one._replace(message=f"{one.message}: {', '.join(waiting)}")


def _verdict(findings: dict[str, Finding], ink: Ink) -> str:
    failed = sum(finding.verdict == "fail" for finding in findings.values())
    warned = sum(finding.verdict == "warn" for finding in findings.values())
    if failed:
        return ink.paint(counted(failed, "check") + " failed.", "red", "bold")
    if warned:
        return ink.paint(f"Nothing failed; {counted(warned, 'warning')}.", "yellow")
    return ink.paint("All checks passed.", "green")
