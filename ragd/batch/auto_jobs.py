"""Which job the daemon needs without a request from a client. It records and starts none.

The reasons: the index is damaged, facts were lost, a job failed, the chunking or the rules for
folders have changed, or a pause is over.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ragd.config.live_settings import Settings
from ragd.config.load import Config
from ragd.events import Mode
from ragd.folds import State
from ragd.folds.jobs import Job
from ragd.folds.progress import STRENGTH
from ragd.state.ledger import Ledger


class FingerprintSource(Protocol):
    """A hash of how notes are split into chunks now."""

    @property
    def fingerprint(self) -> str: ...


class AutoJob(NamedTuple):
    """A job that the daemon needs, and why (its `origin` in the log)."""

    mode: Mode
    origin: str


class AutoJobs:
    """Each reason leads to one job in a run. If that fails, a person has to act."""

    def __init__(self, ledger: Ledger, settings: Settings, notes: FingerprintSource) -> None:
        self._ledger = ledger
        self._settings = settings
        self._notes = notes
        self._is_recovering = False
        self._recovered: set[str] = set()  # collections that were read again
        self._rechunked: set[str] = set()  # fingerprints
        self._retried: set[str] = set()  # ids of jobs
        self._may_retry_again = False
        self._repaired: set[str] = set()  # generations
        self._rules = reading_rules(settings.current)

    def dependency_recovered(self) -> None:
        """A lost dependency works again: a job that failed may be retried once more."""
        self._may_retry_again = True

    def next_job(self) -> AutoJob | None:
        """The next job to request, if one is needed."""
        if self._is_repair_due():
            return AutoJob("reindex", "auto_reindex")
        if self._is_rechunking_due():
            return AutoJob("reindex", "chunking_changed")
        if self._is_recovery_due():
            return AutoJob("full", "recovery")
        if self._is_sync_after_pause_due():
            return AutoJob("sync", "pause_ended")
        if self._have_rules_changed():
            return AutoJob("sync", "config_changed")
        return self._retry()

    def _is_repair_due(self) -> bool:
        """The index is damaged, and the configuration allows a repair without a request."""
        state = self._ledger.state
        generation = state.catalog.index.generation if state.catalog.index is not None else ""
        if not is_damaged(state) or generation in self._repaired:
            return False
        if not self._settings.current.health.auto_reindex:
            return False
        self._repaired.add(generation)
        return True

    def _is_rechunking_due(self) -> bool:
        """Notes are split into chunks differently than when this index was made."""
        state, now = self._ledger.state, self._notes.fingerprint
        catalog = state.catalog
        if catalog.index is None or catalog.index.fingerprint == now or now in self._rechunked:
            return False
        if state.health.deletions_held:
            return False  # a new index would lose the held notes: a person decides first
        self._rechunked.add(now)
        return catalog.building is None or catalog.building.fingerprint != now

    def _is_recovery_due(self) -> bool:
        """Facts were lost, so the catalog may be wrong and all notes are read again: those of a
        collection that could not be used then when it is back."""
        state = self._ledger.state
        catalog = state.catalog
        back = {name for name in catalog.unread if not state.health.is_lost(name)}
        if new := back - catalog.gone - self._recovered:
            self._recovered |= new
            return catalog.index is not None
        if not catalog.needs_full_scan:
            self._is_recovering = False
            return False
        if self._is_recovering or catalog.index is None:
            return False
        self._is_recovering = True
        return True

    def _is_sync_after_pause_due(self) -> bool:
        """A pause is over, and changes may have been missed."""
        state = self._ledger.state
        index = state.catalog.index
        return state.pause.owed and index is not None and not state.health.is_vault_lost

    def _have_rules_changed(self) -> bool:
        """The configuration includes other folders or file names than before."""
        now = reading_rules(self._settings.current)
        changed, self._rules = now != self._rules, now
        return changed and self._ledger.state.catalog.index is not None

    def _retry(self) -> AutoJob | None:
        """A failed job is retried once, and again whenever a dependency recovers."""
        state = self._ledger.state
        failed = last_failure(state.jobs.finished)
        if failed is None or failed.id in self._retried:
            return None
        if (failed.origin == "retry" and not self._may_retry_again) or state.health.is_vault_lost:
            return None
        if failed.code == "COLLECTION_NOT_FOUND" and state.health.lost_collections:
            return None
        if failed.mode != "reindex" and is_damaged(state):
            return None
        self._retried.add(failed.id)
        self._may_retry_again = False
        return AutoJob(failed.mode, "retry")  # without the consent to deletions: it may be outdated


def last_failure(finished: Sequence[Job]) -> Job | None:
    """The last failed job, unless a later one did at least as much: a sync does not replace a
    reindex."""
    done = -1
    for job in reversed(finished):
        strength = STRENGTH[job.mode]
        if job.outcome == "failed" and strength > done:
            return job
        done = max(done, strength)
    return None


def reading_rules(config: Config) -> tuple[object, ...]:
    """The settings that decide which notes belong in the index."""
    indexing = config.indexing
    further = {
        name: (one.path, one.patterns, one.allow_dirs, one.deny_dirs)
        for name, one in config.collections.items()
    }
    rules = (indexing.file_patterns, indexing.allow_dirs, indexing.deny_dirs, indexing.templates)
    return *rules, further, config.sessions


def is_damaged(state: State) -> bool:
    """Whether the index exists and cannot be used: nothing can be stored in it."""
    lost = state.health.lost.get("index")
    return lost is not None and lost.code == "INDEX_CORRUPTED"
