"""`ragctl wait`: it waits for facts, and explains a time-out."""

import pytest

from tests.ragctl.conftest import FakeDaemon, Ragctl

JOB = {"id": "01J", "mode": "full", "phase": "running", "progress": 0.5}


def test_a_state_that_is_already_reached_needs_no_wait(ragctl: Ragctl, fake: FakeDaemon) -> None:
    assert ragctl("wait", "--for", "healthy") == (0, "", "")
    assert fake.requests == ["GET /v1/status"]


def test_it_returns_with_the_fact_that_reaches_the_state(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.be("unavailable", "INDEX_NOT_FOUND")

    def heal() -> None:
        fake.record("files_changed")
        fake.be("healthy")
        fake.record("health_changed")

    fake.when_followed.append(heal)
    assert ragctl("wait", "--for", "healthy", "--timeout", "20").code == 0


@pytest.mark.parametrize("health", ["healthy", "degraded"])
def test_degraded_means_that_it_can_serve(ragctl: Ragctl, fake: FakeDaemon, health: str) -> None:
    fake.health = health
    assert ragctl("wait", "--for", "degraded", "--timeout", "0").code == 0


def test_idle_means_no_job_and_nothing_waiting(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.more = {"active_job": JOB, "unindexed_files": 3}

    def finish() -> None:
        fake.more = {}
        fake.record("job_finished")

    fake.when_followed.append(finish)
    assert ragctl("wait", "--for", "idle", "--timeout", "20").code == 0


def test_a_starting_daemon_is_not_idle(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.be("unavailable", "STARTING")
    result = ragctl("wait", "--for", "idle", "--timeout", "0")
    assert result.code == 75 and "the daemon is starting" in result.err


def test_a_collection_that_was_just_added_is_work(ragctl: Ragctl, fake: FakeDaemon) -> None:
    vault = {"name": "vault", "state": "ok", "last_sync": "2026-11-18T10:00:00Z"}
    papers = {"name": "papers", "state": "unknown", "last_sync": None}
    fake.more = {"collections": [vault, papers]}
    busy = ragctl("wait", "--for", "idle", "--timeout", "0")
    assert busy.code == 75 and "@papers not read yet" in busy.err
    fake.more = {"collections": [vault, {**papers, "state": "missing"}]}
    assert ragctl("wait", "--for", "idle", "--timeout", "0").code == 0
    of_reader = [{**vault, "last_sync": None}, papers]
    fake.more = {"collections": of_reader}
    assert ragctl("wait", "--for", "idle", "--timeout", "0").code == 0


def test_it_gives_up_after_the_timeout(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.be("degraded", "OLLAMA_UNREACHABLE")
    result = ragctl("wait", "--timeout", "0.1")
    assert result.code == 75 and result.out == ""
    assert "Still degraded after 0.1 s." in result.err and "OLLAMA_UNREACHABLE" in result.err


@pytest.mark.parametrize(("health", "code"), [("unavailable", 4), ("degraded", 5)])
def test_with_timeout_0_health_is_the_exit_code(
    ragctl: Ragctl, fake: FakeDaemon, health: str, code: int
) -> None:
    fake.health = health
    assert ragctl("wait", "--timeout", "0").code == code


def test_with_timeout_0_busy_is_exit_75(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.more = {"active_job": JOB}
    result = ragctl("wait", "--for", "idle", "--timeout", "0")
    assert result.code == 75 and "a full job is running" in result.err


def test_missing_vectors_are_work_unless_they_cannot_be_made(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    fake.more = {"chunks_pending": 3}
    busy = ragctl("wait", "--for", "idle", "--timeout", "0")
    assert busy.code == 75 and "3 vectors missing" in busy.err
    assert "vectors are still being made" in ragctl("status").out
    fake.be("degraded", "OLLAMA_UNREACHABLE")
    assert ragctl("wait", "--for", "idle", "--timeout", "0").code == 0


def test_a_dropped_stream_is_resumed(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.be("unavailable", "INDEX_NOT_FOUND")

    def heal() -> None:
        fake.be("healthy")
        fake.record("health_changed")

    fake.when_followed += [fake.drop_followers, heal]
    assert ragctl("wait", "--timeout", "20").code == 0


def test_a_daemon_that_stops_is_exit_3(ragctl: Ragctl, fake: FakeDaemon) -> None:

    fake.be("unavailable", "INDEX_NOT_FOUND")
    fake.when_followed.append(lambda: fake.aside(fake.close))
    result = ragctl("wait", "--timeout", "20")
    assert result.code == 3 and "stopped while ragctl was waiting" in result.err


def test_json_says_what_was_reached(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.be("degraded", "INDEX_STALE")
    result = ragctl("wait", "--timeout", "0.1", "--json")
    assert result.code == 75 and result.err == ""
    assert result.json["reached"] is False and result.json["reasons"] == ["INDEX_STALE"]
