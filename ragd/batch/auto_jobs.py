"""Which job the daemon wants by itself, as the folds and the configuration say. It starts none.

The index is damaged, facts were lost, a job failed, notes are to be cut in another way, other notes
are to be read, or a pause is over.
"""

from collections.abc import Sequence
from typing import Protocol

from ragd.clock import new_id
from ragd.config.live_settings import Settings
from ragd.config.load import Config
from ragd.events import JobRequested
from ragd.folds import State
from ragd.folds.jobs import Job
from ragd.folds.progress import STRENGTH
from ragd.state.ledger import Ledger


class Notes(Protocol):
    """How notes are cut now."""

    @property
    def fingerprint(self) -> str: ...


class Wishes:
    """Each wish is granted once in a run: what fails again is a person's business."""

    def __init__(self, ledger: Ledger, settings: Settings, notes: Notes) -> None:
        self._ledger = ledger
        self._settings = settings
        self._notes = notes
        self._recovered = False
        self._recut: set[str] = set()
        self._retried: set[str] = set()
        self._hope = False
        self._mended: set[str] = set()
        self._rules = reading_rules(settings.current)

    def take_heart(self) -> None:
        """Something that was lost works again: what failed for want of it may be tried."""
        self._hope = True

    def next_job(self) -> JobRequested | None:
        """The next job to ask for; None if all is as it should be."""
        if self._is_repair_due():
            return _job("reindex", "auto_reindex")
        if self._is_recut_due():
            return _job("reindex", "chunking_changed")
        if self._is_recovery_due():
            return _job("full", "recovery")
        if self._is_owed():
            return _job("sync", "pause_ended")
        if self._have_rules_changed():
            return _job("sync", "config_changed")
        return self._retry()

    def _is_repair_due(self) -> bool:
        """The index is damaged, and its owner wants it mended without being asked."""
        state = self._ledger.state
        generation = state.catalog.index.generation if state.catalog.index is not None else ""
        if not is_damaged(state) or generation in self._mended:
            return False
        if not self._settings.current.health.auto_reindex:
            return False
        self._mended.add(generation)
        return True

    def _is_recut_due(self) -> bool:
        """Notes are cut in another way than they were for this index."""
        state, now = self._ledger.state, self._notes.fingerprint
        catalog = state.catalog
        if catalog.index is None or catalog.index.fingerprint == now or now in self._recut:
            return False
        if state.health.deletions_held:
            return False  # it would lose what is held: a person decides first
        self._recut.add(now)
        return catalog.building is None or catalog.building.fingerprint != now

    def _is_recovery_due(self) -> bool:
        """Facts were lost, so the catalog may be wrong: everything is read again."""
        catalog = self._ledger.state.catalog
        if not catalog.needs_full_scan:
            self._recovered = False  # until facts are lost again
            return False
        if self._recovered or catalog.index is None:
            return False
        self._recovered = True
        return True

    def _is_owed(self) -> bool:
        """A pause is over: what happened meanwhile is looked for."""
        state = self._ledger.state
        index = state.catalog.index
        return state.pause.owed and index is not None and not state.health.is_vault_lost

    def _have_rules_changed(self) -> bool:
        """Other folders or file names than before belong into the index."""
        now = reading_rules(self._settings.current)
        changed, self._rules = now != self._rules, now
        return changed and self._ledger.state.catalog.index is not None

    def _retry(self) -> JobRequested | None:
        """A job that failed is tried once more, and then whenever something works again."""
        state = self._ledger.state
        failed = last_failure(state.jobs.finished)
        if failed is None or failed.id in self._retried:
            return None
        if (failed.origin == "retry" and not self._hope) or state.health.is_vault_lost:
            return None
        if failed.mode != "reindex" and is_damaged(state):
            return None
        self._retried.add(failed.id)
        self._hope = False
        return _job(failed.mode, "retry")  # what a person agreed to then may be another thing now


def last_failure(finished: Sequence[Job]) -> Job | None:
    """The last job that failed, unless a later job did at least as much: a sync that went well
    does not do the work of a reindex that failed."""
    done = -1
    for job in reversed(finished):
        strength = STRENGTH[job.mode]
        if job.outcome == "failed" and strength > done:
            return job
        done = max(done, strength)
    return None


def reading_rules(config: Config) -> tuple[object, ...]:
    """What decides which notes belong into the index."""
    indexing = config.indexing
    return indexing.file_patterns, indexing.allow_dirs, indexing.deny_dirs, indexing.templates


def is_damaged(state: State) -> bool:
    """The index is there and cannot be used: nothing can be stored in it."""
    lost = state.health.lost.get("index")
    return lost is not None and lost.code == "INDEX_CORRUPTED"


def _job(mode: str, origin: str) -> JobRequested:
    return JobRequested(job_id=new_id(), mode=mode, origin=origin)  # type: ignore[arg-type]
