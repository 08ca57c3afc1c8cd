"""Puts every answer in its envelope: data, a status, a search, a refusal. Health is computed once
for each answer.

It never touches the network and records nothing.
"""

import os
from collections.abc import Callable
from typing import Any

from msgspec import structs

from ragd import __version__
from ragd.access.scope import Scope
from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.embed.vector_progress import VectorProgress
from ragd.errors import DEGRADED, RagdError, worse
from ragd.gateway.live_state import LiveState
from ragd.gateway.process_stats import read_process_stats
from ragd.gateway.reader_mode import ReaderMode
from ragd.gateway.scope_counts import ScopeCounter, ScopeCounts
from ragd.gateway.scoped_status import scoped_status
from ragd.gateway.search_answers import GuardedAnswer, search_envelope
from ragd.gateway.status import answer_meta, explained_error, status_envelope
from ragd.gateway.suggested_commands import SuggestedCommands
from ragd.health.current_health import CurrentHealth
from ragd.health.explanation import explain
from ragd.health.scoped_health import scoped_health, visible_state
from ragd.protocol.envelope import Envelope, ErrorBody, refusal_envelope
from ragd.state.ledger import Ledger
from ragd.vault.collection_paths import VAULT


class Envelopes:
    """The envelopes of one daemon. `live` is the state that only the process has."""

    def __init__(
        self, ledger: Ledger, clock: Clock, settings: Settings, vectors: VectorProgress
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._vectors = vectors
        self._counter = ScopeCounter()
        self.count_index_bytes: Callable[[], int] = lambda: 0  # of rows in memory
        self._started = clock.monotonic()
        self.commands = SuggestedCommands(settings.home)
        self.reader: ReaderMode | None = None
        config = settings.current
        self.live = LiveState(
            version=__version__,
            pid=os.getpid(),
            run=ledger.run_id,
            started_at=clock.now(),
            uptime_s=0,
            vault_path=config.vault_path,
            provider=config.embedding.provider,
            language=config.embedding.language,
            code_blocks=config.security.code_blocks,
            model=config.embedding.model,
        )

    def health(self, scope: Scope) -> CurrentHealth:
        """Health now, of what is in scope."""
        state = self._ledger.state
        return scoped_health(self._refresh_live_state().health(state), state, scope)

    def data(
        self,
        data: Any,
        code: str | None = None,
        took_ms: int = 0,
        *,
        scope: Scope,
        error: ErrorBody | None = None,
    ) -> Envelope:
        """An answer with data. If health or the answer itself (`code`) is degraded, the error has
        the reason; `error` says it more exactly."""
        state, health = visible_state(self._ledger.state, scope), self.health(scope)
        worst, codes = health.state, health.codes
        if code is not None:
            worst, codes = worse(worst, DEGRADED), [code, *codes]
        error = error or explained_error(codes, state, self.live.model)
        envelope = Envelope(
            worst, data, error, answer_meta(state, took_ms, counted=self._count(scope))
        )
        return self._finish(envelope)

    def status(self, scope: Scope, took_ms: int = 0) -> Envelope:
        """The full status, or what it says about the collections in scope."""
        live = self._refresh_live_state()
        live.process = read_process_stats(self.count_index_bytes())
        state = visible_state(self._ledger.state, scope)
        envelope = status_envelope(state, live, took_ms)
        if (counted := self._count(scope)) is not None:
            health = self.health(scope)
            envelope = scoped_status(envelope, state, scope, counted, health, live.model)
        return self._finish(envelope)

    def search(self, answer: GuardedAnswer, scope: Scope, took_ms: int) -> Envelope:
        """A search answer, with the health of the moment when the search ended."""
        state, model = visible_state(self._ledger.state, scope), self.live.model
        counted = self._count(scope)
        envelope = search_envelope(answer, state, self.health(scope), model, took_ms, counted)
        return self._finish(envelope)

    def refusal(self, why: RagdError, scope: Scope) -> Envelope:
        """An answer without data, with the health of this moment."""
        state = visible_state(self._ledger.state, scope)
        if why.message == why.kind.message:  # the log may have more details
            why = RagdError(why.code, *explain(why.code, state, self.live.model))
        health = self.health(scope).state
        envelope = refusal_envelope(why, health, answer_meta(state, counted=self._count(scope)))
        return self._finish(envelope)

    def _finish(self, envelope: Envelope) -> Envelope:
        if self.reader is not None:
            meta = structs.replace(envelope.meta, index_as_of=self.reader.as_of)
            envelope = structs.replace(envelope, meta=meta)
        return self.commands.add_home_to_envelope(envelope)

    def _count(self, scope: Scope) -> ScopeCounts | None:
        """The numbers of a part of the index; None for everything, which the catalog counts."""
        return None if scope.is_everything else self._counter.count(self._ledger.state, scope)

    def _refresh_live_state(self) -> LiveState:
        live, settings = self.live, self._settings
        live.vault_context = settings.contexts.of_collection(VAULT)
        live.uptime_s = int(self._clock.monotonic() - self._started)
        live.full_since = self._ledger.journal.full_since
        live.oldest_seq = self._ledger.oldest_seq
        live.snapshot_seq = self._ledger.snapshot_seq
        live.needs_restart = settings.waiting
        live.language = settings.current.embedding.language
        live.file_patterns = settings.current.indexing.file_patterns
        live.collections = settings.current.collections
        live.code_blocks = settings.current.security.code_blocks
        live.config_refused = settings.refused
        live.vectors_made = self._vectors.counts
        return live
