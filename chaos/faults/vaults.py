"""A vault is unmounted, renamed or emptied, and comes back: the index keeps its notes."""

from collections.abc import Callable

from chaos.harness import require
from chaos.managed_daemon import ManagedDaemon

GONE = "VAULT_NOT_FOUND"


def rename(daemon: ManagedDaemon) -> None:
    """The vault has another name for a while."""
    folder = daemon.vault.folder
    away = folder.with_name("away")
    folder.rename(away)
    _check_still_served(daemon)
    away.rename(folder)


def unmount(daemon: ManagedDaemon) -> None:
    """An empty mount point, as an unplugged disk leaves it."""
    folder = daemon.vault.folder
    disk = folder.with_name("disk")
    folder.rename(disk)
    folder.mkdir()
    _check_still_served(daemon)
    folder.rmdir()
    disk.rename(folder)


def empty(daemon: ManagedDaemon) -> None:
    """Every note is moved out, as by a failed sync; then all are back."""
    folder = daemon.vault.folder
    aside = folder.with_name("aside")
    aside.mkdir()
    for note in list(folder.iterdir()):
        note.rename(aside / note.name)
    _check_still_served(daemon)
    for note in list(aside.iterdir()):
        note.rename(folder / note.name)
    aside.rmdir()


CASES = (rename, unmount, empty)


def _check_still_served(daemon: ManagedDaemon) -> None:
    """The index is kept and serves, and its results are marked as unverified."""
    notes = daemon.status()["total_docs"]
    said = daemon.wait_for_reason(GONE)
    require(said["plugin_health"] == "degraded", f"not degraded, but {said['plugin_health']}")
    answer = daemon.search("river stone window")
    require(bool(answer.files), f"nothing is served: {answer}")
    results = answer.envelope["data"]["results"]
    unmarked = [result["source_file"] for result in results if not result["unverified"]]
    require(not unmarked, f"served as if they were verified: {unmarked}")
    require(daemon.status()["total_docs"] == notes, "notes are missing from the index")


def run_case(daemon: ManagedDaemon, case: Callable[[ManagedDaemon], None]) -> None:
    case(daemon)
    daemon.wait_until_found(daemon.save())
