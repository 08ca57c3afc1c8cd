"""One run of a log without the daemon: real ledger, journal and supervisor; made-up facts.

`python -m chaos.appender HOME --seed S [--facts N]` prints on stdout what the log promised:

    R seq state-hash      opened: the state after recovery
    I seq                 the repairs of recovery are recorded
    A seq digest          this fact was acknowledged
    P seq digest          an earlier part of the fact whose last part is `seq`
    G first last          a follower did not receive these
    B seq                 the budget of this run is spent
    Z seq                 closed cleanly

It begins when it reads a byte on stdin, so that it can be started in advance. Without --facts it
runs until it is killed (or its parent exits, or half a minute has passed).
"""

import argparse
import asyncio
import hashlib
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from random import Random
from typing import Any

from chaos.facts import ACTORS, stream
from ragd.clock import SystemClock, new_id
from ragd.eventlog import codec, snapshot
from ragd.eventlog.follow import TooOld
from ragd.events import DaemonStarted, DaemonStopped, Fact, SplitFact
from ragd.folds import State, encode_state
from ragd.paths import Home
from ragd.runtime import logs
from ragd.runtime.durable_files import private_directory
from ragd.state.ledger import Ledger
from ragd.state.snapshotter import Snapshotter
from ragd.state.sync_result_writer import SyncResultWriter
from ragd.supervisor import Supervisor

SEGMENT_BYTES = 768 * 1024
RETENTION_BYTES = 3 * 1024 * 1024
SNAPSHOT_EVERY = 150
RUN_BYTES = 2_500_000  # appended in one run; retention keeps more, so the parent sees all of it
RUN_S = 30.0
STUMBLES_MAX = 2


def digest(actor: str, event: bytes) -> str:
    """A hash of a fact: its actor and every byte of it."""
    return hashlib.blake2b(actor.encode() + b"\0" + event, digest_size=12).hexdigest()


def state_hash(state: State) -> str:
    """A hash of the whole state."""
    return hashlib.sha256(encode_state(state)).hexdigest()


def print_line(*words: object) -> None:
    """Unbuffered, so that the parent can read it even if this process is killed right after."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


class Stumble(Exception):
    """A failure of an actor, which the supervisor has to handle."""


class Budget:
    """How much this run may still append; `spent` is set when nothing is left."""

    def __init__(self, facts: int) -> None:
        self.facts = facts
        self.bytes = RUN_BYTES
        self.stumbles = STUMBLES_MAX
        self.spent = asyncio.Event()

    def spend(self, size: int) -> bool:
        self.facts -= 1
        self.bytes -= size
        if self.facts < 0 or self.bytes < 0:
            self.spent.set()
        return not self.spent.is_set()


class Producer:
    """One actor with one stream of facts. After a stumble it continues where it was."""

    def __init__(self, name: str, ledger: Ledger, budget: Budget, seed: int) -> None:
        self._name = name
        self._ledger = ledger
        self._budget = budget
        self._facts: Iterator[Fact] = stream(name, seed)
        self._rng = Random(f"pace of {name} {seed}")

    async def run(self) -> None:
        for fact in self._facts:
            parts = codec.split(fact) if isinstance(fact, SplitFact) else [fact]
            encoded = [codec.encode(part) for part in parts]
            if not self._budget.spend(sum(map(len, encoded))):
                return
            await self._append(fact, encoded)
            if self._rng.random() < 0.01 and self._budget.stumbles:
                self._budget.stumbles -= 1
                raise Stumble
            await asyncio.sleep(self._rng.choice((0, 0, 0.001, 0.004)))

    async def _append(self, fact: Fact, encoded: list[bytes]) -> None:
        journal = self._ledger.journal
        if isinstance(fact, SplitFact):
            record = await journal.append_parts(self._name, fact)
        else:
            record = await journal.append(self._name, fact)
        for part in encoded[:-1]:
            print_line("P", record.seq, digest(self._name, part))
        print_line("A", record.seq, digest(self._name, encoded[-1]))


class Reader:
    """A slow follower that reports gaps in the facts it receives."""

    def __init__(self, ledger: Ledger, seed: int) -> None:
        self._ledger = ledger
        self._rng = Random(f"pace of the reader {seed}")

    async def run(self) -> None:
        """Follow from the oldest fact, and again from there if retention drops unread facts."""
        after: int | None = self._ledger.oldest_seq - 1
        while after is not None:
            after = await self._follow(after)

    async def _follow(self, after: int) -> int | None:
        """Follow until the log is closed. Returns where to go on if facts were dropped first."""
        try:
            async for record in self._ledger.journal.follow(after):
                if record.seq != after + 1:
                    print_line("G", after + 1, record.seq - 1)
                after = record.seq
                if self._rng.random() < 0.05:
                    await asyncio.sleep(self._rng.uniform(0, 0.03))
        except TooOld as why:
            return why.oldest - 1
        return None


async def run(home: Home, seed: int, facts: int | None) -> None:
    """Open, record the repairs, append until the budget is spent, stop cleanly."""
    private_directory(Path(home.root))
    private_directory(Path(home.events))
    logs.configure(Path(home.log_file))  # not to stdout, which is for the promises
    clock = SystemClock()
    ledger = Ledger(
        Path(home.events), Path(home.snapshots), clock, new_id(), "chaos", SEGMENT_BYTES
    )
    print_line("R", ledger.state.seq, state_hash(ledger.state))
    budget = Budget(sys.maxsize if facts is None else facts)
    producers = [Producer(name, ledger, budget, seed) for name in ACTORS]
    actors: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
        **{name: producer.run for name, producer in zip(ACTORS, producers, strict=True)},
        "sync_result_writer": SyncResultWriter(ledger, clock, Path(home.sync_result)).run,
        "reader": Reader(ledger, seed).run,
        "snapshotter": Snapshotter(ledger, SNAPSHOT_EVERY).run,
    }
    async with asyncio.TaskGroup() as group:
        group.create_task(ledger.journal.run())
        await _record_start(ledger)
        working = group.create_task(Supervisor(ledger.journal, clock, actors).run())
        await budget.spent.wait()
        print_line("B", ledger.state.seq)
        if facts is None:
            await asyncio.sleep(RUN_S)  # the parent kills it in this time
        working.cancel()
        stopped = await ledger.journal.append("daemon", DaemonStopped(reason="requested"))
        await ledger.journal.close()
    print_line("Z", stopped.seq)


async def _record_start(ledger: Ledger) -> None:
    previous = ledger.state.runs.previous_stop
    started = DaemonStarted(version="chaos", config_hash="", previous_stop=previous)
    await ledger.journal.append("daemon", started)
    await ledger.record_incidents()
    print_line("I", ledger.state.seq)


def _exit_with_parent() -> None:
    """Stdin is a pipe from the parent: it closes when the parent exits."""
    os.read(0, 1)
    os._exit(1)


def _wait_for_start() -> None:
    if not os.read(0, 1):
        sys.exit(1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--facts", type=int, default=None)
    given = parser.parse_args()
    snapshot.RETENTION_BYTES = RETENTION_BYTES  # small, so that facts are dropped
    _wait_for_start()
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    asyncio.run(run(Home(given.home), given.seed, given.facts))


if __name__ == "__main__":
    main()
