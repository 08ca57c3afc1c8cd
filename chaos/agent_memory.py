"""The daemon, killed while it writes or forgets an agent's notes and stored facts.

What was acknowledged is there afterwards, whole; what was forgotten is in no file but those of the
index, which has its own tests.
"""

import contextlib
import threading
import time
from pathlib import Path
from random import Random

from chaos import client
from chaos.checks import Promises
from chaos.daemons import DaemonHarness
from chaos.harness import KILLED, Arena, require
from ragd.paths import Home

TOOLS = "/v1/tools/obsidian_rag_memory_"
PATHS = tuple(f"memory/2026-11-{day:02}.md" for day in range(10, 14))
KEYS = ("tea", "boat")
CALLS_AT_MOST = 12  # before a kill
KILL_WITHIN_S = 0.25
SOURCE = "note 0.md"


def run(arena: Arena, cycles: int) -> None:
    """As many kills as cycles."""
    home = Home(str(arena.folder / "h"))
    harness = DaemonHarness(arena, Promises(home), notes=1)
    story = MemoryStory(home, arena.rng)
    for _ in range(cycles):
        child = harness.start()
        harness.wait_until_it_answers(child)
        story.check_facts()
        killer = threading.Timer(arena.rng.uniform(0, KILL_WITHIN_S), child.kill)
        killer.start()
        story.go_on()
        killer.join()
        require(child.wait_for_exit() == KILLED, f"it ended on its own: {child}")
        harness.promises.check()
        story.check_files()
        arena.tally["kills while an agent remembers or forgets"] += 1
    arena.tally["acknowledged writes and erasures of memories"] += story.acknowledged


class MemoryStory:
    """What was requested, what was acknowledged, and what must hold."""

    def __init__(self, home: Home, rng: Random) -> None:
        self._home = home
        self._rng = rng
        self._number = 0
        self.acknowledged = 0
        # The contents that each note or fact may have now; None: it may be absent.
        self._notes: dict[str, set[str | None]] = {path: {None} for path in PATHS}
        self._facts: dict[str, set[str | None]] = {key: {None} for key in KEYS}
        self._forgotten: set[str] = set()  # words that no file may have

    def go_on(self) -> None:
        """Call tools until the daemon is gone."""
        with contextlib.suppress(OSError):
            for _ in range(CALLS_AT_MOST):
                self._call_one()
            while True:  # wait for the kill
                client.ask(self._home.socket, "GET", "/v1/status")
                time.sleep(0.01)

    def _call_one(self) -> None:
        step = self._rng.choice(("write", "write", "append", "forget", "store", "forget fact"))
        match step:
            case "write" | "append":
                self._write(self._rng.choice(PATHS), append=step == "append")
            case "forget":
                self._forget(self._rng.choice(PATHS))
            case "store":
                self._store(self._rng.choice(KEYS))
            case _:
                self._forget_fact(self._rng.choice(KEYS))

    def _word(self) -> str:
        self._number += 1
        return f"word{self._number:06}end"

    def _write(self, path: str, *, append: bool) -> None:
        text = f"{self._word()} " * self._rng.choice((1, 400))
        possible = self._notes[path]
        after: set[str | None] = {
            f"{before}\n{text}" if append and before else text for before in possible
        }
        self._notes[path] = possible | after
        self._ask("write", {"path": path, "text": text, "append": append})
        self._notes[path] = after

    def _forget(self, path: str) -> None:
        possible = self._notes[path]
        self._notes[path] = possible | {None}
        self._ask("forget", {"path": path})
        self._notes[path] = {None}
        self._forgotten |= {word for one in possible if one for word in one.split()}

    def _store(self, key: str) -> None:
        value = self._word()
        possible = self._facts[key]
        self._facts[key] = possible | {value}
        self._ask("store", {"key": key, "value": value, "source": SOURCE})
        self._facts[key] = {value}

    def _forget_fact(self, key: str) -> None:
        possible = self._facts[key]
        self._facts[key] = possible | {None}
        self._ask("forget", {"key": key})
        self._facts[key] = {None}
        self._forgotten |= {one for one in possible if one}

    def _ask(self, tool: str, body: dict[str, object]) -> None:
        """Raises OSError if the daemon ends before it has answered."""
        reply = client.ask(self._home.socket, "POST", f"{TOOLS}{tool}", body)
        require(reply.status == 200, f"{tool} {body.get('path', body.get('key'))}: {reply}")
        self.acknowledged += 1

    def check_facts(self) -> None:
        """The running daemon knows the acknowledged facts, and no other."""
        listed = client.ask(self._home.socket, "GET", "/v1/memories").data["memories"]
        values = {one["key"]: one["value"] for one in listed}
        for key, possible in self._facts.items():
            require(values.get(key) in possible, f"{key}: {values.get(key)}, not {possible}")
            self._facts[key] = {values.get(key)}

    def check_files(self) -> None:
        """The notes are whole, and forgotten words are nowhere. No daemon runs."""
        folder = Path(self._home.agent_notes) / "main"
        for path, possible in self._notes.items():
            note = folder / path
            text = note.read_text() if note.exists() else None
            require(text in possible, f"{path}: {text and text[:80]!r}, not one of {len(possible)}")
            self._notes[path] = {text}
        kept = "".join(text for (text,) in self._notes.values() if text)
        gone = {word for word in self._forgotten if word not in kept}
        for file in Path(self._home.root).rglob("*"):
            if file.is_file() and ".lance" not in str(file):
                data = file.read_text("utf-8", "replace")
                found = next((word for word in gone if word in data), None)
                require(found is None, f"{file.name} has the forgotten {found}")
