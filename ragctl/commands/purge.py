"""`ragctl purge`: removes everything that ragd wrote, and nothing else. Never the vault.

The daemon is stopped first and cannot start meanwhile. The configuration and the lock are removed
last, so that an interrupted purge can be finished by running it again.
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
    ("ragctl purge", "stop the daemon and remove everything, after asking"),
    ("ragctl purge --yes", "remove it without asking, for scripts"),
)
STOPPED_WITHIN_S = 15.0
_LISTED_MAX = 20


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("--dry-run", action="store_true", help="only list what would be removed")
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")


def run(args: argparse.Namespace) -> int:
    home: Home = args.home
    if not IS_POSSIBLE:
        raise Failure(
            "On this system ragctl cannot remove files without following links.",
            f"Run `ragctl stop`, then remove {home.root} by hand.",
        )
    locations = read_locations(home)
    found = _list_or_remove(home, locations, remove=False)
    for address in locations.remote:
        print_notice(
            f"The index in the object store is not removed: {clean(address)}. Other machines may "
            "read it; delete it with the tools of the store."
        )
    if args.dry_run or not found.owned:
        return _print_report(home, found, args.json, removed=False)
    _require_no_service(home)
    if not args.yes:
        _confirm(home, found, args.json)
    stop_daemon(home)
    with _hold_lock(home):
        removed = _list_or_remove(home, locations, remove=True)
    return _print_report(home, removed, args.json, removed=True, listed=not args.yes)


def _list_or_remove(home: Home, locations: PurgeLocations, *, remove: bool) -> PurgeResult:
    """Indexes and the socket outside the home first, then the home."""
    indexes = [_list_or_remove_index(place, remove=remove) for place in locations.vectors]
    sockets = [_list_or_remove_socket(place, remove=remove) for place in locations.sockets]
    in_home = purge_folder(home.root, "home", remove=remove, keep=locations.keep)
    return PurgeResult(*indexes, *sockets, in_home)


def _list_or_remove_index(place: str, *, remove: bool) -> PurgeResult:
    if not os.path.islink(place):
        return purge_folder(place, "vectors", remove=remove)
    result = PurgeResult()
    result.foreign.append(place)
    return result


def _list_or_remove_socket(path: str, *, remove: bool) -> PurgeResult:
    """A socket outside the home is in a folder that other homes may use too."""
    result = PurgeResult()
    with suppress(OSError):
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            result.owned.append(OwnedItem(path, 1, 0))
            if remove:
                os.unlink(path)
                os.rmdir(os.path.dirname(path))  # fails if another home has a socket there
    return result


# Confirming, stopping


def _confirm(home: Home, found: PurgeResult, as_json: bool) -> None:
    if as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "This removes everything that ragd wrote, and cannot be undone.",
            "`ragctl purge --dry-run` lists it; `ragctl purge --yes` removes it.",
        )
    print(_render_list(found, Ink(sys.stderr)), file=sys.stderr)
    first = " The daemon is stopped first." if holder(home) is not None else ""
    print_notice(
        f"This includes memories and the configuration. Your notes are not touched.{first}"
    )
    name = os.path.basename(home.root)
    print(f"Remove everything? Type y or {clean(name)}: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes", name.lower()):
        raise Failure("Nothing was removed.")


def _require_no_service(home: Home) -> None:
    """An installed service has to be removed with its service manager first."""
    from ragctl.service_managers import installed_service
    from ragctl.service_managers.systemd_page import installed_page_service

    if (page := installed_page_service(home)) is not None:
        raise Failure(
            f"The service {page.name} is installed for {home.root}: nothing was removed.",
            "Run `ragctl service uninstall --page` first.",
        )
    if (plan := installed_service(home)) is not None:
        raise Failure(
            f"The service {plan.name} is installed for {home.root}: nothing was removed.",
            "Run `ragctl service uninstall` first.",
        )


def stop_daemon(home: Home) -> None:
    """Stop the daemon, and the bridge before it."""
    if sys.platform != "win32":
        from ragctl.bridge.bridge_lock import stop_bridge

        stop_bridge(home)
    if holder(home) is None:
        return
    from ragctl.daemon.stop import end_daemon

    try:
        end_daemon(home, STOPPED_WITHIN_S)
    except NotRunning:  # it has exited in the meantime
        return
    except Failure as why:
        why.message = f"{why.message} Nothing was removed."
        raise


@contextmanager
def _hold_lock(home: Home) -> Iterator[None]:
    """Hold the lock of the home, so that no daemon can start."""
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
                f"A daemon{_pid_suffix(home)} holds the lock of {home.root}: nothing was removed.",
                "Stop it with `ragctl stop`, then try again.",
            ) from None
        yield
    finally:
        os.close(handle)


def _pid_suffix(home: Home) -> str:
    pid = (holder(home) or {}).get("pid")
    return f" (pid {pid})" if pid else ""


# Reporting


def _print_report(
    home: Home, result: PurgeResult, as_json: bool, *, removed: bool, listed: bool = False
) -> int:
    if as_json:
        emit_json(_as_json(home, result, removed))
    elif not result.owned:
        print(f"There are no files from ragd in {clean(home.root)}.")
    else:
        if not listed:
            print(_render_list(result, Ink()))
        total = format_size(sum(one.size_bytes for one in result.owned))
        print(f"{'Removed' if removed else 'To be removed'}: {total}.")
    if result.foreign and not as_json:
        _print_paths("Not written by ragd, so left alone", result.foreign)
    if result.not_removed:
        _print_paths("Could not be removed", result.not_removed)
        return EXIT_FAILED
    return EXIT_OK


def _as_json(home: Home, result: PurgeResult, removed: bool) -> dict[str, Any]:
    return {
        "home": home.root,
        "removed": removed,
        "entries": [one._asdict() for one in result.owned],
        "size_bytes": sum(one.size_bytes for one in result.owned),
        "foreign": result.foreign,
        "stuck": result.not_removed,
    }


def _render_list(result: PurgeResult, ink: Ink) -> str:
    lines = []
    for path, files, size_bytes in result.owned:
        more = f"  ({counted(files, 'file')})" if files != 1 else ""
        lines.append(f"{format_size(size_bytes):>9}  {clean(path)}{ink.paint(more, 'dim')}")
    return "\n".join(lines)


def _print_paths(title: str, paths: list[str]) -> None:
    print_notice("\n".join([f"{title}:", *(f"  {clean(path)}" for path in paths[:_LISTED_MAX])]))
    if len(paths) > _LISTED_MAX:
        print_notice(f"  and {len(paths) - _LISTED_MAX} more")
