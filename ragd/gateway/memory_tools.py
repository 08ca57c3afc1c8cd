"""The tools of an agent's memory: look through it, write into it, forget.

It contains no HTTP, and decides no access: it gets the scope. Stored facts belong to the collection
of their source; an agent's notes are the collection `@memory/AGENT`.
"""

from collections.abc import Sequence
from typing import Any

from ragd.access.permissions import is_alone
from ragd.access.scope import Scope
from ragd.errors import RagdError
from ragd.gateway.access_control import AccessControl
from ragd.gateway.search_answers import GuardedAnswer, SearchAnswers
from ragd.health.current_health import CurrentReason
from ragd.memories.agent_notes import AgentNotes
from ragd.memories.memories import Memories
from ragd.protocol.agent_requests import (
    MemoryForgetRequest,
    MemorySearchRequest,
    MemoryWriteRequest,
)
from ragd.protocol.asker import Asker
from ragd.protocol.tool_schemas import SearchRequest
from ragd.state.ledger import Ledger

# Without the index there are no notes to find, but facts are found all the same.
_NO_INDEX = ("INDEX_NOT_FOUND", "INDEX_CORRUPTED", "STARTING", "VAULT_NOT_FOUND", "TIMEOUT")


class MemoryTools:
    """Answers the three tools."""

    def __init__(
        self,
        ledger: Ledger,
        searches: SearchAnswers,
        memories: Memories,
        notes: AgentNotes,
        access: AccessControl,
    ) -> None:
        self._ledger = ledger
        self._searches = searches
        self._memories = memories
        self._notes = notes
        self._access = access

    async def search(
        self, request: MemorySearchRequest, asker: Asker, health: Sequence[CurrentReason]
    ) -> GuardedAnswer:
        """Facts and notes that match the query; without one, the newest."""
        permits = self._access.permits_memory(asker)
        scope = self._access.scope_of_memory(asker)
        if not request.query.strip():
            facts = await self._searches.list_memories(request.max_results, permits)
            return GuardedAnswer(facts | {"notes": self._newest(scope, request)}, "full_text", None, 0)
        wanted = SearchRequest(
            request.query,
            max_results=request.max_results,
            min_score=request.min_score,
            max_chars=request.max_chars,
        )
        try:
            found = await self._searches.answer(
                wanted, health, scope, permits, memories_max=request.max_results
            )
        except RagdError as why:
            if why.code not in _NO_INDEX:
                raise
            facts = await self._searches.match_memories(
                request.query, request.max_results, permits
            )
            return GuardedAnswer(facts | {"notes": []}, "full_text", why.code, 0)
        kept = ("memories", "sensitive_detected", "withheld", "confirm", "hint")
        data = {name: found.data[name] for name in kept if name in found.data}
        data["notes"] = found.data["results"]
        return GuardedAnswer(
            data, found.retrieval, found.code, found.chunks_scanned, found.is_partial
        )

    async def write(self, request: MemoryWriteRequest, asker: Asker) -> dict[str, Any]:
        """Write a note of this asker."""
        self._refuse_in_company(asker)
        return await self._notes.write(asker, request.path, request.text, append=request.append)

    async def forget(self, request: MemoryForgetRequest, asker: Asker) -> dict[str, Any]:
        """Erase a fact, or a note of this asker."""
        if (request.key is None) == (request.path is None):
            raise RagdError(
                "INVALID_REQUEST",
                "Exactly one of the fields `key` and `path` is required.",
                "`obsidian_rag_memory_search` returns both.",
            )
        self._refuse_in_company(asker)
        if request.path is not None:
            return await self._notes.forget(asker, request.path)
        assert request.key is not None
        return await self._memories.forget(request.key, self._access.permits_memory(asker))

    def _newest(self, scope: Scope, request: MemorySearchRequest) -> list[dict[str, Any]]:
        """The notes of these collections that were changed last."""
        files = self._ledger.state.catalog.files
        own = [path for path in files if path.startswith("@memory/") and scope.includes(path)]
        own.sort(key=lambda path: files[path].mtime_ns, reverse=True)
        return [{"source_file": path} for path in own[: request.max_results]]

    def _refuse_in_company(self, asker: Asker) -> None:
        if not is_alone(asker):
            raise RagdError(
                "SECURITY_VIOLATION",
                "An agent's memory is not used in a chat with other people.",
                "Do it in a chat with the user alone.",
            )
