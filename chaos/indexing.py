"""The daemon killed while it indexes a vault that changes; in the end the index is the vault.

The table is read with lance itself, not through our store, and compared note by note.
"""

import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from chaos import client
from chaos.checks import Book
from chaos.daemons import House
from chaos.harness import KILLED, WITHIN_S, Arena, Broken, environment, require
from ragd.paths import Home

CYCLES_PER_CYCLE = 40
NOTES = 50
KILL_WITHIN_S = 3.0
INDEXED_WITHIN_S = 120.0
WORDS = ("river", "stone", "window", "letter", "garden", "mountain", "paper", "morning")

# Every row of every table, without its text; in a process of its own, for lance is heavy.
READ = """
import glob, json, lance, sys
columns = ["source_file", "chunk_id", "chunk_index", "total_chunks", "file_sha256", "vector"]
for path in glob.glob(sys.argv[1] + "/*/obsidian_chunks.lance"):
    if sys.argv[2] in path:
        for row in lance.dataset(path).to_table(columns=columns).to_pylist():
            print(json.dumps({**row, "vector": row["vector"] is not None}))
"""


def run(arena: Arena, cycles: int) -> None:
    """Kills while it indexes; then it is left in peace, and has everything."""
    vault = arena.folder / "vault"
    house = House(arena, Book(Home(str(arena.folder / "h"))))
    for number in range(NOTES):
        _write(vault, number, arena.rng)
    for _ in range(max(3, cycles // CYCLES_PER_CYCLE)):
        _killed_while_indexing(arena, house, vault)
        arena.tally["kills while indexing"] += 1
    _left_in_peace(house, vault)


def _write(vault: Path, number: int, rng: Random) -> None:
    parts = [f"# Note {number}"]
    for part in range(rng.randint(1, 4)):
        parts += [f"## Part {part}", " ".join(rng.choices(WORDS, k=40))]
    (vault / f"{number:03d}.md").write_text("\n\n".join(parts) + "\n")


def _change(vault: Path, rng: Random) -> None:
    """Some notes are written, some are new, some go."""
    for _ in range(rng.randint(0, 4)):
        number = rng.randrange(NOTES + 10)
        if rng.random() < 0.3:
            (vault / f"{number:03d}.md").unlink(missing_ok=True)
        else:
            _write(vault, number, rng)


def _killed_while_indexing(arena: Arena, house: House, vault: Path) -> None:
    rng = arena.rng
    child = house.start()
    house.wait_until_it_answers(child)
    _ask_for(house, rng.choice(("sync", "sync", "full")))
    time.sleep(rng.uniform(0, KILL_WITHIN_S))
    _change(vault, rng)
    time.sleep(rng.uniform(0, 0.5))
    require(client.ask(house.home.socket, "GET", "/v1/status").status == 200, "no status")
    require(child.kill() == KILLED, f"it ended by itself: {child}")
    house.book.check()


def _ask_for(house: House, mode: str) -> None:
    """It answers at once, whatever else it has to do."""
    began = time.monotonic()
    try:
        reply = client.ask(
            house.home.socket, "POST", "/v1/tools/obsidian_rag_index", {"mode": mode}
        )
    except TimeoutError:
        raise Broken(f"no answer within {time.monotonic() - began:.0f} s") from None
    require(reply.status == 200, f"{mode}: {reply}")


def _left_in_peace(house: House, vault: Path) -> None:
    child = house.start()
    house.wait_until_it_answers(child)
    _ask_for(house, "sync")
    status = _wait_until_indexed(house, len(list(vault.glob("*.md"))))
    house.ask_to_stop()
    require(child.ended() == 0, f"it did not stop in order: {child}")
    house.book.check_settled()
    rows = _rows(house.home, status["index"]["generation"])
    require(len(rows) == status["total_chunks"], f"{len(rows)} rows, {status['total_chunks']} told")
    _compare(rows, vault)


def _wait_until_indexed(house: House, notes: int) -> dict[str, Any]:
    """No job, nothing waiting, every note there and every passage with its vector."""
    end = time.monotonic() + INDEXED_WITHIN_S
    while time.monotonic() < end:
        said = client.ask(house.home.socket, "GET", "/v1/status").data
        waiting = said["active_job"] is not None or said["unindexed_files"]
        lacking = said["total_chunks"] - said["chunks_embedded"]
        if not waiting and not lacking and said["total_docs"] == notes:
            return said
        time.sleep(0.05)
    brief = {k: said[k] for k in ("total_docs", "total_chunks", "chunks_embedded", "active_job")}
    raise Broken(f"{notes} notes, but in peace it comes only so far: {brief}, {said['reasons']}")


def _rows(home: Home, generation: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-c", READ, home.vectors, generation]
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=WITHIN_S
    )
    require(done.returncode == 0, f"the table cannot be read: {done.stderr[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _compare(rows: list[dict[str, Any]], vault: Path) -> None:
    """Every note as it is now, whole, once; no ghosts."""
    ids = [row["chunk_id"] for row in rows]
    require(len(set(ids)) == len(ids), "a passage is there twice")
    notes: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        notes.setdefault(row["source_file"], []).append(row)
    there = {path.name for path in vault.glob("*.md")}
    require(notes.keys() == there, f"differing notes: {sorted(notes.keys() ^ there)}")
    for name, chunks in notes.items():
        now = hashlib.sha256((vault / name).read_bytes()).hexdigest()
        require({c["file_sha256"] for c in chunks} == {now}, f"{name} is not as it is now")
        places = sorted(c["chunk_index"] for c in chunks)
        whole = places == list(range(len(chunks))) and chunks[0]["total_chunks"] == len(chunks)
        require(whole, f"{name} is not whole: {places}")
        require(all(c["vector"] for c in chunks), f"{name} lacks vectors, though none are pending")
