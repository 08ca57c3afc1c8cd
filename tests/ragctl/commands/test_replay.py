"""`ragctl replay`: the state at any past moment, from files alone."""

import json
import shutil
from pathlib import Path

import msgspec
import pytest
from msgspec import Raw

from ragd.eventlog.frame import FORMAT, Record, SegmentHeader, encode, encode_header
from ragd.eventlog.segment import segment_name
from ragd.eventlog.snapshot import Snapshot, write_snapshot
from ragd.events import (
    BatchStored,
    DaemonStarted,
    DaemonStopped,
    DependencyLost,
    Event,
    FilesChanged,
    IndexActivated,
    JobFinished,
    JobStarted,
    StoredFile,
)
from ragd.folds import FOLDS_VERSION, State, apply, encode_state
from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl

STARTED = DaemonStarted(version="0.1.0", config_hash="c", previous_stop="none")
FILE = StoredFile(path="a.md", sha256="s", mtime_ns=1, size=1, chunks=3, embedded=3)
STORY: list[Event] = [
    STARTED,
    IndexActivated(generation="g1", provider="embedded", model="small", dimensions=384),
    JobStarted(job_id="j1", mode="full", files_planned=1, files_removed=0),
    BatchStored(job_id="j1", files=[FILE], removed=[], table_version=1),
    JobFinished(
        job_id="j1",
        mode="full",
        outcome="complete",
        indexed_files=1,
        removed_files=0,
        total_chunks=3,
        duration_ms=9,
    ),
    DependencyLost(dependency="index", code="INDEX_CORRUPTED"),
    FilesChanged(changes=[]),
    DaemonStopped(reason="requested"),
]


def records() -> list[Record]:
    return [
        Record(seq, seq - 1, f"2026-11-15T14:{seq:02}:00.000000Z", "01RUN", "daemon", None, fact)
        for seq, fact in enumerate(STORY, 1)
    ]


def write_segment(events: Path, first: int, facts: list[Record], min_reader: int = 1) -> Path:
    events.mkdir(exist_ok=True)
    header = encode_header(SegmentHeader(FORMAT, min_reader, "ragd test", first))
    path = events / segment_name(first)
    path.write_bytes(header + b"".join(encode(fact) for fact in facts))
    return path


def fold(until: int) -> State:
    state = State()
    for record in records()[:until]:
        apply(state, record)
    return state


def snapshot_at(home: Home, seq: int) -> None:
    state = Raw(encode_state(fold(seq)))
    ts = records()[seq - 1].ts
    write_snapshot(Path(home.snapshots), Snapshot(FOLDS_VERSION, seq, ts, "ragd test", state))


@pytest.fixture
def segment(home: Home) -> Path:
    """A complete log, and the sync-result.json that belongs to it."""
    result = msgspec.json.encode(fold(len(STORY)).sync_result)
    Path(home.sync_result).write_bytes(result)
    return write_segment(Path(home.events), 1, records())


@pytest.fixture
def shortened(home: Home) -> None:
    """A log without its first part, which retention has dropped; snapshots replace it."""
    write_segment(Path(home.events), 4, records()[3:])
    snapshot_at(home, 5)
    snapshot_at(home, 6)


def test_the_end_of_the_log_is_shown_by_default(ragctl: Ragctl, segment: Path) -> None:
    result = ragctl("replay")
    assert result.code == 0 and result.err == ""
    assert result.lines[0].startswith("after fact 8  ")
    assert result.lines[1] == "folded from 8 facts; the log ends here"
    assert "✗ unavailable" in result.lines
    assert "1 note, 3 passages" in result.out and "full complete" in result.out
    assert "small (384 dimensions, embedded)" in result.out
    assert "01RUN (ragd 0.1.0), started 2026-11-1" in result.out


def test_a_moment_by_its_number(ragctl: Ragctl, segment: Path) -> None:
    said = ragctl("replay", "--until", "3", "--json").json
    assert (said["seq"], said["ts"], said["end"]) == (3, "2026-11-15T14:03:00.000000Z", False)
    assert said["catalog"]["total_docs"] == 0
    assert [job["id"] for job in said["jobs"]["open"]] == ["j1"]
    said = ragctl("replay", "--until", "6", "--json").json
    assert said["health"] == {
        "state": "unavailable",
        "reasons": [
            {
                "code": "INDEX_CORRUPTED",
                "state": "unavailable",
                "since": "2026-11-15T14:06:00.000000Z",
                "seq": 6,
            }
        ],
    }
    assert said["sync_result"]["outcome"] == "complete" and said["run"]["stopped_at"] is None


def test_a_moment_by_its_time(ragctl: Ragctl, segment: Path) -> None:
    assert ragctl("replay", "--at", "2026-11-15T14:04:30Z", "--json").json["seq"] == 4
    assert ragctl("replay", "--at", "2026-11-15T14:04:00Z", "--json").json["seq"] == 4
    assert ragctl("replay", "--at", "2030-01-01", "--json").json["end"] is True


def test_before_the_first_fact_there_is_nothing(ragctl: Ragctl, segment: Path) -> None:
    result = ragctl("replay", "--at", "2020-01-01")
    assert result.code == 0 and result.lines[0] == "before the first fact"


def test_older_than_retention_is_refused_with_the_oldest_number(
    ragctl: Ragctl, shortened: None
) -> None:
    for moment in (("--until", "4"), ("--at", "2026-11-15T14:03:00Z")):
        result = ragctl("replay", *moment)
        assert result.code == 1 and result.out == ""
        assert "the oldest seq that can be replayed is 5." in result.err
    said = ragctl("replay", "--until", "5", "--json").json
    assert (said["seq"], said["from_snapshot"], said["records"]) == (5, 5, 0)
    assert "on top of the snapshot at 6" in ragctl("replay").out


def test_a_copied_home_or_a_folder_of_segments_works(
    ragctl: Ragctl, segment: Path, short: Path, home: Home
) -> None:
    shutil.move(home.root, short / "copy")
    assert ragctl("replay", "--json", "--from", str(short / "copy")).json["seq"] == 8
    (short / "bare").mkdir()
    shutil.move(short / "copy/events" / segment.name, short / "bare" / segment.name)
    bare = str(short / "bare")
    assert ragctl("replay", "--json", "--from", bare).json["seq"] == 8
    assert ragctl("replay", "--verify", "--from", bare).code == 0


def test_a_missing_log_is_a_sentence(ragctl: Ragctl, short: Path) -> None:
    result = ragctl("replay")
    assert result.code == 1 and "There is no event log in" in result.err
    result = ragctl("replay", "--from", str(short / "nowhere"))
    assert result.code == 1 and "There is no folder" in result.err


def test_a_log_of_a_newer_version_is_exit_78(ragctl: Ragctl, home: Home) -> None:
    write_segment(Path(home.events), 1, records(), min_reader=99)
    for argv in ((), ("--verify",)):
        result = ragctl("replay", *argv)
        assert result.code == 78 and "newer version" in result.err


def test_damage_is_reported(ragctl: Ragctl, segment: Path) -> None:
    data = bytearray(segment.read_bytes())
    data[data.index(b'"seq":4')] ^= 1
    segment.write_bytes(data)
    result = ragctl("replay")
    assert "damage found in the log" in result.out and "damaged at 4" in result.out
    assert ragctl("replay", "--json").json["damage"]


def test_verify_finds_no_difference(ragctl: Ragctl, segment: Path, home: Home) -> None:
    snapshot_at(home, 5)
    result = ragctl("replay", "--verify")
    assert result == (0, "Log and disk agree.\n", "")
    assert ragctl("replay", "--verify", "--json").json == {
        "equal": True,
        "differences": [],
        "daemon_running": False,
    }


def test_verify_lists_each_difference(ragctl: Ragctl, segment: Path, home: Home) -> None:
    path = Path(home.sync_result)
    path.write_text(json.dumps({**json.loads(path.read_text()), "total_docs": 99}))
    result = ragctl("replay", "--verify")
    assert result.code == 1 and result.err == ""
    assert "  sync-result.json: total_docs: on disk 99, folded 1" in result.lines


def test_a_difference_while_a_daemon_writes_may_be_temporary(
    ragctl: Ragctl, segment: Path, home: Home, fake: FakeDaemon
) -> None:
    Path(home.sync_result).unlink()
    result = ragctl("replay", "--verify")
    assert result.code == 1
    assert "may be a moment behind the log" in result.err
