"""The state is a fold of the log: everything the daemon knows follows from its records.

`apply` takes one record after the other. A fold changes only its own state, and never asks a
clock, the disk or the configuration. So replaying the log up to any record gives the exact state
of that moment.
"""

import msgspec
from msgspec import Struct, field

from ragd.eventlog.frame import Record
from ragd.events import DaemonStarted, Fact, SplitFact, Unknown
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
    """Apply the next record."""
    if record.seq != state.seq + 1 or isinstance(record.event, DaemonStarted):
        state.parts.open.clear()  # records are missing, or a new run began: no more parts will come
    state.seq = record.seq
    state.last_ts = record.ts
    event = record.event
    if isinstance(event, Unknown):
        state.unknown += 1
    elif not isinstance(event, SplitFact):
        _dispatch(state, event, record)
    elif whole := assemble(state.parts, event, record.actor, record.run):
        _dispatch(state, whole, record)


def _dispatch(state: State, event: Fact, record: Record) -> None:
    kind = type(event)
    catalog = state.catalog
    before = _health_inputs(state)
    if handle := _CATALOG_HANDLERS.get(kind):
        handle(catalog, event, record)
    if handle_job := _jobs.HANDLERS.get(kind):
        handle_job(state.jobs, event, record)
    _jobs.update_filling(state.jobs, event, record, catalog)
    if handle_pause := _pause.HANDLERS.get(kind):
        handle_pause(state.pause, event, record)
    if handle_run := _runs.HANDLERS.get(kind):
        handle_run(state.runs, event, record)
    _sync_result.apply(state.sync_result, event, record, catalog, state.jobs)
    handle_health = _health.HANDLERS.get(kind)
    if handle_health:
        handle_health(state.health, event, record)
    if handle_health or before != _health_inputs(state):
        _health.update_reasons(state.health, catalog, record)


def _health_inputs(state: State) -> tuple[object, ...]:
    """Everything that the table of reasons reads from the catalog.

    It is read for every record. Only while a probe says that something has waited too long are the
    waiting files looked at: there may be very many.
    """
    catalog = state.catalog
    is_stale = "freshness" in state.health.lost and catalog.has_waiting_notes
    return not catalog.files, is_stale, catalog.backlog > 0, catalog.index


def encode_state(state: State) -> bytes:
    """The state as bytes for a snapshot. The same state always gives the same bytes."""
    return msgspec.json.encode(state, order="deterministic")


_decoder = msgspec.json.Decoder(State)


def decode_state(raw: bytes | msgspec.Raw) -> State:
    """The state in a snapshot."""
    return _decoder.decode(raw)
