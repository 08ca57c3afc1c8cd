"""The daemon, killed at any moment: while it starts, serves or stops. Then started again."""

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
from chaos.checks import Promises, Reading, sync_result_in
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
SUCCESSORS = 3
NOTES = 20

# What a daemon does when it is ended, and its possible exit codes. "asked" means by a signal, which
# kills it before the daemon handles signals.
ENDS: dict[str, tuple[int, ...]] = {
    "starting": (KILLED,),
    "starting, asked": (0, -signal.SIGTERM),
    "serving": (KILLED,),
    "stopping": (KILLED, 0),
    "stopped cleanly": (0,),
}


def run(arena: Arena, cycles: int) -> None:
    """Kill cycles on one home; then ten daemons at once, and successors that start too early."""
    harness = DaemonHarness(arena, Promises(Home(str(arena.folder / "h"))), notes=NOTES)
    kill_cycles(harness, arena, max(3, cycles // CYCLES_PER_DAEMON_CYCLE))
    start_ten_at_once(harness)
    replace_killed_daemon(harness, arena.rng)


def kill_cycles(harness: "DaemonHarness", arena: Arena, count: int) -> None:
    """Start and end daemons in various ways while a thread reads sync-result.json."""
    reader = SyncResultReader(Path(harness.home.sync_result))
    for _ in range(count):
        harness.record_a_job()
        harness.cycle()
        reader.check()
        arena.tally["daemon cycles"] += 1
    harness.run_cleanly()
    reader.end()
    arena.tally["sync-result.json read whole"] += reader.reads
    arena.tally["facts received by followers"] += harness.followed


class DaemonHarness:
    """A home, its configuration, and the daemons started in it."""

    def __init__(
        self,
        arena: Arena,
        promises: Promises,
        notes: int = 0,
        vault: Path | None = None,
        settings: dict[str, Any] | None = None,
        program: tuple[str, ...] = ("-m", "ragd"),
    ) -> None:
        self._arena = arena
        self._program = program
        self.promises = promises
        self.home = promises.home
        self.followed = 0
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
        """Write the configuration. A running daemon does not reload it."""
        self._config |= changed
        Path(self.home.config).write_text(json.dumps(self._config))

    def start(self, armed: str = "") -> Child:
        return self._arena.start(*self._program, "--home", self.home.root, armed=armed)

    def wait_until_it_answers(self, child: Child) -> client.Reply:
        """Wait for the first status of this daemon and return it."""
        end = time.monotonic() + WITHIN_S
        while time.monotonic() < end:
            require(child.is_running, f"it ended on its own: {child}")
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
        """Wait until the files on disk, sync-result.json included, equal the folds."""
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
        """Append a fact that changes sync-result.json. No daemon may run."""
        Path(self.home.events).mkdir(mode=0o700, exist_ok=True)
        asyncio.run(_append_job(self.home))

    def cycle(self) -> None:
        """Start a daemon, kill or stop it at some moment, then check the log."""
        before = self.promises.check()
        child = self.start()
        how = self._arena.rng.choice(tuple(ENDS))
        if how.startswith("starting"):
            time.sleep(self._arena.rng.uniform(0, STARTS_WITHIN_S))
        else:
            self._serve(child, how, before)
        if how == "starting, asked":
            child.signal(signal.SIGTERM)
        code = child.kill() if KILLED in ENDS[how] else child.wait_for_exit()
        require(code in ENDS[how], f"ended with {code} while {how}: {child}")
        self._check_followed_facts(self.promises.check())

    def _serve(self, child: Child, how: str, before: Reading) -> None:
        rng = self._arena.rng
        self.wait_until_it_answers(child)
        self._followers = [client.Follower(self.home.socket, after) for after in (0, before.last)]
        end = time.monotonic() + rng.uniform(0, 0.25)
        while time.monotonic() < end:
            self._send_request()
        if how in ("stopping", "stopped cleanly"):
            child.signal(signal.SIGTERM) if rng.random() < 0.5 else self.ask_to_stop()
        if how == "stopping":
            time.sleep(rng.uniform(0, 0.1))

    def _send_request(self) -> None:
        """Send a request that is refused, or a reload, which is recorded."""
        kind = self._arena.rng.choice(("refused", "unknown", "reload"))
        if kind == "reload":
            reply = client.ask(self.home.socket, "POST", "/v1/reload")
            require(reply.status == 200, f"reload: {reply}")
            self._reloads += 1
            return
        tool = "obsidian_rag_search" if kind == "refused" else "no_such_tool"
        reply = client.ask(self.home.socket, "POST", f"/v1/tools/{tool}", {"wrong": 1})
        require(reply.status == 400, f"{tool}: {reply}")

    def _check_followed_facts(self, reading: Reading) -> None:
        """Followers received durable facts only, and every reload is in the log."""
        there = {line.body for line in reading.lines}
        for follower in self._followers:
            lines = follower.lines()
            self.followed += len(lines)
            invented = [line for line in lines if line not in there]
            require(not invented, f"received, but not in the log: {invented[:1]!r}")
        self._followers = []
        recorded = len(reading.of("config_reloaded"))
        require(recorded >= self._reloads, f"{self._reloads} reloads answered, {recorded} recorded")

    def run_cleanly(self) -> None:
        """Start, wait for an up-to-date sync-result.json, stop cleanly."""
        self.promises.check()
        child = self.start()
        self.wait_until_it_answers(child)
        self.wait_for_sync_result()
        self.ask_to_stop()
        require(child.wait_for_exit() == 0, f"it did not stop cleanly: {child}")
        require(not Path(self.home.socket).exists(), "the socket was left behind")
        self.promises.check_settled()

    def wait_for_sync_result(self) -> None:
        """Wait until the file equals the folds."""
        home = self.home
        end = time.monotonic() + WITHIN_S
        while time.monotonic() < end:
            said = verify(Path(home.events), Path(home.snapshots), Path(home.sync_result))
            if not any(sentence.startswith("sync-result.json") for sentence in said):
                return
            time.sleep(0.01)
        raise Broken(f"sync-result.json stays out of date: {said}")


def start_ten_at_once(harness: DaemonHarness) -> None:
    """Start ten after a kill, so that the lock file names a dead process. One serves, and the
    nine others name it."""
    victim = harness.start()
    harness.wait_until_it_answers(victim)
    victim.kill()
    children = [harness.start() for _ in range(AT_ONCE)]
    losers = _wait_until_one_runs(children)
    (winner,) = [child for child in children if child not in losers]
    harness.wait_until_it_answers(winner)
    for loser in losers:
        require(
            loser.wait_for_exit() == EXIT_ALREADY_RUNNING,
            f"it should exit with {EXIT_ALREADY_RUNNING}: {loser}",
        )
        named = f"(pid {winner.pid})" in loser.stderr
        require(named, f"it does not name {winner.pid}: {loser}")
    harness.ask_to_stop()
    require(winner.wait_for_exit() == 0, f"it did not stop cleanly: {winner}")
    harness.run_cleanly()


def replace_killed_daemon(harness: DaemonHarness, rng: Random) -> None:
    """Start others and kill the first: at most one of them takes over, the others exit."""
    first = harness.start()
    harness.wait_until_it_answers(first)
    successors = [harness.start() for _ in range(SUCCESSORS)]
    time.sleep(rng.uniform(0, STARTS_WITHIN_S))
    first.kill()
    over = _wait_until_one_runs(successors)
    for successor in over:
        require(
            successor.wait_for_exit() == EXIT_ALREADY_RUNNING,
            f"it should exit with {EXIT_ALREADY_RUNNING}: {successor}",
        )
    for successor in successors:
        if successor not in over:
            _check_successor(harness, successor)
    harness.run_cleanly()


def _check_successor(harness: DaemonHarness, successor: Child) -> None:
    """It serves, or it exits because another one runs."""
    try:
        harness.wait_until_it_answers(successor)
    except Broken:
        require(
            successor.wait_for_exit() == EXIT_ALREADY_RUNNING,
            f"neither serves nor exits: {successor}",
        )
    else:
        successor.signal(signal.SIGTERM)
        require(successor.wait_for_exit() == 0, f"it did not stop cleanly: {successor}")


def _wait_until_one_runs(children: list[Child]) -> list[Child]:
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
    """A thread that reads sync-result.json continuously, as a plugin might."""

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
