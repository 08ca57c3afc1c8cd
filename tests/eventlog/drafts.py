"""Facts and logs for tests, in short form."""

from collections.abc import Sequence

from ragd.eventlog.append import SEGMENT_MAX_BYTES, Appender, Draft
from ragd.eventlog.disk import Disk
from ragd.eventlog.frame import Record
from ragd.eventlog.recovery import Position, Recovered, mark_recorded, recover
from ragd.eventlog.segment import segment_name, segment_names
from ragd.events import Event, FileSkipped
from tests.eventlog.simulated_disk import SimulatedDisk

TS = "2026-01-02T03:04:05.678901Z"
EMPTY = Position("", 0, 1)


def draft(text: str = "x", event: Event | None = None, actor: str = "batcher") -> Draft:
    return Draft(TS, actor, None, event or FileSkipped(path=text, reason="test"))


def record(seq: int, d: int = 0, event: Event | None = None, run: str = "run") -> Record:
    made = event or FileSkipped(path=f"note {seq}.md", reason="test")
    return Record(seq, d, TS, run, "batcher", None, made)


def appender(
    disk: Disk, position: Position = EMPTY, segment_max_bytes: int = SEGMENT_MAX_BYTES
) -> Appender:
    return Appender(disk, position, "run", "ragd test", segment_max_bytes)


def write_groups(
    disk: Disk, sizes: Sequence[int], segment_max_bytes: int = SEGMENT_MAX_BYTES
) -> list[Record]:
    """Write a log of groups with these numbers of records, each in its own commit."""
    log = appender(disk, segment_max_bytes=segment_max_bytes)
    written: list[Record] = []
    for size in sizes:
        written += log.commit([draft(f"note {len(written) + i + 1}.md") for i in range(size)])
    log.close()
    return written


def old_log() -> SimulatedDisk:
    """Thirty records in segments of ten."""
    disk = SimulatedDisk()
    write_groups(disk, [5] * 6, segment_max_bytes=2_000)
    assert segment_names(disk) == [segment_name(n) for n in (1, 11, 21)]
    return disk


def reopen(disk: Disk, after: int = 0) -> tuple[list[Record], Recovered]:
    """Open the log as a start does."""
    records: list[Record] = []
    return records, recover(disk, after, records.append)


def record_incidents(disk: Disk, found: Recovered) -> list[Record]:
    """Record the repairs, as the daemon does."""
    log = appender(disk, found.position)
    records = log.commit([draft(event=incident) for incident in found.incidents])
    mark_recorded(disk, found.incidents)
    log.close()
    return records
