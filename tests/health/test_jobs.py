"""Text first, then vectors: what a real daemon says of a job meanwhile, and when all is there."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from chaos.provider import Handler, Provider
from chaos.resident import Resident
from ragctl.daemon.client import Stream, request, stream
from ragd.folds.times import iso_of_ns
from tests.health.conftest import Reside
from tests.health.ragctl import typed
from tests.patience import PATIENCE_S

NOTES = 30
SELDOM = {"debounce_s": 0.05, "collect_s": 0.2, "rescan_s": 3600}


class Gate:
    """Lets so many requests for vectors of passages through."""

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
def followed(resident: Resident, job: str) -> Iterator[Stream]:
    found = stream(resident.home, f"/v1/jobs/{job}?follow=1")
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
    """The first line about vectors that counts so many."""
    while True:
        said = next_line(lines)
        assert said["type"] == "progress"
        if said["step"] == "vectors" and said["current"] >= least:
            return said


@pytest.fixture
def slow(reside: Reside) -> Iterator[tuple[Resident, Gate]]:
    resident = reside(indexed=False, notes=NOTES, watch=SELDOM)
    yield resident, Gate(resident.provider)
    resident.provider.released.set()


def test_vectors_are_counted_as_they_are_made_and_done_is_said_when_they_are_there(
    slow: tuple[Resident, Gate],
) -> None:
    resident, gate = slow
    job = resident.ask_for("full")
    with followed(resident, job) as lines:
        first = until_current(lines, 0)
        said = resident.until(lambda said: said["active_job"], "a job that makes vectors")
        assert (said["active_job"]["id"], said["active_job"]["phase"]) == (job, "vectors")
        assert said["last_job"] is None
        gate.open(1)
        some = until_current(lines, 1)
        assert first["current"] == 0 < some["current"] < some["total"]
        assert resident.facts("vectors_filled") == []  # seen before any fact records it
        assert resident.status()["active_job"]["current"] == some["current"]
        assert resident.status()["chunks_embedded"] == 0
        gate.open(10_000)
        while (last := next_line(lines))["type"] == "progress":
            pass
    assert (last["type"], last["outcome"]) == ("complete", "complete")
    said = resident.until(lambda said: not said["active_job"], "no job")
    done = said["last_job"]
    assert (done["id"], done["phase"]) == (job, "finished")
    assert 0 < done["text_ms"] < done["duration_ms"]
    assert (last["text_ms"], last["duration_ms"]) == (done["text_ms"], done["duration_ms"])
    resident.house.wait_until_verified()
    written = json.loads(Path(resident.home.sync_result).read_bytes())
    keys = ("text_ms", "duration_ms")
    assert {key: written[key] for key in keys} == {key: done[key] for key in keys}
    assert (written["chunks_pending"], written["job_id"]) == (0, job)


def test_a_client_that_follows_a_job_learns_that_the_daemon_stops(
    slow: tuple[Resident, Gate],
) -> None:
    resident, _ = slow
    with followed(resident, resident.ask_for("full")) as lines:
        until_current(lines, 0)
        request(resident.home, "POST", "/v1/stop")
        while (last := next_line(lines))["type"] == "progress":
            pass
        assert (last["type"], last["outcome"]) == ("interrupted", "interrupted")
        assert lines.read_line(PATIENCE_S) is None


def test_the_newest_time_follows_every_saved_note(reside: Reside) -> None:
    resident = reside(watch=SELDOM)
    for _ in range(2):
        note = resident.save()
        resident.until_found(note)
        newest = iso_of_ns((resident.vault.folder / note.path).stat().st_mtime_ns)
        resident.until(lambda said: not said["active_job"], "no job")
        answer = request(resident.home, "GET", "/v1/status")
        assert answer.envelope["meta"]["vault_mtime"] == newest
        resident.house.wait_until_verified()
        written = json.loads(Path(resident.home.sync_result).read_bytes())
        assert written["last_sync_mtime"] == newest
    known = resident.status()["total_docs"]
    (resident.vault.folder / note.path).unlink()
    resident.until(lambda said: said["total_docs"] == known - 1, "it is gone")
    rest = [path.stat().st_mtime_ns for path in resident.vault.folder.rglob("*.md")]
    answer = request(resident.home, "GET", "/v1/status")
    assert answer.envelope["meta"]["vault_mtime"] == iso_of_ns(max(rest))


def test_a_sync_without_a_vault_says_so_and_never_complete(resident: Resident) -> None:
    away = resident.vault.folder.with_name("away")
    resident.vault.folder.rename(away)
    done = typed(resident, "sync")
    away.rename(resident.vault.folder)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert [line["type"] for line in said] == ["failed"]
    assert (said[0]["code"], said[0]["outcome"]) == ("VAULT_NOT_FOUND", "failed")
    assert "The vault's folder is missing" in said[0]["message"]
    assert f"`ragctl --home {resident.home.root} config set vault_path" in said[0]["suggestion"]


def test_what_the_daemon_suggests_names_its_home(newcomer: Resident) -> None:
    newcomer.start()
    named = f"`ragctl --home {newcomer.home.root} index`"
    said = newcomer.until_reason("INDEX_NOT_FOUND")
    [reason] = [reason for reason in said["reasons"] if reason["code"] == "INDEX_NOT_FOUND"]
    assert named in reason["suggestion"]
    refused = newcomer.search("river").envelope["error"]
    assert named in refused["suggestion"]
