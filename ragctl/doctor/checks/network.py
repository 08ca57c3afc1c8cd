"""Whether notes stay on this machine: the configuration, and the daemon's open connections.

The daemon needs loopback only. If the system gives it nothing else, the finding says so.
"""

import os
import sys
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from ragctl.daemon.lockfile import holder
from ragctl.doctor.checks import Finding, fail, no_configuration, ok, warn
from ragctl.doctor.checks.known_state import read_settings
from ragctl.views.render import counted
from ragd.config.load import is_external
from ragd.paths import Home

_TABLES = ("tcp", "tcp6", "udp", "udp6")
_LISTENS = "0A"


class Connection(NamedTuple):
    """An open socket of the daemon: its peer, and whether it listens."""

    peer: str
    listens: bool


def isolation(home: Home) -> Finding:
    settings = read_settings(home)
    if settings is None:
        return no_configuration()
    if is_external(settings):
        return warn(
            "passages are sent to another machine, as `security.external_confirmed` allows",
            "To keep them here: `ragctl config set embedding.provider embedded`, "
            "then `ragctl reindex`.",
        )
    rule = (
        "local_only" if settings.security.local_only else "the embedding address is on this machine"
    )
    pid = (holder(home) or {}).get("pid")
    if not isinstance(pid, int) or sys.platform != "linux":
        return ok(f"local by configuration ({rule})")
    try:
        family = [pid, *_children(pid)]
        found = [one for member in family for one in connections(member)]
        is_isolated = _has_loopback_only(pid)
    except OSError:
        return ok(f"local by configuration ({rule}); the daemon's connections cannot be read")
    return judge_connections(rule, found, is_isolated)


def judge_connections(rule: str, found: list[Connection], is_isolated: bool) -> Finding:
    stop = "Run `ragctl stop` and report this: it must never happen."
    if any(one.listens for one in found):
        return fail("the daemon listens on a network port", stop)
    remote = [one.peer for one in found if not is_this_machine(one.peer)]
    if remote:
        return fail(f"the daemon is connected to another machine, {remote[0]}", stop, remote[0])
    layer = (
        "local by the system (the daemon has loopback only)"
        if is_isolated
        else f"local by configuration ({rule})"
    )
    return ok(f"{layer}; no open port, {counted(len(found), 'connection')} to this machine")


def _children(pid: int) -> list[int]:
    """The embedding worker, if there is one."""
    found: list[int] = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/children") as file:
            found += map(int, file.read().split())
    return [child for child in found if not _has_ended(child)]


def _has_ended(pid: int) -> bool:
    """Whether it has ended or is a zombie, whose files cannot be read."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def connections(pid: int) -> list[Connection]:
    """The open IP sockets of this process."""
    inodes = set(_socket_inodes(pid))
    found = []
    for table in _TABLES:
        try:
            with open(f"/proc/{pid}/net/{table}") as file:
                rows = [line.split() for line in file.readlines()[1:]]
        except FileNotFoundError:  # no IPv6 here
            continue
        for row in rows:
            if row[9] in inodes:
                found.append(Connection(parse_address(row[2]), row[3] == _LISTENS))
    return found


def _socket_inodes(pid: int) -> Iterator[str]:
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:  # closed meanwhile
            continue
        if target.startswith("socket:["):
            yield target[8:-1]


def parse_address(word: str) -> str:
    """`0100007F:1F90` is 127.0.0.1: groups of four bytes, each in this machine's byte order."""
    raw = bytes.fromhex(word.partition(":")[0])
    parts = [raw[i : i + 4] for i in range(0, len(raw), 4)]
    if sys.byteorder == "little":
        parts = [part[::-1] for part in parts]
    packed = b"".join(parts)
    return str(IPv4Address(packed) if len(packed) == 4 else IPv6Address(packed))


def is_this_machine(peer: str) -> bool:
    address = ip_address(peer)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    address = mapped or address
    return address.is_loopback or address.is_unspecified


def _has_loopback_only(pid: int) -> bool:
    with open(f"/proc/{pid}/net/dev") as file:
        return {line.partition(":")[0].strip() for line in file.readlines()[2:]} <= {"lo"}
