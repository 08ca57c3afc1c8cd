"""The last days, from the log alone: changes of health with their causes, jobs, runs, counts. And
the state at any moment.

The past is replayed once, in another process; what happens after the first request is added record
by record. Nothing is recorded.
"""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import structlog
from msgspec import Raw

from ragd.clock import Clock, iso
from ragd.errors import CODES, RagdError
from ragd.eventlog.frame import Record
from ragd.folds import State
from ragd.paths import Home
from ragd.state.history import History, HistoryPart, joined
from ragd.state.ledger import Ledger
from ragd.state.replay import parse_time
from ragd.state.replay_process import replayed_history, replayed_state

DAYS_BY_DEFAULT, MOST_DAYS = 7, 30
STATES_KEPT = 64

log = structlog.get_logger("timeline")


class Timeline:
    """Answers GET /v1/timeline and GET /v1/state."""

    def __init__(self, ledger: Ledger, clock: Clock, home: Home) -> None:
        self._ledger = ledger
        self._clock = clock
        self._events, self._snapshots = Path(home.events), Path(home.snapshots)
        self._replaying = asyncio.Lock()  # one child at a time
        self._past: HistoryPart | None = None
        self._live: History | None = None
        self._states: dict[int, Raw] = {}  # by seq; a past state never changes

    async def answer(self, days: int) -> dict[str, Any]:
        """The last days. Raises RagdError for a number that is out of range."""
        if not 1 <= days <= MOST_DAYS:
            raise RagdError(
                "INVALID_REQUEST", f"The parameter `days` should be a number from 1 to {MOST_DAYS}."
            )
        now = self._clock.now()
        start = iso(datetime.fromisoformat(now).astimezone(UTC) - timedelta(days=days))
        part = await self._whole()
        return timeline_data(part, start, now)

    async def _whole(self) -> HistoryPart:
        async with self._replaying:
            if self._past is None:
                self._live = History(self._ledger.state)
                self._ledger.listener = self._add
                try:
                    self._past = await replayed_history(
                        self._events, self._snapshots, self._ledger.state.seq
                    )
                except BaseException:
                    self._ledger.listener = None
                    raise
        past, live = self._past, self._live
        if past is None or live is None or self._ledger.listener is None:
            self._past = None  # it failed meanwhile
            raise RagdError("INTERNAL")
        return joined(past, live.part)

    def _add(self, record: Record, state: State) -> None:
        """The log never fails because of the timeline: if this does, the next request replays."""
        try:
            if self._live is not None:
                self._live.add(record, state)
        except Exception:
            log.exception("the timeline has failed; it is replayed at the next request")
            self._ledger.listener = None
            self._past = None

    async def state(self, seq: int | None, at: str | None) -> Raw:
        """The state after a record, or at a time. Raises RagdError if it cannot be replayed."""
        if (seq is None) == (at is None):
            raise RagdError("INVALID_REQUEST", "Give one of the parameters `at` and `seq`.")
        if seq is not None and seq in self._states:
            return self._states[seq]
        if seq is not None and seq > self._ledger.state.seq:
            raise RagdError(
                "INVALID_REQUEST",
                f"The parameter `seq` is after the newest record, {self._ledger.state.seq}.",
            )
        moment = None if at is None else _parse_moment(at)
        async with self._replaying:
            found = await replayed_state(self._events, self._snapshots, until=seq, at=moment)
        if seq is not None:
            while len(self._states) >= STATES_KEPT:
                del self._states[next(iter(self._states))]
            self._states[seq] = found
        return found


def timeline_data(part: HistoryPart, start: str, now: str) -> dict[str, Any]:
    """What happened between two moments, and the health at the first one."""
    state, reasons = part.state, part.reasons
    for change in part.changes:
        if change.ts < start:
            state, reasons = change.after, change.reasons
    changes = [one for one in part.changes if one.ts >= start]
    earlier = [one for one in part.points if one.ts < start][-1:]
    codes = {*reasons, *(code for one in changes for code in one.reasons)}
    return {
        "from": start,
        "to": now,
        "log_from": part.first_ts,
        "before": {"state": state, "reasons": reasons},
        "changes": changes,
        "jobs": [
            job
            for job in part.jobs.values()
            if job.finished_at is None or (job.ended_at or job.finished_at) >= start
        ],
        "runs": [run for run in part.runs if run.ended_at is None or run.ended_at >= start],
        "points": [*earlier, *(one for one in part.points if one.ts >= start)],
        "messages": [{"code": code, "message": CODES[code].message} for code in sorted(codes)],
        "damage": part.damage,
    }


def _parse_moment(text: str) -> str:
    try:
        return parse_time(text)
    except (ValueError, OverflowError):
        raise RagdError(
            "INVALID_REQUEST",
            "The parameter `at` is not a time; write it like 2026-11-15T14:30:00Z.",
        ) from None
