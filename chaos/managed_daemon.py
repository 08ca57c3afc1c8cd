"""A daemon with its own home, vault and provider, and what must hold after each fault."""

import contextlib
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from chaos import client, tables
from chaos.checks import Promises, read
from chaos.daemons import DaemonHarness
from chaos.harness import Arena, Broken, Child, require
from chaos.provider import Provider
from chaos.tables import Rows, Tables
from chaos.vault import Vault
from ragd.paths import Home

WITHIN_S = 240.0
NOTES = 8
QUICK = {"debounce_s": 0.05, "collect_s": 0.2, "rescan_s": 2}
OFTEN = {"probe_s": 0.1}
SEARCH = "/v1/tools/obsidian_rag_search"

# How much a fault may leave in use. Allocators and pools fill up once and then stay.
MEMORY_SLACK = 48 * 1024 * 1024
# Open parts of the full-text index come and go: 18 of them were seen, and no more in later rounds.
DESCRIPTORS_SLACK = 24
TASKS_SLACK = 6  # two for each open connection, of which a few are kept
THREADS_SLACK = 4


class ResourceUse(NamedTuple):
    """The resources that the process uses."""

    memory: int
    descriptors: int
    threads: int
    tasks: int


class SavedNote(NamedTuple):
    """A note, and a word that only this note has."""

    word: str
    path: str


class SearchAnswer(NamedTuple):
    """The answer to a search."""

    envelope: dict[str, Any]

    @property
    def status(self) -> str:
        return str(self.envelope["status"])

    @property
    def code(self) -> str | None:
        error = self.envelope["error"]
        return str(error["code"]) if error else None

    @property
    def files(self) -> list[str]:
        return [result["source_file"] for result in (self.envelope["data"] or {})["results"]]

    @property
    def retrieval(self) -> str:
        return str(self.envelope["meta"]["retrieval"])


class ManagedDaemon:
    """One home, one vault, one provider, and the daemon that runs with them now."""

    def __init__(
        self,
        arena: Arena,
        provider: Provider,
        reader: Tables,
        notes: int = NOTES,
        speed: float = 0.0,
        program: tuple[str, ...] = ("-m", "ragd"),
        folders: int = 0,
        **settings: Any,
    ) -> None:
        folder = arena.folder
        self.arena = arena
        self.provider = provider
        self.home = Home(str(folder / "h"))
        self.vault = Vault(folder / "vault", arena.rng)
        self._reader = reader
        self._offset = arena.folder / "clock"
        self._numbers = 0
        if speed:
            program = ("-m", "chaos.clocked", str(self._offset), str(speed))
        self.harness = DaemonHarness(
            arena,
            Promises(self.home),
            vault=self.vault.folder,
            settings={"embedding": provider.settings, "watch": QUICK, "health": OFTEN} | settings,
            program=program,
        )
        self.child: Child
        self.set_clock(0)
        for number in range(folders):
            (self.vault.folder / f"folder {number}").mkdir()
        for _ in range(notes):
            self.write_note()

    # Start and stop

    def start(self) -> None:
        self.child = self.harness.start()
        self.harness.wait_until_it_answers(self.child)

    def stop(self) -> None:
        self.harness.ask_to_stop()
        code = self.child.wait_for_exit()
        trace = Path(self.home.crash_trace)
        said = trace.read_text(errors="replace") if trace.exists() else "no trace"
        require(code == 0, f"it did not stop cleanly, but with {code}: {self.child}, {said}")
        self.harness.promises.check_settled()

    def kill(self) -> None:
        self.child.kill()

    def copy_table(self, to: Path) -> None:
        """Copy the table while the daemon is frozen, so that no file changes meanwhile."""
        table = self.table
        with self.frozen():
            shutil.copytree(table, to)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """The daemon is stopped by a signal during the block."""
        self.freeze()
        try:
            while " T " not in Path(f"/proc/{self.child.pid}/stat").read_text():
                time.sleep(0.001)  # until the signal has arrived
            yield
        finally:
            self.thaw()

    def freeze(self) -> None:
        self.child.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.child.signal(signal.SIGCONT)

    def set_clock(self, offset_s: float) -> None:
        """Set the offset of its wall clock, if it was started with `speed`."""
        new = self._offset.with_suffix(".new")
        new.write_text(str(offset_s))
        new.replace(self._offset)

    # Its vault and index

    def write_note(self) -> int:
        """Write one more note. Returns its number."""
        self._numbers += 1
        self.vault.write(self._numbers)
        return self._numbers

    def save(self) -> SavedNote:
        """Write one more note, with a word that no other note has."""
        self._numbers += 1
        word = f"word{self._numbers}qx"
        return SavedNote(word, self.vault.write(self._numbers, word))

    @property
    def table(self) -> Path:
        """The table of the index that serves."""
        return Path(self.home.vectors) / self.generation / tables.TABLE

    @property
    def generation(self) -> str:
        index = self.status()["index"]
        require(index is not None, "there is no index")
        return str(index["generation"])

    # Requests

    def rows(self) -> Rows:
        """The rows of the table that serves."""
        return self._reader.rows(self.home, self.generation)

    def status(self) -> dict[str, Any]:
        return client.ask(self.home.socket, "GET", "/v1/status").data

    def reasons(self) -> list[str]:
        return [reason["code"] for reason in self.status()["reasons"]]

    def search(self, query: str) -> SearchAnswer:
        reply = client.ask(self.home.socket, "POST", SEARCH, {"query": query})
        return SearchAnswer(reply.envelope)

    def request_job(self, mode: str) -> str:
        reply = client.ask(self.home.socket, "POST", "/v1/jobs", {"mode": mode})
        require(reply.status == 200, f"{mode}: {reply}")
        return str(reply.data["job_id"])

    def pause(self, seconds: int) -> None:
        """Pause syncing."""
        reply = client.ask(self.home.socket, "POST", "/v1/pause", {"seconds": seconds})
        require(reply.status == 200, f"pause: {reply}")

    def reload(self) -> None:
        """Make it read its configuration again."""
        reply = client.ask(self.home.socket, "POST", "/v1/reload")
        require(reply.status == 200, f"reload: {reply}")

    def wait_for(
        self, holds: Callable[[dict[str, Any]], object], what: str, within_s: float = WITHIN_S
    ) -> dict[str, Any]:
        """Wait until `holds` is true of its status, and return the status."""
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            require(self.child.is_running, f"it ended on its own: {self.child}")
            said = self.status()
            if holds(said):
                return said
            time.sleep(0.02)
        raise Broken(f"this never happened: {what}; the status is {_brief(said)}")

    def wait_for_reason(self, code: str, within_s: float = WITHIN_S) -> dict[str, Any]:
        return self.wait_for(lambda said: code in codes(said), code, within_s)

    def wait_until_found(self, note: SavedNote) -> SearchAnswer:
        """Wait until a search finds this note."""
        end = time.monotonic() + WITHIN_S
        while time.monotonic() < end:
            answer = self.search(note.word)
            if answer.envelope["data"] and note.path in answer.files:
                return answer
            time.sleep(0.02)
        raise Broken(f"{note} is not found: {answer}")

    def facts(self, *types: str) -> list[dict[str, Any]]:
        """The facts of these types in the log."""
        return [line.fact for line in read(Path(self.home.events)).of(*types)]

    def wait_for_facts(self, kind: str, count: int, **fields: str) -> None:
        """Wait for at least `count` facts of a type with these fields."""

        def found() -> int:
            return sum(fields.items() <= fact.items() for fact in self.facts(kind))

        self.wait_for(lambda _: found() >= count, f"{count} times {kind} {fields}")

    # What holds after a fault

    def index(self) -> None:
        """Build its first index, and use once every resource that it keeps from then on."""
        self.request_job("full")
        self.settle()
        self.wait_until_found(self.save())
        self.settle()

    def settle(self) -> dict[str, Any]:
        """Wait until it is healthy and idle. Then its rows and files are checked."""
        chunks = len(self.vault.expected_rows())

        def is_well(said: dict[str, Any]) -> bool:
            counts = (said["total_docs"], said["total_chunks"], said["chunks_embedded"])
            idle = not (said["active_job"] or said["unindexed_files"] or said["building"])
            whole = counts == (len(self.vault), chunks, chunks)
            return whole and idle and said["plugin_health"] == "healthy"

        said = self.wait_for(is_well, f"healthy with {len(self.vault)} notes, {chunks} passages")
        rows = self._reader.rows(self.home, said["index"]["generation"])
        tables.check_equal(rows, self.vault, self.provider.vector_of)
        self.harness.wait_until_verified()
        crashes = [actor["name"] for actor in said["actors"] if actor["crashes"]]
        require(not crashes, f"crashed meanwhile: {crashes}")
        return said

    def settle_and_compact(self) -> None:
        """Settle and wait for the compaction, so that nothing writes to the table any more."""
        self.settle()
        writing = ("batch_stored", "vectors_filled", "store_compacted")
        self.wait_for(
            lambda _: self.facts(*writing)[-1]["type"] == "store_compacted",
            "a compaction after the last write",
        )

    def embedded_count(self) -> int:
        """How many passages the provider was asked for so far, without queries."""
        passages = {passage.content_hash for passage in self.vault.expected_rows()}
        return sum(one.content_hash in passages for one in self.provider.requested)

    def resource_use(self) -> ResourceUse:
        process = self.status()["process"]
        return ResourceUse(
            *(process[k] for k in ("memory_bytes", "descriptors", "threads", "tasks"))
        )

    def check_growth(self, before: ResourceUse) -> None:
        """Wait until it uses no more resources than before, apart from the slack."""
        slack = ResourceUse(MEMORY_SLACK, DESCRIPTORS_SLACK, THREADS_SLACK, TASKS_SLACK)
        end = time.monotonic() + WITHIN_S
        while True:
            now = self.resource_use()
            grown = {
                name: (was, is_)
                for name, was, is_, more in zip(
                    ResourceUse._fields, before, now, slack, strict=True
                )
                if is_ > was + more
            }
            if not grown:
                return
            require(time.monotonic() < end, f"it uses more than before: {grown}")
            time.sleep(0.1)


def codes(said: dict[str, Any]) -> list[str]:
    return [reason["code"] for reason in said["reasons"]]


def _brief(said: dict[str, Any]) -> dict[str, Any]:
    keys = ("plugin_health", "total_docs", "total_chunks", "chunks_embedded", "active_job")
    more = ("unindexed_files", "building")
    return {key: said[key] for key in (*keys, *more)} | {"reasons": codes(said)}
