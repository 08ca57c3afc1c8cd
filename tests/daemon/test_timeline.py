"""GET /v1/timeline and GET /v1/state: the past, from the log alone, with a real daemon."""

import itertools
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ragctl.daemon.client import request
from ragd.protocol.asker import asker_headers
from tests.daemon.searches import ParsedAnswer, Vault, serve_text

NOTES = {"a.md": "One.\n", "b.md": "Two.\n"}


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_text(NOTES) as vault:
        vault.end()  # a crash
        vault.start()
        vault.until(lambda: vault.get("/v1/status").data["run"])
        vault.index("sync")
        yield vault


def timeline(vault: Vault, days: int | str = 7) -> ParsedAnswer:
    return vault.get(f"/v1/timeline?days={days}")


def seq_of(vault: Vault) -> int:
    return int(vault.get("/v1/status").data["log"]["seq"])


def test_every_change_of_health_has_its_cause(vault: Vault) -> None:
    data = timeline(vault).data
    changes = data["changes"]
    assert data["before"] == {"state": "healthy", "reasons": []}
    assert changes[0]["before"] == "healthy"
    for before, after in itertools.pairwise(changes):
        assert after["before"] == before["after"]
    for change in changes:
        assert change["cause"]["seq"] == change["seq"] and change["cause"]["event"]["type"]
    assert {one["code"] for one in data["messages"]} == {
        code for one in changes for code in one["reasons"]
    }


def test_the_changes_are_those_that_the_daemon_recorded(vault: Vault) -> None:
    answer = request(vault.home, "GET", "/v1/events?type=health_changed")
    recorded = [json.loads(line)["cause"] for line in answer.body.splitlines()]
    found = [one["seq"] for one in timeline(vault).data["changes"]]
    assert recorded and set(recorded) <= set(found)


def test_runs_and_jobs_are_in_it_and_a_crash_is_told(vault: Vault) -> None:
    data = timeline(vault).data
    assert [run["ended"] for run in data["runs"]] == ["crashed", None]
    modes = [(job["mode"], job["asked"]) for job in data["jobs"] if job["asked"]]
    assert modes == [("full", True), ("sync", True)]
    assert data["jobs"][0]["indexed_files"] == 2


def test_what_happens_after_the_first_request_is_added(vault: Vault) -> None:
    before = timeline(vault).data
    vault.write("c.md", "Three.\n")
    vault.index("sync")
    after = timeline(vault).data
    assert len(after["jobs"]) == len(before["jobs"]) + 1
    assert after["points"][-1]["notes"] == before["points"][-1]["notes"] + 1
    assert [run["id"] for run in after["runs"]] == [run["id"] for run in before["runs"]]
    seqs = [point["seq"] for point in after["points"]]
    assert seqs == sorted(set(seqs))


def test_only_the_days_that_are_asked_for_are_in_it(vault: Vault) -> None:
    data = timeline(vault, 1).data
    assert data["from"] < data["log_from"] <= data["to"]


def test_the_state_after_a_record_is_that_of_a_replay(vault: Vault) -> None:
    seq = seq_of(vault)
    now = vault.get(f"/v1/state?seq={seq}").data
    assert (now["seq"], now["catalog"]["total_docs"]) == (
        *(seq, vault.get("/v1/status").data["total_docs"]),
    )
    first = vault.get("/v1/state?seq=1").data
    assert (first["seq"], first["catalog"]["total_docs"]) == (1, 0)
    assert vault.get("/v1/state?seq=1").data == first


def test_the_state_at_a_time_is_the_one_before_later_records(vault: Vault) -> None:
    points = timeline(vault).data["points"]
    point = points[len(points) // 2]
    found = vault.get(f"/v1/state?at={point['ts']}").data
    assert found["seq"] >= point["seq"] and found["ts"] == point["ts"]
    assert found["health"]["state"] == point["state"]
    assert found["catalog"]["total_docs"] == point["notes"]
    assert vault.get("/v1/state?at=2001-01-01").data["seq"] == 0


@pytest.mark.parametrize(
    "path",
    [
        *("/v1/timeline?days=0", "/v1/timeline?days=31", "/v1/timeline?day=1"),
        *("/v1/state", "/v1/state?at=soon", "/v1/state?seq=1&at=2026-01-01", "/v1/state?seq=-1"),
        "/v1/state?seq=99999999",
    ],
)
def test_a_wrong_moment_is_refused(vault: Vault, path: str) -> None:
    refused = vault.get(path)
    assert (refused.status, refused.code) == (400, "INVALID_REQUEST")


def test_several_at_once_all_get_an_answer(vault: Vault) -> None:
    def ask(seq: int) -> Any:
        return vault.get(f"/v1/state?seq={seq}").data["seq"]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(1, 9))) == list(range(1, 9))


def test_it_is_not_for_agents(vault: Vault) -> None:
    for path in ("/v1/timeline", "/v1/state?seq=1"):
        refused = request(vault.home, "GET", path, headers=asker_headers("main", "direct"))
        assert refused.status == 403
