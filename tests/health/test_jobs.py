"""Text first, then vectors: what a real daemon reports of a job meanwhile and at its end."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from chaos.managed_daemon import ManagedDaemon
from chaos.provider import Handler, Provider
from ragctl.daemon.client import Stream, request, stream
from ragd.folds.times import iso_of_ns
from tests.health.conftest import DaemonFactory
from tests.health.ragctl import run_ragctl
from tests.patience import PATIENCE_S

NOTES = 30
SELDOM = {"debounce_s": 0.05, "collect_s": 0.2, "rescan_s": 3600}


class Gate:
    """Lets a given number of requests for vectors of passages through."""

    def __init__(self, provider: Provider) -> None:
        self._places = threading.Semaphore(0)
        self._released = provider.released
        provider.fault = self._hold

    def open(self, places: int) -> None:
        self._places.release(places)

    def _hold(self, handler: Handler) -> bool:
        if len(handler.texts) > 1:  # a single one may be the canary
            while not self._released.is_set() and not self._places.acquire(timeout=0.05):
                pass
        return False


@contextmanager
def followed(daemon: ManagedDaemon, job: str) -> Iterator[Stream]:
    found = stream(daemon.home, f"/v1/jobs/{job}?follow=1")
    assert isinstance(found, Stream)
    try:
        yield found
    finally:
        found.close()


def next_line(lines: Stream) -> dict[str, Any]:
    found = lines.read_line(PATIENCE_S)
    assert found is not None
    said: dict[str, Any] = json.loads(found)
    return said


def until_current(lines: Stream, least: int) -> dict[str, Any]:
    """The first line about vectors with at least this count."""
    while True:
        said = next_line(lines)
        assert said["type"] == "progress"
        if said["step"] == "vectors" and said["current"] >= least:
            return said


@pytest.fixture
def slow(start_daemon: DaemonFactory) -> Iterator[tuple[ManagedDaemon, Gate]]:
    daemon = start_daemon(indexed=False, notes=NOTES, watch=SELDOM)
    yield daemon, Gate(daemon.provider)
    daemon.provider.released.set()


def test_vectors_are_counted_as_they_are_made_and_done_is_said_when_they_are_there(
    slow: tuple[ManagedDaemon, Gate],
) -> None:
    daemon, gate = slow
    job = daemon.request_job("full")
    with followed(daemon, job) as lines:
        first = until_current(lines, 0)
        said = daemon.wait_for(lambda said: said["active_job"], "a job that makes vectors")
        assert (said["active_job"]["id"], said["active_job"]["phase"]) == (job, "vectors")
        assert said["last_job"] is None
        gate.open(1)
        some = until_current(lines, 1)
        assert first["current"] == 0 < some["current"] < some["total"]
        assert daemon.facts("vectors_filled") == []  # seen before any fact records it
        assert daemon.status()["active_job"]["current"] == some["current"]
        assert daemon.status()["chunks_embedded"] == 0
        gate.open(10_000)
        while (last := next_line(lines))["type"] == "progress":
            pass
    assert (last["type"], last["outcome"]) == ("complete", "complete")
    said = daemon.wait_for(lambda said: not said["active_job"], "no job")
    done = said["last_job"]
    assert (done["id"], done["phase"]) == (job, "finished")
    assert 0 < done["text_ms"] < done["duration_ms"]
    assert (last["text_ms"], last["duration_ms"]) == (done["text_ms"], done["duration_ms"])
    daemon.harness.wait_until_verified()
    written = json.loads(Path(daemon.home.sync_result).read_bytes())
    keys = ("text_ms", "duration_ms")
    assert {key: written[key] for key in keys} == {key: done[key] for key in keys}
    assert (written["chunks_pending"], written["job_id"]) == (0, job)


def test_a_client_that_follows_a_job_learns_that_the_daemon_stops(
    slow: tuple[ManagedDaemon, Gate],
) -> None:
    daemon, _ = slow
    with followed(daemon, daemon.request_job("full")) as lines:
        until_current(lines, 0)
        request(daemon.home, "POST", "/v1/stop")
        while (last := next_line(lines))["type"] == "progress":
            pass
        assert (last["type"], last["outcome"]) == ("interrupted", "interrupted")
        assert lines.read_line(PATIENCE_S) is None


def test_the_newest_time_follows_every_saved_note(start_daemon: DaemonFactory) -> None:
    daemon = start_daemon(watch=SELDOM)
    for _ in range(2):
        note = daemon.save()
        daemon.wait_until_found(note)
        newest = iso_of_ns((daemon.vault.folder / note.path).stat().st_mtime_ns)
        daemon.wait_for(lambda said: not said["active_job"], "no job")
        answer = request(daemon.home, "GET", "/v1/status")
        assert answer.envelope["meta"]["vault_mtime"] == newest
        daemon.harness.wait_until_verified()
        written = json.loads(Path(daemon.home.sync_result).read_bytes())
        assert written["last_sync_mtime"] == newest
    known = daemon.status()["total_docs"]
    (daemon.vault.folder / note.path).unlink()
    daemon.wait_for(lambda said: said["total_docs"] == known - 1, "it is gone")
    rest = [path.stat().st_mtime_ns for path in daemon.vault.folder.rglob("*.md")]
    answer = request(daemon.home, "GET", "/v1/status")
    assert answer.envelope["meta"]["vault_mtime"] == iso_of_ns(max(rest))


def test_a_sync_without_a_vault_says_so_and_never_complete(daemon: ManagedDaemon) -> None:
    away = daemon.vault.folder.with_name("away")
    daemon.vault.folder.rename(away)
    done = run_ragctl(daemon, "sync")
    away.rename(daemon.vault.folder)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert [line["type"] for line in said] == ["failed"]
    assert (said[0]["code"], said[0]["outcome"]) == ("VAULT_NOT_FOUND", "failed")
    assert "The vault's folder is missing" in said[0]["message"]
    assert f"`ragctl --home {daemon.home.root} config set vault_path" in said[0]["suggestion"]


def test_what_the_daemon_suggests_names_its_home(new_daemon: ManagedDaemon) -> None:
    new_daemon.start()
    named = f"`ragctl --home {new_daemon.home.root} index`"
    said = new_daemon.wait_for_reason("INDEX_NOT_FOUND")
    [reason] = [reason for reason in said["reasons"] if reason["code"] == "INDEX_NOT_FOUND"]
    assert named in reason["suggestion"]
    refused = new_daemon.search("river").envelope["error"]
    assert named in refused["suggestion"]
