"""The four tools that an agent calls: search, index, status, memory_store.

It contains no HTTP: it gets a name and a body, and returns an envelope or raises RagdError.
"""

import time

from ragd.errors import RagdError
from ragd.gateway.envelopes import Envelopes
from ragd.gateway.jobs import JobControl
from ragd.gateway.lost_dependencies import LossRecorder
from ragd.gateway.search_answers import SearchAnswers
from ragd.gateway.status import short_status
from ragd.memories.memories import Memories
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
    ) -> None:
        self._envelopes = envelopes
        self._searches = searches
        self._jobs = jobs
        self._memories = memories
        self._lost = lost

    async def call(self, tool: str, body: bytes) -> Envelope:
        """The answer of this tool. Raises RagdError for a request that is refused or fails."""
        began = time.perf_counter()
        request = parse_request(tool, body)
        try:
            if isinstance(request, StatusRequest):
                whole = self._envelopes.status(ms_since(began))
                return whole if request.verbose else short_status(whole)
            if isinstance(request, IndexRequest):
                return self._envelopes.data(await self._jobs.request(request.mode))
            if isinstance(request, SearchRequest):
                health = self._envelopes.health()
                answer = await self._searches.answer(request, health.reasons)
                return self._envelopes.search(answer, ms_since(began))
            return self._envelopes.data(await self._memories.store(request))
        except RagdError as why:
            await self._lost.record(why)
            raise


def ms_since(began: float) -> int:
    """Milliseconds since this `time.perf_counter()`."""
    return int((time.perf_counter() - began) * 1000)
