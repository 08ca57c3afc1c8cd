"""What is wrong is called by its cause: the vault, the index, and whose index it is."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chaos.faults.indexes import remove_everything, remove_generation, remove_table
from chaos.resident import Answer, Resident, codes
from tests.health.conftest import Reside
from tests.health.ragctl import typed, without_home

SELDOM = {"probe_s": 3600}


def restart(resident: Resident, **settings: Any) -> None:
    resident.stop()
    resident.house.configure(**settings)
    resident.start()


def ended(resident: Resident, job: str) -> None:
    resident.until(
        lambda _: any(fact["job_id"] == job for fact in resident.facts("job_finished")),
        "the end of the job",
    )


# The vault is away


def test_without_vault_and_index_the_vault_is_named_and_not_the_job(newcomer: Resident) -> None:
    folder = newcomer.vault.folder
    away = folder.rename(folder.with_name("away"))
    newcomer.start()
    newcomer.until_reason("VAULT_NOT_FOUND")
    ended(newcomer, newcomer.ask_for("full"))
    causes = ["VAULT_NOT_FOUND", "INDEXER_FAILED", "INDEX_NOT_FOUND"]
    newcomer.until(lambda said: sorted(codes(said)) == sorted(causes), "all three")
    assert codes(newcomer.status())[0] == "VAULT_NOT_FOUND"
    answer = newcomer.search("river stone")
    assert (answer.status, answer.code) == ("unavailable", "VAULT_NOT_FOUND")
    away.rename(folder)
    newcomer.settle()  # the job is tried again without being asked for


def test_a_sync_names_the_vault_that_is_gone_though_ollama_is_down_too(resident: Resident) -> None:
    folder = resident.vault.folder
    resident.provider.go_away()
    resident.until_reason("OLLAMA_UNREACHABLE")
    away = folder.rename(folder.with_name("away"))
    resident.until_reason("VAULT_NOT_FOUND")
    assert codes(resident.status())[0] == "VAULT_NOT_FOUND"
    said = typed(resident, "sync")
    assert said.returncode == 2
    assert "The vault's folder is missing" in said.stderr
    assert "Ollama" not in said.stderr
    failed = [fact for fact in resident.facts("job_finished") if fact["outcome"] == "failed"]
    assert {fact["code"] for fact in failed} == {"VAULT_NOT_FOUND"}
    away.rename(folder)
    resident.provider.come_back()
    resident.settle()


# The index is gone


def until_missing(resident: Resident) -> None:
    said = resident.until_reason("INDEX_NOT_FOUND")
    [reason] = [one for one in said["reasons"] if one["code"] == "INDEX_NOT_FOUND"]
    assert "missing" in reason["message"]
    lost = [fact["code"] for fact in resident.facts("dependency_lost")]
    assert "INDEX_CORRUPTED" not in lost
    assert not any(
        "INDEX_CORRUPTED" in fact["reasons"] for fact in resident.facts("health_changed")
    )
    answer = resident.search("river stone")
    assert (answer.status, answer.code) == ("unavailable", "INDEX_NOT_FOUND")
    assert "missing" in answer.envelope["error"]["message"]


def found_by_probe(resident: Resident) -> None:
    """It recovers without a command."""


def found_by_search(resident: Resident) -> None:
    answer: Answer = resident.search("river stone")
    assert answer.code == "INDEX_NOT_FOUND", answer


def found_by_writer(resident: Resident) -> None:
    resident.save()


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
    reside: Reside,
    remove: Callable[..., None],
    finder: Callable[[Resident], None],
) -> None:
    resident = reside(health={"probe_s": 0.1} if finder is found_by_probe else SELDOM)
    resident.calm()
    remove(resident.table, resident.arena.rng)
    finder(resident)
    until_missing(resident)
    checks = json.loads(typed(resident, "doctor", "--json").stdout)["checks"]
    [index] = [one for one in checks if one["name"] == "index"]
    assert "damaged" not in index["message"]
    assert typed(resident, "index").returncode == 0
    resident.settle()


def test_an_index_that_was_deleted_while_the_daemon_was_down_is_missing(
    resident: Resident,
) -> None:
    resident.calm()
    resident.stop()
    shutil.rmtree(resident.home.vectors)
    doctor = json.loads(typed(resident, "doctor", "--json").stdout)["checks"]
    [index] = [one for one in doctor if one["name"] == "index"]
    assert index["verdict"] == "fail" and "missing" in index["message"], index
    resident.start()
    until_missing(resident)
    resident.ask_for("full")
    resident.settle()


# The index is another vault's


def test_an_index_of_another_vault_is_named_until_its_vault_is_configured_again(
    resident: Resident, tmp_path: Path
) -> None:
    kept = resident.generation
    restart(resident, vault_path=str(tmp_path / "Notez"))
    said = resident.until_reason("INDEX_OF_ANOTHER_VAULT")
    assert said["plugin_health"] == "unavailable", "nothing is served"
    assert "INDEX_CORRUPTED" not in codes(said) and "INDEX_NOT_FOUND" not in codes(said)
    [reason] = [one for one in said["reasons"] if one["code"] == "INDEX_OF_ANOTHER_VAULT"]
    assert "another vault" in reason["message"]
    assert "`ragctl config set vault_path PATH`" in without_home(resident, reason["suggestion"])
    answer = resident.search("river stone")
    assert (answer.status, answer.code) == ("unavailable", "INDEX_OF_ANOTHER_VAULT")
    assert "INDEX_OF_ANOTHER_VAULT" in typed(resident, "status").stdout
    checks = json.loads(typed(resident, "doctor", "--json").stdout)["checks"]
    [index] = [one for one in checks if one["name"] == "index"]
    assert index["verdict"] == "fail" and "another vault" in index["message"]
    restart(resident, vault_path=str(resident.vault.folder))
    resident.settle()
    assert resident.generation == kept


def test_an_index_of_another_vault_makes_way_when_the_new_vault_is_found(
    resident: Resident, tmp_path: Path
) -> None:
    kept = resident.generation
    other = tmp_path / "Other"
    restart(resident, vault_path=str(other))
    resident.until_reason("INDEX_OF_ANOTHER_VAULT")
    other.mkdir()
    (other / "Heron.md").write_text("A heron on the roof of the boathouse.\n")
    said = resident.until(lambda said: said["plugin_health"] == "healthy", "the new vault's index")
    assert said["total_docs"] == 1
    assert said["index"]["generation"] != kept
    answer = resident.search("heron")
    assert answer.envelope["data"] and answer.files == ["Heron.md"], answer


def test_health_does_not_go_back_and_forth_over_an_index_of_another_vault(
    resident: Resident, tmp_path: Path
) -> None:
    restart(resident, vault_path=str(tmp_path / "Notez"))
    resident.until_reason("INDEX_OF_ANOTHER_VAULT")
    looks, before = resident.provider.looks, resident.facts("dependency_lost")
    resident.until(lambda _: resident.provider.looks >= looks + 20, "ten more probes")
    assert resident.facts("dependency_lost") == before
