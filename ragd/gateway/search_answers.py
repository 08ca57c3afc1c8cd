"""The answer to a search: passages and memories, flagged or withheld, with a memory to suggest.

It never searches itself. Sensitive results that need the user's consent are withheld here, and
nowhere else.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, Protocol

from msgspec import Struct, structs

from ragd.access.scope import Permits, Scope
from ragd.embed.providers.embedder_port import Vector
from ragd.errors import DEGRADED, worse
from ragd.folds import State, progress
from ragd.gateway.consent import Agreement, Consent, consent_error
from ragd.gateway.scope_counts import ScopeCounts
from ragd.gateway.status import answer_meta, explained_error
from ragd.guard.approvals import WithheldText, text_digest
from ragd.guard.inspection import (
    InspectedPassage,
    NotePassage,
    Rules,
    Suggestion,
    inspect_text,
    suggest,
)
from ragd.guard.live_rules import LiveGuard
from ragd.health.current_health import CurrentHealth, CurrentReason
from ragd.memories.matching import Memory, memory_data
from ragd.memories.memories import stale_fields
from ragd.protocol.asker import Asker
from ragd.protocol.envelope import Envelope, ErrorBody, SearchMeta, error_body
from ragd.protocol.tool_schemas import SearchRequest
from ragd.search.dates.time_messages import describe_time, explain_no_dated_results
from ragd.search.expectation import ExpectedNote, expected_in_answer
from ragd.search.result_limits import within_limits
from ragd.search.results import TRUST, Result
from ragd.search.searcher import SearchAnswer
from ragd.search.unknown_names import SUGGESTION

MEMORIES_MAX = 5
# A memory is suggested only from the best results, and only if they are more likely right than not.
SUGGESTED_FROM = 3
SUGGESTED_SCORE = 0.5
UNNAMED = "linked with another result"
_QUERY_NOT_SENT = (
    "The query is sensitive, so it was not sent to the external embedding server; only full-text "
    "search was used.",
    "With an embedding server on this machine, such queries are searched by meaning too.",
)
_TIMED_OUT = (
    "The search took too long; these are the results found until then.",
    "Try again, or ask for fewer results. If it keeps happening, run `ragctl doctor`.",
)


class PassageSearch(Protocol):
    """Finds passages. Raises RagdError for a request that is refused or fails."""

    async def search(
        self, request: SearchRequest, health: Sequence[CurrentReason], scope: Scope
    ) -> SearchAnswer: ...

    async def find_by_title(self, title: str, scope: Scope) -> Sequence[str]: ...


class MemoryLookup(Protocol):
    """Finds memories."""

    async def find_matching(
        self,
        query: str,
        limit: int,
        vector: Vector | None = None,
        space: str = "",
        permits: Permits | None = None,
    ) -> list[Memory]: ...

    async def known_facts(self, permits: Permits | None = None) -> frozenset[tuple[str, str]]: ...

    async def find_stale(self, memories: Sequence[Memory]) -> dict[str, bool | None]: ...


class InspectedAnswer(NamedTuple):
    """Passages and memories, each with what the guard found in it."""

    passages: list[tuple[NotePassage, Result, InspectedPassage]]
    memories: list[tuple[Memory, InspectedPassage]]

    def sensitive_texts(self) -> list[WithheldText]:
        """Those that need the user's consent."""
        passages = [_passage_text(result, seen) for _, result, seen in self.passages]
        memories = [_memory_text(memory, seen) for memory, seen in self.memories]
        return [text for text in passages + memories if text is not None]


class GuardedAnswer(Struct, frozen=True):
    """The data, how it was found, and the code for why it is incomplete, if it is."""

    data: dict[str, Any]
    retrieval: str
    code: str | None
    chunks_scanned: int
    is_partial: bool = False  # the search ran out of time


class SearchAnswers:
    """Answers search requests."""

    def __init__(
        self, searcher: PassageSearch, memories: MemoryLookup, guard: LiveGuard, consent: Consent
    ) -> None:
        self._searcher = searcher
        self._memories = memories
        self._guard = guard
        self._consent = consent

    async def answer(
        self,
        request: SearchRequest,
        health: Sequence[CurrentReason],
        scope: Scope,
        asker: Asker,
        permits: Permits | None = None,
        *,
        memories_max: int = MEMORIES_MAX,
    ) -> GuardedAnswer:
        """The answer to a request. Raises RagdError for a request that is refused or fails.
        `permits`: whether a memory with this source is in scope; None: all are."""
        searched = await self._searcher.search(request, health, scope)
        memories = await self._memories.find_matching(
            request.query, memories_max, searched.vector, searched.space, permits
        )
        inspected = self._inspect(searched, memories)
        sensitive = inspected.sensitive_texts()
        withheld: list[WithheldText] = []
        agreed = Agreement(covers_everything=True)
        if self._guard.blocks(asker):
            agreed = self._consent.find_agreement(request, asker)
            withheld = [text for text in sensitive if not agreed.covers(text)]
        visible = self._without_withheld(inspected, agreed)
        results = within_limits(
            (_with_flags(result, seen) for _, result, seen in visible.passages),
            request.min_score,
            request.max_chars,
        )
        data: dict[str, Any] = {
            "results": results,
            "answered": searched.is_answered,
            "unsure": searched.is_unsure,
            "sensitive_detected": bool(sensitive),
            "memory_suggestion": await self._suggest(request, searched, visible, permits),
            "memories": await self._memories_data(visible),
            "understood": {
                "time": describe_time(searched.when) if searched.when else None,
                "filters": searched.filters,
            },
            "corrections": searched.corrections,
        }
        if hints := self._hints(request, searched, asker):
            data["hint"] = "\n".join(hints)
        if searched.expected is not None:
            names = [text.citation for text in withheld]
            expected = expected_in_answer(searched.expected, results, names)
            data["expected"] = self._without_sensitive_path(expected, asker)
        if withheld:
            data["corrections"] = []  # the words may be those of a withheld passage
            data |= await self._consent.ask(request, asker, withheld)
        code = "SENSITIVE_FILTERED" if withheld else searched.code
        return GuardedAnswer(
            data, searched.retrieval, code, searched.chunks_scanned, searched.is_partial
        )

    def _inspect(self, searched: SearchAnswer, memories: Sequence[Memory]) -> InspectedAnswer:
        rules = self._guard.rules
        return InspectedAnswer(
            [(row, result, self._guard.inspect(row)) for row, result in searched.found],
            [(one, inspect_text(f"{one.key}\n{one.value}", rules)) for one in memories],
        )

    def _without_withheld(self, found: InspectedAnswer, agreed: Agreement) -> InspectedAnswer:
        """What may be shown: what needs no consent, and what the user agreed to. A newer passage is
        named only if it is shown."""
        passages, memories = found
        if not agreed.covers_everything:
            rules = self._guard.rules
            passages = [
                (row, _without_sensitive_names(result, rules), seen)
                for row, result, seen in passages
                if (text := _passage_text(result, seen)) is None or agreed.covers(text)
            ]
            memories = [
                (memory, seen)
                for memory, seen in memories
                if (text := _memory_text(memory, seen)) is None or agreed.covers(text)
            ]
        shown = {result.citation for _, result, _ in passages}
        return InspectedAnswer(
            [(row, _with_visible_newer(result, shown), seen) for row, result, seen in passages],
            memories,
        )

    def _without_sensitive_path(self, expected: ExpectedNote, asker: Asker) -> ExpectedNote:
        named = (expected.path or "", *expected.candidates)
        if not self._guard.withholds("\n".join(named), asker):
            return expected
        return structs.replace(expected, path=None, candidates=(), citation=None)

    async def _suggest(
        self,
        request: SearchRequest,
        searched: SearchAnswer,
        visible: InspectedAnswer,
        permits: Permits | None,
    ) -> Suggestion | None:
        """A memory to suggest. None if nothing answers the question."""
        if not searched.is_answered:
            return None
        return suggest(
            passages_to_suggest_from(visible.passages),
            self._guard.rules,
            await self._memories.known_facts(permits),
            request.query,
            searched.dated,
        )

    async def _memories_data(self, visible: InspectedAnswer) -> list[dict[str, Any]]:
        stale = await self._memories.find_stale([memory for memory, _ in visible.memories])
        return [
            memory_data(memory) | memory_flags(seen) | stale_fields(stale.get(memory.key))
            for memory, seen in visible.memories
        ]

    def _hints(self, request: SearchRequest, searched: SearchAnswer, asker: Asker) -> list[str]:
        """While sensitive results are withheld, a hint suggests no name: it may be sensitive."""
        hints = list(searched.hints)
        if self._guard.blocks(asker):
            hints = [hint.partition(SUGGESTION)[0] for hint in hints]
        if searched.undated_notes is not None:
            hints.append(explain_no_dated_results(searched.undated_notes, request.by_file_time))
        return hints


def passages_to_suggest_from(
    passages: Sequence[tuple[NotePassage, Result, InspectedPassage]],
) -> list[tuple[NotePassage, InspectedPassage]]:
    """The best results that are current. A linked note was not ranked with the others."""
    return [
        (row, seen)
        for row, result, seen in passages[:SUGGESTED_FROM]
        if result.score >= SUGGESTED_SCORE and _is_newest(result) and result.via is None
    ]


def search_envelope(
    answer: GuardedAnswer,
    state: State,
    health: CurrentHealth,
    model: str,
    took_ms: int,
    counted: ScopeCounts | None = None,
) -> Envelope:
    """The answer with this health, or worse if the answer itself is incomplete. `model`: the
    configured one, which messages name. `counted`: the numbers of the scope; None: it is
    everything."""
    worst, codes = health.state, health.codes
    if answer.code is not None:
        worst = worse(worst, DEGRADED)
        codes = [answer.code, *codes]
    catalog = state.catalog
    embedded, chunks = catalog.chunks_embedded, catalog.chunks
    if counted is not None:
        embedded, chunks = counted.stored.embedded, counted.stored.chunks
    about = SearchMeta(
        **structs.asdict(answer_meta(state, took_ms, answer.chunks_scanned, counted)),
        retrieval=answer.retrieval,
        embedded_share=round(embedded / chunks if chunks else 1.0, 4),
        stale_since=health.since("INDEX_STALE"),
        unindexed_files=progress.count_unindexed(state) if counted is None else counted.unindexed,
        provider=catalog.index.provider if catalog.index is not None else "",
        model=catalog.index.model if catalog.index is not None else "",
    )
    error = _answer_error(codes, answer) or explained_error(codes, state, model)
    return Envelope(worst, answer.data, error, about)


def _answer_error(codes: Sequence[str], answer: GuardedAnswer) -> ErrorBody | None:
    """The cases in which a code means something else for an answer than for the daemon: the query
    was not sent (no passage was withheld), or some results are missing."""
    if codes[:1] == ["SENSITIVE_FILTERED"]:
        if "withheld" not in answer.data:
            return error_body(codes[0], *_QUERY_NOT_SENT)
        return consent_error(answer.data)
    if codes[:1] == ["TIMEOUT"] and answer.is_partial:
        return error_body(codes[0], *_TIMED_OUT)
    return None


def _passage_text(result: Result, seen: InspectedPassage) -> WithheldText | None:
    """The passage as a text that needs consent; None if it needs none."""
    if not seen.withheld:
        return None
    shown = (result.citation, result.title, result.heading_path, result.chunk_text)
    return WithheldText(result.citation, seen.categories, text_digest(*shown))


def _memory_text(memory: Memory, seen: InspectedPassage) -> WithheldText | None:
    """The memory as a text that needs consent; None if it needs none."""
    if not seen.withheld:
        return None
    digest = text_digest("memory", memory.key, memory.value, memory.source)
    return WithheldText(f"memory {memory.key}", seen.categories, digest)


def _is_newest(result: Result) -> bool:
    return result.superseded_by is None and result.maybe_newer is None


def _without_sensitive_names(result: Result, rules: Rules) -> Result:
    """The path or title of another note can be sensitive where the passage itself is not."""
    shown = tuple(path for path in result.also_in if not inspect_text(path, rules).withheld)
    via = result.via
    if via is not None and inspect_text(via, rules).withheld:
        via = UNNAMED
    return structs.replace(result, also_in=shown, via=via)


def _with_visible_newer(result: Result, shown: Collection[str]) -> Result:
    """A newer passage is named only if it is in the answer: the path of a withheld one may be
    sensitive."""
    newer, maybe = (
        one if one in shown else None for one in (result.superseded_by, result.maybe_newer)
    )
    return structs.replace(result, superseded_by=newer, maybe_newer=maybe)


def _with_flags(result: Result, seen: InspectedPassage) -> Result:
    return structs.replace(
        result,
        sensitive=seen.categories,
        ask_first=seen.withheld,
        injection_suspected=seen.injection_suspected,
    )


def memory_flags(seen: InspectedPassage) -> dict[str, Any]:
    """What an answer says about a memory. Its text came from a note, so it is untrusted, too."""
    return {
        "sensitive": seen.categories,
        "ask_first": seen.withheld,
        "trust": TRUST,
        "injection_suspected": seen.injection_suspected,
    }
