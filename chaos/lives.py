"""The lives of the daemon in one home, killed or in order, and what each of them has to leave."""

import contextlib
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from chaos import client, tables
from chaos.checks import Book
from chaos.daemons import House
from chaos.harness import KILLED, WITHIN_S, Arena, Broken, Child, require
from chaos.provider import Embedded, Provider
from chaos.tables import Tables
from chaos.vault import Vault
from ragd.embed.fill_builder import STEP_CHUNKS
from ragd.folds import State
from ragd.paths import Home
from ragd.state.replay import replay

DONE_WITHIN_S = 120.0  # a commit syncs the whole file system, whoever else writes to it
BUSY = 504  # a machine with too much to do: ask again
ACTIVATED = "index_activated"
WATCH = {"debounce_s": 0.05, "collect_s": 0.3, "rescan_s": 3600}


class Lives:
    """The daemons of one home, one after the other."""

    def __init__(
        self,
        arena: Arena,
        home: Home,
        vault: Vault,
        reader: Tables,
        provider: Provider | Embedded,
    ) -> None:
        self._arena = arena
        self._home = home
        self._vault = vault
        self._tables = reader
        self._provider = provider
        settings = {"embedding": provider.settings, "watch": WATCH}
        self._house = House(arena, Book(home), vault=vault.folder, settings=settings)
        self.spared = 0  # vectors that the last life found in the cache
        self.answers = 0  # to somebody who asks all the time

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
            code = child.ended(DONE_WITHIN_S)
            require(code == KILLED, f"the crash point was never hit: {child}")
        self._check_what_is_left()

    def kill(self, ask_for: str, meanwhile: Callable[[], None]) -> None:
        """Killed at the end of what happens meanwhile; up to then it answers all the time, and
        what serves is never less than it was but for notes that go."""
        files = self._state().catalog.files
        served = sum((self._vault.folder / path).exists() for path in files)
        with self._sparing(once=False):  # a saved note may be given up on, and then come again
            child = self._house.start()
            self._house.wait_until_it_answers(child)
            with Asking(self._home.socket, least=served - self._vault.REMOVED_AT_ONCE) as asking:
                if ask_for:
                    self._ask_for(ask_for)
                meanwhile()
            require(child.kill() == KILLED, f"it ended by itself: {child}")
        self.answers += asking.answers
        self._check_what_is_left()

    def _check_what_is_left(self) -> None:
        """A log that holds its promises, and an index in which every note is whole."""
        self._house.book.check()
        serving = self._state().catalog.index
        if serving is not None:
            rows = self._tables.rows(self._home, serving.generation)
            tables.check_whole(rows, self._vault)

    def finish(self, is_reindex: bool = False, once: bool = True) -> None:
        """Start it, ask for nothing, and everything is done."""
        building = self._state().catalog.building or self._state().jobs.open
        old = self._state().catalog.index if is_reindex and building else None
        with self._sparing(once):
            child = self._house.start()
            self._house.wait_until_it_answers(child)
            generation = self._wait_until_done(old.generation if old else "")
            self._stop(child)
        self._check_jobs()
        rows = self._tables.rows(self._home, generation)
        tables.check_equal(rows, self._vault, self._provider.vector_of)
        self._check_leftovers(generation)

    def _ask_for(self, mode: str) -> None:
        tool = "/v1/tools/obsidian_rag_index"
        end = time.monotonic() + WITHIN_S
        reply = client.ask(self._home.socket, "POST", tool, {"mode": mode})
        while reply.status == BUSY and time.monotonic() < end:
            reply = client.ask(self._home.socket, "POST", tool, {"mode": mode})
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
            if idle and whole and generation != replaced and not self._state().catalog.building:
                return str(generation)
            time.sleep(0.02)
        brief = ("total_docs", "total_chunks", "chunks_embedded", "active_job", "unindexed_files")
        raise Broken(
            f"{len(self._vault)} notes, {chunks} passages, but by itself it comes only so far: "
            f"{ {key: said[key] for key in brief} }, {[r['code'] for r in said['reasons']]}"
        )

    def _stop(self, child: Child) -> None:
        self._house.wait_until_verified()
        self._house.ask_to_stop()
        require(child.ended() == 0, f"it did not stop in order: {child}")
        self._house.book.check_settled()

    def _state(self) -> State:
        return replay(Path(self._home.events), Path(self._home.snapshots)).state

    def _check_jobs(self) -> None:
        """Every job has ended, and well."""
        state = self._state()
        require(not state.jobs.open, f"jobs are still open: {[j.id for j in state.jobs.open]}")
        ends = [(job.mode, job.outcome) for job in state.jobs.finished]
        require(all(outcome == "complete" for _, outcome in ends), f"jobs ended as {ends}")

    @contextlib.contextmanager
    def _sparing(self, once: bool = True) -> Iterator[None]:
        """A life in which nothing is embedded that is in the cache, and nothing twice."""
        cached = self._cached()
        before = len(self._provider.asked)
        yield
        asked = self._provider.asked[before:]
        again = [one.content_hash for one in asked if one.content_hash in cached]
        require(not again, f"{len(again)} texts were embedded again, though the cache has them")
        needless = len(asked) - len(set(asked))
        require(not (once and needless), f"{needless} texts were embedded twice")
        lost = {one.content_hash for one in asked} - self._cached()
        at_once = STEP_CHUNKS if once else 2 * STEP_CHUNKS  # the backlog's, and those of a save
        require(len(lost) <= at_once, f"the vectors of {len(lost)} texts were not kept")
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
        found = set(tables.generations(self._home))
        served = {line.fact["generation"] for line in self._house.book.check().of(ACTIVATED)}
        require(generation in found, f"{generation} serves, of {found}")
        require(found <= served, f"left behind, though it never served: {found - served}")
        if found != {generation}:
            child = self._house.start()
            self._house.wait_until_it_answers(child)
            end = time.monotonic() + DONE_WITHIN_S
            while tables.generations(self._home) != [generation]:
                require(time.monotonic() < end, f"left behind: {tables.generations(self._home)}")
                time.sleep(0.02)
            self._stop(child)


class Asking:
    """Somebody who asks for the status all the time, from the beginning of a block to its end."""

    def __init__(self, socket: str, least: int) -> None:
        self._socket = socket
        self._least = least  # notes that are served at any time
        self._over = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self.answers = 0

    def _ask(self) -> None:
        try:
            while not self._over.wait(0.01):
                said = client.ask(self._socket, "GET", "/v1/status").data
                docs = said["total_docs"]
                require(docs >= self._least, f"{docs} notes are served, where {self._least} were")
                self.answers += 1
        except Exception as why:
            self._failure = why

    def __enter__(self) -> "Asking":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(WITHIN_S)
        if self._failure is not None:
            raise Broken(f"it did not answer: {self._failure!r}") from self._failure
