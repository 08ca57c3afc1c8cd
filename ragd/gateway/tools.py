"""The four tools that an agent calls: search, index, status, memory_store.

It contains no HTTP: it gets a name and a body, and returns an envelope or raises RagdError.
"""

import time

from ragd.errors import RagdError
from ragd.gateway.access_control import AccessControl
from ragd.gateway.envelopes import Envelopes
from ragd.gateway.jobs import JobControl
from ragd.gateway.lost_dependencies import LossRecorder
from ragd.gateway.search_answers import SearchAnswers
from ragd.gateway.status import short_status
from ragd.memories.memories import Memories
from ragd.protocol.asker import Asker
from ragd.protocol.envelope import Envelope
from ragd.protocol.tool_schemas import (
    IndexRequest,
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
        lost: LossRecorder,
        access: AccessControl,
    ) -> None:
        self._envelopes = envelopes
        self._searches = searches
        self._jobs = jobs
        self._memories = memories
        self._lost = lost
        self._access = access

    async def call(self, tool: str, body: bytes, asker: Asker) -> Envelope:
        """The answer of this tool for this asker. Raises RagdError for a request that is refused
        or fails."""
        began = time.perf_counter()
        request = parse_request(tool, body)
        try:
            if isinstance(request, SearchRequest):
                return await self._search(request, asker, began)
            scope = self._access.scope_of(asker)
            if isinstance(request, StatusRequest):
                found = self._envelopes.status(scope, ms_since(began))
                return found if request.verbose else short_status(found)
            if isinstance(request, IndexRequest):
                return self._envelopes.data(await self._jobs.request(request.mode), scope=scope)
            scope = self._access.scope_of_note(asker, request.source)
            stored = await self._memories.store(request, scope.includes)
            return self._envelopes.data(stored, scope=scope)
        except RagdError as why:
            await self._lost.record(why)
            raise

    async def _search(self, request: SearchRequest, asker: Asker, began: float) -> Envelope:
        scope = self._access.scope_of_search(asker, request)
        health, permits = self._envelopes.health(scope), self._access.permits_source(scope)
        answer = await self._searches.answer(request, health.reasons, scope, asker, permits)
        return self._envelopes.search(answer, scope, ms_since(began))


def ms_since(began: float) -> int:
    """Milliseconds since this `time.perf_counter()`."""
    return int((time.perf_counter() - began) * 1000)
