"""The state at a past moment as JSON: health, counts and jobs, not the notes. It reads no files."""

from typing import Any

import msgspec

from ragd.folds import progress
from ragd.state.replay import Replayed


def state_as_json(found: Replayed) -> dict[str, Any]:
    """The state as JSON, with counts instead of notes."""
    state = found.state
    catalog, jobs = state.catalog, state.jobs
    return {
        "seq": state.seq,
        "ts": state.last_ts,
        "end": found.end,
        "from_snapshot": found.from_snapshot,
        "records": found.records,
        "damage": found.damage,
        "unknown_events": state.unknown,
        "health": {
            "state": state.health.state,
            "reasons": [
                {
                    "code": code,
                    "state": state.health.states[code],
                    "since": state.health.reasons[code].since,
                    "seq": state.health.reasons[code].seq,
                }
                for code in state.health.worst_first
            ],
        },
        "paused": {"since": state.pause.since, "until": state.pause.until}
        if state.pause.holds
        else None,
        "catalog": {
            "total_docs": catalog.documents,
            "total_chunks": catalog.chunks,
            "chunks_embedded": catalog.chunks_embedded,
            "unindexed_files": progress.count_unindexed(state),
            "skipped": len(catalog.skipped),
            "failed": len(catalog.failed),
            "index": msgspec.to_builtins(catalog.index),
        },
        "jobs": {
            "open": msgspec.to_builtins(jobs.open),
            "finished": msgspec.to_builtins(jobs.finished),
        },
        "sync_result": msgspec.to_builtins(state.sync_result),
        "run": msgspec.to_builtins(state.runs),
    }
