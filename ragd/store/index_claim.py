"""The right to write the index: in a folder the lock of the home, in an object store a lease.

It records why the index cannot be written, and when that ends. It never writes to the index.
"""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

import structlog

from ragd.clock import Clock, new_id
from ragd.errors import RagdError
from ragd.events import DependencyLost, DependencyRecovered
from ragd.objects.conditional_puts import require_conditional_puts
from ragd.objects.writer_lease import WriterLease
from ragd.runtime.durable_files import replace_file
from ragd.state.ledger import Ledger
from ragd.store import STORE_WRITER
from ragd.store.lance.index_place import IndexPlace
from ragd.store.lance.object_place import ObjectPlace

CLAIM_CODES = (
    *("STORE_UNREACHABLE", "STORE_DENIED", "STORE_BUCKET_MISSING", "STORE_FULL"),
    *("STORE_UNSAFE", "INDEX_HELD"),
)
RETRY_S = 2.0

log = structlog.get_logger(STORE_WRITER)


class IndexClaim:
    """One daemon's right to write. `on_lost` is called when another daemon has taken it."""

    def __init__(self, ledger: Ledger, clock: Clock, place: IndexPlace, holder_file: Path) -> None:
        self._ledger = ledger
        self._clock = clock
        self._place = place if isinstance(place, ObjectPlace) else None
        self._holder_file = holder_file
        self._is_probed = False
        self.problem: str | None = None  # why the index cannot be written
        self.on_lost: Callable[[], None] = lambda: None

    async def hold(self) -> None:
        """Return when this daemon may write. Raises RagdError if it may not."""
        if self._place is None:
            return
        try:
            await asyncio.to_thread(self._acquire, self._place)
        except RagdError as why:
            await self.record(why.code)
            raise
        await self.record(None)

    def _acquire(self, place: ObjectPlace) -> None:
        if not self._is_probed:
            require_conditional_puts(place.client)
            self._is_probed = True
        if place.lease is None:
            lease_s = place.settings.lease_s
            host = socket.gethostname()
            holder = f"{self._read_holder()} {host}"
            place.lease = WriterLease(place.client, holder, host, lease_s)
        place.lease.acquire()

    def _read_holder(self) -> str:
        """A random id of this home. After a crash, the same home may write again at once."""
        try:
            return self._holder_file.read_text("ascii").strip()
        except OSError:
            holder = new_id()
            replace_file(self._holder_file, holder.encode())
            return holder

    async def record(self, code: str | None) -> None:
        """Record a change: why the index cannot be written, or that it can."""
        if code is not None and code not in CLAIM_CODES:
            return
        before, self.problem = self.problem, code
        lost = self._ledger.state.health.lost.get("object_store")
        if code is not None and (lost is None or lost.code != code):
            log.warning("the index cannot be written", code=code)
            fact = DependencyLost(dependency="object_store", code=code)
            await self._ledger.journal.append(STORE_WRITER, fact)
        elif code is None and (before is not None or lost is not None):
            recovered = DependencyRecovered(dependency="object_store")
            await self._ledger.journal.append(STORE_WRITER, recovered)

    async def keep(self) -> None:
        """Give signs of life, so that no other daemon takes over. An actor."""
        if self._place is None:
            await asyncio.Event().wait()
            return
        while True:
            await self._clock.sleep(min(self._place.settings.lease_s / 3, 60.0))
            lease = self._place.lease
            while lease is not None and lease.is_held:
                if await self._renew(lease):
                    break
                await self._clock.sleep(RETRY_S)

    async def _renew(self, lease: WriterLease) -> bool:
        try:
            await asyncio.to_thread(lease.renew)
        except RagdError as why:
            await self.record(why.code)
            if why.code == "INDEX_HELD":
                log.warning("another daemon writes the index now")
                self.on_lost()
            return False
        if self.problem is not None:
            await self.record(None)
        return True

    async def release(self) -> None:
        """Let another daemon write at once. Call it after the last write."""
        if self._place is None or self._place.lease is None:
            return
        try:
            await asyncio.to_thread(self._place.lease.release)
        except RagdError as why:  # it expires
            log.warning("the lease of the index is not released", code=why.code)

    def probe(self) -> str | None:
        """Why the index cannot be written now, for the health monitor. It may hang."""
        if self._place is None:
            return None
        lease = self._place.lease
        is_lost = "object_store" in self._ledger.state.health.lost
        try:
            if is_lost and lease is not None and lease.is_held:
                lease.renew()  # a store that can be read may still refuse to be written to
            else:
                self._place.client.get("writer.json")
        except RagdError as why:
            return why.code
        return None if lease is not None and lease.is_held else self.problem
