"""The six transitions of health on a running daemon, each with a real cause, and their story."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from chaos.faults import indexes
from chaos.resident import Resident
from tests.health.conftest import Reside
from tests.health.ragctl import lines, typed

HEALTHY, DEGRADED, UNAVAILABLE = "healthy", "degraded", "unavailable"


def until(resident: Resident, health: str, *codes: str) -> None:
    resident.until(
        lambda said: (
            said["plugin_health"] == health and [r["code"] for r in said["reasons"]] == list(codes)
        ),
        f"{health} for {codes}",
    )


def steps(resident: Resident) -> list[tuple[str, str]]:
    return [(fact["before"], fact["after"]) for fact in resident.facts("health_changed")]


def until_told(resident: Resident, last: list[tuple[str, str]]) -> None:
    """These were the last changes; the line for one comes a moment after it."""
    resident.until(lambda _: steps(resident)[-len(last) :] == last, f"the last changes: {last}")


def test_ollama_that_goes_and_comes_is_healthy_to_degraded_and_back(resident: Resident) -> None:
    resident.provider.go_away()
    until(resident, DEGRADED, "OLLAMA_UNREACHABLE")
    resident.provider.come_back()
    until(resident, HEALTHY)
    until_told(resident, [(HEALTHY, DEGRADED), (DEGRADED, HEALTHY)])


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
    resident: Resident, tmp_path: Path, harm: Callable[[Path, Random], None], code: str
) -> None:
    table, kept = resident.table, tmp_path / "kept"
    resident.copy_table(kept)
    indexes.harm(resident, harm, code)
    assert resident.until_reason(code)["plugin_health"] == UNAVAILABLE
    if code == "INDEX_CORRUPTED":  # restored from a copy, without a request
        table.rename(tmp_path / "broken")
        shutil.copytree(kept, table)
        resident.settle()
        indexes.harm(resident, harm, code)
    resident.ask_for("reindex" if code == "INDEX_CORRUPTED" else "sync")
    resident.settle()
    assert (HEALTHY, UNAVAILABLE) in steps(resident)
    resident.until(lambda _: steps(resident)[-1][1] == HEALTHY, "told as healthy")


def test_both_at_once_lead_down_and_back_by_way_of_degraded(
    resident: Resident, tmp_path: Path
) -> None:
    resident.calm()
    table, kept = resident.table, tmp_path / "kept"
    resident.copy_table(kept)
    resident.provider.go_away()
    until(resident, DEGRADED, "OLLAMA_UNREACHABLE")
    indexes.empty_every_manifest(table, resident.arena.rng)
    until(resident, UNAVAILABLE, "INDEX_CORRUPTED", "OLLAMA_UNREACHABLE")
    table.rename(tmp_path / "broken")
    kept.rename(table)
    until(resident, DEGRADED, "OLLAMA_UNREACHABLE")
    resident.provider.come_back()
    until(resident, HEALTHY)
    down = [(HEALTHY, DEGRADED), (DEGRADED, UNAVAILABLE)]
    until_told(resident, [*down, (UNAVAILABLE, DEGRADED), (DEGRADED, HEALTHY)])
    resident.settle()


def test_the_history_is_the_same_from_the_daemon_and_from_the_log(resident: Resident) -> None:
    resident.provider.go_away()
    until(resident, DEGRADED, "OLLAMA_UNREACHABLE")
    resident.provider.come_back()
    until_told(resident, [(HEALTHY, DEGRADED), (DEGRADED, HEALTHY)])
    told = lines(resident, "events", "--health", "--json")
    resident.stop()
    assert lines(resident, "replay", "--health", "--json")[: len(told)] == told
    down, up = told[-2:]
    assert (down["after"], up["after"]) == (DEGRADED, HEALTHY)
    assert down["cause"]["event"]["type"] == "dependency_lost"
    assert up["cause"]["event"]["type"] == "dependency_recovered"
    people = typed(resident, "replay", "--health").stdout
    assert "OLLAMA_UNREACHABLE" in people


def test_probes_leave_facts_only_when_the_answer_changes(reside: Reside) -> None:
    resident = reside(watch={"debounce_s": 0.05, "collect_s": 0.2, "rescan_s": 3600})
    of_probes = ("dependency_lost", "dependency_recovered", "health_changed")
    before, looks = resident.facts(*of_probes), resident.provider.looks
    resident.until(lambda _: resident.provider.looks >= looks + 20, "ten more probes")
    assert resident.facts(*of_probes) == before


@pytest.mark.parametrize("how", ["the model is gone", "other weights, other vectors"])
def test_the_provider_is_known_by_model_digest_and_canary(resident: Resident, how: str) -> None:
    if how == "the model is gone":
        resident.provider.has_model = False
        until(resident, DEGRADED, "OLLAMA_MODEL_MISSING")
        said = resident.status()
        assert said["ollama_status"] == "up", "it answers"
        assert "`ollama pull chaos`" in said["reasons"][0]["suggestion"]
        answer = resident.search("river stone")
        assert (answer.code, answer.retrieval) == ("OLLAMA_MODEL_MISSING", "full_text")
        resident.provider.has_model = True
    else:
        resident.provider.take_another_model()
        until(resident, DEGRADED, "INDEX_MODEL_MISMATCH")
        answer = resident.search("river stone")
        assert (answer.status, answer.retrieval) == (DEGRADED, "full_text")
        assert answer.code == "INDEX_MODEL_MISMATCH"
        assert answer.files
        resident.ask_for("reindex")
    resident.settle()


def test_new_weights_that_make_the_same_vectors_are_the_same_model(resident: Resident) -> None:
    looks = resident.provider.looks
    resident.provider.rename_weights()
    resident.until(lambda _: resident.provider.looks >= looks + 6, "three more probes")
    until(resident, HEALTHY)
    resident.until_found(resident.save())
    resident.settle()


def test_a_call_that_fails_is_as_good_as_a_probe(reside: Reside) -> None:
    resident = reside(health={"probe_s": 3600})
    resident.provider.go_away()
    note = resident.save()  # its vector is asked for, and again
    until(resident, DEGRADED, "OLLAMA_UNREACHABLE")
    answer = resident.search(note.word)
    assert note.path in answer.files
    resident.provider.come_back()
    resident.settle()  # the next try for the vector found it, no probe did
