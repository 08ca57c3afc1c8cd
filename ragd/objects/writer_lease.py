"""The lease of the one daemon that may write an index in an object store. Synchronous, thread-safe.

The lease is one object that is only ever written with a condition: `fence` grows with each holder,
`beat` with each sign of life. Nothing is assumed about wall clocks. Another daemon may take over
once it has seen the same version of the object for `lease_s` plus a margin by its own clock. The
holder stops writing a margin before `lease_s` have passed since it began its last renewal. So the
two are apart by two margins, if their clocks run equally fast to within a quarter. A commit that is
still on its way is kept out by the table itself (`ragd/store/lance/fence.py`).
"""

import threading
import time
from collections.abc import Callable

import msgspec
from msgspec import Struct

from ragd.errors import RagdError
from ragd.objects.object_client import ObjectClient

NAME = "writer.json"
MARGIN_S = 15.0


class LeaseRecord(Struct, frozen=True):
    """The content of the object. `host` is shown to people."""

    holder: str  # a random id of the home
    host: str
    fence: int
    lease_s: float
    beat: int = 0
    released: bool = False


_decoder = msgspec.json.Decoder(LeaseRecord)


def clock_that_counts_sleep() -> float:
    """Seconds since the machine was started, including those in which it was suspended."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()  # counts sleep on Windows, and on macOS does not: not tested


def held_by_another(host: str) -> RagdError:
    """The refusal of a second writer."""
    return RagdError(
        "INDEX_HELD", f"Another daemon (on {host}) writes the index that is configured here."
    )


class WriterLease:
    """One daemon's claim to write. `acquire` before writing, `ensure` before each write."""

    def __init__(
        self,
        client: ObjectClient,
        holder: str,
        host: str,
        lease_s: float,
        now: Callable[[], float] = clock_that_counts_sleep,
    ) -> None:
        self._client = client
        self._own = LeaseRecord(holder, host, 0, lease_s)
        self.lease_s = lease_s
        self._now = now
        self._lock = threading.Lock()
        self._tag = ""
        self._valid_until: float | None = None  # None: not held
        self._seen_tag = ""
        self._seen_at = 0.0

    @property
    def is_held(self) -> bool:
        """Whether it was acquired, and not lost or released since."""
        return self._valid_until is not None

    @property
    def fence(self) -> int:
        """The fencing number of this claim. A later holder has a higher one."""
        return self._own.fence

    def acquire(self) -> None:
        """Take the lease if it is free. Raises RagdError if another daemon holds it."""
        with self._lock:
            if self._valid_until is not None:
                return
            found = self._client.get(NAME)
            if found is None:
                self._take(1, lambda data: self._client.create(NAME, data))
                return
            record = _decode(found.data)
            if not (record.released or record.holder == self._own.holder):
                self._require_silence(record, found.tag)
            tag = found.tag
            self._take(record.fence + 1, lambda data: self._client.replace(NAME, data, tag))

    def _require_silence(self, record: LeaseRecord, tag: str) -> None:
        """Raises RagdError unless the other daemon has been silent for long enough."""
        if tag != self._seen_tag:
            self._seen_tag, self._seen_at = tag, self._now()
        if self._now() - self._seen_at < record.lease_s + margin_s(record.lease_s):
            raise held_by_another(record.host)

    def _take(self, fence: int, put: Callable[[bytes], str | None]) -> None:
        began = self._now()
        own = msgspec.structs.replace(self._own, fence=fence, beat=0, released=False)
        tag = put(msgspec.json.encode(own))
        if tag is None:  # another daemon was faster
            raise held_by_another("another machine")
        self._own, self._tag = own, tag
        self._extend(began)

    def ensure(self) -> None:
        """Return if writing is allowed for now. Raises RagdError if the lease is lost."""
        if self._valid_until is not None and self._now() < self._valid_until:
            return
        self.renew()

    def renew(self) -> None:
        """Give a sign of life. Raises RagdError if another daemon has taken the lease."""
        with self._lock:
            if self._valid_until is None:
                raise RagdError("INDEX_HELD")
            if not self._put_beat() and not (self._is_ours_after_all() and self._put_beat()):
                self._valid_until = None
                raise RagdError("INDEX_HELD")

    def raise_fence(self, above: int) -> None:
        """Use a fencing number above this one: the table has seen it."""
        with self._lock:
            if self._own.fence <= above:
                self._own = msgspec.structs.replace(self._own, fence=above + 1)
        self.renew()

    def release(self) -> None:
        """Let another daemon write at once. Call it after the last write."""
        with self._lock:
            if self._valid_until is None:
                return
            self._valid_until = None
            own = msgspec.structs.replace(self._own, beat=self._own.beat + 1, released=True)
            self._client.replace(NAME, msgspec.json.encode(own), self._tag)

    def _put_beat(self) -> bool:
        began = self._now()
        own = msgspec.structs.replace(self._own, beat=self._own.beat + 1)
        tag = self._client.replace(NAME, msgspec.json.encode(own), self._tag)
        if tag is None:
            return False
        self._own, self._tag = own, tag
        self._extend(began)
        return True

    def _is_ours_after_all(self) -> bool:
        """Whether the last put arrived although its answer was lost."""
        found = self._client.get(NAME)
        if found is None:
            return False
        record = _decode(found.data)
        if (record.holder, record.fence) != (self._own.holder, self._own.fence):
            return False
        self._tag = found.tag
        return True

    def _extend(self, began: float) -> None:
        self._valid_until = began + self.lease_s - margin_s(self.lease_s)


def margin_s(lease_s: float) -> float:
    """How long before its end the holder stops, and how long after it another one begins."""
    return min(MARGIN_S, lease_s / 4)


def _decode(data: bytes) -> LeaseRecord:
    try:
        return _decoder.decode(data)
    except msgspec.MsgspecError:
        raise RagdError(
            "INDEX_HELD",
            f"The object `{NAME}` in the object store is not one of ragd.",
            "Choose another prefix in `vector_store.path`.",
        ) from None
