"""Writes drafts as durable records. Synchronous: the journal calls it in its writer thread.

It never reports a record before its fdatasync returned, and never syncs a file again after a sync
failed. What a full disk left half-written is removed.
"""

from collections.abc import Sequence

from msgspec import Struct

from ragd.errors import LogFailed
from ragd.eventlog.disk import AppendFile, Disk, log_failed
from ragd.eventlog.frame import FORMAT, MIN_READER, Record, SegmentHeader, encode, encode_header
from ragd.eventlog.recovery import Position
from ragd.eventlog.segment import segment_name
from ragd.events import Event
from ragd.runtime import crash_points
from ragd.runtime.crash_points import crashpoint
from ragd.runtime.durable_files import is_disk_full

SEGMENT_MAX_BYTES = 8 * 1024 * 1024


class DiskFull(Exception):
    """The disk is full. Nothing of the group is left in the file, so it can be written again."""


class Draft(Struct, frozen=True):
    """A fact that has no seq yet."""

    ts: str
    actor: str
    cause: int | None
    event: Event


class Appender:
    """Owns the open segment. Only one thread may use it at a time."""

    def __init__(
        self,
        disk: Disk,
        position: Position,
        run: str,
        created_by: str,
        segment_max_bytes: int = SEGMENT_MAX_BYTES,
    ) -> None:
        self._disk = disk
        self._run = run
        self._created_by = created_by
        self.segment_max_bytes = segment_max_bytes
        self._size = position.size
        self._next_seq = position.next_seq
        self._file: AppendFile | None = None
        self._failed = False
        self.written_bytes = 0  # of all records so far
        if position.segment:
            self._file = disk.append_to(position.segment)

    @property
    def durable(self) -> int:
        """The highest seq that is durable."""
        return self._next_seq - 1

    def commit(self, drafts: Sequence[Draft]) -> list[Record]:
        """Write the drafts as one group and make them durable. All or none."""
        assert drafts and not self._failed
        records = [
            Record(self._next_seq + i, self.durable, d.ts, self._run, d.actor, d.cause, d.event)
            for i, d in enumerate(drafts)
        ]
        data = b"".join(map(encode, records))
        file = self._segment_with_room_for(len(data))
        crashpoint("log.before_write")
        self._write(file, data)
        crashpoint("log.after_write")
        self._sync(file)
        crashpoint("log.after_sync")
        self._size += len(data)
        self.written_bytes += len(data)
        self._next_seq += len(records)
        return records

    def close(self) -> None:
        """Close the segment. Everything reported is durable already."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _segment_with_room_for(self, needed: int) -> AppendFile:
        if self._file is not None and self._size + needed <= self.segment_max_bytes:
            return self._file
        name = segment_name(self._next_seq)
        header = encode_header(SegmentHeader(FORMAT, MIN_READER, self._created_by, self._next_seq))
        try:
            self._disk.create(name, header)
            file = self._disk.append_to(name)
        except OSError as why:
            raise self._classify(why) from why
        self.close()
        self._file, self._size = file, len(header)
        return file

    def _write(self, file: AppendFile, data: bytes) -> None:
        try:
            if crash_points.is_due("log.mid_write"):
                file.write(data[: len(data) // 2])
                crash_points.die()
            file.write(data)
        except OSError as why:
            failure = self._classify(why)
            if isinstance(failure, DiskFull):
                self._undo_write(file)
            raise failure from why

    def _undo_write(self, file: AppendFile) -> None:
        """Cut off a half-written group, durably: no later segment may follow it."""
        try:
            crashpoint("log.before_take_back")
            file.truncate(self._size)
            crashpoint("log.after_take_back")
            file.sync()
        except OSError as why:
            raise self._fail(why) from why

    def _sync(self, file: AppendFile) -> None:
        try:
            file.sync()
        except OSError as why:
            # The kernel may have dropped the pages: a second sync could succeed without them.
            raise self._fail(why) from why

    def _classify(self, why: OSError) -> Exception:
        return DiskFull() if is_disk_full(why) else self._fail(why)

    def _fail(self, why: OSError) -> LogFailed:
        self._failed = True
        return log_failed(why)
