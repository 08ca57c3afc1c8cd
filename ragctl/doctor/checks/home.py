"""The home: its configuration, its folders, its permissions and the free disk space."""

import os
import stat
import sys
from shlex import quote

from ragctl.doctor.checks import Finding, fail, no_configuration, ok, warn
from ragctl.doctor.checks.known_state import read_settings
from ragctl.views.render import clean, counted
from ragd.close_match import closest
from ragd.config import load as configuration
from ragd.errors import ConfigError
from ragd.objects.address import is_object_address
from ragd.paths import Home
from ragd.vault.collection_paths import RESERVED, group_of

SPACE_LOW_BYTES = 1024**3
SPACE_OUT_BYTES = 64 * 1024**2
PYTHON_MIN = (3, 11)


def config(home: Home) -> Finding:
    try:
        settings = configuration.read(home)
    except ConfigError as why:
        return fail(why.message, why.suggestion, why.message, why.suggestion)
    known = {*RESERVED, *settings.collections}
    for place, rule in enumerate(settings.access.rules):
        for name in rule.collections:
            if name != "*" and name not in known and not group_of(name):
                near = closest(name, sorted(known))
                return warn(
                    f"`access.rules[{place}]` names the collection {clean(name)}, which does not "
                    "exist",
                    f"Did you mean `{near}`?" if near else "Correct the name, or remove it.",
                    *filter(None, (name, near)),
                )
    return ok(f"{home.config} is valid")


def places(home: Home) -> Finding:
    """The vault, the index and the home must be separate folders."""
    settings = read_settings(home)
    if settings is None:
        return no_configuration()
    try:
        configuration.check_folders(settings, home.root)
    except ConfigError as why:
        return fail(why.message, why.suggestion, home.root, settings.vault_path)
    return ok("the vault, the index and ragd's own folder are separate")


def permissions(home: Home) -> Finding:
    """Only this user may own the folder, its direct contents and the log's files."""
    try:
        facts = os.stat(home.root)
    except FileNotFoundError:
        return ok(f"{home.root} does not exist yet")
    if sys.platform == "win32":
        return ok("the profile folder's own access list protects it")
    foreign = _owned_by_others(home)
    if foreign:
        more = f", and {counted(len(foreign) - 1, 'other')} too" if len(foreign) > 1 else ""
        return fail(
            f"{foreign[0]} belongs to another user{more}",
            f"Run `sudo chown -R {os.getuid()} {quote(home.root)}`; was ragctl run with sudo?",
        )
    if not os.access(home.root, os.R_OK | os.W_OK | os.X_OK):
        return fail(f"{home.root} is not writable", f"Run `chmod 700 {quote(home.root)}`.")
    mode = stat.S_IMODE(facts.st_mode)
    if mode & 0o077:
        return warn(
            f"{home.root} is open to other users (mode {mode:04o})",
            f"Run `chmod 700 {quote(home.root)}`; the daemon also does this when it starts.",
        )
    return ok(f"{home.root} is private (mode {mode:04o})")


def _owned_by_others(home: Home) -> list[str]:
    found: list[str] = []
    for folder in (home.root, home.events, home.snapshots):
        if not os.path.isdir(folder):
            continue
        if os.stat(folder).st_uid != os.getuid():
            found.append(folder)
            continue
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.stat(follow_symlinks=False).st_uid != os.getuid():
                    found.append(entry.path)
    return found


def space(home: Home) -> Finding:
    """Free space on the disks of the home and of the index."""
    from shutil import disk_usage

    settings = read_settings(home)
    index = settings.vector_store.path if settings else home.root
    places = {_existing(home.root), _existing(home.root if is_object_address(index) else index)}
    place, free = min(((p, disk_usage(p).free) for p in sorted(places)), key=lambda one: one[1])
    free_text = f"{free / 1024**3:,.1f} GiB free"
    if free < SPACE_OUT_BYTES:
        return fail(f"only {free // 1024**2} MiB free at {place}", "Free some space.", place)
    if free < SPACE_LOW_BYTES:
        return warn(f"{free_text} at {place}: not much for an index", "Free some space.", place)
    return ok(free_text)


def _existing(place: str) -> str:
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    return place


def python(home: Home) -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < PYTHON_MIN:
        return fail(f"Python {version} is too old", "Install ragd for Python 3.11 or later.")
    return ok(f"Python {version} at {sys.executable}")
