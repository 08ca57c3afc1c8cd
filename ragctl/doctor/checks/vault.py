"""The vault: whether all of it can be read, and whether the system can watch it."""

import os
import sys
import time
from fnmatch import fnmatch

from ragctl.doctor.checks import Finding, fail, no_configuration, ok, warn
from ragctl.doctor.checks.known_state import read_settings
from ragctl.views.collections import WHY
from ragctl.views.render import clean, counted
from ragd.paths import Home
from ragd.vault.collection_paths import group_of
from ragd.vault.session_database import SessionDatabase
from ragd.vault.walk import VaultGone

_WALK_S = 5.0
_WATCHES = "/proc/sys/fs/inotify/max_user_watches"
_INSTANCES = "/proc/sys/fs/inotify/max_user_instances"


def reachable(home: Home) -> Finding:
    settings = read_settings(home)
    if settings is None:
        return no_configuration()
    vault = settings.vault_path
    try:
        with os.scandir(vault) as entries:
            empty = next(entries, None) is None
    except OSError as why:
        return fail(
            f"{vault}: {why.strerror}",
            "Mount it, or correct the path with `ragctl config set vault_path PATH`.",
            vault,
        )
    if empty:
        return warn(f"{vault} is empty", "Is the disk or the cloud folder mounted?", vault)
    return ok(f"{vault} can be read", vault)


def collections(home: Home) -> Finding:
    """Whether the folder of each collection can be read."""
    settings = read_settings(home)
    if settings is None:
        return no_configuration()
    if not settings.collections:
        return ok("there are no collections besides the vault")
    wrong: list[tuple[str, str]] = []  # the name, and why it cannot be used
    for name, one in settings.collections.items():
        if why := _why_unusable(name, one.path):
            wrong.append((name, why))
    if wrong:
        private = [text for pair in wrong for text in pair]
        private += [settings.collections[name].path for name, _ in wrong]
        removable = [name for name, _ in wrong if not group_of(name)]
        without = (
            f"`ragctl collection remove {removable[0]}`"
            if removable
            else "`ragctl config set sessions.enabled false`"
        )
        return warn(
            "; ".join(f"@{name}: {why}" for name, why in wrong),
            "Mount or restore the folder; its notes stay in the index. If you do not need it, run "
            f"{without}.",
            *private,
        )
    return ok(f"{counted(len(settings.collections), 'collection')}, all readable")


def _why_unusable(name: str, path: str) -> str | None:
    try:
        if os.path.isfile(path):
            SessionDatabase(path).verify(None)
            return None
        with os.scandir(path) as entries:
            is_empty = next(entries, None) is None
    except VaultGone as gone:
        return f"{path}: {WHY[gone.reason]}"
    except OSError as why:
        return f"{path}: {why.strerror}"
    return f"{path} is empty" if is_empty and not group_of(name) else None


def notes(home: Home) -> Finding:
    """Check each note's name and mode. None is opened: that could download it from a cloud."""
    settings = read_settings(home)
    if settings is None:
        return no_configuration()
    if not os.path.isdir(settings.vault_path):
        return warn(
            "unknown, because the vault is not available", "Make the vault available first."
        )
    count, unreadable = 0, []
    deadline = time.monotonic() + _WALK_S
    walk = os.walk(settings.vault_path, onerror=lambda why: unreadable.append(str(why.filename)))
    for folder, folders, files in walk:
        folders[:] = [name for name in folders if name[0] != "."]
        for name in files:
            if any(fnmatch(name, pattern) for pattern in settings.indexing.file_patterns):
                count += 1
                path = os.path.join(folder, name)
                if not _is_utf8(name) or not os.access(path, os.R_OK):
                    unreadable.append(path)
        if time.monotonic() > deadline:
            break
    if unreadable:
        first = clean(os.path.relpath(unreadable[0], settings.vault_path))
        return warn(
            f"{counted(len(unreadable), 'note or folder', 'notes or folders')} cannot be read "
            f"(or the name is not UTF-8); the first is {first}",
            "Check the owner, the mode and the name. All other notes are indexed.",
            first,
        )
    if not count:
        patterns = ", ".join(settings.indexing.file_patterns)
        return warn(
            f"it contains no notes ({patterns})", "Is `vault_path` the right folder?", patterns
        )
    return ok(f"{counted(count, 'note file')}, all readable")


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def inotify(home: Home) -> Finding:
    """Linux limits the watched folders of a user; each folder of the vault needs one watch."""
    if sys.platform != "linux":
        return ok("this system has no such limit")
    watches, instances = read_number(_WATCHES), read_number(_INSTANCES)
    if watches is None or instances is None:
        return ok("this system does not report its limits")
    settings = read_settings(home)
    roots = [] if settings is None else [settings.vault_path]
    roots += [one.path for one in settings.collections.values()] if settings is not None else []
    folders = sum(map(_count_folders, roots))
    needs = "the vault needs" if len(roots) < 2 else "the vault and the collections need"
    limits = f"{watches:,} watches, {needs} {folders:,}"
    if folders > watches:
        return fail(f"{limits}: ragd finds changes only by rescans", _watch_limit_fix(folders))
    if folders > watches // 2 or instances < 2:
        return warn(f"{limits}, and other programs need some too", _watch_limit_fix(folders))
    return ok(f"{limits} ({counted(instances, 'instance')})")


def _watch_limit_fix(folders: int) -> str:
    enough = max(524_288, 4 * folders)
    return f"Run `sudo sysctl fs.inotify.max_user_watches={enough}`."


def _count_folders(vault: str) -> int:
    """The number of folders, without hidden ones, which are not watched.

    For a huge vault, as many as can be counted in a few seconds.
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
