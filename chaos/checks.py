"""What must hold for a log after kills, crashes and damage.

It reads the files as the format is described (ragd/eventlog/__init__.py) with a reader of its own,
so that a bug in ragd's reader cannot hide one in its writer. It never changes anything.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

from chaos.appender import Stumble, digest, state_hash
from chaos.harness import Child, require
from ragd.eventlog.snapshot import KEPT, read_snapshot, snapshot_files
from ragd.folds.sync_result import SyncResult
from ragd.paths import Home
from ragd.state.replay import replay, verify

PAGE = 4096
LINE_MAX = 65_536


class Line(NamedTuple):
    """One record as it is in its file."""

    seq: int
    d: int
    segment: str
    offset: int
    body: bytes
    fields: dict[str, Any]
    digest: str

    @property
    def fact(self) -> dict[str, Any]:
        event: dict[str, Any] = self.fields["event"]
        return event


class Tail(NamedTuple):
    """Bytes after the last complete record of a log: a group that was never acknowledged."""

    segment: str
    offset: int
    data: bytes


class Reading(NamedTuple):
    """The contents of a log's files."""

    lines: list[Line]
    tail: Tail | None
    oldest: int

    @property
    def last(self) -> int:
        return self.lines[-1].seq if self.lines else self.oldest - 1

    def of(self, *types: str) -> list[Line]:
        return [line for line in self.lines if line.fact["type"] in types]


def read(events: Path) -> Reading:
    """Read all segments in order. Only the last one may end with invalid bytes."""
    names = sorted(p.name for p in events.glob("*.ndjson"))
    lines: list[Line] = []
    tail: Tail | None = None
    for name in names:
        require(tail is None, f"invalid bytes before {name}: {_brief(tail)}")
        tail = _read_segment(events / name, lines)
    return Reading(lines, tail, int(names[0][:16]) if names else 1)


def _brief(tail: Tail | None) -> str:
    return f"{tail.segment} at {tail.offset}" if tail else ""


def _read_segment(path: Path, into: list[Line]) -> Tail | None:
    data = path.read_bytes()
    offset = 0
    for number, line in enumerate(data.split(b"\n")[:-1]):
        fields = _fields(line)
        if fields is None:
            break
        if number == 0:
            require(fields.get("first") == int(path.name[:16]), f"{path.name} has a wrong header")
        else:
            into.append(_line(path.name, offset, line[9:], fields))
        offset += len(line) + 1
    require(offset > 0, f"{path.name} has no header")
    return Tail(path.name, offset, data[offset:]) if offset < len(data) else None


def _line(segment: str, offset: int, body: bytes, fields: dict[str, Any]) -> Line:
    event = body[body.index(b'"event":') + 8 : -1]  # exactly the bytes of the fact
    content = digest(fields["actor"], event)
    return Line(fields["seq"], fields["d"], segment, offset, body, fields, content)


def _fields(line: bytes) -> dict[str, Any] | None:
    """The fields of a line; None if the line is not valid."""
    if len(line) >= LINE_MAX or line[:9] != b"%08x " % crc32(line[9:]):
        return None
    fields: dict[str, Any] = json.loads(line[9:])
    return fields


class Promises:
    """Everything one log has promised so far. `check` compares its files with that."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self._known: dict[int, str] = {}  # seq -> digest: acknowledged, or read after a start
        self._parts: list[tuple[int, str]] = []  # each is before this seq
        self._unrecorded: list[Tail] = []  # torn tails that are not recorded yet
        self._counted = 0  # TailCut facts up to this seq are checked
        self._lost: list[tuple[int, int]] = []  # ranges that the harness damaged
        self.expected_state = ""
        self.was_full = False  # on a full disk the bytes of a torn tail need not be kept
        self.acknowledged = 0
        self.torn = 0

    # Promises

    def record(self, child: Child) -> None:
        """Record what an appender was promised before it ended."""
        for line in child.lines:
            kind, seq, *rest = line.split()
            if kind == "A":
                self.record_fact(int(seq), rest[0])
            elif kind == "P":
                self._parts.append((int(seq), rest[0]))
                self.acknowledged += 1
            elif kind == "G":
                gap = (int(seq), int(rest[0]))
                require(gap in self._lost, f"a follower did not receive {gap}")

    def record_fact(self, seq: int, content: str) -> None:
        """A fact was acknowledged with this seq."""
        self.acknowledged += 1
        require(self._known.get(seq, content) == content, f"seq {seq} was used twice")
        self._known[seq] = content

    def record_damage(self, first: int, last: int) -> None:
        """The harness destroyed these records: they may be gone, but their seqs are not reused."""
        self._lost.append((first, last))

    # Files

    def check(self) -> Reading:
        """Every promised fact is in the log once and in order, and the log holds no other."""
        reading = read(Path(self.home.events))
        self._check_order(reading)
        self._check_promises(reading)
        _check_no_repeats(reading)
        _check_runs(reading)
        _check_actors(reading)
        self._check_incidents(reading)
        self._check_folds(reading)
        self._check_sync_result(reading)
        if reading.tail is not None and reading.tail not in self._unrecorded:
            self.torn += 1
            self._unrecorded.append(reading.tail)
        self._known = {line.seq: line.digest for line in reading.lines}
        self._parts = []
        return reading

    def _check_order(self, reading: Reading) -> None:
        expected = reading.oldest
        for line in reading.lines:
            if line.seq != expected and (expected, line.seq - 1) in self._lost:
                expected = line.seq
            require(line.seq == expected, f"seq {line.seq} in place of {expected}")
            require(line.d < line.seq, f"seq {line.seq} calls {line.d} durable")
            expected += 1
        for first, last in self._lost:
            again = [line.seq for line in reading.lines if first <= line.seq <= last]
            require(not again, f"seqs {again} were used again after a quarantine")

    def _check_promises(self, reading: Reading) -> None:
        there = {line.seq: line.digest for line in reading.lines}
        for seq, content in self._known.items():
            if seq < reading.oldest or self._is_lost(seq):
                continue
            require(
                seq in there, f"the acknowledged seq {seq} is gone; the log ends at {reading.last}"
            )
            require(there[seq] == content, f"the acknowledged seq {seq} has another content now")
        contents = set(there.values())
        for seq, content in self._parts:
            absent = content not in contents and seq >= reading.oldest and not self._is_lost(seq)
            require(not absent, f"a part of the acknowledged fact {seq} is gone")

    def _is_lost(self, seq: int) -> bool:
        return any(first <= seq <= last for first, last in self._lost)

    def _check_incidents(self, reading: Reading) -> None:
        """Every torn tail is recorded once and its bytes are kept; there are no other incidents."""
        for line in reading.of("tail_cut"):
            if line.seq <= self._counted:
                continue
            cut = next((t for t in self._unrecorded if self._is_record_of(line.fact, t)), None)
            require(cut is not None, f"seq {line.seq} records a torn tail that never was")
            assert cut is not None
            self._unrecorded.remove(cut)
            self._check_kept(line.fact["kept_as"], cut)
        self._counted = max(self._counted, reading.last)
        recorded = [
            (line.fact["first_seq"], line.fact["last_seq"])
            for line in reading.of("segment_quarantined")
        ]
        false_alarms = [r for r in recorded if r not in self._lost]
        require(not false_alarms, f"records are called lost but are not: {false_alarms}")
        require(len(set(recorded)) == len(recorded), f"a loss was recorded twice: {recorded}")

    def _is_record_of(self, fact: dict[str, Any], tail: Tail) -> bool:
        sizes = (len(tail.data), 0) if self.was_full else (len(tail.data),)
        place = (fact["segment"], fact["offset"]) == (tail.segment, tail.offset)
        return place and fact["size_bytes"] in sizes

    def _check_kept(self, name: str, cut: Tail) -> None:
        for kept in (name, f"{name}.pending"):
            path = Path(self.home.events) / kept
            if path.exists():
                data = path.read_bytes()
                kept_none = self.was_full and not data
                require(kept_none or data == cut.data, f"{kept} does not hold what was cut off")
                return
        require(False, f"the torn tail's bytes are not kept as {name}")

    def _check_folds(self, reading: Reading) -> None:
        """The snapshots equal the folded records, and cover what retention dropped."""
        events, snapshots = Path(self.home.events), Path(self.home.snapshots)
        if reading.oldest > 1 and not self._lost:
            whole = [s for s in map(read_snapshot, snapshot_files(snapshots)) if s is not None]
            covering = [s.seq for s in whole if s.seq >= reading.oldest - 1]
            require(len(covering) >= KEPT, f"dropped up to {reading.oldest}, snapshots {covering}")
        said = verify(events, snapshots, Path(self.home.sync_result))
        wrong = [sentence for sentence in said if not self._is_accounted_for(sentence, reading)]
        require(not wrong, f"verify: {'; '.join(wrong)}")

    def _is_accounted_for(self, sentence: str, reading: Reading) -> bool:
        """A tail that the next start will cut, or a range that the harness destroyed. After a
        kill sync-result.json may be out of date; `_check_sync_result` checks it."""
        expected = [f"missing, up to {last}" for _, last in self._lost]
        if reading.tail is not None:
            expected.append(f"torn at {reading.last + 1}")
        return sentence.startswith("sync-result.json") or sentence.endswith(tuple(expected))

    def _check_sync_result(self, reading: Reading) -> None:
        """It is never incomplete and never ahead of the log."""
        try:
            data = Path(self.home.sync_result).read_bytes()
        except FileNotFoundError:
            return
        result = sync_result_in(data)
        end = max([reading.last, *(last for _, last in self._lost)])
        require(result.seq <= end, f"sync-result.json is at {result.seq}, the log ends at {end}")

    # After a start

    def check_recovered(self, child: Child, reading: Reading) -> None:
        """The state an appender recovered equals the fold of the whole log."""
        opened = [line.split() for line in child.lines if line.startswith("R ")]
        if not opened:
            return
        _, seq, found = opened[0]
        require(int(seq) == reading.last, f"recovered up to {seq} of {reading.last}")
        require(found == self.expected_state, f"the state recovered at {seq} is not the fold")

    def remember_state(self) -> None:
        """Fold the log from scratch, to compare with the state after the next start."""
        self.expected_state = self.state_from_scratch()

    def state_from_scratch(self) -> str:
        events, snapshots = Path(self.home.events), Path(self.home.snapshots)
        return state_hash(replay(events, snapshots, from_scratch=True).state)

    def check_settled(self) -> None:
        """After a clean run all repairs and losses are recorded, and no temporary file is left."""
        reading = self.check()
        require(reading.tail is None, "a clean stop left a torn tail")
        require(
            not self._unrecorded,
            f"torn tails were never recorded: {list(map(_brief, self._unrecorded))}",
        )
        said = {
            (line.fact["first_seq"], line.fact["last_seq"])
            for line in reading.of("segment_quarantined")
        }
        silent = [lost for lost in self._lost if lost[0] >= reading.oldest and lost not in said]
        require(not silent, f"lost without a record: {silent}")
        litter = [
            p.name
            for p in _files_in(Path(self.home.events), Path(self.home.snapshots))
            if p.name.endswith((".tmp", ".pending"))
        ]
        require(not litter, f"left behind: {litter}")


def _files_in(*folders: Path) -> Iterable[Path]:
    for folder in folders:
        yield from folder.rglob("*")


def _check_no_repeats(reading: Reading) -> None:
    """The same fact of the same run in the same microsecond is a fact written twice."""
    seen: dict[tuple[str, str, str], int] = {}
    for line in reading.lines:
        key = (line.fields["run"], line.fields["ts"], line.digest)
        require(key not in seen, f"seq {line.seq} repeats {seen.get(key)}")
        seen[key] = line.seq


def _check_runs(reading: Reading) -> None:
    """Every run records how the previous one ended, and appends nothing after its own end."""
    previous = "none" if reading.oldest == 1 else None
    ended: set[str] = set()
    for line in reading.lines:
        run = line.fields["run"]
        require(run not in ended, f"seq {line.seq} comes after the end of its run")
        if line.fact["type"] == "daemon_started":
            said = line.fact["previous_stop"]
            require(
                previous in (None, said),
                f"seq {line.seq}: {said}, but the run before ended as {previous}",
            )
            previous = "crash"
        elif line.fact["type"] == "daemon_stopped":
            ended.add(run)
            previous = "clean"


def _check_actors(reading: Reading) -> None:
    """No actor crashed, except by a Stumble of the harness."""
    for line in reading.of("actor_crashed"):
        name, exception, location = (line.fact[k] for k in ("name", "exception", "location"))
        require(exception == Stumble.__name__, f"{name} crashed: {exception} at {location}")


def sync_result_in(data: bytes) -> SyncResult:
    """Decode sync-result.json. Raises Broken if it is incomplete."""
    try:
        return msgspec.json.decode(data, type=SyncResult)
    except msgspec.DecodeError as why:
        require(False, f"sync-result.json is incomplete: {why} in {data[:200]!r}")
        raise
