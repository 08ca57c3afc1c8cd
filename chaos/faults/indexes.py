"""An index is damaged under a running daemon, in a dozen ways. The daemon reports it with the
command that helps, and is healthy again once the files are restored or another index is built."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from chaos.harness import Broken, require
from chaos.managed_daemon import ManagedDaemon

Harm = Callable[[Path, Random], None]
DAMAGED, MISSING = "INDEX_CORRUPTED", "INDEX_NOT_FOUND"
TRIES = 3
NOTICED_WITHIN_S = 240.0
STUCK_S = 20.0  # after this time without an answer, the table itself is checked


class IndexDamage(NamedTuple):
    """The damage to the table's folder, the code it is reported as, and the job that repairs it."""

    name: str
    harm: Harm
    code: str = DAMAGED
    way_out: str = "reindex"


def _newest_file(table: Path, pattern: str, rng: Random) -> Path:
    """The newest file that matches: older ones may belong to versions that are never read."""
    found = [path for path in table.glob(pattern) if path.is_file()]
    if not found:
        raise Broken(f"there is no {pattern} in the table")
    return max(found, key=lambda path: (path.stat().st_mtime_ns, rng.random()))


def _newest_manifest(table: Path) -> Path:
    return min((table / "_versions").glob("*.manifest"))  # their names count backwards


def cut_data(table: Path, rng: Random) -> None:
    victim = _newest_file(table, "data/*.lance", rng)
    with victim.open("r+b") as file:
        file.truncate(victim.stat().st_size // 2)


def empty_data(table: Path, rng: Random) -> None:
    _newest_file(table, "data/*.lance", rng).write_bytes(b"")


def remove_data(table: Path, rng: Random) -> None:
    _newest_file(table, "data/*.lance", rng).unlink()


def garble_data(table: Path, rng: Random) -> None:
    victim = _newest_file(table, "data/*.lance", rng)
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
    _newest_file(table, "_indices/*/*", rng).unlink()


def empty_index_file(table: Path, rng: Random) -> None:
    _newest_file(table, "_indices/*/*", rng).write_bytes(b"")


def remove_indices(table: Path, rng: Random) -> None:
    shutil.rmtree(table / "_indices")


def _remove(folder: Path, home: Path) -> None:
    """Remove it in one step, even while something writes there."""
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
    IndexDamage("a data file cut in half", cut_data),
    IndexDamage("a data file emptied", empty_data),
    IndexDamage("a data file removed", remove_data),
    IndexDamage("a data file garbled", garble_data),
    IndexDamage("the newest manifest emptied", empty_newest_manifest),
    IndexDamage("the newest manifest garbled", garble_newest_manifest),
    IndexDamage("every manifest emptied", empty_every_manifest),
    IndexDamage("an index file removed", remove_index_file),
    IndexDamage("an index file emptied", empty_index_file),
    IndexDamage("all index files removed", remove_indices),
    IndexDamage("the table removed", remove_table, MISSING, "sync"),
    IndexDamage("the generation removed", remove_generation, MISSING, "sync"),
    IndexDamage("the index directory deleted", remove_everything, MISSING, "full"),
)


def lose_a_commit(daemon: ManagedDaemon) -> None:
    """The table loses its last commit: the log shows that, and the notes are indexed again."""
    daemon.settle_and_compact()
    table, before = daemon.table, _newest_manifest(daemon.table)
    note = daemon.save()
    daemon.settle()
    known = len(daemon.facts("index_lost"))

    def is_noticed(_: object) -> bool:
        if len(daemon.facts("index_lost")) > known:
            return True
        while (newest := _newest_manifest(table)) < before:  # a compaction may commit meanwhile
            newest.unlink()
        return False

    daemon.wait_for(is_noticed, "a lost commit is noticed")
    daemon.settle()
    require(note.path in daemon.search(note.word).files, "the lost note is not found")


def restore_an_older_copy(daemon: ManagedDaemon) -> None:
    """A damaged table is replaced by a backup without the last note."""
    table, older = daemon.table, daemon.arena.folder / "older"
    daemon.copy_table(older)
    note = daemon.save()
    daemon.wait_until_found(note)
    daemon.settle()
    empty_every_manifest(table, daemon.arena.rng)
    daemon.wait_for_reason(DAMAGED)
    broken = table.rename(daemon.arena.folder / "broken")
    older.rename(table)
    shutil.rmtree(broken)
    # A commit that was under way may have gone to the copy, and refer to files of the other table.
    # Then the daemon is right to call it damaged, and its advice has to help.
    stuck_until = time.monotonic() + STUCK_S
    while daemon.search(note.word).code is not None:
        require(daemon.child.is_running, f"it ended on its own: {daemon.child}")
        if time.monotonic() > stuck_until:
            require(not _is_readable(table), "the restored table is whole, but it is not opened")
            daemon.request_job("reindex")
            break
        time.sleep(0.05)
    daemon.wait_until_found(note)


def _is_readable(table: Path) -> bool:
    """Whether another process can read every row."""
    read = "import lance, sys; lance.dataset(sys.argv[1]).to_table(columns=['source_file'])"
    done = subprocess.run([sys.executable, "-c", read, str(table)], capture_output=True)
    return done.returncode == 0


def run_case(daemon: ManagedDaemon, case: IndexDamage) -> None:
    """Damage and restore the table, then damage it again and rebuild it."""
    if case.code == DAMAGED:
        _damage_and_restore(daemon, case)
    _damage_and_rebuild(daemon, case)


def _damage_and_restore(daemon: ManagedDaemon, case: IndexDamage) -> None:
    daemon.settle_and_compact()  # else a commit under way may go to the copy, without its files
    table, kept = daemon.table, daemon.arena.folder / "kept"
    daemon.copy_table(kept)
    _damage_and_check(daemon, case)
    broken = table.rename(daemon.arena.folder / "broken")
    kept.rename(table)
    shutil.rmtree(broken)
    daemon.settle()


def _damage_and_rebuild(daemon: ManagedDaemon, case: IndexDamage) -> None:
    _damage_and_check(daemon, case)
    note = daemon.save()
    daemon.request_job(case.way_out)
    daemon.settle()
    answer = daemon.search(note.word)
    require(note.path in answer.files, f"saved before the rebuild, but not found: {answer}")


def harm(daemon: ManagedDaemon, do: Harm, code: str) -> None:
    """Repeat the damage until it is noticed: a compaction may remove the damaged file."""
    for _ in range(TRIES):
        table = daemon.table
        with daemon.frozen():  # so that it writes nothing meanwhile
            do(table, daemon.arena.rng)
        try:
            daemon.wait_for_reason(code, NOTICED_WITHIN_S)
        except Broken:
            continue
        return
    raise Broken(f"{do.__name__} was done {TRIES} times, and {code} was never reported")


def _damage_and_check(daemon: ManagedDaemon, case: IndexDamage) -> None:
    harm(daemon, case.harm, case.code)
    answer = daemon.search("river stone")
    require((answer.status, answer.code) == ("unavailable", case.code), f"{case.name}: {answer}")
    error = answer.envelope["error"]
    require(error["recoverable"] is True, f"{case.name}: {answer}")
    way_out = " reindex`" if case.code == DAMAGED else " index`"
    require(way_out in error["suggestion"], f"{case.name}: {answer}")
