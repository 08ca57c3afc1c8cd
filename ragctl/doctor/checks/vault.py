"""The vault: whether it can be read, all of it, and whether the system can watch it."""

import os
import sys
import time
from fnmatch import fnmatch

from ragctl.doctor.checks import Finding, fail, ok, unknown, warn
from ragctl.doctor.checks.known_state import settings
from ragctl.views.render import clean, counted
from ragd.paths import Home

_WALK_S = 5.0
_WATCHES = "/proc/sys/fs/inotify/max_user_watches"
_INSTANCES = "/proc/sys/fs/inotify/max_user_instances"


def reachable(home: Home) -> Finding:
    wished = settings(home)
    if wished is None:
        return unknown()
    vault = wished.vault_path
    try:
        with os.scandir(vault) as entries:
            empty = next(entries, None) is None
    except OSError as why:
        return fail(
            f"{vault}: {why.strerror}",
            "Mount it, or correct it with `ragctl config set vault_path PATH`.",
            vault,
        )
    if empty:
        return warn(f"{vault} is empty", "Is the disk or the cloud folder mounted?", vault)
    return ok(f"{vault} can be read", vault)


def notes(home: Home) -> Finding:
    """Every note by its name and its mode; none is opened: that could fetch it from a cloud."""
    wished = settings(home)
    if wished is None:
        return unknown()
    if not os.path.isdir(wished.vault_path):
        return warn("unknown, for the vault is not there", "Bring the vault back first.")
    count, trouble = 0, []
    deadline = time.monotonic() + _WALK_S
    walk = os.walk(wished.vault_path, onerror=lambda why: trouble.append(str(why.filename)))
    for folder, folders, files in walk:
        folders[:] = [name for name in folders if name[0] != "."]
        for name in files:
            if any(fnmatch(name, pattern) for pattern in wished.indexing.file_patterns):
                count += 1
                path = os.path.join(folder, name)
                if not _is_utf8(name) or not os.access(path, os.R_OK):
                    trouble.append(path)
        if time.monotonic() > deadline:
            break
    if trouble:
        first = clean(os.path.relpath(trouble[0], wished.vault_path))
        return warn(
            f"{counted(len(trouble), 'note or folder', 'notes or folders')} cannot be read, or "
            f"not by its name; the first is {first}",
            "Look at owner and mode; a name has to be UTF-8. The others are indexed.",
            first,
        )
    if not count:
        patterns = ", ".join(wished.indexing.file_patterns)
        return warn(
            f"no file there is a note ({patterns})", "Is `vault_path` the right folder?", patterns
        )
    return ok(f"{counted(count, 'file')} with the name of a note, all readable")


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def inotify(home: Home) -> Finding:
    """Linux allows a user so many watched folders; each folder of the vault takes one."""
    if sys.platform != "linux":
        return ok("this system has no such limit")
    watches, instances = read_number(_WATCHES), read_number(_INSTANCES)
    if watches is None or instances is None:
        return ok("this system does not tell its limits")
    wished = settings(home)
    folders = _folders(wished.vault_path) if wished is not None else 0
    said = f"{watches:,} watches, the vault needs {folders:,}"
    if folders > watches:
        return fail(f"{said}: changes would be found by rescans only", _raise_to(folders))
    if folders > watches // 2 or instances < 2:
        return warn(f"{said}, and other programs need some too", _raise_to(folders))
    return ok(f"{said} ({counted(instances, 'instance')})")


def _raise_to(folders: int) -> str:
    enough = max(524_288, 4 * folders)
    return f"Run `sudo sysctl fs.inotify.max_user_watches={enough}`."


def _folders(vault: str) -> int:
    """How many folders there are, without hidden ones, which are not watched.

    Of a huge vault, as many as were seen in a few seconds.
    """
    deadline = time.monotonic() + _WALK_S
    count = 0
    for _, folders, _ in os.walk(vault):
        folders[:] = [name for name in folders if not name.startswith(".")]
        count += 1
        if time.monotonic() > deadline:
            break
    return count


def read_number(path: str) -> int | None:
    try:
        with open(path) as file:
            return int(file.read())
    except (OSError, ValueError):
        return None
