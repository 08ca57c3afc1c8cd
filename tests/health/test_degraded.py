"""Degraded means served: what the answer reports, and that later all changes are indexed."""

from pathlib import Path

from chaos.faults import times
from chaos.managed_daemon import ManagedDaemon
from tests.health.conftest import DaemonFactory
from tests.health.ragctl import run_ragctl


def test_without_its_provider_full_text_answers_and_says_why(daemon: ManagedDaemon) -> None:
    daemon.provider.go_offline()
    daemon.wait_for_reason("OLLAMA_UNREACHABLE")
    note = daemon.save()
    answer = daemon.wait_until_found(note)
    assert (answer.status, answer.retrieval) == ("degraded", "full_text")
    error = answer.envelope["error"]
    assert (error["code"], error["recoverable"]) == ("OLLAMA_UNREACHABLE", True)
    assert "ollama" in error["suggestion"].lower()
    daemon.wait_for(lambda said: said["total_chunks"] > said["chunks_embedded"], "no vectors yet")
    daemon.provider.go_online()
    daemon.settle()  # its vectors came without a request
    answer = daemon.search(note.word)
    assert (answer.status, answer.code, answer.retrieval) == ("healthy", None, "hybrid")


def test_a_change_that_waits_for_too_long_makes_the_index_stale(
    start_daemon: DaemonFactory,
) -> None:
    slow = {"debounce_s": 0.05, "collect_s": 300, "quiet_s": 300, "rescan_s": 3600}
    health = {"probe_s": 0.1, "stale_s": 1}
    daemon = start_daemon(indexed=False, watch=slow, health=health)
    daemon.request_job("full")
    daemon.settle()
    daemon.save()
    said = daemon.wait_for_reason("INDEX_STALE")
    [reason] = said["reasons"]
    assert (said["plugin_health"], said["unindexed_files"]) == ("degraded", 1)
    answer = daemon.search("river stone")
    assert (answer.status, answer.code) == ("degraded", "INDEX_STALE")
    assert answer.retrieval == "full_text"
    assert answer.envelope["meta"]["stale_since"] == reason["since"]
    daemon.harness.configure(search={"stale": "hybrid"})
    assert run_ragctl(daemon, "config", "validate").returncode == 0
    daemon.reload()
    answer = daemon.search("river stone")
    assert (answer.status, answer.code, answer.retrieval) == ("degraded", "INDEX_STALE", "hybrid")
    daemon.request_job("sync")
    daemon.settle()
    assert daemon.search("river stone").envelope["meta"]["stale_since"] is None


def test_what_a_frozen_daemon_missed_is_not_taken_for_seen(start_daemon: DaemonFactory) -> None:
    times.sleep(start_daemon(speed=1.0))


def test_events_that_the_system_dropped_are_made_up_for(daemon: ManagedDaemon) -> None:
    times.overflow(daemon)


def test_status_is_for_people_first(daemon: ManagedDaemon) -> None:
    well = run_ragctl(daemon, "status")
    assert well.stdout.splitlines()[0].split()[1] == "healthy"
    assert run_ragctl(daemon, "status", "--check").returncode == 0
    daemon.provider.go_offline()
    daemon.wait_for_reason("OLLAMA_UNREACHABLE")
    ill = run_ragctl(daemon, "status").stdout
    assert ill.splitlines()[0].split()[1] == "degraded"
    assert ill.index("OLLAMA_UNREACHABLE") < ill.index("  vault")
    order = ["vault", "index", "provider", "last sync", "job", "log"]
    places = [ill.index(f"  {part} ") for part in order]
    assert places == sorted(places)
    assert run_ragctl(daemon, "status", "--check").returncode == 5
    versions = Path(daemon.table, "_versions")
    with daemon.frozen():
        versions.rename(Path(daemon.home.root, "aside"))
        versions.touch()  # so that tidying cannot make the folder again, with all that is needed
    daemon.wait_for_reason("INDEX_CORRUPTED")
    assert run_ragctl(daemon, "status").stdout.split()[1] == "unavailable"
    assert f"`ragctl --home {daemon.home.root} reindex`" in run_ragctl(daemon, "status").stdout
    assert run_ragctl(daemon, "status", "--check").returncode == 4
