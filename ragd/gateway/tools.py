"""The tools that an agent calls, by name.

It contains no HTTP: it gets a name and a body, and returns an envelope or raises RagdError.
"""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from ragd.access.scope import Scope
from ragd.access.tokens import may_use
from ragd.errors import RagdError
from ragd.gateway.access_control import AccessControl
from ragd.gateway.envelopes import Envelopes
from ragd.gateway.jobs import JobControl
from ragd.gateway.lost_dependencies import LossRecorder
from ragd.gateway.memory_tools import MemoryTools
from ragd.gateway.note_tools import NoteTools
from ragd.gateway.reader_mode import ReaderMode
from ragd.gateway.search_answers import SearchAnswers
from ragd.gateway.status import short_status
from ragd.memories.memories import Memories
from ragd.protocol.agent_requests import (
    MemoryForgetRequest,
    MemorySearchRequest,
    MemoryWriteRequest,
    ReadNoteRequest,
    RelatedRequest,
)
from ragd.protocol.asker import Asker
from ragd.protocol.envelope import Envelope
from ragd.protocol.explain_requests import parse_explain
from ragd.protocol.tool_schemas import (
    TOOLS,
    IndexRequest,
    MemoryRequest,
    SearchRequest,
    StatusRequest,
    parse_request,
)


class Tools:
    """Parses a tool's request and calls the module that answers it."""

    def __init__(
        self,
        envelopes: Envelopes,
        searches: SearchAnswers,
        jobs: JobControl,
        memories: Memories,
        memory_tools: MemoryTools,
        note_tools: NoteTools,
        lost: LossRecorder,
        access: AccessControl,
    ) -> None:
        self._envelopes = envelopes
        self._searches = searches
        self._jobs = jobs
        self._memories = memories
        self._memory_tools = memory_tools
        self._note_tools = note_tools
        self._lost = lost
        self._access = access
        self.reader: ReaderMode | None = None
        # Each gets the request, the asker, and the moment of the call.
        self._answers: dict[type, Callable[[Any, Asker, float], Awaitable[Envelope]]] = {
            SearchRequest: self._search,
            IndexRequest: self._index,
            StatusRequest: self._status,
            MemoryRequest: self._store,
            ReadNoteRequest: self._read,
            RelatedRequest: self._related,
            MemorySearchRequest: self._search_memory,
            MemoryWriteRequest: self._write,
            MemoryForgetRequest: self._forget,
        }

    async def call(self, tool: str, body: bytes, asker: Asker) -> Envelope:
        """The answer of this tool for this asker. Raises RagdError for a request that is refused
        or fails."""
        began = time.perf_counter()
        if tool in TOOLS and not may_use(asker, TOOLS[tool].permissions):
            raise RagdError(
                "SECURITY_VIOLATION",
                "This token may only read.",
                "The user can make another one: `ragctl token create NAME`.",
            )
        request = parse_request(tool, body)
        if self.reader is not None:
            await self.reader.prepare(request)
        return await self._answer(self._answers[type(request)](request, asker, began))

    async def explain(self, body: bytes, asker: Asker) -> Envelope:
        """The answer to a search with what decided it, and where an expected note fell out."""
        began = time.perf_counter()
        return await self._answer(self._search(parse_explain(body), asker, began))

    async def _answer(self, answer: Awaitable[Envelope]) -> Envelope:
        try:
            return await answer
        except RagdError as why:
            await self._lost.record(why)
            raise

    async def _search(self, request: SearchRequest, asker: Asker, began: float) -> Envelope:
        scope = self._access.scope_of_search(asker, request)
        health, permits = self._envelopes.health(scope), self._access.permits_source(scope, asker)
        answer = await self._searches.answer(request, health.reasons, scope, asker, permits)
        return self._envelopes.search(answer, scope, ms_since(began))

    async def _index(self, request: IndexRequest, asker: Asker, began: float) -> Envelope:
        return self._data(await self._jobs.request(request.mode), asker, began)

    async def _status(self, request: StatusRequest, asker: Asker, began: float) -> Envelope:
        found = self._envelopes.status(self._access.scope_of(asker), ms_since(began))
        return found if request.verbose else short_status(found)

    async def _store(self, request: MemoryRequest, asker: Asker, began: float) -> Envelope:
        scope = self._access.scope_of_note(asker, request.source)
        stored = await self._memories.store(request, scope.includes)
        return self._data(stored, asker, began, scope)

    async def _read(self, request: ReadNoteRequest, asker: Asker, began: float) -> Envelope:
        data, code, error, scope = await self._note_tools.read(request, asker)
        return self._envelopes.data(data, code, ms_since(began), scope=scope, error=error)

    async def _related(self, request: RelatedRequest, asker: Asker, began: float) -> Envelope:
        data, scope = await self._note_tools.related(request, asker)
        return self._data(data, asker, began, scope)

    async def _search_memory(
        self, request: MemorySearchRequest, asker: Asker, began: float
    ) -> Envelope:
        scope = self._access.scope_of_memory(asker)
        health = self._envelopes.health(scope)
        answer = await self._memory_tools.search(request, asker, scope, health.reasons)
        return self._envelopes.search(answer, scope, ms_since(began))

    async def _write(self, request: MemoryWriteRequest, asker: Asker, began: float) -> Envelope:
        return self._data(await self._memory_tools.write(request, asker), asker, began)

    async def _forget(self, request: MemoryForgetRequest, asker: Asker, began: float) -> Envelope:
        return self._data(await self._memory_tools.forget(request, asker), asker, began)

    def _data(
        self, data: object, asker: Asker, began: float, scope: Scope | None = None
    ) -> Envelope:
        scope = scope or self._access.scope_of(asker)
        return self._envelopes.data(data, took_ms=ms_since(began), scope=scope)


def ms_since(began: float) -> int:
    """Milliseconds since this `time.perf_counter()`."""
    return int((time.perf_counter() - began) * 1000)
