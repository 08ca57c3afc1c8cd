"""A search as it leaves the daemon: passages, memories, what is sensitive in them, what to keep.

It finds nothing itself. What must be agreed to first is withheld here, and nowhere else.
"""

from collections.abc import Collection, Sequence
from typing import Any, Protocol

from msgspec import Struct, structs

from ragd.clock import Clock
from ragd.embed.providers.embedder_port import Vector
from ragd.errors import DEGRADED, worse
from ragd.folds import State, progress
from ragd.gateway.status import Live, Reason, error_of, meta, reasons, verdict
from ragd.guard.inspection import GuardedPassage, InspectedPassage, Rules, inspect_text, suggest
from ragd.guard.live_rules import LiveGuard, confirmations
from ragd.memories.matching import Memory, shown
from ragd.memories.memories import told_of
from ragd.protocol.envelope import Envelope, ErrorBody, SearchMeta, error_body
from ragd.protocol.tool_schemas import SearchRequest
from ragd.search.dates.time_messages import nothing_dated, time_shown
from ragd.search.results import TRUST, Result
from ragd.search.searcher import SearchAnswer

MEMORIES = 5
UNNAMED = "linked with another result"
_QUESTION_STAYED = (
    "The question is sensitive, so it was not sent to the external embedding server; words alone "
    "were searched.",
    "With an embedding server on this machine, such questions are searched by meaning, too.",
)


_TIME_WAS_UP = (
    "The search took too long; these are the results that were found until then.",
    "Try again, or ask for fewer results. If it keeps happening, run `ragctl doctor`.",
)


class Searches(Protocol):
    """Who finds passages; raises RagdError for what is refused or cannot be served."""

    async def search(self, request: SearchRequest, health: Sequence[Reason]) -> SearchAnswer: ...

    async def titled(self, title: str) -> Sequence[str]: ...


class Recalls(Protocol):
    """Who knows the memories."""

    async def matching(
        self, query: str, limit: int, vector: Vector | None = None, space: str = ""
    ) -> list[Memory]: ...

    async def facts(self) -> frozenset[tuple[str, str]]: ...

    async def stale(self, memories: Sequence[Memory]) -> dict[str, bool | None]: ...


class Answer(Struct, frozen=True):
    """What is answered, how it was found, and why it is less than it could be, if it is."""

    data: dict[str, Any]
    retrieval: str
    code: str | None
    chunks_scanned: int
    is_partial: bool = False  # the time was up before the search was done


class Answers:
    """Makes them."""

    def __init__(
        self, searches: Searches, recalls: Recalls, guard: LiveGuard, clock: Clock
    ) -> None:
        self._searches = searches
        self._recalls = recalls
        self._guard = guard
        self._confirmations = confirmations(clock)

    async def to(self, request: SearchRequest, health: Sequence[Reason]) -> Answer:
        """The answer to a request. Raises RagdError for what is refused or cannot be served."""
        served = await self._searches.search(request, health)
        memories = await self._recalls.matching(
            request.query, MEMORIES, served.vector, served.space
        )
        stale = await self._recalls.stale(memories)
        rules = self._guard.rules
        passages = [(row, result, self._guard.inspect(row)) for row, result in served.found]
        recalled = [(one, inspect_text(f"{one.key}\n{one.value}", rules)) for one in memories]
        sensitive = any(seen.withheld for seen in _seen(passages, recalled))
        withheld = 0
        if self._guard.blocks and not self._confirmations.agreed(request):
            withheld = sum(seen.withheld for seen in _seen(passages, recalled))
            passages = [
                (row, _without_sensitive_names(result, rules), seen)
                for row, result, seen in passages
                if not seen.withheld
            ]
            recalled = [one for one in recalled if not one[1].withheld]
        shown = {result.citation for _, result, _ in passages}
        passages = [(row, _with_seen_newer(result, shown), seen) for row, result, seen in passages]
        data: dict[str, Any] = {
            "results": [_flagged(result, seen) for _, result, seen in passages],
            "answered": served.is_answered,
            "sensitive_detected": sensitive,
            "memory_suggestion": suggest(
                [(row, seen) for row, result, seen in passages if not result.superseded_by],
                rules,
                await self._recalls.facts(),
                request.query,
                served.dated,
            )
            if served.is_answered
            else None,
            "memories": [_recalled(one, seen, stale.get(one.key)) for one, seen in recalled],
            "understood": {
                "time": time_shown(served.when) if served.when else None,
                "filters": served.filters,
            },
            "corrections": served.corrections,
        }
        if served.undated_notes is not None:
            data["hint"] = nothing_dated(served.undated_notes, request.by_file_time)
        if withheld:
            data |= {"withheld": withheld, "confirm": self._confirmations.issue(request)}
        code = "SENSITIVE_FILTERED" if withheld else served.code
        return Answer(data, served.retrieval, code, served.chunks_scanned, served.is_partial)


def enveloped(answer: Answer, state: State, live: Live, took_ms: int) -> Envelope:
    """The answer with the health of this moment, or worse if the answer itself was."""
    health, codes = verdict(state, live)
    if answer.code is not None:
        health = worse(health, DEGRADED)
        codes = [answer.code, *codes]
    since = {reason.code: reason.since for reason in reasons(state, live)}
    catalog = state.catalog
    share = catalog.chunks_embedded / catalog.chunks if catalog.chunks else 1.0
    about = SearchMeta(
        **structs.asdict(meta(state, took_ms, answer.chunks_scanned)),
        retrieval=answer.retrieval,
        embedded_share=round(share, 4),
        stale_since=since.get("INDEX_STALE"),
        unindexed_files=progress.unindexed(state),
    )
    error = _of_this_answer(codes, answer) or error_of(codes, state, live)
    return Envelope(health, answer.data, error, about)


def _of_this_answer(codes: Sequence[str], answer: Answer) -> ErrorBody | None:
    """What is wrong with the answer itself: a question that stayed here is another matter than
    passages that did, and so are results that are not all."""
    if codes[:1] == ["SENSITIVE_FILTERED"] and "withheld" not in answer.data:
        return error_body(codes[0], *_QUESTION_STAYED)
    if codes[:1] == ["TIMEOUT"] and answer.is_partial:
        return error_body(codes[0], *_TIME_WAS_UP)
    return None


def _seen(
    passages: Sequence[tuple[GuardedPassage, Result, InspectedPassage]],
    recalled: Sequence[tuple[Memory, InspectedPassage]],
) -> list[InspectedPassage]:
    return [*(one[2] for one in passages), *(one[1] for one in recalled)]


def _without_sensitive_names(result: Result, rules: Rules) -> Result:
    """The path or title of another note can be sensitive where the passage itself is not."""
    shown = tuple(path for path in result.also_in if not inspect_text(path, rules).withheld)
    via = result.via
    if via is not None and inspect_text(via, rules).withheld:
        via = UNNAMED
    return structs.replace(result, also_in=shown, via=via)


def _with_seen_newer(result: Result, shown: Collection[str]) -> Result:
    """A newer passage is named only if it is in the answer: the path of a withheld one may tell."""
    if result.superseded_by is None or result.superseded_by in shown:
        return result
    return structs.replace(result, superseded_by=None)


def _flagged(result: Result, seen: InspectedPassage) -> Result:
    return structs.replace(
        result,
        sensitive=seen.categories,
        ask_first=seen.withheld,
        injection_suspected=seen.injection_suspected,
    )


def _recalled(memory: Memory, seen: InspectedPassage, stale: bool | None) -> dict[str, Any]:
    """A memory's text came from a note once: it is data, too."""
    about = {
        "sensitive": seen.categories,
        "ask_first": seen.withheld,
        "trust": TRUST,
        "injection_suspected": seen.injection_suspected,
    }
    return shown(memory) | about | told_of(stale)
