"""One life of a log without the daemon around it: real ledger, journal, supervisor; made-up facts.

`python -m chaos.appender HOME --seed S [--facts N]` says on stdout what it was promised:

    R seq state-hash      opened: the state that recovery came to
    I seq                 what recovery had to repair is recorded
    A seq digest          this fact was acknowledged
    P seq digest          an earlier part of the fact whose last part is `seq`
    G first last          a follower was told nothing of these
    B seq                 it has said as much as it may
    Z seq                 closed in order

It begins when it reads a byte on stdin, so that it can be started beforehand. Without --facts it
goes on until it is killed (or its parent is gone, or half a minute has passed).
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
LIFE_BYTES = 2_500_000  # said in one life, below what retention keeps: the parent sees all of it
LIFE_S = 30.0
STUMBLES_MAX = 2


def digest(actor: str, event: bytes) -> str:
    """A fact's content: who said it, and every byte of what."""
    return hashlib.blake2b(actor.encode() + b"\0" + event, digest_size=12).hexdigest()


def state_hash(state: State) -> str:
    """Equal for equal states only."""
    return hashlib.sha256(encode_state(state)).hexdigest()


def say(*words: object) -> None:
    """Straight into the pipe: the parent will read it, whatever becomes of us."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


class Stumble(Exception):
    """An actor's own failure, for the supervisor to deal with."""


class Budget:
    """How much this life may still say; `spent` when it is over."""

    def __init__(self, facts: int) -> None:
        self.facts = facts
        self.bytes = LIFE_BYTES
        self.stumbles = STUMBLES_MAX
        self.spent = asyncio.Event()

    def take(self, size: int) -> bool:
        self.facts -= 1
        self.bytes -= size
        if self.facts < 0 or self.bytes < 0:
            self.spent.set()
        return not self.spent.is_set()


class Producer:
    """One actor with one stream of facts, which goes on where it was after a stumble."""

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
            if not self._budget.take(sum(map(len, encoded))):
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
            say("P", record.seq, digest(self._name, part))
        say("A", record.seq, digest(self._name, encoded[-1]))


class Reader:
    """A follower that takes its time, and says when the facts it is told have a gap."""

    def __init__(self, ledger: Ledger, seed: int) -> None:
        self._ledger = ledger
        self._rng = Random(f"pace of the reader {seed}")

    async def run(self) -> None:
        """From the beginning; and from what is the beginning then, where retention is quicker."""
        after: int | None = self._ledger.oldest_seq - 1
        while after is not None:
            after = await self._left_behind(after)

    async def _left_behind(self, after: int) -> int | None:
        """Follow until the log is closed, or else where to go on from."""
        try:
            async for record in self._ledger.journal.follow(after):
                if record.seq != after + 1:
                    say("G", after + 1, record.seq - 1)
                after = record.seq
                if self._rng.random() < 0.05:
                    await asyncio.sleep(self._rng.uniform(0, 0.03))
        except TooOld as why:
            return why.oldest - 1
        return None


async def live(home: Home, seed: int, facts: int | None) -> None:
    """Open, record what was repaired, speak until the budget is spent, stop in order."""
    private_directory(Path(home.root))
    private_directory(Path(home.events))
    logs.configure(Path(home.log_file))  # and not to stdout, which is for what we were promised
    clock = SystemClock()
    ledger = Ledger(
        Path(home.events), Path(home.snapshots), clock, new_id(), "chaos", SEGMENT_BYTES
    )
    say("R", ledger.state.seq, state_hash(ledger.state))
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
        say("B", ledger.state.seq)
        if facts is None:
            await asyncio.sleep(LIFE_S)  # to be killed in
        working.cancel()
        stopped = await ledger.journal.append("daemon", DaemonStopped(reason="requested"))
        await ledger.journal.close()
    say("Z", stopped.seq)


async def _record_start(ledger: Ledger) -> None:
    previous = ledger.state.runs.previous_stop
    started = DaemonStarted(version="chaos", config_hash="", previous_stop=previous)
    await ledger.journal.append("daemon", started)
    await ledger.record_incidents()
    say("I", ledger.state.seq)


def _end_with_parent() -> None:
    """Our stdin is a pipe that the parent holds: when it ends, so do we."""
    os.read(0, 1)
    os._exit(1)


def _wait_for_the_word() -> None:
    if not os.read(0, 1):
        sys.exit(1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--facts", type=int, default=None)
    given = parser.parse_args()
    snapshot.RETENTION_BYTES = RETENTION_BYTES  # small, so that it happens
    _wait_for_the_word()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    asyncio.run(live(Home(given.home), given.seed, given.facts))


if __name__ == "__main__":
    main()
