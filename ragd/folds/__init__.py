"""The state is a fold of the log: everything the daemon knows follows from its records.

`apply` takes one record after the other. A fold changes only its own state, and never asks a
clock, the disk or the configuration. So replaying the log up to any record gives the exact state
of that moment.
"""

from typing import Any

import msgspec
from msgspec import Struct, field

from ragd.eventlog.frame import Record
from ragd.events import (
    EVENT_TYPES,
    DaemonStarted,
    Fact,
    FilesChanged,
    JobFinished,
    JobStarted,
    SplitFact,
    Unknown,
)
from ragd.folds import catalog as _catalog
from ragd.folds import catalog_scans as _catalog_scans
from ragd.folds import health as _health
from ragd.folds import jobs as _jobs
from ragd.folds import pause as _pause
from ragd.folds import runs as _runs
from ragd.folds import sync_result as _sync_result
from ragd.folds.catalog import Catalog
from ragd.folds.health_reasons import Health
from ragd.folds.jobs import Jobs
from ragd.folds.parts import Parts, assemble
from ragd.folds.pause import Pause
from ragd.folds.runs import Runs
from ragd.folds.sync_result import SyncResult

# Raise it when a fold would make another state of old records. Older snapshots are then ignored.
FOLDS_VERSION = 1

_CATALOG_HANDLERS = {**_catalog.HANDLERS, **_catalog_scans.HANDLERS}


class State(Struct):
    """All folds after record `seq`."""

    seq: int = 0
    last_ts: str | None = None
    unknown: int = 0  # facts of types that this version does not know
    parts: Parts = field(default_factory=Parts)
    runs: Runs = field(default_factory=Runs)
    catalog: Catalog = field(default_factory=Catalog)
    jobs: Jobs = field(default_factory=Jobs)
    health: Health = field(default_factory=Health)
    sync_result: SyncResult = field(default_factory=SyncResult)
    pause: Pause = field(default_factory=Pause)

    @property
    def follows_vault(self) -> bool:
        """Whether saved notes are indexed without a request.

        That is so if there is an index, or if the first job found no note to store.
        """
        if self.catalog.index is not None:
            return True
        return self.sync_result.last_sync is not None and not self.catalog.needs_full_scan


def apply(state: State, record: Record) -> None:
    """Apply the next record. Health is settled if something that it follows from has changed.

    One function, because a replay spends most of its time here.
    """
    event: Any = record.event
    steps = _STEPS[type(event)]
    seq = record.seq
    if seq != state.seq + 1 or steps.begin_run:
        state.parts.open.clear()  # records are missing, or a new run began: no more parts will come
    state.seq = seq
    state.last_ts = record.ts
    if steps.are_unknown:
        state.unknown += 1
        return
    if steps.may_be_split and not (event.last and not event.part and not state.parts.open):
        whole = assemble(state.parts, event, record.actor, record.run)
        if whole is None:
            return
        event = whole
    jobs = state.jobs
    if not (steps.are_any or jobs.filling):
        return
    catalog, health = state.catalog, state.health
    is_settled = True
    if steps.catalog is not None:
        if steps.are_read_by_health or "freshness" in health.lost:
            before = _health_inputs(catalog, health)
            steps.catalog(catalog, event, record)
            is_settled = before == _health_inputs(catalog, health)
        else:
            steps.catalog(catalog, event, record)
    if steps.jobs is not None:
        steps.jobs(jobs, event, record)
    if steps.end_job or jobs.filling:
        _jobs.update_filling(jobs, event, record, catalog)
    if steps.pause is not None:
        steps.pause(state.pause, event, record)
    if steps.runs is not None:
        steps.runs(state.runs, event, record)
    if steps.change_result:
        _sync_result.apply(state.sync_result, event, record, catalog, jobs)
    if steps.health is not None and steps.health(health, event, record) is not False:
        is_settled = False
    if not is_settled:
        _health.update_reasons(health, catalog, record)


# Of what health reads, these facts change in the catalog only which notes wait.
_ONLY_WAITING = (FilesChanged, JobStarted)


class _Steps:
    """What the facts of one type change: the handlers of all folds, looked up once."""

    def __init__(self, kind: type[Fact]) -> None:
        self.are_unknown = kind is Unknown
        self.begin_run = kind is DaemonStarted
        self.end_job = kind is JobFinished
        self.may_be_split = issubclass(kind, SplitFact)
        self.are_read_by_health = kind not in _ONLY_WAITING
        self.change_result = kind in _sync_result.CHANGED_BY
        self.catalog = _CATALOG_HANDLERS.get(kind)
        self.jobs = _jobs.HANDLERS.get(kind)
        self.pause = _pause.HANDLERS.get(kind)
        self.runs = _runs.HANDLERS.get(kind)
        self.health = _health.HANDLERS.get(kind)
        handlers = (self.catalog, self.jobs, self.pause, self.runs, self.health)
        self.are_any = any(handlers) or self.change_result


def _health_inputs(catalog: Catalog, health: Health) -> tuple[object, ...]:
    """Everything that the table of reasons reads from the catalog.

    It is read for most records. Only while a probe says that something has waited too long are the
    waiting files looked at: there may be very many.
    """
    is_stale = "freshness" in health.lost and catalog.has_waiting_notes
    has_backlog = catalog.chunks > catalog.chunks_embedded + catalog.chunks_barred
    return not catalog.files, is_stale, has_backlog, catalog.index


_STEPS = {kind: _Steps(kind) for kind in EVENT_TYPES}


def encode_state(state: State) -> bytes:
    """The state as bytes for a snapshot. The same state always gives the same bytes."""
    return msgspec.json.encode(state, order="deterministic")


_decoder = msgspec.json.Decoder(State)


def decode_state(raw: bytes | msgspec.Raw) -> State:
    """The state in a snapshot."""
    return _decoder.decode(raw)
