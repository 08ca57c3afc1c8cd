"""`ragctl timeline`: what happened, in order."""

from typing import Any

from ragctl.views.past_days import render_past_days
from ragctl.views.render import Ink

JOB: dict[str, Any] = {
    "id": "j1",
    "mode": "full",
    "asked": True,
    "requested_at": "2026-11-15T14:00:00.000000Z",
    "started_at": "2026-11-15T14:00:01.000000Z",
    "finished_at": "2026-11-15T14:00:05.000000Z",
    "ended_at": "2026-11-15T14:00:12.000000Z",
    "outcome": "complete",
    "code": None,
    "indexed_files": 68,
    "removed_files": 0,
    "errors_total": 0,
}


def data(**more: Any) -> dict[str, Any]:
    return {
        "from": "2026-11-10T00:00:00.000000Z",
        "before": {"state": "healthy", "reasons": []},
        "changes": [],
        "jobs": [],
        "runs": [],
        "damage": [],
        **more,
    }


def test_jobs_runs_and_changes_are_in_one_order() -> None:
    event = {"type": "dependency_lost", "dependency": "vault"}
    ts = "2026-11-15T14:00:03.000000Z"
    cause = {"seq": 7, "ts": ts, "actor": "health_monitor", "event": event}
    change = {"seq": 7, "ts": ts, "before": "healthy", "after": "degraded"}
    change |= {"reasons": ["VAULT_NOT_FOUND"], "cause": cause}
    run = {"id": "r", "version": "0.2.0", "started_at": "2026-11-15T13:00:00.000000Z"}
    run |= {"ended": "crashed", "ended_at": "2026-11-15T15:00:00.000000Z"}
    shown = render_past_days(data(jobs=[JOB], runs=[run], changes=[change]), Ink()).splitlines()
    told = [line[21:] for line in shown]
    assert told[0] == "ragd 0.2.0 started"
    assert told[1] == "● healthy → ▲ degraded" and told[2] == "+ VAULT_NOT_FOUND"
    assert told[4] == "full complete: 68 notes in 11 s"
    assert told[5] == "ragd ended without an orderly stop"


def test_the_daemon_s_own_jobs_are_counted_unless_they_failed() -> None:
    own = [{**JOB, "id": str(n), "asked": False} for n in range(3)]
    failed = {**JOB, "asked": False, "outcome": "failed", "code": "DISK_FULL", "errors_total": 2}
    shown = render_past_days(data(jobs=[*own, failed]), Ink()).splitlines()
    assert "full failed (DISK_FULL): 68 notes in 11 s, 2 files failed" in shown[0]
    assert shown[1] == "Besides, 3 jobs of the daemon's own, all complete."


def test_an_empty_time_is_told() -> None:
    assert render_past_days(data(damage=["x\x1b"]), Ink()).startswith("Nothing happened.")
