"""Reading on from a seq: recent records from memory, older ones from disk, new ones as they come.

A follower reads at its own pace and is never waited for. It sees every durable record behind its
starting point, in order, once.
"""

from collections.abc import Sequence

from ragd.eventlog.disk import Disk
from ragd.eventlog.frame import NotARecord, Record, decode, decode_header
from ragd.eventlog.segment import first_seq_of, segment_names

RECENT_MAX = 1024
RECENT_MAX_BYTES = 4 * 1024 * 1024
READ_BYTES = 1024 * 1024


class TooOld(Exception):
    """The records asked for are past retention; `oldest` is the first that is still there."""

    def __init__(self, oldest: int) -> None:
        self.oldest = oldest
        super().__init__(f"the log begins at {oldest}")


class Damaged(Exception):
    """Bytes that were durable are not what was written: record `seq` cannot be read any more."""

    def __init__(self, segment: str, seq: int) -> None:
        self.segment = segment
        self.seq = seq
        super().__init__(f"{segment} is damaged at {seq}")


class Recent:
    """The last few thousand records, in memory, and fewer if they are large."""

    def __init__(self) -> None:
        self._records: list[Record] = []
        self._sizes: list[int] = []
        self._bytes = 0

    def extend(self, records: Sequence[Record], sizes: Sequence[int]) -> None:
        """The next records, and what each takes, encoded."""
        if self._records and records[0].seq != self._records[-1].seq + 1:
            self._forget(0)
        self._records.extend(records)
        self._sizes.extend(sizes)
        self._bytes += sum(sizes)
        if len(self._records) > 2 * RECENT_MAX or self._bytes > RECENT_MAX_BYTES:
            self._forget(self._half())

    def _half(self) -> int:
        """How many to keep of too many: halve now and then, not at every record."""
        kept = room = 0
        for kept, size in enumerate(reversed(self._sizes[-RECENT_MAX:])):
            room += size
            if room > RECENT_MAX_BYTES // 2:
                return kept
        return kept + 1

    def _forget(self, kept: int) -> None:
        """All but the last `kept`."""
        gone = len(self._records) - kept
        del self._records[:gone], self._sizes[:gone]
        self._bytes = sum(self._sizes)

    def behind(self, after: int, limit: int) -> Sequence[Record] | None:
        """Up to `limit` records behind `after`, or None if memory does not reach back that far."""
        if not self._records or self._records[0].seq > after + 1:
            return None
        start = after + 1 - self._records[0].seq
        return self._records[start : start + limit]


class DiskReader:
    """A position in the segments, for a follower whom memory has left behind. Synchronous.

    What is durable is whole. Seqs are missing only where a segment was quarantined: before the
    first one of another.
    """

    def __init__(self, disk: Disk, after: int) -> None:
        self._disk = disk
        self._next = after + 1  # to be handed out
        self._segment = ""
        self._offset = 0
        self._unsure = False  # whether the line passed over last lies in front of that

    def read(self, until: int) -> list[Record]:
        """The next records, at most up to `until`; empty when there are none before it.

        Raises Damaged at a record that is not there, once all before it are handed out.
        """
        while self._next <= until:
            data = self._next_bytes(until)
            if data:
                if records := self._wanted(data, until):
                    return records
            elif self._unsure:
                raise self._damaged()
            elif not self._next_segment():
                return []
        return []

    def _next_bytes(self, until: int) -> bytes:
        while True:
            if not self._segment:
                self._enter(self._first_segment(until))
            try:
                return self._disk.read(self._segment, self._offset, READ_BYTES)
            except FileNotFoundError:  # retention took it meanwhile
                self._segment = ""

    def _first_segment(self, until: int) -> str:
        names = segment_names(self._disk)
        if not names:
            raise TooOld(until + 1)
        if first_seq_of(names[0]) > self._next:
            raise TooOld(first_seq_of(names[0]))
        return next(n for n in reversed(names) if first_seq_of(n) <= self._next)

    def _next_segment(self) -> bool:
        names = segment_names(self._disk)
        following = [name for name in names if name > self._segment]
        if not following:
            return False
        first = first_seq_of(following[0])
        if first > self._next and self._segment not in names:  # retention took more than this one
            raise TooOld(first)
        self._enter(following[0])
        return True

    def _enter(self, segment: str) -> None:
        self._segment, self._offset, self._unsure = segment, 0, False
        self._next = max(self._next, first_seq_of(segment))

    def _wanted(self, data: bytes, until: int) -> list[Record]:
        """The records to hand out of these bytes, which begin at the offset; it moves on."""
        records: list[Record] = []
        lines = data.split(b"\n")[:-1]
        if not lines:
            raise self._damaged()  # what is durable has its newline
        for line in lines:
            if self._next > until:
                break  # perhaps not durable yet
            record = self._record_in(line)
            if record is None or record.seq > self._next:
                if records:
                    break  # these first
                if record is not None:
                    raise self._damaged()
            elif record.seq == self._next:
                records.append(record)
                self._next += 1
            self._unsure = record is None and self._offset > 0
            self._offset += len(line) + 1
        return records

    def _record_in(self, line: bytes) -> Record | None:
        """None for the header, and for a line that is none of ours."""
        try:
            if self._offset:
                return decode(line)
            if decode_header(line).first == first_seq_of(self._segment):
                return None
        except NotARecord:
            if self._offset:
                return None  # it may lie in front of what is wanted; the next line tells
        raise self._damaged()

    def _damaged(self) -> Damaged:
        return Damaged(self._segment, self._next)
