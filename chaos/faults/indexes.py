"""An index that is damaged under a running daemon, in a dozen ways. It says so, offers the way out,
and is well again once the files are restored, or another index is built."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from chaos.harness import Broken, require
from chaos.resident import Resident

Harm = Callable[[Path, Random], None]
DAMAGED, MISSING = "INDEX_CORRUPTED", "INDEX_NOT_FOUND"
TRIES = 3
NOTICED_WITHIN_S = 240.0


class Case(NamedTuple):
    """What is done to the table's folder, what that is called, and how one gets out of it."""

    name: str
    harm: Harm
    code: str = DAMAGED
    way_out: str = "reindex"


def _one(table: Path, pattern: str, rng: Random) -> Path:
    """The newest: older ones may be of versions that nobody reads any more."""
    found = [path for path in table.glob(pattern) if path.is_file()]
    if not found:
        raise Broken(f"there is no {pattern} in the table")
    return max(found, key=lambda path: (path.stat().st_mtime_ns, rng.random()))


def _newest_manifest(table: Path) -> Path:
    return min((table / "_versions").glob("*.manifest"))  # their names count backwards


def cut_data(table: Path, rng: Random) -> None:
    victim = _one(table, "data/*.lance", rng)
    with victim.open("r+b") as file:
        file.truncate(victim.stat().st_size // 2)


def empty_data(table: Path, rng: Random) -> None:
    _one(table, "data/*.lance", rng).write_bytes(b"")


def remove_data(table: Path, rng: Random) -> None:
    _one(table, "data/*.lance", rng).unlink()


def garble_data(table: Path, rng: Random) -> None:
    victim = _one(table, "data/*.lance", rng)
    victim.write_bytes(rng.randbytes(victim.stat().st_size))


def empty_newest_manifest(table: Path, rng: Random) -> None:
    _newest_manifest(table).write_bytes(b"")


def garble_newest_manifest(table: Path, rng: Random) -> None:
    newest = _newest_manifest(table)
    newest.write_bytes(rng.randbytes(newest.stat().st_size))


def empty_every_manifest(table: Path, rng: Random) -> None:
    for manifest in (table / "_versions").glob("*.manifest"):
        manifest.write_bytes(b"")


def remove_index_file(table: Path, rng: Random) -> None:
    _one(table, "_indices/*/*", rng).unlink()


def empty_index_file(table: Path, rng: Random) -> None:
    _one(table, "_indices/*/*", rng).write_bytes(b"")


def remove_indices(table: Path, rng: Random) -> None:
    shutil.rmtree(table / "_indices")


def _remove(folder: Path, home: Path) -> None:
    """At once, whoever writes there at that moment."""
    gone = folder.rename(home / "gone")
    while gone.exists():
        shutil.rmtree(gone, ignore_errors=True)


def remove_table(table: Path, rng: Random) -> None:
    _remove(table, table.parents[2])


def remove_generation(table: Path, rng: Random) -> None:
    _remove(table.parent, table.parents[2])


def remove_everything(table: Path, rng: Random) -> None:
    _remove(table.parents[1], table.parents[2])


CASES = (
    Case("a data file cut in half", cut_data),
    Case("a data file emptied", empty_data),
    Case("a data file removed", remove_data),
    Case("a data file garbled", garble_data),
    Case("the newest manifest emptied", empty_newest_manifest),
    Case("the newest manifest garbled", garble_newest_manifest),
    Case("every manifest emptied", empty_every_manifest),
    Case("an index file removed", remove_index_file),
    Case("an index file emptied", empty_index_file),
    Case("all index files removed", remove_indices),
    Case("the table removed", remove_table, MISSING, "sync"),
    Case("the generation removed", remove_generation, MISSING, "sync"),
    Case("the index directory deleted", remove_everything, MISSING, "full"),
)


def lose_a_commit(resident: Resident) -> None:
    """The table is as it was a commit ago: the log knows better, and it is made up for."""
    note = resident.save()
    resident.settle()
    lost = len(resident.facts("index_lost"))
    _newest_manifest(resident.table).unlink()
    resident.until_facts("index_lost", lost + 1)
    resident.settle()
    require(note.path in resident.search(note.word).files, "the lost note is not found")


def restore_an_older_copy(resident: Resident) -> None:
    """The backup that a damaged table is restored from lacks the last note."""
    table, older = resident.table, resident.arena.folder / "older"
    resident.copy_table(older)
    note = resident.save()
    resident.until_found(note)
    resident.settle()
    empty_every_manifest(table, resident.arena.rng)
    resident.until_reason(DAMAGED)
    broken = table.rename(resident.arena.folder / "broken")
    older.rename(table)
    shutil.rmtree(broken)
    resident.until_found(note)


def suffer(resident: Resident, case: Case) -> None:
    """Damaged and restored, then damaged again and built anew."""
    if case.code == DAMAGED:
        _restored(resident, case)
    _built_anew(resident, case)


def _restored(resident: Resident, case: Case) -> None:
    table, kept = resident.table, resident.arena.folder / "kept"
    resident.copy_table(kept)
    _damage(resident, case)
    broken = table.rename(resident.arena.folder / "broken")
    kept.rename(table)
    shutil.rmtree(broken)
    resident.settle()


def _built_anew(resident: Resident, case: Case) -> None:
    _damage(resident, case)
    note = resident.save()
    resident.ask_for(case.way_out)
    resident.settle()
    answer = resident.search(note.word)
    require(note.path in answer.files, f"saved meanwhile, and not found: {answer}")


def harm(resident: Resident, do: Harm, code: str) -> None:
    """Until it is noticed: the index may be tidied at that moment, and then do without the file."""
    for _ in range(TRIES):
        table = resident.table
        with resident.standing_still():  # nothing is written where something is removed
            do(table, resident.arena.rng)
        try:
            resident.until_reason(code, NOTICED_WITHIN_S)
        except Broken:
            continue
        return
    raise Broken(f"{do.__name__} was done {TRIES} times, and not called {code}")


def _damage(resident: Resident, case: Case) -> None:
    harm(resident, case.harm, case.code)
    answer = resident.search("river stone")
    require((answer.status, answer.code) == ("unavailable", case.code), f"{case.name}: {answer}")
    error = answer.envelope["error"]
    require(error["recoverable"] is True, f"{case.name}: {answer}")
    way_out = " reindex`" if case.code == DAMAGED else " index`"
    require(way_out in error["suggestion"], f"{case.name}: {answer}")
