"""The six transitions of health on a running daemon, each with a real cause, and their history."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from chaos.faults import indexes
from chaos.managed_daemon import ManagedDaemon
from tests.health.conftest import DaemonFactory
from tests.health.ragctl import read_json_lines, run_ragctl

HEALTHY, DEGRADED, UNAVAILABLE = "healthy", "degraded", "unavailable"


def until(daemon: ManagedDaemon, health: str, *codes: str) -> None:
    daemon.wait_for(
        lambda said: (
            said["plugin_health"] == health and [r["code"] for r in said["reasons"]] == list(codes)
        ),
        f"{health} for {codes}",
    )


def steps(daemon: ManagedDaemon) -> list[tuple[str, str]]:
    return [(fact["before"], fact["after"]) for fact in daemon.facts("health_changed")]


def until_told(daemon: ManagedDaemon, last: list[tuple[str, str]]) -> None:
    """Wait until these are the last recorded changes; each is recorded a moment later."""
    daemon.wait_for(lambda _: steps(daemon)[-len(last) :] == last, f"the last changes: {last}")


def test_ollama_that_goes_and_comes_is_healthy_to_degraded_and_back(daemon: ManagedDaemon) -> None:
    daemon.provider.go_offline()
    until(daemon, DEGRADED, "OLLAMA_UNREACHABLE")
    daemon.provider.go_online()
    until(daemon, HEALTHY)
    until_told(daemon, [(HEALTHY, DEGRADED), (DEGRADED, HEALTHY)])


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        (indexes.remove_everything, "INDEX_NOT_FOUND"),
        (indexes.cut_data, "INDEX_CORRUPTED"),
        (indexes.empty_newest_manifest, "INDEX_CORRUPTED"),
        (indexes.remove_index_file, "INDEX_CORRUPTED"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_damage_and_its_repair_are_healthy_to_unavailable_and_back(
    daemon: ManagedDaemon, tmp_path: Path, harm: Callable[[Path, Random], None], code: str
) -> None:
    table, kept = daemon.table, tmp_path / "kept"
    daemon.copy_table(kept)
    indexes.harm(daemon, harm, code)
    assert daemon.wait_for_reason(code)["plugin_health"] == UNAVAILABLE
    if code == "INDEX_CORRUPTED":  # restored from a copy, without a request
        table.rename(tmp_path / "broken")
        shutil.copytree(kept, table)
        daemon.settle()
        indexes.harm(daemon, harm, code)
    daemon.request_job("reindex" if code == "INDEX_CORRUPTED" else "sync")
    daemon.settle()
    assert (HEALTHY, UNAVAILABLE) in steps(daemon)
    daemon.wait_for(lambda _: steps(daemon)[-1][1] == HEALTHY, "told as healthy")


def test_both_at_once_lead_down_and_back_by_way_of_degraded(
    daemon: ManagedDaemon, tmp_path: Path
) -> None:
    daemon.settle_and_compact()
    table, kept = daemon.table, tmp_path / "kept"
    daemon.copy_table(kept)
    daemon.provider.go_offline()
    until(daemon, DEGRADED, "OLLAMA_UNREACHABLE")
    indexes.empty_every_manifest(table, daemon.arena.rng)
    until(daemon, UNAVAILABLE, "INDEX_CORRUPTED", "OLLAMA_UNREACHABLE")
    table.rename(tmp_path / "broken")
    kept.rename(table)
    until(daemon, DEGRADED, "OLLAMA_UNREACHABLE")
    daemon.provider.go_online()
    until(daemon, HEALTHY)
    down = [(HEALTHY, DEGRADED), (DEGRADED, UNAVAILABLE)]
    until_told(daemon, [*down, (UNAVAILABLE, DEGRADED), (DEGRADED, HEALTHY)])
    daemon.settle()


def test_the_history_is_the_same_from_the_daemon_and_from_the_log(daemon: ManagedDaemon) -> None:
    daemon.provider.go_offline()
    until(daemon, DEGRADED, "OLLAMA_UNREACHABLE")
    daemon.provider.go_online()
    until_told(daemon, [(HEALTHY, DEGRADED), (DEGRADED, HEALTHY)])
    told = read_json_lines(daemon, "events", "--health", "--json")
    daemon.stop()
    assert read_json_lines(daemon, "replay", "--health", "--json")[: len(told)] == told
    down, up = told[-2:]
    assert (down["after"], up["after"]) == (DEGRADED, HEALTHY)
    assert down["cause"]["event"]["type"] == "dependency_lost"
    assert up["cause"]["event"]["type"] == "dependency_recovered"
    people = run_ragctl(daemon, "replay", "--health").stdout
    assert "OLLAMA_UNREACHABLE" in people


def test_probes_leave_facts_only_when_the_answer_changes(start_daemon: DaemonFactory) -> None:
    daemon = start_daemon(watch={"debounce_s": 0.05, "collect_s": 0.2, "rescan_s": 3600})
    of_probes = ("dependency_lost", "dependency_recovered", "health_changed")
    before, looks = daemon.facts(*of_probes), daemon.provider.probes
    daemon.wait_for(lambda _: daemon.provider.probes >= looks + 20, "ten more probes")
    assert daemon.facts(*of_probes) == before


@pytest.mark.parametrize("how", ["the model is gone", "other weights, other vectors"])
def test_the_provider_is_known_by_model_digest_and_canary(daemon: ManagedDaemon, how: str) -> None:
    if how == "the model is gone":
        daemon.provider.has_model = False
        until(daemon, DEGRADED, "OLLAMA_MODEL_MISSING")
        said = daemon.status()
        assert said["ollama_status"] == "up", "it answers"
        assert "`ollama pull chaos`" in said["reasons"][0]["suggestion"]
        answer = daemon.search("river stone")
        assert (answer.code, answer.retrieval) == ("OLLAMA_MODEL_MISSING", "full_text")
        daemon.provider.has_model = True
    else:
        daemon.provider.change_model()
        until(daemon, DEGRADED, "INDEX_MODEL_MISMATCH")
        answer = daemon.search("river stone")
        assert (answer.status, answer.retrieval) == (DEGRADED, "full_text")
        assert answer.code == "INDEX_MODEL_MISMATCH"
        assert answer.files
        daemon.request_job("reindex")
    daemon.settle()


def test_new_weights_that_make_the_same_vectors_are_the_same_model(daemon: ManagedDaemon) -> None:
    looks = daemon.provider.probes
    daemon.provider.rename_weights()
    daemon.wait_for(lambda _: daemon.provider.probes >= looks + 6, "three more probes")
    until(daemon, HEALTHY)
    daemon.wait_until_found(daemon.save())
    daemon.settle()


def test_a_call_that_fails_is_as_good_as_a_probe(start_daemon: DaemonFactory) -> None:
    daemon = start_daemon(health={"probe_s": 3600})
    daemon.provider.go_offline()
    note = daemon.save()  # its vector is asked for, and again
    until(daemon, DEGRADED, "OLLAMA_UNREACHABLE")
    answer = daemon.search(note.word)
    assert note.path in answer.files
    daemon.provider.go_online()
    daemon.settle()  # the next try for the vector found it, no probe did
