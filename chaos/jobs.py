"""Every crash point of a job, from plan to switch: the daemon dies there, and its next start ends
the job by itself, without anybody asking. Then the index is the vault, row by row."""

import contextlib
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from chaos import client, tables
from chaos.checks import Book
from chaos.daemons import House
from chaos.harness import KILLED, WITHIN_S, Arena, Broken, Child, environment, require
from chaos.provider import Provider
from chaos.tables import Tables
from chaos.vault import Vault
from ragd.folds import State
from ragd.paths import Home
from ragd.replay import replay

AT_ONCE = 2
NOTES = 70  # more than one batch of notes
PARTS = 4  # and more than one fill of vectors
DONE_WITHIN_S = 60.0
WATCH = {"debounce_s": 0.05, "collect_s": 0.3, "rescan_s": 3600}

# What is going on when the daemon dies, and what it is asked for. Nobody asks for notes that were
# saved; another model means other vectors, so that a reindex has to wait for them.
ASKED_FOR = {
    "first": "full",
    "again": "full",
    "sync": "sync",
    "saved": "",
    "reindex": "reindex",
    "another model": "reindex",
}


class Case(NamedTuple):
    """What goes on, and the crash points at which one daemon after the other dies."""

    doing: str
    armed: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.doing}: {', '.join(self.armed)}"

    @property
    def points(self) -> set[str]:
        return {armed.partition(":")[0] for armed in self.armed}


# Every point, in few lives: whoever goes on with the job dies at the next one.
CHAINS: tuple[Case, ...] = (
    Case(
        "another model",
        (
            "job.after_formed:2",
            "store.before_commit:2",
            "store.after_fill",
            "index.before_switch",
            "index.after_switch",
        ),
    ),
    Case(
        "first",
        ("job.after_read:2", "index.after_create", "store.after_fact", "embed.after_cache:2"),
    ),
    Case("sync", ("job.after_plan", "store.after_commit")),
    Case("saved", ("embed.before_cache",)),
)
ALONE: dict[str, tuple[str, ...]] = {
    "first": (
        *("job.after_plan", "job.after_read", "job.after_read:2"),
        *("job.after_formed", "job.after_formed:2"),
        *("embed.before_cache", "embed.before_cache:3", "embed.after_cache", "embed.after_cache:3"),
        *("store.before_commit", "store.before_commit:2"),
        *("store.after_commit", "store.after_commit:2", "store.after_fact", "store.after_fact:2"),
        *("store.after_fill", "store.after_fill:2", "index.after_create"),
    ),
    "again": ("job.after_plan", "job.after_formed:2", "store.after_commit:2", "store.after_fact:2"),
    "sync": (
        *("job.after_plan", "job.after_read", "job.after_formed"),
        *("embed.before_cache", "embed.after_cache"),
        *("store.before_commit", "store.after_commit", "store.after_fact", "store.after_fill"),
    ),
    "saved": (
        *("job.after_read", "job.after_formed", "embed.before_cache", "embed.after_cache"),
        *("store.before_commit", "store.after_commit", "store.after_fact"),
    ),
    "reindex": (
        *("job.after_plan", "job.after_read:2", "job.after_formed", "job.after_formed:2"),
        *("store.before_commit", "store.before_commit:2"),
        *("store.after_commit", "store.after_commit:2", "store.after_fact", "store.after_fact:2"),
        *("index.after_create", "index.before_switch", "index.after_switch"),
    ),
    "another model": (
        *("embed.before_cache", "embed.before_cache:3", "embed.after_cache:2", "store.after_fill"),
        *("store.after_fill:2", "index.after_create", "index.before_switch", "index.after_switch"),
    ),
}
CASES = (*CHAINS, *(Case(doing, (armed,)) for doing, each in ALONE.items() for armed in each))


def run(arena: Arena, cases: Sequence[Case] = CASES) -> None:
    """All of them, two at a time, each in a home of its own with the same vault."""
    world = World(arena)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for tally in pool.map(lambda case: _one(world, case), cases):
            arena.tally.update(tally)


class World:
    """A vault, a home that has an older version of it indexed, and one that has it as it is."""

    def __init__(self, arena: Arena) -> None:
        self.seed = arena.seed
        self.tables = Tables(arena)
        self.vault = Vault(arena.folder / "vault", arena.rng, (PARTS, PARTS))
        self.older = Home(str(arena.folder / "older"))
        self.current = Home(str(arena.folder / "current"))
        self.vault.folder.mkdir()
        for number in range(NOTES):
            self.vault.write(number)
        with Provider() as provider:
            _Life(arena, self.older, self, provider).index("full")
            shutil.copytree(self.older.root, self.current.root)
            self._change()
            _Life(arena, self.current, self, provider).index("sync")

    def _change(self) -> None:
        """Some notes are written, some are new, one goes."""
        for number in (0, 1, 33, NOTES, NOTES + 1):
            self.vault.write(number)
        self.vault.remove(2)


def _one(world: World, case: Case) -> dict[str, int]:
    with Arena(world.seed, str(case)) as arena, Provider() as provider:
        home = Home(str(arena.folder / "h"))
        if case.doing != "first":
            from_ = world.older if case.doing in ("sync", "saved") else world.current
            shutil.copytree(from_.root, home.root)
        if case.doing == "another model":
            provider.take_another_model()
        life = _Life(arena, home, world, provider)
        try:
            for number, armed in enumerate(case.armed):
                life.crash(armed, ask_for="" if number else ASKED_FOR[case.doing])
            life.finish(is_reindex=ASKED_FOR[case.doing] == "reindex")
        except Exception as why:
            why.add_note(f"at the crash points of {case}")
            raise
    return {"crashes of a job": len(case.armed), "vectors that were not made again": life.spared}


class _Life:
    """The daemons of one home, one after the other."""

    def __init__(self, arena: Arena, home: Home, world: World, provider: Provider) -> None:
        self._arena = arena
        self._world = world
        self._vault = world.vault
        self._provider = provider
        settings = {"embedding": provider.settings, "watch": WATCH}
        self._house = House(arena, Book(home), vault=world.vault.folder, settings=settings)
        self._home = home
        self.spared = 0

    def index(self, mode: str) -> None:
        """A life in order: everything is indexed."""
        child = self._house.start()
        self._house.wait_until_it_answers(child)
        self._ask_for(mode)
        self._wait_until_done("")
        self._stop(child)

    def crash(self, armed: str, ask_for: str) -> None:
        """Until it dies there. What serves is whole at that moment, too."""
        with self._sparing():
            child = self._house.start(armed=armed)
            if ask_for:
                self._house.wait_until_it_answers(child)
                with contextlib.suppress(OSError):  # it may die before it has answered
                    self._ask_for(ask_for)
            require(child.ended() == KILLED, f"the crash point was never hit: {child}")
        self._house.book.check()
        serving = self._state().catalog.index
        if serving is not None:
            rows = self._world.tables.rows(self._home, serving.generation)
            tables.check_whole(rows, self._vault)

    def finish(self, is_reindex: bool) -> None:
        """Start it, ask for nothing, and everything is done."""
        building = self._state().catalog.building or self._state().jobs.open
        old = self._state().catalog.index if is_reindex and building else None
        with self._sparing():
            child = self._house.start()
            self._house.wait_until_it_answers(child)
            generation = self._wait_until_done(old.generation if old else "")
            self._stop(child)
        self._check_jobs()
        rows = self._world.tables.rows(self._home, generation)
        tables.check_equal(rows, self._vault, self._provider.vector_of)
        self._check_leftovers(generation)

    def _ask_for(self, mode: str) -> None:
        reply = client.ask(
            self._home.socket, "POST", "/v1/tools/obsidian_rag_index", {"mode": mode}
        )
        require(reply.status == 200, f"{mode}: {reply}")

    def _wait_until_done(self, replaced: str) -> str:
        """Until every passage is there with its vector, in another index than the one to be
        replaced. It answers all the time, and what serves is never less than it was."""
        chunks = len(self._vault.passages())
        said: dict[str, Any] = {}
        end = time.monotonic() + DONE_WITHIN_S
        while time.monotonic() < end:
            said = client.ask(self._home.socket, "GET", "/v1/status").data
            told = (said["total_docs"], said["total_chunks"], said["chunks_embedded"])
            whole = told == (len(self._vault), chunks, chunks)
            require(whole or not replaced, f"what serves while another is built: {told}")
            started = "STARTING" not in [reason["code"] for reason in said["reasons"]]
            idle = started and said["active_job"] is None and not said["unindexed_files"]
            generation = said["index"]["generation"] if said["index"] else ""
            if idle and whole and generation != replaced:
                return str(generation)
            time.sleep(0.02)
        brief = ("total_docs", "total_chunks", "chunks_embedded", "active_job", "unindexed_files")
        raise Broken(
            f"{len(self._vault)} notes, {chunks} passages, but by itself it comes only so far: "
            f"{ {key: said[key] for key in brief} }, {[r['code'] for r in said['reasons']]}"
        )

    def _stop(self, child: Child) -> None:
        self._wait_until_verified()
        self._house.ask_to_stop()
        require(child.ended() == 0, f"it did not stop in order: {child}")
        self._house.book.check_settled()

    def _wait_until_verified(self) -> None:
        """The folds are what is on the disk, sync-result.json among it, while nothing goes on."""
        command = [sys.executable, "-m", "ragctl", "--home", self._home.root, "replay", "--verify"]
        end = time.monotonic() + WITHIN_S
        while True:
            done = subprocess.run(
                command, env=environment(), capture_output=True, text=True, timeout=WITHIN_S
            )
            if done.returncode == 0:
                return
            said = f"{done.stdout}{done.stderr}"
            require(time.monotonic() < end, f"ragctl replay --verify: {said}")

    def _state(self) -> State:
        return replay(Path(self._home.events), Path(self._home.snapshots)).state

    def _check_jobs(self) -> None:
        """Every job has ended, and well."""
        state = self._state()
        require(not state.jobs.open, f"jobs are still open: {[j.id for j in state.jobs.open]}")
        require(state.catalog.building is None, "an index is still being built")
        ends = [(job.mode, job.outcome) for job in state.jobs.finished]
        require(all(outcome == "complete" for _, outcome in ends), f"jobs ended as {ends}")

    @contextlib.contextmanager
    def _sparing(self) -> Iterator[None]:
        """A life in which nothing is embedded that is in the cache, and nothing twice."""
        cached = self._cached()
        before = len(self._provider.asked)
        yield
        asked = self._provider.asked[before:]
        again = [one.content_hash for one in asked if one.content_hash in cached]
        require(not again, f"{len(again)} texts were embedded again, though the cache has them")
        needless = len(asked) - len(set(asked))
        require(not needless, f"{needless} texts were embedded twice")
        self.spared = len({p.content_hash for p in self._vault.passages()} & cached)

    def _cached(self) -> set[str]:
        """The texts whose vectors are in the cache; read from a copy of its files."""
        original = Path(self._home.embedding_cache)
        copy = self._arena.folder / "cache-copy"
        for ending in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(f"{original}{ending}", f"{copy}{ending}")
        with contextlib.closing(sqlite3.connect(copy)) as connection:
            query = "SELECT content_hash FROM vectors WHERE space = ?"
            try:
                return {row[0] for row in connection.execute(query, (self._provider.space,))}
            except sqlite3.OperationalError:  # it died before there was a cache
                return set()

    def _check_leftovers(self, generation: str) -> None:
        """An index that was replaced is given time; what is there at a start goes at once."""
        found = tables.generations(self._home)
        if found != [generation]:
            require(generation in found and len(found) == 2, f"{generation} serves, of {found}")
            child = self._house.start()
            self._house.wait_until_it_answers(child)
            end = time.monotonic() + WITHIN_S
            while tables.generations(self._home) != [generation]:
                require(time.monotonic() < end, f"left behind: {tables.generations(self._home)}")
                time.sleep(0.02)
            self._stop(child)
