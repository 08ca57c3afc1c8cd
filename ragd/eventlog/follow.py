"""Reading on from a seq: recent records from memory, older ones from disk, new ones as they come.

A follower reads at its own pace and is never waited for. It sees every durable record behind its
starting point, in order, once.
"""

from collections.abc import Sequence

from ragd.eventlog.disk import Disk
from ragd.eventlog.frame import NotARecord, Record, decode
from ragd.eventlog.scan import first_seq_of, segment_names

RECENT_MAX = 1024
READ_BYTES = 1024 * 1024


class TooOld(Exception):
    """The records asked for are past retention; `oldest` is the first that is still there."""

    def __init__(self, oldest: int) -> None:
        self.oldest = oldest
        super().__init__(f"the log begins at {oldest}")


class Recent:
    """The last few thousand records, in memory."""

    def __init__(self) -> None:
        self._records: list[Record] = []

    def extend(self, records: Sequence[Record]) -> None:
        if self._records and records[0].seq != self._records[-1].seq + 1:
            self._records.clear()
        self._records.extend(records)
        if len(self._records) > 2 * RECENT_MAX:  # halve now and then, not at every record
            del self._records[:-RECENT_MAX]

    def behind(self, after: int, limit: int) -> Sequence[Record] | None:
        """Up to `limit` records behind `after`, or None if memory does not reach back that far."""
        if not self._records or self._records[0].seq > after + 1:
            return None
        start = after + 1 - self._records[0].seq
        return self._records[start : start + limit]


class DiskReader:
    """A position in the segments, for a follower whom memory has left behind. Synchronous."""

    def __init__(self, disk: Disk, after: int) -> None:
        self._disk = disk
        self._after = after
        self._segment = ""
        self._offset = 0

    def read(self, until: int) -> list[Record]:
        """The next records, at most up to `until`; empty when there are none before it."""
        if self._after >= until:
            return []
        while True:
            data = self._next_bytes(until)
            records, used = self._wanted(data, until)
            self._offset += used
            if records:
                self._after = records[-1].seq
                return records
            if not used and not self._next_segment():
                return []

    def _next_bytes(self, until: int) -> bytes:
        while True:
            if not self._segment:
                self._segment, self._offset = self._first_segment(until), 0
            try:
                return self._disk.read(self._segment, self._offset, READ_BYTES)
            except FileNotFoundError:  # retention took it meanwhile
                self._segment = ""

    def _first_segment(self, until: int) -> str:
        names = segment_names(self._disk)
        if not names:
            raise TooOld(until + 1)
        if first_seq_of(names[0]) > self._after + 1:
            raise TooOld(first_seq_of(names[0]))
        return next(n for n in reversed(names) if first_seq_of(n) <= self._after + 1)

    def _next_segment(self) -> bool:
        following = [n for n in segment_names(self._disk) if n > self._segment]
        if not following:
            return False
        self._segment, self._offset = following[0], 0
        return True

    def _wanted(self, data: bytes, until: int) -> tuple[list[Record], int]:
        """The records to hand out, and how many bytes are done with."""
        records: list[Record] = []
        used = 0
        for line in data.split(b"\n")[:-1]:
            try:
                record = decode(line)
            except NotARecord:  # a header: what is durable is whole
                used += len(line) + 1
                continue
            if record.seq > until:
                break  # perhaps not durable yet
            used += len(line) + 1
            if record.seq > self._after:
                records.append(record)
        return records, used
