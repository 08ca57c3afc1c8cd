"""Stores, lists, finds and forgets memories. Each change is recorded with a keyed hash of its key.

No text of a memory is ever written to the log, and no memory is stored unless its source is a note
of the vault.
"""

import asyncio
import contextlib
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import structlog
from msgspec import structs

from ragd.access.scope import Permits
from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.embed.providers.embedder_port import EmbeddingError, Vector
from ragd.errors import RagdError
from ragd.events import Fact, MemoryForgotten, MemoryStored
from ragd.guard.inspection import InspectedPassage
from ragd.guard.live_rules import LiveGuard
from ragd.guard.memory_origins import inspect_fact, most_similar
from ragd.memories.matching import Memory, memory_data
from ragd.memories.memory_store import MemoryStore
from ragd.memories.memory_vectors import MemoryVectors
from ragd.memories.source_check import SourceCheck, SourceReader
from ragd.notes.characters import collapse_spaces, visible
from ragd.notes.documents.kinds import kind_of
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.excerpt import Excerpt, document_excerpt, excerpt, pieces
from ragd.notes.markdown.sanitise import plain_line, without_markup
from ragd.notes.parse import Unparsable
from ragd.protocol.tool_schemas import MemoryRequest
from ragd.runtime.durable_files import is_disk_full, replace_file
from ragd.vault.containment import contained_path
from ragd.vault.document_worker import CannotRead
from ragd.vault.files import ChangedWhileRead, FileUnreadable, NoteMissing, SkipPath, VaultGone
from ragd.vault.threads import NOTES, unavailable_error

KEY_MAX_CHARS = 200
WITHIN_S = 8.0
SECRET_BYTES = 32
EMBED_AT_ONCE = 32  # memories in one call of the embedder
VECTORS_WITHIN_S = 0.5  # how long a search waits for vectors that are being made
RETRY_S = 30.0  # after the embedder failed
INSPECTED_MAX_CHARS = 400_000  # of the source note

RecordFact = Callable[[Fact], Awaitable[None]]

log = structlog.get_logger("memories")


class SourceNoteReader(SourceReader, Protocol):
    """Reads source notes, and decides which files are notes."""

    def includes(self, path: str) -> bool: ...

    def read_document(self, path: str, data: bytes, sha256: str) -> Document | Unreadable: ...


class Memories:
    """A person's memories. `record` appends a fact to the log."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        record: RecordFact,
        notes: SourceNoteReader,
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
        self._sources = SourceCheck(notes)
        self._vectors = vectors
        self._vector_task: asyncio.Task[None] | None = None
        self._complete_space: str | None = (
            None  # the vector space in which every memory has a vector
        )
        self._retry_at = 0.0

    async def store(self, request: MemoryRequest, permits: Permits | None = None) -> dict[str, Any]:
        """Store a memory. `stored`: it is on the disk and recorded. The answer also has the text as
        stored and what the guard found, for clients that also store the fact elsewhere. `permits`:
        the sources that exist for this asker."""
        source = _source_path(request.source)
        memory = Memory(
            _clean("key", request.key),
            _clean("value", request.value),
            source,
            self._clock.now(),
        )
        if permits is not None and not permits(source):
            raise _no_such_source()
        seen = await self._inspect_source(memory)
        memory = structs.replace(
            memory,
            source_sha256=await self._sources.hash_of(source),
            may_leave=seen is not None and not seen.categories,
        )
        stored = MemoryStored(key_hash=await self._hash(memory.key))
        await self._store.store(memory)
        self._complete_space = None
        await self._record(stored)
        self._start_making_vectors()
        return {
            "stored": True,
            "key": memory.key,
            "value": memory.value,
            "sensitive": None if seen is None else seen.categories,
            "injection_suspected": seen is not None and seen.injection_suspected,
        }

    async def list_all(self, permits: Permits | None = None) -> dict[str, Any]:
        """Every memory, newest first. `permits`: only those whose source it accepts."""
        kept = await self._store.all()
        if permits is not None:
            kept = [memory for memory in kept if permits(memory.source)]
        stale = await self._sources.find_stale(kept)
        return {"memories": [memory_data(one) | stale_fields(stale[one.key]) for one in kept]}

    async def list_some(
        self, query: str, most: int, permits: Permits | None = None
    ) -> dict[str, Any]:
        """The memories that share words with a query, best first; without one, the newest."""
        if not query:
            listed = await self.list_all(permits)
            return {"memories": listed["memories"][:most]}
        found = await self.find_matching(query, most, permits=permits)
        stale = await self.find_stale(found)
        return {"memories": [memory_data(one) | stale_fields(stale[one.key]) for one in found]}

    async def forget(self, key: str, permits: Permits | None = None) -> dict[str, Any]:
        """Erase a memory. `forgotten` is false if there was none with this key. `permits`: the
        sources that exist for this asker."""
        key = plain_line(visible(key), KEY_MAX_CHARS) or key
        if permits is not None:
            known = {one.key: one.source for one in await self._store.all()}
            if key not in known or not permits(known[key]):
                return {"forgotten": False, "key": key}
        forgotten = MemoryForgotten(key_hash=await self._hash(key))
        gone = await self._store.forget(key)
        if gone:
            await self._record(forgotten)
        return {"forgotten": gone, "key": key}

    async def find_matching(
        self,
        query: str,
        limit: int,
        vector: Vector | None = None,
        space: str = "",
        permits: Permits | None = None,
    ) -> list[Memory]:
        """The memories that share words with a query or, with its vector, are close to it in
        meaning, best first. Empty if the file cannot be used, so that the search still works.
        `permits`: only those whose source it accepts."""
        try:
            if vector is None or self._vectors is None:
                return await self._store.find_matching(query, limit, permits=permits)
            if self._complete_space != space:
                self._start_making_vectors()
                if self._vector_task is not None:
                    await asyncio.wait({self._vector_task}, timeout=VECTORS_WITHIN_S)
            return await self._store.find_matching(
                query, limit, self._vectors.meaning(vector, space), permits
            )
        except RagdError as why:
            log.warning("a search went without memories", code=why.code)
            return []

    async def known_facts(self, permits: Permits | None = None) -> frozenset[tuple[str, str]]:
        """Each memory's value with its key, and with its source; empty if the file is unusable."""
        try:
            return await self._store.known_facts(permits)
        except RagdError:
            return frozenset()

    async def find_stale(self, memories: Sequence[Memory]) -> dict[str, bool | None]:
        """Whether each one's note has changed or is gone, by key; None if it cannot be checked."""
        return await self._sources.find_stale(memories) if memories else {}

    async def close(self) -> None:
        if self._vector_task is not None:
            self._vector_task.cancel()
            await asyncio.gather(self._vector_task, return_exceptions=True)
        await self._store.close()

    # Vectors

    def _start_making_vectors(self) -> None:
        """Make missing vectors in the background, one run at a time."""
        if self._vectors is None or (
            self._vector_task is not None and not self._vector_task.done()
        ):
            return
        if self._clock.monotonic() >= self._retry_at:
            self._vector_task = asyncio.create_task(self._make_missing_vectors(self._vectors))

    async def _make_missing_vectors(self, vectors: MemoryVectors) -> None:
        space = vectors.space
        if space is None or space == self._complete_space:
            return
        try:
            missing = await self._store.without_vector(space)
            allowed = [memory for memory in missing if vectors.may_embed(memory)]
            for start in range(0, max(1, len(allowed)), EMBED_AT_ONCE):
                some = allowed[start : start + EMBED_AT_ONCE]
                made = await vectors.make(space, some)
                pairs = zip(some, made, strict=len(made) > 0)
                kept = {memory.key: (memory.value, vector) for memory, vector in pairs}
                await self._store.keep_vectors(space, kept)
                if vectors.space != space:
                    return
            if len(await self._store.without_vector(space)) <= len(missing) - len(allowed):
                self._complete_space = space
        except (EmbeddingError, RagdError) as why:
            self._retry_at = self._clock.monotonic() + RETRY_S
            log.warning("memories are found by words only", code=why.code)

    async def _inspect_source(self, memory: Memory) -> InspectedPassage | None:
        """What the guard finds in a memory. Raises RagdError if its source is not a note."""
        try:
            async with asyncio.timeout(WITHIN_S):
                lane = NOTES.of(self._notes.collection_of(memory.source))
                await lane.run(self._require_note, memory.source)
                return await lane.run(self._inspect_note, memory)
        except TimeoutError:
            raise RagdError("TIMEOUT") from None
        except VaultGone as why:
            raise unavailable_error(why) from None

    def _require_note(self, path: str) -> None:
        facts = self._notes.stat_notes(self._notes.collection_of(path), [path])[path]
        if facts is None or not self._notes.includes(path):
            raise _no_such_source()

    def _inspect_note(self, memory: Memory) -> InspectedPassage | None:
        """What the guard finds in the fact and its current note; None if the note is unreadable."""
        try:
            data, sha256 = self._notes.read_bytes(memory.source)
        except (NoteMissing, ChangedWhileRead, SkipPath, FileUnreadable, VaultGone):
            return None
        note = self._whole_note(memory.source, data, sha256)
        if not isinstance(note, Excerpt):
            return None
        fact = f"{memory.key}\n{memory.value}"
        likely = most_similar(fact, list(pieces(note.parts)), INSPECTED_MAX_CHARS)
        return inspect_fact(fact, likely, self._guard.rules)

    def _whole_note(self, path: str, data: bytes, sha256: str) -> Excerpt | Unparsable | None:
        """The text of a note or of a document."""
        if kind_of(path).how == "note":
            return excerpt(path, data, 1, None, raw=True, code=True)
        try:
            document = self._notes.read_document(path, data, sha256)
        except CannotRead:
            return None
        if not isinstance(document, Document):
            return None
        return document_excerpt(path, document, 1, None)

    async def _hash(self, key: str) -> str:
        """The hash of a key for the log. It cannot be guessed without this home's secret."""
        if self._secret is None:
            secret = Path(self._settings.home.memory_secret)
            try:
                self._secret = await asyncio.to_thread(read_or_make_secret, secret)
            except OSError as why:
                raise _secret_error(why) from None
        return hmac.digest(self._secret, key.encode(), hashlib.sha256).hex()


def stale_fields(stale: bool | None) -> dict[str, bool]:
    """The fields of an answer that say whether a memory's note has changed."""
    return {"stale": bool(stale), "unverified": stale is None}


def read_or_make_secret(path: Path) -> bytes:
    """The secret of this home's hashes. It is made if there is none, or if it is damaged."""
    with contextlib.suppress(FileNotFoundError):
        secret = path.read_bytes()
        if len(secret) == SECRET_BYTES:
            return secret
    secret = secrets.token_bytes(SECRET_BYTES)
    replace_file(path, secret)
    return secret


def _secret_error(why: OSError) -> RagdError:
    if is_disk_full(why):
        return RagdError("DISK_FULL")
    message = "The file memories.key in ragd's home cannot be used."
    return RagdError("INTERNAL", message, "Run `ragctl doctor`.")


def _no_such_source() -> RagdError:
    return RagdError(
        "INVALID_REQUEST",
        "The field `source` does not name a note of the vault.",
        "Give the `source_file` of a search result.",
    )


def _source_path(source: str) -> str:
    try:
        return contained_path(source)
    except RagdError as why:
        if why.code != "INVALID_REQUEST":
            raise
        raise RagdError(
            "INVALID_REQUEST", f"The field `source` is not valid: {why.message}"
        ) from None


def _clean(name: str, text: str) -> str:
    """The text without markup and without control, bidi or invisible characters."""
    if name == "key":
        shown = plain_line(visible(text), KEY_MAX_CHARS)
    else:
        shown = collapse_spaces(without_markup(visible(text))).strip()
    if not shown:
        raise RagdError("INVALID_REQUEST", f"The field `{name}` has no visible text.")
    return shown
