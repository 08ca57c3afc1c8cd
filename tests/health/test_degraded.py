"""Degraded means served: what the answer says, and that changes made meanwhile are made up for."""

from pathlib import Path

from chaos.faults import times
from chaos.resident import Resident
from tests.health.conftest import Reside
from tests.health.ragctl import typed


def test_without_its_provider_full_text_answers_and_says_why(resident: Resident) -> None:
    resident.provider.go_away()
    resident.until_reason("OLLAMA_UNREACHABLE")
    note = resident.save()
    answer = resident.until_found(note)
    assert (answer.status, answer.retrieval) == ("degraded", "full_text")
    error = answer.envelope["error"]
    assert (error["code"], error["recoverable"]) == ("OLLAMA_UNREACHABLE", True)
    assert "ollama" in error["suggestion"].lower()
    resident.until(lambda said: said["total_chunks"] > said["chunks_embedded"], "no vectors yet")
    resident.provider.come_back()
    resident.settle()  # its vectors came without a request
    answer = resident.search(note.word)
    assert (answer.status, answer.code, answer.retrieval) == ("healthy", None, "hybrid")


def test_a_change_that_waits_for_too_long_makes_the_index_stale(reside: Reside) -> None:
    slow = {"debounce_s": 0.05, "collect_s": 300, "rescan_s": 3600}
    health = {"probe_s": 0.1, "stale_s": 1}
    resident = reside(indexed=False, watch=slow, health=health)
    resident.ask_for("full")
    resident.settle()
    resident.save()
    said = resident.until_reason("INDEX_STALE")
    [reason] = said["reasons"]
    assert (said["plugin_health"], said["unindexed_files"]) == ("degraded", 1)
    answer = resident.search("river stone")
    assert (answer.status, answer.code) == ("degraded", "INDEX_STALE")
    assert answer.retrieval == "full_text"
    assert answer.envelope["meta"]["stale_since"] == reason["since"]
    resident.house.configure(search={"stale": "hybrid"})
    assert typed(resident, "config", "validate").returncode == 0
    resident.reload()
    answer = resident.search("river stone")
    assert (answer.status, answer.code, answer.retrieval) == ("degraded", "INDEX_STALE", "hybrid")
    resident.ask_for("sync")
    resident.settle()
    assert resident.search("river stone").envelope["meta"]["stale_since"] is None


def test_what_a_frozen_daemon_missed_is_not_taken_for_seen(reside: Reside) -> None:
    times.sleep(reside(speed=1.0))


def test_events_that_the_system_dropped_are_made_up_for(resident: Resident) -> None:
    times.overflow(resident)


def test_status_is_for_people_first(resident: Resident) -> None:
    well = typed(resident, "status")
    assert well.stdout.splitlines()[0].split()[1] == "healthy"
    assert typed(resident, "status", "--check").returncode == 0
    resident.provider.go_away()
    resident.until_reason("OLLAMA_UNREACHABLE")
    ill = typed(resident, "status").stdout
    assert ill.splitlines()[0].split()[1] == "degraded"
    assert ill.index("OLLAMA_UNREACHABLE") < ill.index("  vault")
    order = ["vault", "index", "provider", "last sync", "job", "log"]
    places = [ill.index(f"  {part} ") for part in order]
    assert places == sorted(places)
    assert typed(resident, "status", "--check").returncode == 5
    versions = Path(resident.table, "_versions")
    with resident.standing_still():
        versions.rename(Path(resident.home.root, "aside"))
        versions.touch()  # so that tidying cannot make the folder again, with all that is needed
    resident.until_reason("INDEX_CORRUPTED")
    assert typed(resident, "status").stdout.split()[1] == "unavailable"
    assert f"`ragctl --home {resident.home.root} reindex`" in typed(resident, "status").stdout
    assert typed(resident, "status", "--check").returncode == 4
