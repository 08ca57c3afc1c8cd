"""The runs of the daemon in one home, killed or clean, and what each of them has to leave."""

import contextlib
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from chaos import client, tables
from chaos.checks import Promises
from chaos.daemons import DaemonHarness
from chaos.harness import KILLED, WITHIN_S, Arena, Broken, Child, require
from chaos.provider import Embedded, Provider
from chaos.tables import Tables
from chaos.vault import Vault
from ragd.embed.fill_builder import STEP_CHUNKS
from ragd.folds import State
from ragd.paths import Home
from ragd.state.replay import replay

DONE_WITHIN_S = 120.0  # a commit syncs the whole file system, with the writes of other processes
BUSY = 504  # the machine is busy: ask again
ACTIVATED = "index_activated"
WATCH = {"debounce_s": 0.05, "collect_s": 0.3, "rescan_s": 3600}


class DaemonRuns:
    """Runs the daemons of one home, one after the other."""

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
        settings = {"embedding": provider.settings, "watch": WATCH, **vault.settings}
        self._harness = DaemonHarness(arena, Promises(home), vault=vault.folder, settings=settings)
        self.cached = 0  # vectors that the last run found in the cache
        self.answers = 0  # of the status while jobs run

    def index(self, mode: str) -> None:
        """A clean run that indexes everything."""
        child = self._harness.start()
        self._harness.wait_until_it_answers(child)
        self._ask_for(mode)
        self._wait_until_done("")
        self._stop(child)

    def crash(self, armed: str, ask_for: str) -> None:
        """Run until it dies at the crash point. Notes in the serving index are complete then."""
        with self._checking_embedding():
            child = self._harness.start(armed=armed)
            if ask_for:
                self._harness.wait_until_it_answers(child)
                with contextlib.suppress(OSError):  # it may die before it has answered
                    self._ask_for(ask_for)
            code = child.wait_for_exit(DONE_WITHIN_S)
            require(code == KILLED, f"the crash point was never hit: {child}")
        self._check_what_is_left()

    def kill(self, ask_for: str, meanwhile: Callable[[Child], None]) -> None:
        """Kill it after `meanwhile`, which gets its process. Until then it always answers, and it
        never serves fewer notes than before, except those that were removed."""
        files = self._state().catalog.files
        served = sum(self._vault.file(path).exists() for path in files)
        with self._checking_embedding(once=False):  # a saved note may be dropped and come again
            child = self._harness.start()
            self._harness.wait_until_it_answers(child)
            with StatusPoller(
                self._home.socket, least=served - self._vault.REMOVED_AT_ONCE
            ) as asking:
                if ask_for:
                    self._ask_for(ask_for)
                meanwhile(child)
            require(child.kill() == KILLED, f"it ended on its own: {child}")
        self.answers += asking.answers
        self._check_what_is_left()

    def _check_what_is_left(self) -> None:
        """The log keeps its promises, and every note in the index is complete."""
        self._harness.promises.check()
        serving = self._state().catalog.index
        if serving is not None:
            rows = self._tables.rows(self._home, serving.generation)
            tables.check_notes_complete(rows, self._vault)

    def finish(self, is_reindex: bool = False, once: bool = True) -> None:
        """Start it and request nothing: it finishes all work."""
        building = self._state().catalog.building or self._state().jobs.open
        old = self._state().catalog.index if is_reindex and building else None
        with self._checking_embedding(once):
            child = self._harness.start()
            self._harness.wait_until_it_answers(child)
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
        """Wait until every passage has its vector, in another index than the replaced one. The
        daemon always answers meanwhile, and the old index stays complete."""
        chunks = len(self._vault.expected_rows())
        said: dict[str, Any] = {}
        end = time.monotonic() + DONE_WITHIN_S
        while time.monotonic() < end:
            said = client.ask(self._home.socket, "GET", "/v1/status").data
            counts = (said["total_docs"], said["total_chunks"], said["chunks_embedded"])
            whole = counts == (len(self._vault), chunks, chunks)
            require(
                whole or not replaced, f"the index that serves while another is built: {counts}"
            )
            started = "STARTING" not in [reason["code"] for reason in said["reasons"]]
            idle = started and said["active_job"] is None and not said["unindexed_files"]
            generation = said["index"]["generation"] if said["index"] else ""
            if idle and whole and generation != replaced and not self._state().catalog.building:
                return str(generation)
            time.sleep(0.02)
        brief = ("total_docs", "total_chunks", "chunks_embedded", "active_job", "unindexed_files")
        raise Broken(
            f"{len(self._vault)} notes, {chunks} passages, but without a request it stops at: "
            f"{ {key: said[key] for key in brief} }, {[r['code'] for r in said['reasons']]}"
        )

    def _stop(self, child: Child) -> None:
        self._harness.wait_until_verified()
        self._harness.ask_to_stop()
        require(child.wait_for_exit() == 0, f"it did not stop cleanly: {child}")
        self._harness.promises.check_settled()

    @property
    def is_building(self) -> bool:
        """Whether a reindex was interrupted, or its vectors are missing."""
        return self._state().catalog.building is not None

    def _state(self) -> State:
        return replay(Path(self._home.events), Path(self._home.snapshots)).state

    def _check_jobs(self) -> None:
        """Every job has ended as complete."""
        state = self._state()
        require(not state.jobs.open, f"jobs are still open: {[j.id for j in state.jobs.open]}")
        ends = [(job.mode, job.outcome) for job in state.jobs.finished]
        require(all(outcome == "complete" for _, outcome in ends), f"jobs ended as {ends}")

    @contextlib.contextmanager
    def _checking_embedding(self, once: bool = True) -> Iterator[None]:
        """Checks that no text is embedded that is in the cache, and none twice."""
        cached = self._cached()
        before = len(self._provider.requested)
        yield
        asked = self._provider.requested[before:]
        again = [one.content_hash for one in asked if one.content_hash in cached]
        require(not again, f"{len(again)} texts were embedded again, though the cache has them")
        needless = len(asked) - len(set(asked))
        require(not (once and needless), f"{needless} texts were embedded twice")
        lost = {one.content_hash for one in asked} - self._cached()
        at_once = STEP_CHUNKS if once else 2 * STEP_CHUNKS  # of the backlog, and of a save
        require(len(lost) <= at_once, f"the vectors of {len(lost)} texts were not kept")
        self.cached = len({p.content_hash for p in self._vault.expected_rows()} & cached)

    def _cached(self) -> set[str]:
        """The hashes of the texts in the cache, read from a copy of its files."""
        original = Path(self._home.embedding_cache)
        copy = self._arena.folder / "cache-copy"
        for ending in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(f"{original}{ending}", f"{copy}{ending}")
        with contextlib.closing(sqlite3.connect(copy)) as connection:
            query = "SELECT content_hash FROM vectors WHERE space = ?"
            try:
                return {row[0] for row in connection.execute(query, (self._provider.space,))}
            except sqlite3.OperationalError:  # it died before it made a cache
                return set()

    def _check_leftovers(self, generation: str) -> None:
        """Only indexes that have served are left; the next start removes the replaced ones."""
        found = set(tables.generations(self._home))
        served = {line.fact["generation"] for line in self._harness.promises.check().of(ACTIVATED)}
        require(generation in found, f"{generation} serves, of {found}")
        require(found <= served, f"left behind, though it never served: {found - served}")
        if found != {generation}:
            child = self._harness.start()
            self._harness.wait_until_it_answers(child)
            end = time.monotonic() + DONE_WITHIN_S
            while tables.generations(self._home) != [generation]:
                require(time.monotonic() < end, f"left behind: {tables.generations(self._home)}")
                time.sleep(0.02)
            self._stop(child)


class StatusPoller:
    """A thread that asks for the status continuously, from the start of a block to its end."""

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

    def __enter__(self) -> "StatusPoller":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(WITHIN_S)
        if self._failure is not None:
            raise Broken(f"it did not answer: {self._failure!r}") from self._failure
