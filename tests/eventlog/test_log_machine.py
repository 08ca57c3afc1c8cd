"""A state machine of random operations on the log, compared with a plain list."""

from contextlib import suppress
from itertools import pairwise
from random import Random

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ragd.eventlog.append import Appender, DiskFull, Draft
from ragd.eventlog.frame import Record
from ragd.eventlog.recovery import mark_recorded, recover
from ragd.eventlog.segment import first_seq_of, segment_names
from ragd.events import (
    BatchStored,
    Event,
    FileChange,
    FilesChanged,
    FileSkipped,
    JobFinished,
    JobRequested,
    SegmentQuarantined,
    StoredFile,
    VaultScanned,
)
from ragd.folds import State, apply, decode_state, encode_state
from tests.eventlog.drafts import TS
from tests.eventlog.simulated_disk import Crash, SimulatedDisk


def about(path: str) -> list[Event]:
    """What may be said of one note: facts that change every fold, some in parts, some large."""
    file = StoredFile(path, "a" * 64, 1, 1, chunks=2, embedded=1)
    other = StoredFile(path, "b" * 64, 2, 1, chunks=3, embedded=0)
    return [
        FilesChanged(changes=[FileChange(path, "modified")]),
        FilesChanged(changes=[FileChange(path, "added")], part=0, last=False),
        FilesChanged(changes=[FileChange(path, "deleted")], part=1, last=True),
        BatchStored(job_id="j", files=[file], removed=[], table_version=1),
        BatchStored(job_id="j", files=[other], removed=[], table_version=2),
        BatchStored(job_id="j", files=[], removed=[path], table_version=3),
        FileSkipped(path=path * 200, reason="large"),
        VaultScanned(files=1, changed=0, removed=0),
        JobRequested(job_id=path, mode="sync"),
        JobFinished(
            job_id=path,
            mode="sync",
            outcome="complete",
            indexed_files=1,
            removed_files=0,
            total_chunks=1,
            duration_ms=1,
        ),
    ]


EVENTS = [event for i in range(4) for event in about(f"note {i}.md")]
groups = st.lists(st.integers(0, len(EVENTS) - 1), min_size=1, max_size=6)


def drafts(numbers: list[int]) -> list[Draft]:
    return [Draft(TS, "actor", None, EVENTS[number]) for number in numbers]


def fold(records: list[Record]) -> State:
    state = State()
    for record in records:
        apply(state, record)
    return state


class LogMachine(RuleBasedStateMachine):
    """`model` is the list of all records that were promised; `state` is their fold, as it grew."""

    def __init__(self) -> None:
        super().__init__()
        self.disk = SimulatedDisk()
        self.model: list[Record] = []
        self.snapshots = [encode_state(State())]
        self.log: Appender | None = None
        self.runs = 0

    @initialize(seed=st.integers(0, 2**32))
    def begin(self, seed: int) -> None:
        self.disk.rng = Random(seed)
        self.reopen(snapshot=0, room=10_000)

    is_open = precondition(lambda self: self.log is not None)
    is_shut = precondition(lambda self: self.log is None)

    @is_open
    @rule(events=groups)
    def commit(self, events: list[int]) -> None:
        assert self.log is not None
        self._promise(self.log.commit(drafts(events)))

    @is_open
    @rule(events=groups)
    def find_the_disk_full_and_give_up(self, events: list[int]) -> None:
        assert self.log is not None
        self.disk.full = 1.0
        try:
            self.log.commit(drafts(events))
            raise AssertionError("there was room")
        except DiskFull:
            self.disk.full = 0.0

    @is_open
    @rule()
    def rotate(self) -> None:
        """The next group begins a segment."""
        assert self.log is not None
        self.log.segment_max_bytes, kept = 0, self.log.segment_max_bytes
        records = self.log.commit(drafts([0]))
        self.log.segment_max_bytes = kept
        self._promise(records)
        assert first_seq_of(segment_names(self.disk)[-1]) == records[0].seq

    @is_open
    @rule()
    def snapshot(self) -> None:
        self.snapshots = [*self.snapshots, encode_state(self.state)][-2:]

    @is_open
    @rule()
    def drop_what_both_snapshots_cover(self) -> None:
        covered = decode_state(self.snapshots[0]).seq
        names = segment_names(self.disk)
        for name, following in pairwise(names):
            if first_seq_of(following) <= covered + 1:
                self.disk.rename(name, "")

    @is_open
    @rule(events=groups, steps=st.integers(1, 8), power=st.booleans())
    def crash_while_committing(self, events: list[int], steps: int, power: bool) -> None:
        assert self.log is not None
        self.disk.crash_after(steps)
        with suppress(Crash):
            self.commit(events)
        self._crash(power)

    @is_open
    @rule(power=st.booleans())
    def crash(self, power: bool) -> None:
        self._crash(power)

    @is_open
    @rule()
    def stop(self) -> None:
        assert self.log is not None
        self.log.close()
        self.log = None

    @is_shut
    @rule(steps=st.integers(1, 12), power=st.booleans(), snapshot=st.integers(0, 1))
    def crash_while_opening(self, steps: int, power: bool, snapshot: int) -> None:
        self.disk.crash_after(steps)
        with suppress(Crash):
            self.reopen(snapshot, 10_000)
        self._crash(power)

    @is_shut
    @rule(snapshot=st.integers(0, 1), room=st.sampled_from([600, 3_000, 10_000]))
    def reopen(self, snapshot: int, room: int) -> None:
        """Whichever snapshot is used, what is found is the model and its fold."""
        state = decode_state(self.snapshots[-1 - snapshot % len(self.snapshots)])
        begun, found = state.seq, []

        def take(record: Record) -> None:
            found.append(record)
            apply(state, record)

        recovered = recover(self.disk, begun, take)
        kept = [r for r in self.model if r.seq > begun]
        assert found[: len(kept)] == kept, "a promised record is gone or changed"
        assert [r.seq for r in found] == list(range(begun + 1, recovered.position.next_seq))
        assert not any(isinstance(i, SegmentQuarantined) for i in recovered.incidents)
        self.model += found[len(kept) :]
        self.state = state
        self.runs += 1
        self.log = Appender(self.disk, recovered.position, f"run {self.runs}", "ragd", room)
        if recovered.incidents:
            self._promise(
                self.log.commit([Draft(TS, "daemon", None, i) for i in recovered.incidents])
            )
            mark_recorded(self.disk, recovered.incidents)

    def _promise(self, records: list[Record]) -> None:
        for record in records:
            self.model.append(record)
            apply(self.state, record)

    def _crash(self, power: bool) -> None:
        self.log = None
        if power:
            self.disk.lose_power()
        else:
            self.disk.restart()

    @invariant()
    def seqs_have_no_gaps(self) -> None:
        assert [r.seq for r in self.model] == list(range(1, len(self.model) + 1))

    @is_open
    @invariant()
    def state_is_the_fold_of_all_records(self) -> None:
        assert encode_state(self.state) == encode_state(fold(self.model))


LogMachine.TestCase.settings = settings(
    max_examples=120,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)

TestTheLogAgainstAPlainList = LogMachine.TestCase
