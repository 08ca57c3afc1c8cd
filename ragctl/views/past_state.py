"""The state at a past moment, as text. It reads no files."""

from ragctl.views.render import Ink, ago, clean, counted, format_table, local_time
from ragd.errors import CODES, DEGRADED, HEALTHY
from ragd.folds import State
from ragd.folds.jobs import Job
from ragd.state.replay import Replayed

_JOBS_SHOWN = 5


def render_past_state(found: Replayed, ink: Ink) -> str:
    """The state as text."""
    state = found.state
    blocks = [_position(found, ink), _health(state, ink)]
    blocks.append(format_table([*_catalog(state), *_jobs(state), *_runs(state)], ink))
    if found.damage:
        lines = [ink.paint("  damage found in the log", "red")]
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
        since = ink.paint(f"since {local_time(raised.since)}, by fact {raised.seq}", "dim")
        lines.append(f"  {ink.paint(code, colour)}  {since}\n  {ink.wrap(CODES[code].message, 2)}")
    return "\n".join(lines)


def _catalog(state: State) -> list[tuple[str, str]]:
    catalog = state.catalog
    notes = f"{counted(catalog.documents, 'note')}, {counted(catalog.chunks, 'passage')}"
    if catalog.backlog:
        notes += f", {catalog.backlog:,} of them without a vector"
    index = catalog.index
    space = f"{index.model} ({index.dimensions} dimensions, {index.provider})" if index else "none"
    held = f"until {local_time(state.pause.until)}" if state.pause.until else ""
    aside = [
        counted(len(listed), "file") + f" {word}"
        for listed, word in (
            (catalog.waiting, "waiting"),
            (catalog.skipped, "skipped"),
            (catalog.failed, "failed"),
        )
        if listed
    ]
    listed = ("", ", ".join(aside))
    return [("paused", held), ("notes", notes), listed, ("index", clean(space))]


def _jobs(state: State) -> list[tuple[str, str]]:
    shown = [*state.jobs.finished, *state.jobs.open][-_JOBS_SHOWN:]
    lines = [_job(job) for job in shown] or ["none"]
    result = state.sync_result
    synced = f"{local_time(result.last_sync)}, {result.outcome}" if result.last_sync else "never"
    return [
        *(("jobs" if i == 0 else "", line) for i, line in enumerate(lines)),
        ("last sync", synced),
    ]


def _job(job: Job) -> str:
    if job.phase == "finished":
        notes = counted(job.indexed_files, "note")
        return f"{job.mode} {job.outcome} {local_time(job.finished_at or '')}, {notes}"
    return f"{job.mode} {job.phase} since {local_time(job.started_at or job.requested_at)}"


def _runs(state: State) -> list[tuple[str, str]]:
    runs = state.runs
    if runs.id is None:
        return [("run", "none")]
    ended = (
        f"stopped {local_time(runs.stopped_at)}"
        if runs.stopped_at
        else "still running at this point"
    )
    started = f"started {local_time(runs.started_at or '')}"
    crashes = [
        ("crash", f"{clean(name)}, {counted(c.count, 'time')}: {c.exception} at {c.location}")
        for name, c in runs.crashes.items()
    ]
    return [("run", f"{clean(runs.id)} (ragd {runs.version}), {started}, {ended}"), *crashes]
