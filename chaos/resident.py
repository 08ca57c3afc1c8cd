"""A daemon that is to outlive what is done to its world, and the promises that hold afterwards."""

import contextlib
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from chaos import client, tables
from chaos.checks import Book, read
from chaos.daemons import House
from chaos.harness import Arena, Broken, Child, require
from chaos.provider import Provider
from chaos.tables import Tables
from chaos.vault import Vault
from ragd.paths import Home

WITHIN_S = 240.0
NOTES = 8
QUICK = {"debounce_s": 0.05, "collect_s": 0.2, "rescan_s": 2}
OFTEN = {"probe_s": 0.1}
SEARCH = "/v1/tools/obsidian_rag_search"

# What one round of a fault may cost for good. Arenas of allocators and pools fill up once.
MEMORY_SLACK = 48 * 1024 * 1024
DESCRIPTORS_SLACK = 8  # the parts of a full-text index, each kept open, come and go
TASKS_SLACK = 3
THREADS_SLACK = 4


class Took(NamedTuple):
    """What the process takes of the machine."""

    memory: int
    descriptors: int
    threads: int
    tasks: int


class Saved(NamedTuple):
    """A note, and the word that finds no other."""

    word: str
    path: str


class Answer(NamedTuple):
    """What a search came back with."""

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


class Resident:
    """One home, one vault, one provider, and the daemon that lives there now."""

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
        self.house = House(
            arena,
            Book(self.home),
            vault=self.vault.folder,
            settings={"embedding": provider.settings, "watch": QUICK, "health": OFTEN} | settings,
            program=program,
        )
        self.child: Child
        self.set_clock(0)
        for number in range(folders):
            (self.vault.folder / f"folder {number}").mkdir()
        for _ in range(notes):
            self.write_another()

    # Its life

    def start(self) -> None:
        self.child = self.house.start()
        self.house.wait_until_it_answers(self.child)

    def stop(self) -> None:
        self.house.ask_to_stop()
        code = self.child.ended()
        trace = Path(self.home.crash_trace)
        said = trace.read_text(errors="replace") if trace.exists() else "no trace"
        require(code == 0, f"it did not stop in order, but with {code}: {self.child}, {said}")
        self.house.book.check_settled()

    def kill(self) -> None:
        self.child.kill()

    def copy_table(self, to: Path) -> None:
        """As it is at one moment: no file comes or goes while it is copied."""
        table = self.table
        with self.standing_still():
            shutil.copytree(table, to)

    @contextlib.contextmanager
    def standing_still(self) -> Iterator[None]:
        """It does nothing meanwhile."""
        self.freeze()
        try:
            while " T " not in Path(f"/proc/{self.child.pid}/stat").read_text():
                time.sleep(0.001)  # the signal is on its way
            yield
        finally:
            self.thaw()

    def freeze(self) -> None:
        self.child.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.child.signal(signal.SIGCONT)

    def set_clock(self, offset_s: float) -> None:
        """How far its wall clock is off from now on, if it has one that can be set."""
        new = self._offset.with_suffix(".new")
        new.write_text(str(offset_s))
        new.replace(self._offset)

    # Its world

    def write_another(self) -> int:
        """One more note."""
        self._numbers += 1
        self.vault.write(self._numbers)
        return self._numbers

    def save(self) -> Saved:
        """One more note, with a word in it that no other has."""
        self._numbers += 1
        word = f"word{self._numbers}qx"
        return Saved(word, self.vault.write(self._numbers, word))

    @property
    def table(self) -> Path:
        """The table that serves."""
        return Path(self.home.vectors) / self.generation / tables.TABLE

    @property
    def generation(self) -> str:
        index = self.status()["index"]
        require(index is not None, "there is no index")
        return str(index["generation"])

    # What it is asked

    def status(self) -> dict[str, Any]:
        return client.ask(self.home.socket, "GET", "/v1/status").data

    def reasons(self) -> list[str]:
        return [reason["code"] for reason in self.status()["reasons"]]

    def search(self, query: str) -> Answer:
        reply = client.ask(self.home.socket, "POST", SEARCH, {"query": query})
        return Answer(reply.envelope)

    def ask_for(self, mode: str) -> str:
        reply = client.ask(self.home.socket, "POST", "/v1/jobs", {"mode": mode})
        require(reply.status == 200, f"{mode}: {reply}")
        return str(reply.data["job_id"])

    def pause(self, seconds: int) -> None:
        """Hold syncing for a while."""
        reply = client.ask(self.home.socket, "POST", "/v1/pause", {"seconds": seconds})
        require(reply.status == 200, f"pause: {reply}")

    def reload(self) -> None:
        """Tell it that its configuration was changed."""
        reply = client.ask(self.home.socket, "POST", "/v1/reload")
        require(reply.status == 200, f"reload: {reply}")

    def until(
        self, holds: Callable[[dict[str, Any]], object], what: str, within_s: float = WITHIN_S
    ) -> dict[str, Any]:
        """Wait until its status is so."""
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            require(self.child.is_running, f"it ended by itself: {self.child}")
            said = self.status()
            if holds(said):
                return said
            time.sleep(0.02)
        raise Broken(f"it never came to this: {what}; it says {_brief(said)}")

    def until_reason(self, code: str, within_s: float = WITHIN_S) -> dict[str, Any]:
        return self.until(lambda said: code in codes(said), code, within_s)

    def until_found(self, note: Saved) -> Answer:
        """Wait until a search finds this note."""
        end = time.monotonic() + WITHIN_S
        while time.monotonic() < end:
            answer = self.search(note.word)
            if answer.envelope["data"] and note.path in answer.files:
                return answer
            time.sleep(0.02)
        raise Broken(f"{note} is not found: {answer}")

    def facts(self, *types: str) -> list[dict[str, Any]]:
        """What the log says of these kinds, up to now."""
        return [line.fact for line in read(Path(self.home.events)).of(*types)]

    def until_facts(self, kind: str, count: int, **fields: str) -> None:
        """Wait until there are so many facts of a kind, with these fields."""

        def said() -> int:
            return sum(fields.items() <= fact.items() for fact in self.facts(kind))

        self.until(lambda _: said() >= count, f"{count} times {kind} {fields}")

    # What holds when all is well again

    def index(self) -> None:
        """Its first index, whole; and everything has been used once that is kept from then on."""
        self.ask_for("full")
        self.settle()
        self.until_found(self.save())
        self.settle()

    def settle(self) -> dict[str, Any]:
        """Healthy, idle, the rows are the vault's, the folds are what is on the disk."""
        chunks = len(self.vault.passages())

        def is_well(said: dict[str, Any]) -> bool:
            told = (said["total_docs"], said["total_chunks"], said["chunks_embedded"])
            idle = not (said["active_job"] or said["unindexed_files"] or said["building"])
            whole = told == (len(self.vault), chunks, chunks)
            return whole and idle and said["plugin_health"] == "healthy"

        said = self.until(is_well, f"healthy with {len(self.vault)} notes, {chunks} passages")
        rows = self._reader.rows(self.home, said["index"]["generation"])
        tables.check_equal(rows, self.vault, self.provider.vector_of)
        self.house.wait_until_verified()
        crashes = [actor["name"] for actor in said["actors"] if actor["crashes"]]
        require(not crashes, f"crashed meanwhile: {crashes}")
        return said

    def calm(self) -> None:
        """Settled and tidied up: nobody writes to the table any more."""
        self.settle()
        writing = ("batch_stored", "vectors_filled", "store_compacted")
        self.until(
            lambda _: self.facts(*writing)[-1]["type"] == "store_compacted", "tidied up after all"
        )

    def embedded(self) -> int:
        """How many passages the provider was asked for so far; questions are not counted."""
        passages = {passage.content_hash for passage in self.vault.passages()}
        return sum(one.content_hash in passages for one in self.provider.asked)

    def takes(self) -> Took:
        process = self.status()["process"]
        return Took(*(process[k] for k in ("memory_bytes", "descriptors", "threads", "tasks")))

    def check_growth(self, before: Took) -> None:
        """It takes no more than it did; what a fault left open is closed in a moment."""
        slack = Took(MEMORY_SLACK, DESCRIPTORS_SLACK, THREADS_SLACK, TASKS_SLACK)
        end = time.monotonic() + WITHIN_S
        while True:
            now = self.takes()
            grown = {
                name: (was, is_)
                for name, was, is_, more in zip(Took._fields, before, now, slack, strict=True)
                if is_ > was + more
            }
            if not grown:
                return
            require(time.monotonic() < end, f"it takes more than before: {grown}")
            time.sleep(0.1)


def codes(said: dict[str, Any]) -> list[str]:
    return [reason["code"] for reason in said["reasons"]]


def _brief(said: dict[str, Any]) -> dict[str, Any]:
    keys = ("plugin_health", "total_docs", "total_chunks", "chunks_embedded", "active_job")
    more = ("unindexed_files", "building")
    return {key: said[key] for key in (*keys, *more)} | {"reasons": codes(said)}
