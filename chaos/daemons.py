"""The daemon itself, killed at any moment: while it starts, serves, stops. Then started again."""

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

from chaos import client
from chaos.checks import Book, Reading, sync_result_in
from chaos.harness import KILLED, WITHIN_S, Arena, Broken, Child, environment, require
from ragd.clock import SystemClock, new_id
from ragd.errors import EXIT_ALREADY_RUNNING
from ragd.events import JobFinished
from ragd.paths import Home
from ragd.state.ledger import Ledger
from ragd.state.replay import verify

CYCLES_PER_DAEMON_CYCLE = 10
STARTS_WITHIN_S = 0.8
AT_ONCE = 10
HEIRS = 3
NOTES = 20

# What a daemon is doing when it meets its end, and what it may end with. `asked`: by a signal,
# which before anybody listens for it is as good as a kill.
ENDS: dict[str, tuple[int, ...]] = {
    "starting": (KILLED,),
    "starting, asked": (0, -signal.SIGTERM),
    "serving": (KILLED,),
    "stopping": (KILLED, 0),
    "in order": (0,),
}


def run(arena: Arena, cycles: int) -> None:
    """Kill cycles on one home; then ten daemons at once, and heirs that do not wait."""
    house = House(arena, Book(Home(str(arena.folder / "h"))), notes=NOTES)
    kill_cycles(house, arena, max(3, cycles // CYCLES_PER_DAEMON_CYCLE))
    ten_at_once(house)
    succession(house, arena.rng)


def kill_cycles(house: "House", arena: Arena, count: int) -> None:
    """So many lives, each ended somehow, while somebody reads sync-result.json all the time."""
    reader = SyncResultReader(Path(house.home.sync_result))
    for _ in range(count):
        house.record_a_job()
        house.cycle()
        reader.check()
        arena.tally["daemon cycles"] += 1
    house.live_in_order()
    reader.end()
    arena.tally["sync-result.json read whole"] += reader.reads
    arena.tally["facts that followers were told"] += house.told


class House:
    """A home and the daemons that lived in it."""

    def __init__(
        self,
        arena: Arena,
        book: Book,
        notes: int = 0,
        vault: Path | None = None,
        settings: dict[str, Any] | None = None,
        program: tuple[str, ...] = ("-m", "ragd"),
    ) -> None:
        self._arena = arena
        self._program = program
        self.book = book
        self.home = book.home
        self.told = 0
        self._reloads = 0
        self._followers: list[client.Follower] = []
        vault = vault or arena.folder / "vault"
        vault.mkdir(exist_ok=True)
        for number in range(notes):
            (vault / f"note {number}.md").write_text(f"# Note {number}\n\nSome words.\n")
        Path(self.home.root).mkdir(mode=0o700, exist_ok=True)
        self._config: dict[str, Any] = {"vault_path": str(vault), **(settings or {})}
        self.configure()

    def configure(self, **changed: Any) -> None:
        """Write the configuration; a daemon that runs is not told."""
        self._config |= changed
        Path(self.home.config).write_text(json.dumps(self._config))

    def start(self, armed: str = "") -> Child:
        return self._arena.start(*self._program, "--home", self.home.root, armed=armed)

    def wait_until_it_answers(self, child: Child) -> client.Reply:
        """Its first status. Whatever was on the socket's path before is replaced."""
        end = time.monotonic() + WITHIN_S
        while time.monotonic() < end:
            require(child.is_running, f"it ended by itself: {child}")
            try:
                reply = client.ask(self.home.socket, "GET", "/v1/status")
            except OSError:
                time.sleep(0.005)
                continue
            require(reply.data["pid"] == child.pid, f"{reply.data['pid']} serves, not {child.pid}")
            return reply
        raise Broken(f"it never answered: {child}")

    def ask_to_stop(self) -> None:
        with contextlib.suppress(OSError):  # it may be gone before it has answered
            client.ask(self.home.socket, "POST", "/v1/stop")

    def wait_until_verified(self) -> None:
        """The folds are what is on the disk, sync-result.json among it, while nothing goes on."""
        command = [sys.executable, "-m", "ragctl", "--home", self.home.root, "replay", "--verify"]
        end = time.monotonic() + WITHIN_S
        while True:
            done = subprocess.run(
                command, env=environment(), capture_output=True, text=True, timeout=WITHIN_S
            )
            if done.returncode == 0:
                return
            said = f"{done.stdout}{done.stderr}"
            require(time.monotonic() < end, f"ragctl replay --verify: {said}")

    def record_a_job(self) -> None:
        """While no daemon runs: a fact that changes sync-result.json."""
        Path(self.home.events).mkdir(mode=0o700, exist_ok=True)
        asyncio.run(_append_job(self.home))

    def cycle(self) -> None:
        """One life, ended by force at some moment or in order; then the log is checked."""
        before = self.book.check()
        child = self.start()
        how = self._arena.rng.choice(tuple(ENDS))
        if how.startswith("starting"):
            time.sleep(self._arena.rng.uniform(0, STARTS_WITHIN_S))
        else:
            self._serve(child, how, before)
        if how == "starting, asked":
            child.signal(signal.SIGTERM)
        code = child.kill() if KILLED in ENDS[how] else child.ended()
        require(code in ENDS[how], f"ended with {code} while {how}: {child}")
        self._check_what_was_told(self.book.check())

    def _serve(self, child: Child, how: str, before: Reading) -> None:
        rng = self._arena.rng
        self.wait_until_it_answers(child)
        self._followers = [client.Follower(self.home.socket, after) for after in (0, before.last)]
        end = time.monotonic() + rng.uniform(0, 0.25)
        while time.monotonic() < end:
            self._disturb()
        if how in ("stopping", "in order"):
            child.signal(signal.SIGTERM) if rng.random() < 0.5 else self.ask_to_stop()
        if how == "stopping":
            time.sleep(rng.uniform(0, 0.1))

    def _disturb(self) -> None:
        """Something to refuse, and something to record."""
        kind = self._arena.rng.choice(("refused", "unknown", "reload"))
        if kind == "reload":
            reply = client.ask(self.home.socket, "POST", "/v1/reload")
            require(reply.status == 200, f"reload: {reply}")
            self._reloads += 1
            return
        tool = "obsidian_rag_search" if kind == "refused" else "no_such_tool"
        reply = client.ask(self.home.socket, "POST", f"/v1/tools/{tool}", {"wrong": 1})
        require(reply.status == 400, f"{tool}: {reply}")

    def _check_what_was_told(self, reading: Reading) -> None:
        """Whoever followed was told durable facts only, and whoever reloaded is in the log."""
        there = {line.body for line in reading.lines}
        for follower in self._followers:
            lines = follower.lines()
            self.told += len(lines)
            invented = [line for line in lines if line not in there]
            require(not invented, f"told, but not in the log: {invented[:1]!r}")
        self._followers = []
        recorded = len(reading.of("config_reloaded"))
        require(recorded >= self._reloads, f"{self._reloads} reloads answered, {recorded} recorded")

    def live_in_order(self) -> None:
        """Started, serving, sync-result.json brought up to date, stopped: all is well."""
        self.book.check()
        child = self.start()
        self.wait_until_it_answers(child)
        self.wait_for_sync_result()
        self.ask_to_stop()
        require(child.ended() == 0, f"it did not stop in order: {child}")
        require(not Path(self.home.socket).exists(), "the socket was left behind")
        self.book.check_settled()

    def wait_for_sync_result(self) -> None:
        """The file becomes what the folds say, while nothing else is going on."""
        home = self.home
        end = time.monotonic() + WITHIN_S
        while time.monotonic() < end:
            said = verify(Path(home.events), Path(home.snapshots), Path(home.sync_result))
            if not any(sentence.startswith("sync-result.json") for sentence in said):
                return
            time.sleep(0.01)
        raise Broken(f"sync-result.json stays behind: {said}")


def ten_at_once(house: House) -> None:
    """Right after a kill, so that the lock file names a dead process: one serves, nine say who."""
    victim = house.start()
    house.wait_until_it_answers(victim)
    victim.kill()
    children = [house.start() for _ in range(AT_ONCE)]
    losers = _all_but_one_end(children)
    (winner,) = [child for child in children if child not in losers]
    house.wait_until_it_answers(winner)
    for loser in losers:
        require(loser.ended() == EXIT_ALREADY_RUNNING, f"it should have given way: {loser}")
        named = f"(pid {winner.pid})" in loser.complaint
        require(named, f"it does not name {winner.pid}: {loser}")
    house.ask_to_stop()
    require(winner.ended() == 0, f"it did not stop in order: {winner}")
    house.live_in_order()


def succession(house: House, rng: Random) -> None:
    """Others start while the first is killed: at most one of them takes over, the rest give way."""
    first = house.start()
    house.wait_until_it_answers(first)
    heirs = [house.start() for _ in range(HEIRS)]
    time.sleep(rng.uniform(0, STARTS_WITHIN_S))
    first.kill()
    over = _all_but_one_end(heirs)
    for heir in over:
        require(heir.ended() == EXIT_ALREADY_RUNNING, f"it should have given way: {heir}")
    for heir in heirs:
        if heir not in over:
            _reign(house, heir)
    house.live_in_order()


def _reign(house: House, heir: Child) -> None:
    """Either it serves, or it was about to give way as well."""
    try:
        house.wait_until_it_answers(heir)
    except Broken:
        require(heir.ended() == EXIT_ALREADY_RUNNING, f"neither serves nor gives way: {heir}")
    else:
        heir.signal(signal.SIGTERM)
        require(heir.ended() == 0, f"it did not stop in order: {heir}")


def _all_but_one_end(children: list[Child]) -> list[Child]:
    end = time.monotonic() + WITHIN_S
    while time.monotonic() < end:
        over = [child for child in children if not child.is_running]
        if len(over) >= len(children) - 1:
            return over
        time.sleep(0.01)
    raise Broken(f"{len(children) - len(over)} of {len(children)} daemons are running")


async def _append_job(home: Home) -> None:
    ledger = Ledger(Path(home.events), Path(home.snapshots), SystemClock(), new_id(), "chaos")
    finished = JobFinished(
        job_id=new_id(),
        mode="sync",
        outcome="complete",
        indexed_files=ledger.state.seq,
        removed_files=0,
        total_chunks=0,
        duration_ms=1,
    )
    async with asyncio.TaskGroup() as group:
        group.create_task(ledger.journal.run())
        await ledger.record_incidents()
        await ledger.journal.append("chaos", finished)
        await ledger.journal.close()


class SyncResultReader:
    """Reads sync-result.json all the time, as a plugin might."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._over = threading.Event()
        self._failure: Broken | None = None
        self.reads = 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        seq = 0
        while not self._over.wait(0.001) and self._failure is None:
            try:
                result = sync_result_in(self._path.read_bytes())
                require(result.seq >= seq, f"sync-result.json went back from {seq} to {result.seq}")
                seq = result.seq
                self.reads += 1
            except FileNotFoundError:
                continue
            except Broken as why:
                self._failure = why

    def check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def end(self) -> None:
        self._over.set()
        self._thread.join()
        self.check()
