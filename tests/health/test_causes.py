"""A problem is named by its cause: the vault, the index, or an index of another vault."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chaos.faults.indexes import remove_everything, remove_generation, remove_table
from chaos.managed_daemon import ManagedDaemon, SearchAnswer, codes
from tests.health.conftest import DaemonFactory
from tests.health.ragctl import run_ragctl, without_home

SELDOM = {"probe_s": 3600}


def restart(daemon: ManagedDaemon, **settings: Any) -> None:
    daemon.stop()
    daemon.harness.configure(**settings)
    daemon.start()


def ended(daemon: ManagedDaemon, job: str) -> None:
    daemon.wait_for(
        lambda _: any(fact["job_id"] == job for fact in daemon.facts("job_finished")),
        "the end of the job",
    )


# The vault is away


def test_without_vault_and_index_the_vault_is_named_and_not_the_job(
    new_daemon: ManagedDaemon,
) -> None:
    folder = new_daemon.vault.folder
    away = folder.rename(folder.with_name("away"))
    new_daemon.start()
    new_daemon.wait_for_reason("VAULT_NOT_FOUND")
    ended(new_daemon, new_daemon.request_job("full"))
    causes = ["VAULT_NOT_FOUND", "INDEXER_FAILED", "INDEX_NOT_FOUND"]
    new_daemon.wait_for(lambda said: sorted(codes(said)) == sorted(causes), "all three")
    assert codes(new_daemon.status())[0] == "VAULT_NOT_FOUND"
    answer = new_daemon.search("river stone")
    assert (answer.status, answer.code) == ("unavailable", "VAULT_NOT_FOUND")
    away.rename(folder)
    new_daemon.settle()  # the job is tried again without being asked for


def test_a_sync_names_the_vault_that_is_gone_though_ollama_is_down_too(
    daemon: ManagedDaemon,
) -> None:
    folder = daemon.vault.folder
    daemon.provider.go_offline()
    daemon.wait_for_reason("OLLAMA_UNREACHABLE")
    away = folder.rename(folder.with_name("away"))
    daemon.wait_for_reason("VAULT_NOT_FOUND")
    assert codes(daemon.status())[0] == "VAULT_NOT_FOUND"
    said = run_ragctl(daemon, "sync")
    assert said.returncode == 2
    assert "The vault's folder is missing" in said.stderr
    assert "Ollama" not in said.stderr
    failed = [fact for fact in daemon.facts("job_finished") if fact["outcome"] == "failed"]
    assert {fact["code"] for fact in failed} == {"VAULT_NOT_FOUND"}
    away.rename(folder)
    daemon.provider.go_online()
    daemon.settle()


# The index is gone


def until_missing(daemon: ManagedDaemon) -> None:
    said = daemon.wait_for_reason("INDEX_NOT_FOUND")
    [reason] = [one for one in said["reasons"] if one["code"] == "INDEX_NOT_FOUND"]
    assert "missing" in reason["message"]
    lost = [fact["code"] for fact in daemon.facts("dependency_lost")]
    assert "INDEX_CORRUPTED" not in lost
    assert not any("INDEX_CORRUPTED" in fact["reasons"] for fact in daemon.facts("health_changed"))
    answer = daemon.search("river stone")
    assert (answer.status, answer.code) == ("unavailable", "INDEX_NOT_FOUND")
    assert "missing" in answer.envelope["error"]["message"]


def found_by_probe(daemon: ManagedDaemon) -> None:
    """It recovers without a command."""


def found_by_search(daemon: ManagedDaemon) -> None:
    answer: SearchAnswer = daemon.search("river stone")
    assert answer.code == "INDEX_NOT_FOUND", answer


def found_by_writer(daemon: ManagedDaemon) -> None:
    daemon.save()


@pytest.mark.parametrize(
    ("finder", "remove"),
    [
        (found_by_probe, remove_everything),
        (found_by_search, remove_generation),
        (found_by_writer, remove_table),
        (found_by_writer, remove_everything),
    ],
    ids=lambda value: value.__name__,
)
def test_a_deleted_index_is_missing_and_not_damaged_whatever_finds_it(
    start_daemon: DaemonFactory,
    remove: Callable[..., None],
    finder: Callable[[ManagedDaemon], None],
) -> None:
    daemon = start_daemon(health={"probe_s": 0.1} if finder is found_by_probe else SELDOM)
    daemon.settle_and_compact()
    remove(daemon.table, daemon.arena.rng)
    finder(daemon)
    until_missing(daemon)
    checks = json.loads(run_ragctl(daemon, "doctor", "--json").stdout)["checks"]
    [index] = [one for one in checks if one["name"] == "index"]
    assert "damaged" not in index["message"]
    assert run_ragctl(daemon, "index").returncode == 0
    daemon.settle()


def test_an_index_that_was_deleted_while_the_daemon_was_down_is_missing(
    daemon: ManagedDaemon,
) -> None:
    daemon.settle_and_compact()
    daemon.stop()
    shutil.rmtree(daemon.home.vectors)
    doctor = json.loads(run_ragctl(daemon, "doctor", "--json").stdout)["checks"]
    [index] = [one for one in doctor if one["name"] == "index"]
    assert index["verdict"] == "fail" and "missing" in index["message"], index
    daemon.start()
    until_missing(daemon)
    daemon.request_job("full")
    daemon.settle()


# The index is another vault's


def test_an_index_of_another_vault_is_named_until_its_vault_is_configured_again(
    daemon: ManagedDaemon, tmp_path: Path
) -> None:
    kept = daemon.generation
    restart(daemon, vault_path=str(tmp_path / "Notez"))
    said = daemon.wait_for_reason("INDEX_OF_ANOTHER_VAULT")
    assert said["plugin_health"] == "unavailable", "nothing is served"
    assert "INDEX_CORRUPTED" not in codes(said) and "INDEX_NOT_FOUND" not in codes(said)
    [reason] = [one for one in said["reasons"] if one["code"] == "INDEX_OF_ANOTHER_VAULT"]
    assert "another vault" in reason["message"]
    assert "`ragctl config set vault_path PATH`" in without_home(daemon, reason["suggestion"])
    answer = daemon.search("river stone")
    assert (answer.status, answer.code) == ("unavailable", "INDEX_OF_ANOTHER_VAULT")
    assert "INDEX_OF_ANOTHER_VAULT" in run_ragctl(daemon, "status").stdout
    checks = json.loads(run_ragctl(daemon, "doctor", "--json").stdout)["checks"]
    [index] = [one for one in checks if one["name"] == "index"]
    assert index["verdict"] == "fail" and "another vault" in index["message"]
    restart(daemon, vault_path=str(daemon.vault.folder))
    daemon.settle()
    assert daemon.generation == kept


def test_an_index_of_another_vault_makes_way_when_the_new_vault_is_found(
    daemon: ManagedDaemon, tmp_path: Path
) -> None:
    kept = daemon.generation
    other = tmp_path / "Other"
    restart(daemon, vault_path=str(other))
    daemon.wait_for_reason("INDEX_OF_ANOTHER_VAULT")
    other.mkdir()
    (other / "Heron.md").write_text("A heron on the roof of the boathouse.\n")
    said = daemon.wait_for(lambda said: said["plugin_health"] == "healthy", "the new vault's index")
    assert said["total_docs"] == 1
    assert said["index"]["generation"] != kept
    answer = daemon.search("heron")
    assert answer.envelope["data"] and answer.files == ["Heron.md"], answer


def test_health_does_not_go_back_and_forth_over_an_index_of_another_vault(
    daemon: ManagedDaemon, tmp_path: Path
) -> None:
    restart(daemon, vault_path=str(tmp_path / "Notez"))
    daemon.wait_for_reason("INDEX_OF_ANOTHER_VAULT")
    looks, before = daemon.provider.probes, daemon.facts("dependency_lost")
    daemon.wait_for(lambda _: daemon.provider.probes >= looks + 20, "ten more probes")
    assert daemon.facts("dependency_lost") == before
