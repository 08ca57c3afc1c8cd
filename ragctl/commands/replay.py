"""`ragctl replay`: the state at any moment, from a log's files alone. It changes nothing.

The log may be this home's, also while a daemon writes it, or a copy from another machine.
"""

import argparse
import os
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ragctl.cli import add_json, at_least
from ragctl.failure import Failure
from ragctl.lockfile import holder
from ragctl.render import Ink, ago, clean, counted, emit_json, local, note, rows
from ragd.errors import CODES, DEGRADED, EXIT_FAILED, EXIT_OK, HEALTHY
from ragd.eventlog.disk import RealDisk
from ragd.eventlog.follow import TooOld
from ragd.eventlog.scan import segment_names
from ragd.eventlog.snapshot import snapshot_files
from ragd.folds import State
from ragd.folds.jobs import Job
from ragd.paths import Home
from ragd.replay import Replayed, parse_time, replay, verify

EXAMPLES = (
    ("ragctl replay --at 2026-11-15T14:30", "what was known then, on this machine's clock"),
    ("ragctl replay --verify", "whether the folds of the log equal what is on disk"),
    ("ragctl replay --from ~/Downloads/their-home", "a log copied from another machine"),
)
_JOBS_SHOWN = 5


class Source(NamedTuple):
    """A log and what lies beside it."""

    events: Path
    snapshots: Path
    sync_result: Path
    is_home: bool
    running: bool


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    moment = parser.add_mutually_exclusive_group()
    moment.add_argument(
        "--until", type=at_least(0, int), metavar="SEQ", help="after the fact with this number"
    )
    moment.add_argument(
        "--at",
        type=_moment,
        metavar="TIME",
        help="at this time (ISO 8601, local unless it says otherwise)",
    )
    moment.add_argument(
        "--verify", action="store_true", help="compare the folds with the files on disk"
    )
    parser.add_argument(
        "--from", dest="source", metavar="DIR", help="another home, or a folder of segments"
    )


def run(args: argparse.Namespace) -> int:
    source = find(args.home, args.source)
    if args.verify:
        return _verify(source, args.json)
    found = _replayed(source, args.until, args.at)
    if args.json:
        emit_json(as_json(found))
    else:
        print(describe(found, Ink()))
    return EXIT_OK


def find(home: Home, given: str | None) -> Source:
    """The log that is meant: this home's, another home's, or a bare folder of segments."""
    root = os.path.abspath(os.path.expanduser(given)) if given else home.root
    if not os.path.isdir(root):
        raise Failure(f"There is no folder {root}.", "Name a home, or a folder of segments.")
    there = Home(root)
    if not os.path.isdir(there.events) and segment_names(RealDisk(Path(root))):
        there = Home(os.path.dirname(root))
        source = Source(Path(root), Path(there.snapshots), Path(there.sync_result), False, False)
    else:
        running = holder(there) is not None
        places = (Path(there.events), Path(there.snapshots), Path(there.sync_result))
        source = Source(*places, True, running)
    if not segment_names(RealDisk(source.events)) and not snapshot_files(source.snapshots):
        raise Failure(
            f"There is no event log in {root}.",
            "The daemon writes one as soon as it runs: `ragctl start`.",
        )
    return source


def _replayed(source: Source, until: int | None, at: str | None) -> Replayed:
    try:
        return replay(source.events, source.snapshots, until=until, at=at)
    except TooOld as why:
        raise _too_old(why) from None


def _moment(text: str) -> str:
    """The type of --at."""
    try:
        return parse_time(text)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time; write it like 2026-11-15, 2026-11-15T14:30 or "
            "2026-11-15T14:30:00Z."
        ) from None


def _too_old(why: TooOld) -> Failure:
    return Failure(
        f"That is past retention: the oldest seq that can be replayed is {why.oldest}.",
        f"Try `ragctl replay --until {why.oldest}`, or a later moment.",
    )


def _verify(source: Source, as_json: bool) -> int:
    try:
        differences = verify(source.events, source.snapshots, source.sync_result)
    except TooOld as why:
        raise _too_old(why) from None
    if not source.is_home and not source.sync_result.exists():
        differences = [d for d in differences if d != "sync-result.json: missing"]
    if as_json:
        equal = not differences
        emit_json({"equal": equal, "differences": differences, "daemon_running": source.running})
    elif not differences:
        print("The folds equal what is on disk.")
    else:
        print("The folds differ from what is on disk:")
        print("\n".join(f"  {clean(difference)}" for difference in differences))
    if differences and source.running:
        note(
            "A daemon is writing here: sync-result.json follows its fold by a moment, and a torn "
            "tail is a fact on its way. Verify again, or after `ragctl stop`."
        )
    return EXIT_FAILED if differences else EXIT_OK


def as_json(found: Replayed) -> dict[str, Any]:
    """The state for a program: counts instead of every note."""
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
        "catalog": {
            "total_docs": catalog.documents,
            "total_chunks": catalog.chunks,
            "chunks_embedded": catalog.chunks_embedded,
            "unindexed_files": len(catalog.waiting),
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


def describe(found: Replayed, ink: Ink) -> str:
    """The state for a person."""
    state = found.state
    blocks = [_position(found, ink), _health(state, ink)]
    blocks.append(rows([*_catalog(state), *_jobs(state), *_runs(state)], ink))
    if found.damage:
        lines = [ink.paint("  damage found on the way", "red")]
        blocks.append("\n".join(lines + [f"  {clean(damage)}" for damage in found.damage]))
    return "\n\n".join(blocks)


def _position(found: Replayed, ink: Ink) -> str:
    state = found.state
    if not state.seq:
        return ink.paint("before the first fact", "bold")
    when = f"  {ago(state.last_ts)}" if state.last_ts else ""
    how = f"folded from {counted(found.records, 'fact')}"
    if found.from_snapshot:
        how += f" on top of the snapshot at {found.from_snapshot}"
    end = "; the log ends here" if found.end else ""
    return f"{ink.paint(f'after fact {state.seq}', 'bold')}{when}\n{ink.paint(how + end, 'dim')}"


def _health(state: State, ink: Ink) -> str:
    health = state.health
    colour = {HEALTHY: "green", DEGRADED: "yellow"}.get(health.state, "red")
    sign = {HEALTHY: "●", DEGRADED: "▲"}.get(health.state, "✗")
    lines = [ink.paint(f"{ink.sign(sign)} {health.state}", colour, "bold")]
    for code in health.worst_first:
        raised = health.reasons[code]
        since = ink.paint(f"since {local(raised.since)}, by fact {raised.seq}", "dim")
        lines.append(f"  {ink.paint(code, colour)}  {since}\n  {ink.wrap(CODES[code].message, 2)}")
    return "\n".join(lines)


def _catalog(state: State) -> list[tuple[str, str]]:
    catalog = state.catalog
    notes = f"{counted(catalog.documents, 'note')}, {counted(catalog.chunks, 'passage')}"
    if catalog.backlog:
        notes += f", {catalog.backlog:,} of them without a vector"
    index = catalog.index
    space = f"{index.model} ({index.dimensions} dimensions, {index.provider})" if index else "none"
    aside = [
        counted(len(listed), "file") + f" {word}"
        for listed, word in (
            (catalog.waiting, "waiting"),
            (catalog.skipped, "skipped"),
            (catalog.failed, "failed"),
        )
        if listed
    ]
    return [("notes", notes), ("", ", ".join(aside)), ("index", clean(space))]


def _jobs(state: State) -> list[tuple[str, str]]:
    shown = [*state.jobs.finished, *state.jobs.open][-_JOBS_SHOWN:]
    lines = [_job(job) for job in shown] or ["none"]
    result = state.sync_result
    synced = f"{local(result.last_sync)}, {result.outcome}" if result.last_sync else "never"
    return [
        *(("jobs" if i == 0 else "", line) for i, line in enumerate(lines)),
        ("last sync", synced),
    ]


def _job(job: Job) -> str:
    if job.phase == "finished":
        notes = counted(job.indexed_files, "note")
        return f"{job.mode} {job.outcome} {local(job.finished_at or '')}, {notes}"
    return f"{job.mode} {job.phase} since {local(job.started_at or job.requested_at)}"


def _runs(state: State) -> list[tuple[str, str]]:
    runs = state.runs
    if runs.id is None:
        return [("run", "none")]
    ended = f"stopped {local(runs.stopped_at)}" if runs.stopped_at else "not stopped by then"
    started = f"started {local(runs.started_at or '')}"
    crashes = [
        ("crash", f"{clean(name)}, {counted(c.count, 'time')}: {c.exception} at {c.location}")
        for name, c in runs.crashes.items()
    ]
    return [("run", f"{clean(runs.id)} (ragd {runs.version}), {started}, {ended}"), *crashes]
