"""`python -m bench.peers [--notes 700 10000] [--questions 150]`: one table for each vault."""

import argparse
import asyncio
import tempfile
from pathlib import Path

from bench.peers import compare, ragd_side
from bench.peers.bare_lancedb import BareLanceDb
from bench.peers.qmd import Qmd, install
from bench.peers.vault import VaultMaker
from bench.search import SearchDaemon
from bench.table import Row, render
from ragd.paths import Home

SIZES = (700, 10_000)
QUESTIONS = 150
FOLDER = Path(".bench-peers")


def measure(notes: int, count: int, command: Path, place: Path) -> list[Row]:
    """All figures of a vault with so many notes."""
    vault, home = place / "vault", Home(str(place / "h"))
    Path(home.root).mkdir(mode=0o700)
    questions = VaultMaker(notes).write(vault, notes)
    asyncio.run(ragd_side.cache_vectors(vault, home))
    daemon, qmd = SearchDaemon(home, vault), Qmd(command, vault, place / "qmd")
    label = f"{notes:,} notes"
    try:
        ours, theirs = ragd_side.index(daemon), qmd.index()
        named = f"{label}: indexed; ragd with vectors from its cache, QMD text only"
        rows = [Row(named, f"{ours:.1f} s", f"{theirs:.1f} s", ours / theirs)]
        qmd.start()
        ragd_side.wait_until_settled(daemon)
        rows.append(Row(f"{label}: memory of the daemon, settled", f"{daemon.rss_mb:.0f} MB", ""))
        bare = BareLanceDb(Path(home.vectors))
        rows += compare.ask_all(questions, daemon, qmd, bare, count, label)
        bare.close()
        rows += compare.memory_and_disk(questions.topical, daemon, qmd, vault, label)
        return rows
    finally:
        qmd.stop()
        daemon.ragctl("stop")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--notes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where QMD is installed")
    given = parser.parse_args()
    command = install(given.folder.absolute())
    for notes in given.notes:
        print(compare.describe_load())
        with tempfile.TemporaryDirectory(prefix="ragp") as scratch:
            print(render(measure(notes, given.questions, command, Path(scratch))))
        print(compare.describe_load() + "\n", flush=True)
    print("Compare the ratios: the programs took turns in this run, on the same machine.")


if __name__ == "__main__":
    main()
