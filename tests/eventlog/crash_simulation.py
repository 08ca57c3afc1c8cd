"""A log on a disk that crashes repeatedly; its promises are checked after every start.

One seed is one history: groups of appends of all sizes, segments that fill up, a full disk, failed
syncs, kills and power cuts at any step, also during recovery. It reports failures and never repairs
anything.
"""

from random import Random

from ragd.errors import LogFailed
from ragd.eventlog.append import Appender, DiskFull, Draft
from ragd.eventlog.frame import Record
from ragd.eventlog.recovery import PENDING, Recovered, mark_recorded, recover
from ragd.events import FileSkipped, SegmentQuarantined, TailCut
from tests.eventlog.drafts import TS
from tests.eventlog.simulated_disk import Crash, SimulatedDisk


class Broken(Exception):
    """A promise of the log that did not hold."""


class History:
    """All runs of one log, from one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.disk = SimulatedDisk(self.rng)
        self.promised: dict[int, Record] = {}  # acknowledged, or given out by a start
        self.snapshot = 0  # a snapshot covers records up to here
        self.crashes = 0
        self.cuts = 0

    def run(self) -> None:
        for life in range(self.rng.randint(3, 5)):
            self.disk.crash_after(self.rng.randint(1, self.rng.choice((10, 25, 50))))
            self.disk.full = self.rng.choice((0.0, 0.0, 0.1))
            self.disk.failing = self.rng.choice((0.0, 0.0, 0.02))
            try:
                self._live(f"run {life}")
            except Crash:
                self.crashes += 1
                self._end(power=self.rng.random() < 0.75)
            except (LogFailed, OSError):
                self.disk.restart()
        self._end(power=True)
        self.disk.full = self.disk.failing = 0.0
        self.snapshot = 0
        found = self._start()
        self._record_incidents(self._open("last", found), found)
        self._check_repairs()

    def _end(self, power: bool) -> None:
        if power:
            self.disk.lose_power()
        else:
            self.disk.restart()

    def _live(self, run: str) -> None:
        found = self._start()
        log = self._open(run, found)
        self._record_incidents(log, found)
        while True:
            self._commit(log, self._group())
            if self.rng.random() < 0.1:
                self.snapshot = self.rng.randint(self.snapshot, max(self.promised, default=0))

    def _start(self) -> Recovered:
        seen: list[Record] = []
        found = recover(self.disk, self.snapshot, seen.append)
        self._check(seen, found)
        self.promised.update((r.seq, r) for r in seen)
        return found

    def _open(self, run: str, found: Recovered) -> Appender:
        room = self.rng.choice((600, 4_000, 40_000, 300_000))
        return Appender(self.disk, found.position, run, "ragd simulated", room)

    def _record_incidents(self, log: Appender, found: Recovered) -> None:
        if found.incidents:
            self.cuts += len(found.incidents)
            drafts = [Draft(TS, "daemon", None, incident) for incident in found.incidents]
            while not self._commit(log, drafts):
                pass
            mark_recorded(self.disk, found.incidents)

    def _group(self) -> list[Draft]:
        count = self.rng.choice((1, 1, 2, 5, 30))
        size = self.rng.choice((20, 20, 300, 6_000)) if count < 30 else self.rng.choice((20, 4_000))
        name = f"{self.rng.getrandbits(64):x} "
        return [
            Draft(TS, "actor", None, FileSkipped(path=f"{name}{i}".ljust(size, "."), reason="test"))
            for i in range(count)
        ]

    def _commit(self, log: Appender, group: list[Draft]) -> bool:
        """Whether the group was acknowledged. On a full disk it tries again or gives up."""
        while True:
            try:
                records = log.commit(group)
            except DiskFull:
                if self.rng.random() < 0.5:
                    return False
            else:
                self.promised.update((r.seq, r) for r in records)
                return True

    def _check(self, seen: list[Record], found: Recovered) -> None:
        for incident in found.incidents:
            if isinstance(incident, SegmentQuarantined):
                raise Broken(f"false alarm: {incident}")
        expected = list(range(self.snapshot + 1, found.position.next_seq))
        if [r.seq for r in seen] != expected:
            raise Broken(f"records {[r.seq for r in seen]} instead of {expected}")
        by_seq = {r.seq: r for r in seen}
        for seq, promised in self.promised.items():
            if seq > self.snapshot and by_seq.get(seq) != promised:
                raise Broken(
                    f"acknowledged record {seq} is {'changed' if seq in by_seq else 'gone'}"
                )

    def _check_repairs(self) -> None:
        """Each repair is in the log once, and nothing is left to be recorded."""
        recorded = [r.event.kept_as for r in self.promised.values() if isinstance(r.event, TailCut)]
        if len(recorded) != len(set(recorded)):
            raise Broken(f"recorded twice: {recorded}")
        kept = [name for name in self.disk.names() if name.startswith("aside/")]
        for name in kept:
            if name.endswith(PENDING) or name not in recorded:
                raise Broken(f"never recorded: {name}")


def failures(seeds: range, enough: int = 5) -> list[str]:
    """The failures by seed; it stops after a few."""
    found: list[str] = []
    for seed in seeds:
        if len(found) == enough:
            break
        try:
            History(seed).run()
        except Exception as why:
            found.append(f"seed {seed}: {type(why).__name__}: {why}")
    return found
