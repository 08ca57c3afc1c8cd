"""Remembering, listing and forgetting: a request is checked, done, and recorded by a keyed hash.

No word of a memory gets into the log, and none is stored whose source is not a note of the vault.
"""

import asyncio
import contextlib
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import structlog
from msgspec import structs

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.embed.providers.embedder_port import EmbeddingError, Vector
from ragd.errors import RagdError
from ragd.events import Fact, MemoryForgotten, MemoryStored
from ragd.guard.inspection import InspectedPassage
from ragd.guard.live_rules import LiveGuard
from ragd.guard.memory_origins import inspect_fact, most_similar
from ragd.memories.matching import Memory, shown
from ragd.memories.memory_store import MemoryStore
from ragd.memories.memory_vectors import MemoryVectors
from ragd.memories.source_check import Sources
from ragd.notes.characters import collapse_spaces, visible
from ragd.notes.excerpt import Excerpt, excerpt, pieces
from ragd.notes.markdown.sanitise import plain, without_markup
from ragd.protocol.tool_schemas import MemoryRequest
from ragd.runtime.durable_files import is_disk_full, replace_file
from ragd.vault.containment import contained_path
from ragd.vault.files import (
    ChangedWhileRead,
    FileStat,
    NoteMissing,
    SkipPath,
    Unreadable,
    VaultGone,
)
from ragd.vault.threads import NOTES, unavailable_error

LONGEST_KEY = 200
WITHIN_S = 8.0
SECRET_BYTES = 32
FILLED_AT_ONCE = 32  # memories in one call of the embedder
FILLED_WITHIN_S = 0.5  # so long a search waits for vectors that are being made
RETRY_S = 30.0  # after an embedder that failed
MOST_JUDGED = 400_000  # characters of the source note

Record = Callable[[Fact], Awaitable[None]]

log = structlog.get_logger("memories")


class Notes(Protocol):
    """The vault under the configuration in force."""

    def includes(self, path: str) -> bool: ...

    def stat_notes(self, paths: Iterable[str]) -> dict[str, FileStat | None]: ...

    def read_bytes(self, path: str) -> tuple[bytes, str]: ...


class Memories:
    """A person's memories. Whoever answers for them also records: `record` appends a fact."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        record: Record,
        notes: Notes,
        guard: LiveGuard,
        vectors: MemoryVectors | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._record = record
        self._notes = notes
        self._guard = guard
        self._store = MemoryStore(Path(settings.home.memories))
        self._secret: bytes | None = None
        self._sources = Sources(notes)
        self._vectors = vectors
        self._filling: asyncio.Task[None] | None = None
        self._filled: str | None = None  # the vector space in which no memory lacks a vector
        self._not_before = 0.0

    async def store(self, request: MemoryRequest) -> dict[str, Any]:
        """Keep a memory. `stored` means: on the disk, and recorded. The rest of the answer is for
        whoever wants to keep the fact elsewhere as well: how it is kept here, and the guard's word.
        """
        source = _within_vault(request.source)
        memory = Memory(
            _clean("key", request.key),
            _clean("value", request.value),
            source,
            self._clock.now(),
        )
        seen = await self._looked_up(memory)
        memory = structs.replace(
            memory,
            source_sha256=await self._sources.hash_of(source),
            may_leave=seen is not None and not seen.categories,
        )
        stored = MemoryStored(key_hash=await self._hash(memory.key))
        await self._store.store(memory)
        self._filled = None
        await self._record(stored)
        self._fill_in_background()
        return {
            "stored": True,
            "key": memory.key,
            "value": memory.value,
            "sensitive": None if seen is None else seen.categories,
            "injection_suspected": seen is not None and seen.injection_suspected,
        }

    async def listed(self) -> dict[str, Any]:
        """All of them, newest first."""
        kept = await self._store.all()
        stale = await self._sources.stale(kept)
        return {"memories": [shown(one) | told_of(stale[one.key]) for one in kept]}

    async def forget(self, key: str) -> dict[str, Any]:
        """Erase a memory. `forgotten` is false when there was none of this key."""
        key = plain(visible(key), LONGEST_KEY) or key
        forgotten = MemoryForgotten(key_hash=await self._hash(key))
        gone = await self._store.forget(key)
        if gone:
            await self._record(forgotten)
        return {"forgotten": gone, "key": key}

    async def matching(
        self, query: str, limit: int, vector: Vector | None = None, space: str = ""
    ) -> list[Memory]:
        """The memories that share words with a question, or are near to it in meaning where its
        vector is given, best first. A search goes on without them when they cannot be had; who asks
        for them by name is told why."""
        try:
            if vector is None or self._vectors is None:
                return await self._store.matching(query, limit)
            if self._filled != space:
                self._fill_in_background()
                if self._filling is not None:
                    await asyncio.wait({self._filling}, timeout=FILLED_WITHIN_S)
            return await self._store.matching(query, limit, self._vectors.meaning(vector, space))
        except RagdError as why:
            log.warning("a search went without memories", code=why.code)
            return []

    async def facts(self) -> frozenset[tuple[str, str]]:
        """Each memory's value with its key, and with its source; nothing if they cannot be had."""
        try:
            return await self._store.facts()
        except RagdError:
            return frozenset()

    async def stale(self, memories: Sequence[Memory]) -> dict[str, bool | None]:
        """Whether each one's note has changed or is gone, by key; None where nobody could look."""
        return await self._sources.stale(memories) if memories else {}

    async def close(self) -> None:
        if self._filling is not None:
            self._filling.cancel()
            await asyncio.gather(self._filling, return_exceptions=True)
        await self._store.close()

    # Vectors

    def _fill_in_background(self) -> None:
        """Make the vectors that memories lack, one run at a time."""
        if self._vectors is None or (self._filling is not None and not self._filling.done()):
            return
        if self._clock.monotonic() >= self._not_before:
            self._filling = asyncio.create_task(self._fill(self._vectors))

    async def _fill(self, vectors: MemoryVectors) -> None:
        space = vectors.space
        if space is None or space == self._filled:
            return
        try:
            lacking = await self._store.lacking(space)
            allowed = [memory for memory in lacking if vectors.may_embed(memory)]
            for start in range(0, max(1, len(allowed)), FILLED_AT_ONCE):
                some = allowed[start : start + FILLED_AT_ONCE]
                made = await vectors.make(space, some)
                pairs = zip(some, made, strict=len(made) > 0)
                kept = {memory.key: (memory.value, vector) for memory, vector in pairs}
                await self._store.keep_vectors(space, kept)
                if vectors.space != space:
                    return
            if len(await self._store.lacking(space)) <= len(lacking) - len(allowed):
                self._filled = space
        except (EmbeddingError, RagdError) as why:
            self._not_before = self._clock.monotonic() + RETRY_S
            log.warning("memories are found by their words alone", code=why.code)

    async def _looked_up(self, memory: Memory) -> InspectedPassage | None:
        """What the guard says of it. RagdError if its source is not a note of the vault."""
        try:
            async with asyncio.timeout(WITHIN_S):
                await NOTES.run(self._require_note, memory.source)
                return await NOTES.run(self._inspected, memory)
        except TimeoutError:
            raise RagdError("TIMEOUT") from None
        except VaultGone as why:
            raise unavailable_error(why) from None

    def _require_note(self, path: str) -> None:
        facts = self._notes.stat_notes([path])[path]
        if facts is None or not self._notes.includes(path):
            raise RagdError(
                "INVALID_REQUEST",
                "The field `source` names no note of the vault.",
                "Give the `source_file` of a search result.",
            )

    def _inspected(self, memory: Memory) -> InspectedPassage | None:
        """What the guard says of it and of its note as it is now; None if that cannot be read."""
        try:
            data, _ = self._notes.read_bytes(memory.source)
        except (NoteMissing, ChangedWhileRead, SkipPath, Unreadable, VaultGone):
            return None
        note = excerpt(memory.source, data, 1, None, raw=True, code=True)
        if not isinstance(note, Excerpt):
            return None
        fact = f"{memory.key}\n{memory.value}"
        likely = most_similar(fact, list(pieces(note.parts)), MOST_JUDGED)
        return inspect_fact(fact, likely, self._guard.rules)

    async def _hash(self, key: str) -> str:
        """What the log knows of a key: nothing that anyone without this home could guess from."""
        if self._secret is None:
            secret = Path(self._settings.home.memory_secret)
            try:
                self._secret = await asyncio.to_thread(secret_of_home, secret)
            except OSError as why:
                raise _no_secret(why) from None
        return hmac.digest(self._secret, key.encode(), hashlib.sha256).hex()


def told_of(stale: bool | None) -> dict[str, bool]:
    """How an answer says whether a memory's note has changed."""
    return {"stale": bool(stale), "unverified": stale is None}


def secret_of_home(path: Path) -> bytes:
    """The key of this home's hashes; made when there is none, or none that is whole."""
    with contextlib.suppress(FileNotFoundError):
        secret = path.read_bytes()
        if len(secret) == SECRET_BYTES:
            return secret
    secret = secrets.token_bytes(SECRET_BYTES)
    replace_file(path, secret)
    return secret


def _no_secret(why: OSError) -> RagdError:
    if is_disk_full(why):
        return RagdError("DISK_FULL")
    said = "The file memories.key in ragd's home cannot be used."
    return RagdError("INTERNAL", said, "Run `ragctl doctor`.")


def _within_vault(source: str) -> str:
    try:
        return contained_path(source)
    except RagdError as why:
        if why.code != "INVALID_REQUEST":
            raise
        raise RagdError(
            "INVALID_REQUEST", f"The field `source` is not valid: {why.message}"
        ) from None


def _clean(name: str, text: str) -> str:
    """What a person may be shown: no markup, no control, bidi or invisible characters."""
    if name == "key":
        shown = plain(visible(text), LONGEST_KEY)
    else:
        shown = collapse_spaces(without_markup(visible(text))).strip()
    if not shown:
        raise RagdError("INVALID_REQUEST", f"The field `{name}` has nothing in it to be shown.")
    return shown
