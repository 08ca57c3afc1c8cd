"""Whether the catalog, the table and the vault agree, without a restart of the daemon."""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from chaos import tables
from chaos.checks import read
from chaos.harness import WITHIN_S, Broken, require
from chaos.managed_daemon import codes
from chaos.mix import prober
from chaos.mix.planned_vault import is_hiding
from chaos.mix.world import BUSY, World, is_in_folder
from chaos.tables import Rows, Tables
from chaos.vault import TableRow, rows_of
from ragd.eventlog.follow import TooOld
from ragd.state.replay import replay, verify

CHECK_EVERY_S = 0.05
TOTAL_S = 900.0  # even if the status keeps changing
SEARCHES = 12


class Expected:
    """What the index should hold, computed from the files of the vault and the collections."""

    def __init__(self, world: World) -> None:
        roots = {"": world.vault} | {f"@{name}/": at for name, at in world.collections.items()}
        found = {
            f"{prefix}{path.relative_to(root)}": path.read_bytes()
            for prefix, root in roots.items()
            for path in root.rglob("*.*")
            if path.is_file()
        }
        require(found == world.notes, "the harness lost track of its own vault")
        self.rows: dict[str, set[TableRow]] = {}
        self.texts: dict[str, str] = {}
        self.sha256: dict[str, str] = {}
        self.hidden: set[str] = set()
        for path, data in found.items():
            if is_in_folder(path, world.denied):
                continue
            rows, texts = rows_of(path, data)
            if not rows:
                self.hidden.add(path)
                continue
            self.rows[path] = set(rows)
            self.texts |= texts
            self.sha256[path] = hashlib.sha256(data).hexdigest()

    @property
    def chunks(self) -> int:
        return sum(map(len, self.rows.values()))


def wait_for_agreement(world: World, reader: Tables, patience_s: float) -> None:
    """Wait until all agree. Raises Broken if nothing changes for `patience_s` and they do not."""
    expected = Expected(world)
    begin = moved = time.monotonic()
    before: object = None
    while True:
        said = world.status()
        differences = _differences(world, said, expected, reader)
        if not differences:
            return
        now = time.monotonic()
        if (sign := world.signature(said)) != before:
            before, moved = sign, now
        if now - moved > patience_s or now - begin > TOTAL_S:
            raise Broken(f"no change for {now - moved:.0f} s: " + "\n  ".join(differences))
        time.sleep(CHECK_EVERY_S)


def _differences(
    world: World, said: dict[str, Any], expected: Expected, reader: Tables
) -> list[str]:
    """All differences; the cheap checks first."""
    wrong = [f"{key} is {said[key]}" for key in BUSY if said[key]]
    wrong += [f"health says {code}" for code in codes(said)]
    counts = {
        "total_docs": len(expected.rows),
        "total_chunks": expected.chunks,
        "chunks_embedded": expected.chunks,
    }
    wrong += [f"{key} is {said[key]}, not {n}" for key, n in counts.items() if said[key] != n]
    skipped = {one["path"] for one in said["skipped"]["files"]}
    wrong += _compare_sets("left out", skipped, expected.hidden)
    wrong += [f"failed: {said['failed']}"] if said["failed"]["total"] else []
    return wrong or _deep_differences(world, said, expected, reader)


def _deep_differences(
    world: World, said: dict[str, Any], expected: Expected, reader: Tables
) -> list[str]:
    """Differences in the replayed log and in the table as lance reads it."""
    try:
        state = replay(Path(world.home.events), Path(world.home.snapshots), from_scratch=True).state
    except TooOld as why:
        return [f"the log cannot be replayed: {why}"]
    known = {path: entry.sha256 for path, entry in state.catalog.files.items()}
    wrong = _compare_sets("in the catalog", set(known.items()), set(expected.sha256.items()))
    wrong += [f"the job {job.id} is open" for job in state.jobs.open]
    wrong += [f"{path} waits" for path in state.catalog.waiting if path not in expected.hidden]
    for path, entry in state.catalog.files.items():
        if (entry.chunks, entry.embedded) != (len(expected.rows.get(path, ())),) * 2:
            wrong.append(f"{path}: {entry.embedded} of {entry.chunks} passages have vectors")
    if wrong:
        return wrong
    return table_differences(world, expected, reader.rows(world.home, said["index"]["generation"]))


def table_differences(world: World, expected: Expected, rows: Rows) -> list[str]:
    found = [row for row, _ in rows]
    wrong = _compare_sets("in the table", set(found), set().union(*expected.rows.values()))
    if len(set(found)) != len(found):
        wrong.append(f"{len(found) - len(set(found))} rows are duplicates")
    for row, vector in rows:
        name = f"{row.source_file}#{row.chunk_index}"
        if vector is None:
            wrong.append(f"no vector: {name}")
        elif vector != world.provider.vector_of(expected.texts.get(row.content_hash, "")):
            wrong.append(f"another text's vector: {name}")
    return wrong


def _compare_sets(where: str, found: set[Any], right: set[Any]) -> list[str]:
    missing, extra = sorted(right - found), sorted(found - right)
    said = [f"not {where}: {_brief(missing)}"] if missing else []
    return said + ([f"{where}, but should not be: {_brief(extra)}"] if extra else [])


def _brief(items: list[Any]) -> str:
    shown = [f"{i.source_file}#{i.chunk_index}" if isinstance(i, TableRow) else i for i in items]
    return f"{shown[:5]}{f' and {len(items) - 5} more' if len(items) > 5 else ''}"


def check_searches(world: World, seed: int) -> None:
    """Notes are found by their own words; hidden and deleted notes are not found."""
    rng = Random(f"searches {seed}")
    served = {
        path: data
        for path, data in world.notes.items()
        if not is_hiding(data) and not is_in_folder(path, world.denied)
    }
    for word in rng.sample(sorted(world.marks), min(SEARCHES, len(world.marks))):
        shown = prober.search_patiently(world, word).paths
        having = {path for path, data in served.items() if word.encode() in data}
        found = not having or having & shown  # only one of several equal passages is shown
        require(bool(found), f"{word} of {sorted(having)} is not found, only {sorted(shown)}")
        hidden = shown - served.keys()
        require(not hidden, f"{word} finds what is hidden or gone: {sorted(hidden)}")


def check_log(world: World) -> None:
    """No actor crashed, and the files made from the log are up to date."""
    reading = read(Path(world.home.events))
    crashes = [line.fact for line in reading.of("actor_crashed")]
    require(not crashes, f"actors crashed: {crashes}")
    served = {line.fact["generation"] for line in reading.of("index_activated")}
    _wait_until_empty(lambda: _leftovers(world, served), "left behind, though it never served")
    _wait_until_empty(lambda: _verify(world), "verify")


def _leftovers(world: World, served: set[str]) -> list[str]:
    """Folders of indexes that never served. A folder that is being removed has another name."""
    return [name for name in tables.generations(world.home) if name not in served]


def _verify(world: World) -> list[str]:
    home = world.home
    return verify(Path(home.events), Path(home.snapshots), Path(home.sync_result))


def _wait_until_empty(wrong: Callable[[], list[str]], what: str) -> None:
    """Wait until nothing is wrong: the daemon runs and may be writing."""
    end = time.monotonic() + WITHIN_S
    while found := wrong():
        require(time.monotonic() < end, f"{what}: {'; '.join(found)}")
        time.sleep(CHECK_EVERY_S)
