"""The tools of an agent's memory: look through it, write into it, forget.

It contains no HTTP. Stored facts belong to the collection of their source; an agent's notes are the
collection `@memory/AGENT`. In a chat with other people there is no memory.
"""

from collections.abc import Sequence
from typing import Any

from ragd.access.permissions import is_alone
from ragd.access.scope import Scope
from ragd.config.live_settings import Settings
from ragd.errors import RagdError
from ragd.gateway.access_control import AccessControl
from ragd.gateway.listed_memories import with_flags, without_sensitive_memories
from ragd.gateway.recent_notes import newest_first
from ragd.gateway.search_answers import GuardedAnswer, SearchAnswers
from ragd.guard.live_rules import LiveGuard
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
from ragd.search.fallback import Fallback
from ragd.state.ledger import Ledger
from ragd.vault.collection_paths import MEMORY

# Without an index there are no notes to find, but stored facts are found all the same.
_NO_INDEX = (
    *("INDEX_NOT_FOUND", "INDEX_CORRUPTED", "STARTING", "TIMEOUT"),
    *("VAULT_NOT_FOUND", "VAULT_NOT_RESPONDING"),
)
_SHARED_FIELDS = ("memories", "sensitive_detected", "withheld", "confirm", "approval", "refused")


class MemoryTools:
    """Answers the three tools."""

    def __init__(
        self,
        ledger: Ledger,
        settings: Settings,
        searches: SearchAnswers,
        memories: Memories,
        notes: AgentNotes,
        access: AccessControl,
        guard: LiveGuard,
    ) -> None:
        self._ledger = ledger
        self._searches = searches
        self._memories = memories
        self._notes = notes
        self._access = access
        self._guard = guard
        self._fallback = Fallback(ledger, settings)

    async def search(
        self,
        request: MemorySearchRequest,
        asker: Asker,
        scope: Scope,
        health: Sequence[CurrentReason],
    ) -> GuardedAnswer:
        """Facts and notes that match the query; without one, the newest. `scope`: the asker's own
        notes."""
        if not request.query.strip():
            return await self._without_search(request, asker, None, scope)
        wanted = SearchRequest(
            request.query,
            max_results=request.max_results,
            min_score=request.min_score,
            max_chars=request.max_chars,
            confirm=request.confirm,
        )
        permits = self._access.permits_memory(asker)
        try:
            found = await self._searches.answer(
                wanted, health, scope, asker, permits, memories_max=request.max_results
            )
        except RagdError as why:
            if why.code not in _NO_INDEX or not self._fallback.is_allowed:
                raise
            return await self._without_search(request, asker, why.code)
        data = {name: found.data[name] for name in _SHARED_FIELDS if name in found.data}
        data["notes"] = found.data["results"]
        return GuardedAnswer(
            data, found.retrieval, found.code, found.chunks_scanned, found.is_partial
        )

    async def write(self, request: MemoryWriteRequest, asker: Asker) -> dict[str, Any]:
        """Write a note of this asker."""
        _refuse_in_company(asker)
        return await self._notes.write(asker, request.path, request.text, append=request.append)

    async def forget(self, request: MemoryForgetRequest, asker: Asker) -> dict[str, Any]:
        """Erase a fact, or a note of this asker."""
        if (request.key is None) == (request.path is None):
            raise RagdError(
                "INVALID_REQUEST",
                "Exactly one of the fields `key` and `path` is required.",
                "`obsidian_rag_memory_search` returns both.",
            )
        _refuse_in_company(asker)
        if request.path is not None:
            return await self._notes.forget(asker, request.path)
        assert request.key is not None
        return await self._memories.forget(request.key, self._access.permits_forgetting(asker))

    async def _without_search(
        self,
        request: MemorySearchRequest,
        asker: Asker,
        code: str | None,
        scope: Scope | None = None,
    ) -> GuardedAnswer:
        """Facts by their words, or the newest ones, without the index; with the newest notes in
        scope."""
        permits = self._access.permits_memory(asker)
        query, most = request.query.strip(), request.max_results
        listed = await self._memories.list_some(query, most, permits)
        found = with_flags(without_sensitive_memories(listed, self._guard, asker), self._guard)
        paths = [] if scope is None else self._newest_notes(scope, most)
        shown = [path for path in paths if not self._guard.withholds(path, asker)]
        found["notes"] = [{"source_file": path} for path in shown]
        if left_out := len(paths) - len(shown):
            found |= {"withheld": found["withheld"] + left_out, "sensitive_detected": True}
        return GuardedAnswer(found, "full_text", code, 0)

    def _newest_notes(self, scope: Scope, most: int) -> list[str]:
        """The paths of the notes in scope that changed last."""
        files = self._ledger.state.catalog.files
        own = (path for path in files if path.startswith(f"@{MEMORY}/") and scope.includes(path))
        return newest_first(own, files, most)


def _refuse_in_company(asker: Asker) -> None:
    if not is_alone(asker):
        raise RagdError(
            "SECURITY_VIOLATION",
            "An agent's memory is not used in a chat with other people.",
            "Do it in a chat with the user alone.",
        )
