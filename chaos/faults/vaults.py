"""A vault that is unmounted, renamed or emptied, and comes back: nothing of it is forgotten."""

from collections.abc import Callable

from chaos.harness import require
from chaos.resident import Resident

GONE = "VAULT_NOT_FOUND"


def rename(resident: Resident) -> None:
    """Another name for a while."""
    folder = resident.vault.folder
    away = folder.with_name("away")
    folder.rename(away)
    _is_served_all_the_same(resident)
    away.rename(folder)


def unmount(resident: Resident) -> None:
    """As an empty mount point is left when its disk is unplugged: the notes lie elsewhere."""
    folder = resident.vault.folder
    disk = folder.with_name("disk")
    folder.rename(disk)
    folder.mkdir()
    _is_served_all_the_same(resident)
    folder.rmdir()
    disk.rename(folder)


def empty(resident: Resident) -> None:
    """Every note is taken out of it, by a sync gone wrong; then they are all back."""
    folder = resident.vault.folder
    aside = folder.with_name("aside")
    aside.mkdir()
    for note in list(folder.iterdir()):
        note.rename(aside / note.name)
    _is_served_all_the_same(resident)
    for note in list(aside.iterdir()):
        note.rename(folder / note.name)
    aside.rmdir()


CASES = (rename, unmount, empty)


def _is_served_all_the_same(resident: Resident) -> None:
    """The index is kept, answers say that nobody could look, and what is saved meanwhile waits."""
    notes = resident.status()["total_docs"]
    said = resident.until_reason(GONE)
    require(said["plugin_health"] == "degraded", f"there is an index: {said['plugin_health']}")
    answer = resident.search("river stone window")
    require(bool(answer.files), f"nothing is served: {answer}")
    results = answer.envelope["data"]["results"]
    unsaid = [result["source_file"] for result in results if not result["unverified"]]
    require(not unsaid, f"served as if they had been looked at: {unsaid}")
    require(resident.status()["total_docs"] == notes, "notes were forgotten")


def suffer(resident: Resident, case: Callable[[Resident], None]) -> None:
    case(resident)
    resident.until_found(resident.save())
