"""The vault: whether it can be read, and whether the system can watch all of it."""

import os
import sys
import time

from ragctl.checks import Finding, fail, ok, warn
from ragctl.render import counted
from ragd import config as configuration
from ragd.errors import ConfigError
from ragd.paths import Home

_WALK_S = 5.0
_WATCHES = "/proc/sys/fs/inotify/max_user_watches"
_INSTANCES = "/proc/sys/fs/inotify/max_user_instances"


def reachable(home: Home) -> Finding:
    vault = _vault(home)
    if vault is None:
        return warn("unknown, for want of a valid configuration", "Mend the configuration first.")
    try:
        with os.scandir(vault) as entries:
            empty = next(entries, None) is None
    except OSError as why:
        return fail(
            f"{vault}: {why.strerror}",
            "Mount it, or correct it with `ragctl config set vault_path PATH`.",
        )
    if empty:
        return warn(f"{vault} is empty", "Is the disk or the cloud folder mounted?")
    return ok(f"{vault} can be read")


def inotify(home: Home) -> Finding:
    """Linux allows a user so many watched folders; each folder of the vault takes one."""
    if sys.platform != "linux":
        return ok("this system has no such limit")
    watches, instances = _number(_WATCHES), _number(_INSTANCES)
    if watches is None or instances is None:
        return ok("this system does not tell its limits")
    vault = _vault(home)
    folders = _folders(vault) if vault is not None else 0
    said = f"{watches:,} watches, the vault needs {folders:,}"
    if folders > watches:
        return fail(f"{said}: changes would be found by rescans only", _raise_to(folders))
    if folders > watches // 2 or instances < 2:
        return warn(f"{said}, and other programs need some too", _raise_to(folders))
    return ok(f"{said} ({counted(instances, 'instance')})")


def _raise_to(folders: int) -> str:
    enough = max(524_288, 4 * folders)
    return f"Run `sudo sysctl fs.inotify.max_user_watches={enough}`."


def _vault(home: Home) -> str | None:
    try:
        return configuration.load(home).vault_path
    except ConfigError:
        return None


def _folders(vault: str) -> int:
    """How many folders there are; of a huge vault, as many as were seen in a few seconds."""
    deadline = time.monotonic() + _WALK_S
    count = 0
    for _ in os.walk(vault):
        count += 1
        if time.monotonic() > deadline:
            break
    return count


def _number(path: str) -> int | None:
    try:
        with open(path) as file:
            return int(file.read())
    except (OSError, ValueError):
        return None
