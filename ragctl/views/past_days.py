"""The last days as text: what happened, in order. It makes no request."""

from typing import Any

from ragctl.views.render import Ink, clean, counted, format_duration, local_time, unix_seconds
from ragctl.views.timeline import TimelineChange, render_changes

Data = dict[str, Any]
Line = tuple[str, str]  # when, and what
_INDENT = "  "


def render_past_days(data: Data, ink: Ink) -> str:
    """Changes of health, runs, and the jobs that a client requested or that failed. The daemon's
    own jobs are counted."""
    own = [job for job in data["jobs"] if _is_routine(job)]
    found = sorted([*_changes(data, ink), *_runs(data, ink), *_jobs(data, ink)])
    lines = [text for _, text in found] or ["Nothing happened."]
    if own:
        lines.append(f"Besides, {counted(len(own), 'job')} of the daemon's own, all complete.")
    lines += [f"Damage found in the log: {clean(one)}" for one in data["damage"]]
    return "\n".join(lines)


def _changes(data: Data, ink: Ink) -> list[Line]:
    changes = [TimelineChange(**one) for one in data["changes"]]
    texts = render_changes(changes, ink, data["before"]["reasons"])
    return [(change.ts, text) for change, text in zip(changes, texts, strict=True)]


def _runs(data: Data, ink: Ink) -> list[Line]:
    found = []
    for run in data["runs"]:
        if run["started_at"] >= data["from"]:
            found.append(_line(run["started_at"], f"ragd {clean(run['version'])} started", ink))
        if run["ended"] is not None:
            how = "stopped" if run["ended"] == "stopped" else "ended without an orderly stop"
            found.append(_line(run["ended_at"], f"ragd {how}", ink))
    return found


def _jobs(data: Data, ink: Ink) -> list[Line]:
    found = []
    for job in data["jobs"]:
        if not _is_routine(job):
            when = job["ended_at"] or job["finished_at"] or job["started_at"] or job["requested_at"]
            found.append(_line(when, _describe_job(job), ink))
    return found


def _is_routine(job: Data) -> bool:
    return not job["asked"] and job["outcome"] == "complete"


def _describe_job(job: Data) -> str:
    if job["outcome"] is None:
        return f"{clean(job['mode'])} not finished yet"
    took = ""
    start, end = unix_seconds(job["started_at"] or ""), unix_seconds(job["ended_at"] or "")
    if start is not None and end is not None:
        took = f" in {format_duration(max(0.0, end - start))}"
    failed = f", {counted(job['errors_total'], 'file')} failed" if job["errors_total"] else ""
    code = f" ({clean(job['code'])})" if job["code"] else ""
    notes = counted(job["indexed_files"], "note")
    return f"{clean(job['mode'])} {clean(job['outcome'])}{code}: {notes}{took}{failed}"


def _line(when: str, what: str, ink: Ink) -> Line:
    return when, f"{ink.paint(local_time(when), 'dim')}{_INDENT}{what}"
