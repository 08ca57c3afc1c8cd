"""The endpoints one by one: status, tools, jobs, reload, stop, and how they refuse."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragd import __version__
from ragd.errors import CODES
from ragd.eventlog.append import Appender, Draft
from ragd.eventlog.frame import Record
from ragd.events import (
    DependencyLost,
    DependencyRecovered,
    FileError,
    JobFinished,
    JobRequested,
    JobStarted,
    RequestRefused,
)
from ragd.gateway import fact_recorder
from ragd.paths import Home
from tests.daemon.conftest import RunningGateway, run_gateway
from tests.daemon.processes import write_config
from tests.daemon.virtual_clock import VirtualClock
from tests.patience import PATIENCE_S

SEARCH = "/v1/tools/obsidian_rag_search"
INDEX = "/v1/tools/obsidian_rag_index"
STATUS = "/v1/tools/obsidian_rag_status"
MEMORY = "/v1/tools/obsidian_rag_memory_store"


# Status


async def test_status_tells_the_fields_of_the_contract(gateway: RunningGateway) -> None:
    reply = await gateway.ask("GET", "/v1/status")
    assert reply.status == 200
    data = reply.data
    assert data["plugin_health"] == reply.envelope["status"] == "unavailable"
    assert data["total_docs"] == data["total_chunks"] == data["unindexed_files"] == 0
    assert data["last_sync"] is None
    assert data["ollama_status"] == "unknown"
    assert data["active_job"] is None
    assert data["version"] == reply.headers["x-ragd-version"] == __version__
    assert data["run"] == "run-1"
    assert data["vault"] == {
        "path": gateway.config.vault_path,
        "found": None,
        "watch": None,
        "templates": [],
        "languages": {},
        "code_percent": None,
    }
    own = {"memory_bytes", "index_bytes", "descriptors", "threads", "tasks"}
    assert set(data["process"]) == {*own, "workers", "workers_bytes"}
    assert data["process"]["tasks"] > 1
    assert data["log"]["seq"] == gateway.ledger.state.seq == 1
    assert set(data["log"]) == {
        "seq",
        "oldest_seq",
        "snapshot_seq",
        "full_since",
        "unknown_events",
    }


async def test_the_status_tool_and_the_status_endpoint_say_the_same(
    gateway: RunningGateway,
) -> None:
    tool = await gateway.ask("POST", STATUS, {"verbose": True})
    endpoint = await gateway.ask("GET", "/v1/status")
    of_this_moment = {"uptime_s": 0, "process": None}
    assert tool.data | of_this_moment == endpoint.data | of_this_moment
    assert (await gateway.ask("POST", STATUS)).status == 200  # an empty body is an empty object


async def test_the_status_tool_is_short_unless_it_is_asked_for_more(
    gateway: RunningGateway,
) -> None:
    short = (await gateway.ask("POST", STATUS, {})).data
    whole = (await gateway.ask("POST", STATUS, {"verbose": True})).data
    assert {"actors", "process", "log"} <= set(whole)
    assert set(whole) - set(short) == {
        *("actors", "process", "log", "pid", "run", "started_at", "uptime_s"),
    }
    assert short["total_docs"] == whole["total_docs"] and short["reasons"] == whole["reasons"]


async def test_a_path_that_leads_outside_does_not_make_a_daemon_unavailable(
    gateway: RunningGateway,
) -> None:
    before = (await gateway.ask("GET", "/v1/status")).envelope["status"]
    for target in ("/v1/notes?path=..%2Fx.md", "/v1/notes?path=%2Fetc%2Fpasswd"):
        reply = await gateway.ask("GET", target)
        assert (reply.status, reply.code) == (403, "SECURITY_VIOLATION")
        assert reply.envelope["status"] == before


async def test_a_reason_tells_its_code_state_since_sentence_and_suggestion(
    gateway: RunningGateway,
) -> None:
    await gateway.add(
        DependencyRecovered(dependency="index"),
        DependencyLost(dependency="vault", code="VAULT_NOT_FOUND"),
    )
    reasons = (await gateway.ask("GET", "/v1/status")).data["reasons"]
    assert [r["code"] for r in reasons] == ["VAULT_NOT_FOUND", "INDEX_NOT_FOUND"]
    for reason in reasons:
        assert set(reason) == {"code", "state", "since", "message", "suggestion", "recoverable"}
        assert reason["state"] == "unavailable"
        assert reason["since"] is not None
        assert reason["message"] == CODES[reason["code"]].message


# Tools


async def test_the_tools_are_published_with_valid_schemas_and_permissions(
    gateway: RunningGateway,
) -> None:
    published = {
        tool["name"]: tool for tool in (await gateway.ask("GET", "/v1/tools")).data["tools"]
    }
    permissions = {name: tool["requiredPermissions"] for name, tool in published.items()}
    assert permissions == {
        "obsidian_rag_search": ["vault:read"],
        "obsidian_rag_index": ["index:write"],
        "obsidian_rag_status": ["vault:read"],
        "obsidian_rag_memory_store": ["memory:write"],
        "obsidian_rag_read": ["vault:read"],
        "obsidian_rag_related": ["vault:read"],
        "obsidian_rag_memory_search": ["memory:read"],
        "obsidian_rag_memory_write": ["memory:write"],
        "obsidian_rag_memory_forget": ["memory:write"],
    }
    for tool in published.values():
        assert tool["description"]
        assert tool["parameters"]["type"] == "object"


async def test_search_without_an_index_says_so(gateway: RunningGateway) -> None:
    await gateway.add(DependencyLost(dependency="index", code="INDEX_NOT_FOUND"))
    reply = await gateway.ask("POST", SEARCH, {"query": "x"})
    assert (reply.status, reply.code) == (503, "INDEX_NOT_FOUND")
    assert reply.envelope["status"] == "unavailable"
    assert reply.data is None


@pytest.mark.parametrize(
    ("target", "body"),
    [
        (INDEX, {"mode": "sync"}),
        (MEMORY, {"key": "k", "value": "v", "source": "note.md"}),
    ],
)
async def test_a_valid_request_is_never_called_invalid(
    gateway: RunningGateway, target: str, body: dict[str, Any]
) -> None:
    assert (await gateway.ask("POST", target, body)).code != "INVALID_REQUEST"


@pytest.mark.parametrize(
    ("target", "body", "named"),
    [
        (SEARCH, {}, "`query` is required"),
        (SEARCH, {"query": 5}, "`query`"),
        (SEARCH, {"query": None}, "`query`"),
        (SEARCH, {"query": "x", "max_results": 0}, "`max_results`"),
        (SEARCH, {"query": "x", "max_results": 51}, "`max_results`"),
        (SEARCH, {"query": "x", "max_results": "5"}, "`max_results`"),
        (SEARCH, {"query": "x", "max_results": 1.5}, "`max_results`"),
        (SEARCH, {"query": "x", "max_results": True}, "`max_results`"),
        (SEARCH, {"query": "x", "tags": "a"}, "`tags`"),
        (SEARCH, {"query": "x", "tags": [""]}, "`tags[0]`"),
        (SEARCH, {"query": "x", "tags": ["a"] * 101}, "`tags`"),
        (SEARCH, {"query": "x", "directory_filter": [5]}, "`directory_filter[0]`"),
        (SEARCH, {"query": "x", "date_range": {"from": "yesterday"}}, "`date_range.from`"),
        (
            SEARCH,
            {"query": "x", "date_range": {"start": "2024-01-01"}},
            "`start` in `date_range` is unknown; valid: `from`, `to`",
        ),
        (SEARCH, {"query": "x", "date_range": []}, "`date_range`"),
        (SEARCH, {"query": "x", "limit": 5}, "`limit` is unknown; valid: `query`"),
        (SEARCH, {"query": "x" * 100_001}, "`query`"),
        (SEARCH, [], "object"),
        (SEARCH, "query", "object"),
        (SEARCH, None, "required"),
        (INDEX, {"mode": "everything"}, "`mode`"),
        (INDEX, {"mode": ["sync"]}, "`mode`"),
        (INDEX, {}, "`mode` is required"),
        (STATUS, {"long": True}, "`long` is unknown; valid: `verbose`"),
        (STATUS, 0, "object"),
        (MEMORY, {"key": "", "value": "v", "source": "s"}, "`key`"),
        (MEMORY, {"key": "k", "value": "v"}, "`source` is required"),
        (MEMORY, {"key": "k", "value": "v" * 10_001, "source": "s"}, "`value`"),
    ],
)
async def test_a_wrong_field_is_named(
    gateway: RunningGateway, target: str, body: Any, named: str
) -> None:
    raw = b"" if body is None else json.dumps(body).encode()
    reply = await gateway.ask("POST", target, raw=raw)
    assert (reply.status, reply.code) == (400, "INVALID_REQUEST")
    assert named in reply.message
    assert reply.data is None
    assert reply.envelope["error"]["recoverable"] is False


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"nonsense",
        b"{'query': 'x'}",
        b'{"query": "x"} {}',
        b'{"query": "x",}',
        b"\xff\xfe",
        b'{"query": "\xff"}',
        b'{"query": "\\ud800"}',
        b"\0",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'\xef\xbb\xbf{"query": "x"}',
        b'{"query": NaN}',
        b"1" * 100_000,
    ],
)
async def test_what_is_not_json_is_an_invalid_request(gateway: RunningGateway, raw: bytes) -> None:
    reply = await gateway.ask("POST", SEARCH, raw=raw)
    assert (reply.status, reply.code) == (400, "INVALID_REQUEST")


async def test_an_unknown_tool_is_told_the_nearest_name(gateway: RunningGateway) -> None:
    reply = await gateway.ask("POST", "/v1/tools/obsidian_rag_serach", {"query": "x"})
    assert (reply.status, reply.code) == (400, "INVALID_REQUEST")
    assert "did you mean obsidian_rag_search" in reply.message
    reply = await gateway.ask("POST", "/v1/tools/" + "x" * 5000, {})
    assert (reply.status, reply.message) == (400, "There is no tool with this name.")


async def test_a_refusal_keeps_the_health_of_the_moment(gateway: RunningGateway) -> None:
    assert (await gateway.ask("POST", STATUS, {"x": 1})).envelope["status"] == "unavailable"
    from ragd.events import BatchStored, IndexActivated, StoredFile

    stored = StoredFile(path="a.md", sha256="0", mtime_ns=1, size=1, chunks=1, embedded=1)
    await gateway.add(
        IndexActivated(generation="g", provider="embedded", model="m", dimensions=3),
        BatchStored(job_id="j", files=[stored], removed=[], table_version=7, generation="g"),
    )
    reply = await gateway.ask("POST", STATUS, {"x": 1})
    assert reply.envelope["status"] == "healthy"
    assert reply.envelope["meta"]["index_version"] == "g.7"
    assert (await gateway.ask("GET", "/v1/status")).envelope["error"] is None


# Jobs


async def test_an_unknown_job_is_not_found(gateway: RunningGateway) -> None:
    for method, target in (("GET", "/v1/jobs/nope"), ("POST", "/v1/jobs/nope/cancel")):
        reply = await gateway.ask(method, target)
        assert (reply.status, reply.code) == (404, "JOB_NOT_FOUND")


async def test_a_job_is_shown_from_request_to_end_and_can_be_cancelled(
    gateway: RunningGateway,
) -> None:
    await gateway.add(JobRequested(job_id="j1", mode="sync"))
    assert (await gateway.ask("GET", "/v1/jobs/j1")).data["phase"] == "requested"
    await gateway.add(JobStarted(job_id="j1", mode="sync", files_planned=4, files_removed=0))
    running = (await gateway.ask("GET", "/v1/jobs/j1")).data
    assert (running["phase"], running["progress"]) == ("running", 0.0)
    cancelled = await gateway.ask("POST", "/v1/jobs/j1/cancel")
    assert cancelled.status == 200
    open_jobs = gateway.ledger.state.jobs.open
    assert [job.cancel_requested for job in open_jobs] == [True]
    end = JobFinished(
        job_id="j1",
        mode="sync",
        outcome="cancelled",
        indexed_files=1,
        removed_files=0,
        total_chunks=2,
        duration_ms=5,
        errors=[FileError(file="a.md", message="unreadable")],
        errors_total=1,
    )
    await gateway.add(end)
    done = (await gateway.ask("GET", "/v1/jobs/j1")).data
    assert (done["phase"], done["outcome"], done["errors_total"]) == ("finished", "cancelled", 1)
    before = gateway.ledger.state.seq
    assert (await gateway.ask("POST", "/v1/jobs/j1/cancel")).data["outcome"] == "cancelled"
    assert gateway.ledger.state.seq == before  # there was nothing left to cancel


# Reload


async def test_a_reload_tells_what_is_in_force_and_what_waits_for_a_restart(
    gateway: RunningGateway,
) -> None:
    write_config(
        gateway.home,
        health={"probe_s": 7},
        indexing={"deny_dirs": ["private"]},
        embedding={"provider": "ollama"},
    )
    reply = await gateway.ask("POST", "/v1/reload")
    assert reply.data == {
        "applied": ["indexing.deny_dirs", "health.probe_s"],
        "needs_restart": ["embedding.provider"],
    }
    assert gateway.settings.current.health.probe_s == 7
    assert gateway.settings.current.embedding.provider == "auto"  # until the restart
    status = await gateway.ask("GET", "/v1/status")
    assert status.data["needs_restart"] == ["embedding.provider"]
    last = [r async for r in gateway.ledger.journal.follow(0, ["config_reloaded"], wait=False)]
    assert len(last) == 1
    again = await gateway.ask("POST", "/v1/reload")
    assert again.data == {"applied": [], "needs_restart": ["embedding.provider"]}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "JSON"),
        ('{"vault_path": "/v", "helth": {}}', "did you mean `health`"),
        ('{"vault_path": "/v", "health": {"probe_s": "often"}}', "`health.probe_s`"),
        ("", "empty"),
    ],
)
async def test_a_wrong_file_is_refused_with_the_complaint_and_the_old_one_stays(
    gateway: RunningGateway, text: str, complaint: str
) -> None:
    before = gateway.settings.current
    Path(gateway.home.config).write_text(text)
    reply = await gateway.ask("POST", "/v1/reload")
    assert (reply.status, reply.code) == (400, "INVALID_REQUEST")
    assert complaint in reply.message or complaint == "empty"
    assert gateway.settings.current is before
    assert gateway.ledger.state.seq == 1  # no fact of it
    Path(gateway.home.config).unlink()
    assert "No configuration" in (await gateway.ask("POST", "/v1/reload")).message


async def test_of_two_reloads_at_once_the_later_file_is_in_force(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_read, may_go_on = threading.Event(), threading.Event()
    read_again = gateway.settings.read_again

    def slow() -> Any:
        found = read_again()
        if not has_read.is_set():
            has_read.set()
            may_go_on.wait(PATIENCE_S)
        return found

    monkeypatch.setattr(gateway.settings, "read_again", slow)
    write_config(gateway.home, health={"probe_s": 1})
    first = asyncio.create_task(gateway.ask("POST", "/v1/reload"))
    await asyncio.to_thread(has_read.wait, PATIENCE_S)
    write_config(gateway.home, health={"probe_s": 2})
    second = asyncio.create_task(gateway.ask("POST", "/v1/reload"))
    await asyncio.wait({second}, timeout=0.2)  # it could overtake the first if it were let
    may_go_on.set()
    await asyncio.gather(first, second)
    assert gateway.settings.current.health.probe_s == 2


def hold_commits(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Appends are not committed before the returned event is set."""
    gate, commit = threading.Event(), Appender.commit

    def held(appender: Appender, drafts: Sequence[Draft]) -> list[Record]:
        gate.wait(PATIENCE_S)
        return commit(appender, drafts)

    monkeypatch.setattr(Appender, "commit", held)
    return gate


async def test_an_append_that_takes_too_long_is_a_timeout(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fact_recorder, "APPEND_WITHIN_S", 0.01)
    gate = hold_commits(monkeypatch)
    try:
        reply = await gateway.ask("POST", "/v1/reload")
    finally:
        gate.set()
    assert (reply.status, reply.code) == (504, "TIMEOUT")


async def test_an_append_that_is_slow_on_a_disk_with_room_is_waited_for(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fact_recorder, "FULL_WITHIN_S", 0.01)
    gate = hold_commits(monkeypatch)
    reply = asyncio.create_task(gateway.ask("POST", "/v1/reload"))
    await asyncio.wait({reply}, timeout=0.1)  # longer than it waits for a full disk
    gate.set()
    assert (await reply).status == 200


# Stop


async def test_stop_is_answered_before_it_happens(gateway: RunningGateway) -> None:
    assert not gateway.stop.is_set()
    assert (await gateway.ask("POST", "/v1/stop")).data == {"stopping": True}
    assert gateway.stop.is_set()
    assert (await gateway.ask("POST", "/v1/stop")).status == 200  # twice is once


async def test_get_does_not_stop_it(gateway: RunningGateway) -> None:
    assert (await gateway.ask("GET", "/v1/stop")).status == 405
    assert not gateway.stop.is_set()


# What was refused


@pytest.fixture
async def timed(home: Home, clock: VirtualClock) -> AsyncIterator[RunningGateway]:
    async with run_gateway(home, clock) as gateway:
        task = asyncio.create_task(gateway.tool_gateway.run())
        await clock.wait_for_sleepers()
        yield gateway
        task.cancel()
        await asyncio.wait({task})


async def refused(gateway: RunningGateway) -> list[RequestRefused]:
    found = gateway.ledger.journal.follow(0, ["request_refused"], wait=False)
    return [r.event async for r in found if isinstance(r.event, RequestRefused)]


async def test_refusals_are_recorded_at_most_once_a_minute_for_each_code(
    timed: RunningGateway, clock: VirtualClock
) -> None:
    for _ in range(3):
        for _ in range(5):
            await timed.ask("POST", SEARCH, {"nonsense": 1})
            await timed.ask("GET", "/v1/jobs/nope")
        before = len(await refused(timed))
        clock.advance(60)
        await clock.wait_for_sleepers()
        assert len(await refused(timed)) == before + 2
    assert set(clock.slept) == {60}
    facts = await refused(timed)
    assert sorted((f.code, f.tool, f.count) for f in facts) == [
        *[("INVALID_REQUEST", "obsidian_rag_search", 5)] * 3,
        *[("JOB_NOT_FOUND", "", 5)] * 3,
    ]
    clock.advance(60)  # nothing refused since: nothing to record
    await clock.wait_for_sleepers()
    assert len(await refused(timed)) == 6


async def test_what_an_unknown_tool_was_called_is_not_recorded(
    timed: RunningGateway, clock: VirtualClock
) -> None:
    await timed.ask("POST", "/v1/tools/a-secret-name", {"query": "x"})
    clock.advance(60)
    await clock.wait_for_sleepers()
    assert [(f.code, f.tool) for f in await refused(timed)] == [("INVALID_REQUEST", "")]


async def test_what_could_not_be_recorded_stays_counted(
    timed: RunningGateway, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fact_recorder, "APPEND_WITHIN_S", 0.01)
    gate = hold_commits(monkeypatch)
    slow = asyncio.create_task(timed.add(DependencyRecovered(dependency="ollama")))
    try:
        await timed.ask("GET", "/v1/jobs/nope")
        clock.advance(60)
        await clock.wait_for_sleepers()  # it gave up waiting for the slow append, and did not crash
        await timed.ask("GET", "/v1/jobs/nope")
    finally:
        gate.set()
    await slow
    monkeypatch.setattr(fact_recorder, "APPEND_WITHIN_S", 10)
    clock.advance(60)
    await clock.wait_for_sleepers()
    assert [f.count for f in await refused(timed)] == [2]
