"""Reads records from a seq on: recent ones from memory, older ones from disk.

A follower reads at its own pace, and the writer never waits for it. It gets every durable record
after its start, in order, once.
"""

from collections.abc import Sequence

from ragd.eventlog.disk import Disk
from ragd.eventlog.frame import NotARecord, Record, decode, decode_header
from ragd.eventlog.segment import first_seq_of, segment_names

RECENT_MAX = 1024
RECENT_MAX_BYTES = 4 * 1024 * 1024
READ_BYTES = 1024 * 1024


class TooOld(Exception):
    """Retention has removed some of these records; `oldest` is the first that is left."""

    def __init__(self, oldest: int) -> None:
        self.oldest = oldest
        super().__init__(f"the log begins at {oldest}")


class Damaged(Exception):
    """Durable bytes have changed: record `seq` can no longer be read."""

    def __init__(self, segment: str, seq: int) -> None:
        self.segment = segment
        self.seq = seq
        super().__init__(f"{segment} is damaged at {seq}")


class RecentRecords:
    """The last few thousand records in memory, fewer if they are large."""

    def __init__(self) -> None:
        self._records: list[Record] = []
        self._sizes: list[int] = []
        self.size_bytes = 0  # of all records in memory, encoded

    def extend(self, records: Sequence[Record], sizes: Sequence[int]) -> None:
        """Add the next records, and the encoded size of each."""
        if self._records and records[0].seq != self._records[-1].seq + 1:
            self._keep_last(0)
        self._records.extend(records)
        self._sizes.extend(sizes)
        self.size_bytes += sum(sizes)
        if len(self._records) > 2 * RECENT_MAX or self.size_bytes > RECENT_MAX_BYTES:
            self._keep_last(self._half())

    def _half(self) -> int:
        """How many to keep. Half of them are dropped at once, not one at every record."""
        kept = room = 0
        for kept, size in enumerate(reversed(self._sizes[-RECENT_MAX:])):
            room += size
            if room > RECENT_MAX_BYTES // 2:
                return kept
        return kept + 1

    def _keep_last(self, kept: int) -> None:
        """Drop all but the last `kept`."""
        gone = len(self._records) - kept
        del self._records[:gone], self._sizes[:gone]
        self.size_bytes = sum(self._sizes)

    def after(self, after: int, limit: int) -> Sequence[Record] | None:
        """Up to `limit` records after `after`, or None if memory does not reach back that far."""
        if not self._records or self._records[0].seq > after + 1:
            return None
        start = after + 1 - self._records[0].seq
        return self._records[start : start + limit]


class DiskReader:
    """A position in the segments, for a follower that is older than memory. Synchronous.

    Durable records are whole. Seqs may be missing only before the first record of a segment, where
    another segment was quarantined.
    """

    def __init__(self, disk: Disk, after: int) -> None:
        self._disk = disk
        self._next = after + 1  # the seq to return next
        self.segment = ""  # the one that is read now
        self._offset = 0
        self._skipped_bad_line = False  # the last line was bad; it may be before `_next`

    def read(self, until: int) -> list[Record]:
        """The next records, up to `until`; empty if there are none.

        Raises Damaged at a record that cannot be read, after all before it were returned.
        """
        while self._next <= until:
            data = self._next_bytes(until)
            if data:
                if records := self._records_in(data, until):
                    return records
            elif self._skipped_bad_line:
                raise self._damaged()
            elif not self._next_segment():
                return []
        return []

    def _next_bytes(self, until: int) -> bytes:
        while True:
            if not self.segment:
                self._open_segment(self._first_segment(until))
            try:
                return self._disk.read(self.segment, self._offset, READ_BYTES)
            except FileNotFoundError:  # retention removed it meanwhile
                self.segment = ""

    def _first_segment(self, until: int) -> str:
        names = segment_names(self._disk)
        if not names:
            raise TooOld(until + 1)
        if first_seq_of(names[0]) > self._next:
            raise TooOld(first_seq_of(names[0]))
        return next(n for n in reversed(names) if first_seq_of(n) <= self._next)

    def _next_segment(self) -> bool:
        names = segment_names(self._disk)
        following = [name for name in names if name > self.segment]
        if not following:
            return False
        first = first_seq_of(following[0])
        if first > self._next and self.segment not in names:
            raise TooOld(first)  # retention removed more than this segment
        self._open_segment(following[0])
        return True

    def _open_segment(self, segment: str) -> None:
        self.segment, self._offset, self._skipped_bad_line = segment, 0, False
        self._next = max(self._next, first_seq_of(segment))

    def _records_in(self, data: bytes, until: int) -> list[Record]:
        """The next records in these bytes, which begin at the offset. The offset moves on."""
        records: list[Record] = []
        lines = data.split(b"\n")[:-1]
        if not lines:
            raise self._damaged()  # a durable record has its newline
        for line in lines:
            if self._next > until:
                break  # perhaps not durable yet
            record = self._record_or_none(line)
            if record is None or record.seq > self._next:
                if records:
                    break  # return these first
                if record is not None:
                    raise self._damaged()
            elif record.seq == self._next:
                records.append(record)
                self._next += 1
            self._skipped_bad_line = record is None and self._offset > 0
            self._offset += len(line) + 1
        return records

    def _record_or_none(self, line: bytes) -> Record | None:
        """None for the header, and for a bad line."""
        try:
            if self._offset:
                return decode(line)
            if decode_header(line).first == first_seq_of(self.segment):
                return None
        except NotARecord:
            if self._offset:
                return None  # it may be before the next seq; the following line shows that
        raise self._damaged()

    def _damaged(self) -> Damaged:
        return Damaged(self.segment, self._next)
