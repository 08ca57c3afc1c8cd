"""`ragctl purge`: removes everything that ragd ever wrote, and nothing else. Never the vault.

The daemon is stopped first and cannot start meanwhile. The configuration and the lock go last, so
that a purge that was cut off is finished by running it again.
"""

import argparse
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ragctl.cli import add_json
from ragctl.daemon.lockfile import holder
from ragctl.failure import Failure, NotRunning, UsageError
from ragctl.purge.locations import PurgeLocations, read_locations
from ragctl.purge.removal import IS_POSSIBLE, OwnedItem, PurgeResult, purge_folder
from ragctl.views.render import Ink, clean, counted, emit_json, format_size, print_notice
from ragd.errors import EXIT_FAILED, EXIT_OK, EXIT_PERMISSION
from ragd.paths import Home

EXAMPLES = (
    ("ragctl purge --dry-run", "list what would be removed, and how large it is"),
    ("ragctl purge", "stop the daemon and remove it all, after a question"),
    ("ragctl purge --yes", "without the question, for scripts"),
)
STOPPED_WITHIN_S = 15.0
_LISTED = 20


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("--dry-run", action="store_true", help="only list it")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace) -> int:
    home: Home = args.home
    if not IS_POSSIBLE:
        raise Failure(
            "On this system ragctl cannot remove files without following links.",
            f"Run `ragctl stop`, then remove {home.root} by hand.",
        )
    places = read_locations(home)
    found = _swept(home, places, remove=False)
    if args.dry_run or not found.owned:
        return _report(home, found, args.json, removed=False)
    _refuse_a_service(home)
    if not args.yes:
        _ask(home, found, args.json)
    stop_daemon(home)
    with _locked(home):
        removed = _swept(home, places, remove=True)
    return _report(home, removed, args.json, removed=True, listed=not args.yes)


def _swept(home: Home, places: PurgeLocations, *, remove: bool) -> PurgeResult:
    """Indexes elsewhere, the socket elsewhere, then the home."""
    elsewhere = [_index_at(place, remove=remove) for place in places.vectors]
    sockets = [_socket_at(place, remove=remove) for place in places.sockets]
    kept = purge_folder(home.root, "home", remove=remove, keep=places.keep)
    return PurgeResult(*elsewhere, *sockets, kept)


def _index_at(place: str, *, remove: bool) -> PurgeResult:
    if not os.path.islink(place):
        return purge_folder(place, "vectors", remove=remove)
    tally = PurgeResult()
    tally.foreign.append(place)
    return tally


def _socket_at(path: str, *, remove: bool) -> PurgeResult:
    """A socket outside the home lies in a folder that other homes may use, too."""
    tally = PurgeResult()
    with suppress(OSError):
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            tally.owned.append(OwnedItem(path, 1, 0))
            if remove:
                os.unlink(path)
                os.rmdir(os.path.dirname(path))  # if nobody else has one there
    return tally


# Asking, stopping


def _ask(home: Home, found: PurgeResult, as_json: bool) -> None:
    if as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "This removes everything that ragd wrote, and cannot be undone.",
            "`ragctl purge --dry-run` lists it; `ragctl purge --yes` does it.",
        )
    print(_listed(found, Ink(sys.stderr)), file=sys.stderr)
    first = " The daemon is stopped first." if holder(home) is not None else ""
    print_notice(f"Memories and the configuration are among it. Your notes are not touched.{first}")
    name = os.path.basename(home.root)
    print(f"Remove it all? Type y or {clean(name)}: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes", name.lower()):
        raise Failure("Nothing was removed.")


def _refuse_a_service(home: Home) -> None:
    """Its file is ours as well, and the system's service manager has to be told of its end."""
    from ragctl.service_managers import installed_service

    if (plan := installed_service(home)) is not None:
        raise Failure(
            f"The service {plan.name} is installed for {home.root}: nothing was removed.",
            "Run `ragctl service uninstall` first.",
        )


def stop_daemon(home: Home) -> None:
    if holder(home) is None:
        return
    from ragctl.daemon.stop import end_daemon

    try:
        end_daemon(home, STOPPED_WITHIN_S)
    except NotRunning:  # it went by itself
        return
    except Failure as why:
        why.message = f"{why.message} Nothing was removed."
        raise


@contextmanager
def _locked(home: Home) -> Iterator[None]:
    """Nobody else starts here until it is done."""
    if sys.platform == "win32" or not os.path.isdir(home.root):
        yield
        return
    import fcntl

    try:
        handle = os.open(home.lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as why:
        raise Failure(
            f"{home.lock}: {why.strerror}. Nothing was removed.", exit_code=EXIT_PERMISSION
        ) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(
                f"A daemon{_pid(home)} holds the lock of {home.root}: nothing was removed.",
                "Stop it with `ragctl stop`; then try again.",
            ) from None
        yield
    finally:
        os.close(handle)


def _pid(home: Home) -> str:
    pid = (holder(home) or {}).get("pid")
    return f" (pid {pid})" if pid else ""


# Telling


def _report(
    home: Home, tally: PurgeResult, as_json: bool, *, removed: bool, listed: bool = False
) -> int:
    if as_json:
        emit_json(_as_json(home, tally, removed))
    elif not tally.owned:
        print(f"There is nothing of ragd's in {clean(home.root)}.")
    else:
        if not listed:  # nobody has seen it yet
            print(_listed(tally, Ink()))
        total = format_size(sum(one.size_bytes for one in tally.owned))
        print(f"{'Removed' if removed else 'To be removed'}: {total}.")
    if tally.foreign and not as_json:
        _name("Not ragd's, so left alone", tally.foreign)
    if tally.not_removed:
        _name("Could not be removed", tally.not_removed)
        return EXIT_FAILED
    return EXIT_OK


def _as_json(home: Home, tally: PurgeResult, removed: bool) -> dict[str, Any]:
    return {
        "home": home.root,
        "removed": removed,
        "entries": [one._asdict() for one in tally.owned],
        "size_bytes": sum(one.size_bytes for one in tally.owned),
        "foreign": tally.foreign,
        "stuck": tally.not_removed,
    }


def _listed(tally: PurgeResult, ink: Ink) -> str:
    lines = []
    for path, files, size_bytes in tally.owned:
        more = f"  ({counted(files, 'file')})" if files != 1 else ""
        lines.append(f"{format_size(size_bytes):>9}  {clean(path)}{ink.paint(more, 'dim')}")
    return "\n".join(lines)


def _name(what: str, paths: list[str]) -> None:
    print_notice("\n".join([f"{what}:", *(f"  {clean(path)}" for path in paths[:_LISTED])]))
    if len(paths) > _LISTED:
        print_notice(f"  and {len(paths) - _LISTED} more")
