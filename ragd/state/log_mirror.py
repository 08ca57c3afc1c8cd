"""The actor that copies the event log and the memories to the object store that has the index.

Only a home that holds the lease of the index copies. It never reads a copy back: `ragctl mirror
restore` does. A failure is logged and tried again.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import structlog

from ragd.clock import Clock
from ragd.errors import RagdError
from ragd.objects import log_copy
from ragd.objects.log_copy import CURRENT, FOLDER, MEMORIES, CurrentCopy
from ragd.objects.object_client import ObjectClient
from ragd.objects.sealed_bytes import read_or_make_key, seal
from ragd.paths import Home
from ragd.state.ledger import Ledger

NAME = "log_mirror"
AFTER_S = 20.0  # after a fact: many are copied together
RETRY_S = 30.0
LOOK_S = 60.0  # agents' notes and memories change without a fact of their own
_TRIES = 4

log = structlog.get_logger(NAME)


class LogMirror:
    """`fence` raises RagdError unless this home holds the lease; `vault`: its id in the index."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        home: Home,
        client: ObjectClient,
        fence: Callable[[], int],
        vault: str,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._home = home
        self._client = client
        self._fence = fence
        self._vault = vault
        self._copied: dict[str, int] = {}  # sizes, by name in the copy
        self._memories: tuple[tuple[str, int, int], ...] | None = None
        self._config = b""
        self.copied_seq = 0
        self._one_at_a_time = asyncio.Lock()

    async def run(self) -> None:
        seen = -1
        while True:
            if self._ledger.state.seq != seen or self._memories_changed():
                await self._clock.sleep(AFTER_S)
                seen = self._ledger.state.seq
                if not await self.copy_now():
                    seen = -1
                    await self._clock.sleep(RETRY_S)
            else:
                await self._clock.sleep(LOOK_S)

    def _memories_changed(self) -> bool:
        return self._memories is not None and log_copy.memory_stamp(self._home) != self._memories

    async def copy_now(self) -> bool:
        """Copy what has changed. Returns False if that failed."""
        async with self._one_at_a_time:
            seq = self._ledger.state.seq
            try:
                await asyncio.to_thread(self._copy)
            except (RagdError, OSError) as why:
                code = why.code if isinstance(why, RagdError) else type(why).__name__
                log.warning("the log could not be copied to the object store", code=code)
                return False
            self.copied_seq = seq
            return True

    def _copy(self) -> None:
        holder = Path(self._home.writer_id).read_text("ascii").strip()
        prefix, fence = f"{FOLDER}/{holder}", self._fence()
        if not self._copied:
            known = self._client.list_objects(prefix)
            self._copied = {one.name[len(prefix) + 1 :]: one.size for one in known}
        files = log_copy.log_files(self._home)
        for name, path in files.items():
            data = path.read_bytes()
            if name == log_copy.CONFIG and data == self._config:
                continue
            if name != log_copy.CONFIG and self._copied.get(name) == len(data):
                continue
            self._fence()
            self._client.put(f"{prefix}/{name}", data)
            self._copied[name] = len(data)
            self._config = data if name == log_copy.CONFIG else self._config
        self._copy_memories(prefix)
        gone = [one for one in self._copied if one not in files and one != MEMORIES]
        self._client.delete(f"{prefix}/{name}" for name in gone)
        for name in gone:
            del self._copied[name]
        self._publish(CurrentCopy(holder, self._vault, fence))

    def _copy_memories(self, prefix: str) -> None:
        stamp = log_copy.memory_stamp(self._home)
        if stamp == self._memories:
            return
        key = read_or_make_key(Path(self._home.mirror_key))
        sealed = seal(log_copy.pack_memories(self._home), key)
        self._fence()
        self._client.put(f"{prefix}/{MEMORIES}", sealed)
        self._copied[MEMORIES] = len(sealed)
        self._memories = stamp

    def _publish(self, copy: CurrentCopy) -> None:
        """Name this copy as the one that counts, unless a later holder has named its own."""
        data = msgspec.json.encode(copy)
        for _ in range(_TRIES):
            found = self._client.get(CURRENT)
            if found is None:
                done = self._client.create(CURRENT, data)
            else:
                before = log_copy.decode_current(found.data)
                if before == copy or before.fence > copy.fence:
                    return
                done = self._client.replace(CURRENT, data, found.tag)
            if done is not None:
                return
        raise RagdError("INDEX_HELD")  # others name theirs all the time: try again later
