"""The writing end: drafts in, durable records out. Synchronous; the journal calls it in a thread.

It never reports a record before its fdatasync returned, never syncs a handle again on which a sync
failed, and takes back what a full disk left half-written.
"""

from collections.abc import Sequence

from msgspec import Struct

from ragd.errors import LogFailed
from ragd.eventlog.disk import AppendFile, Disk, log_failed
from ragd.eventlog.frame import FORMAT, MIN_READER, Header, Record, encode, encode_header
from ragd.eventlog.recovery import Position
from ragd.eventlog.segment import segment_name
from ragd.events import Event
from ragd.runtime import crash_points
from ragd.runtime.crash_points import crashpoint
from ragd.runtime.durable_files import is_disk_full

SEGMENT_MAX_BYTES = 8 * 1024 * 1024


class DiskFull(Exception):
    """There is no room. What was half-written is taken back; the same drafts may be tried again."""


class Draft(Struct, frozen=True):
    """A fact that has no place in the log yet."""

    ts: str
    actor: str
    cause: int | None
    event: Event


class Appender:
    """Owns the open segment. One thread at a time."""

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
        self._segment_max_bytes = segment_max_bytes
        self._size = position.size
        self._next_seq = position.next_seq
        self._file: AppendFile | None = None
        self._dead = False
        if position.segment:
            self._file = disk.append_to(position.segment)

    @property
    def durable(self) -> int:
        """The highest seq that is safe."""
        return self._next_seq - 1

    def commit(self, drafts: Sequence[Draft]) -> list[Record]:
        """Write the drafts as one group and make them durable. All or none."""
        assert drafts and not self._dead
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
        self._next_seq += len(records)
        return records

    def close(self) -> None:
        """Let the segment go. Everything reported is durable already."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _segment_with_room_for(self, needed: int) -> AppendFile:
        if self._file is not None and self._size + needed <= self._segment_max_bytes:
            return self._file
        name = segment_name(self._next_seq)
        header = encode_header(Header(FORMAT, MIN_READER, self._created_by, self._next_seq))
        try:
            self._disk.create(name, header)
            file = self._disk.append_to(name)
        except OSError as why:
            raise self._verdict(why) from why
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
            verdict = self._verdict(why)
            if isinstance(verdict, DiskFull):
                self._take_back(file)
            raise verdict from why

    def _take_back(self, file: AppendFile) -> None:
        """Durably: if a crash undid it, the next segment could follow bytes that look good."""
        try:
            crashpoint("log.before_take_back")
            file.truncate(self._size)
            crashpoint("log.after_take_back")
            file.sync()
        except OSError as why:
            raise self._give_up(why) from why

    def _sync(self, file: AppendFile) -> None:
        try:
            file.sync()
        except OSError as why:
            # The kernel may have dropped the pages: a second sync could succeed without them.
            raise self._give_up(why) from why

    def _verdict(self, why: OSError) -> Exception:
        return DiskFull() if is_disk_full(why) else self._give_up(why)

    def _give_up(self, why: OSError) -> LogFailed:
        self._dead = True
        return log_failed(why)
