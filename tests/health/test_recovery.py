"""Damage that heals: by itself where the daemon knows how, else when a person agrees."""

import shutil
from pathlib import Path

import pytest

from chaos import spoil
from chaos.faults import indexes, vaults
from chaos.resident import Resident
from tests.health.conftest import Reside
from tests.health.ragctl import typed


def test_a_damaged_index_waits_for_its_owner_and_offers_the_command(resident: Resident) -> None:
    old = resident.generation
    indexes.cut_data(resident.table, resident.arena.rng)
    said = resident.until_reason("INDEX_CORRUPTED")
    [reason] = said["reasons"]
    assert f"`ragctl --home {resident.home.root} reindex`" in reason["suggestion"]
    assert resident.generation == old
    assert typed(resident, "reindex").returncode == 0
    resident.settle()
    assert resident.generation != old


def test_with_auto_reindex_no_request_is_needed(reside: Reside) -> None:
    resident = reside(health={"probe_s": 0.1, "auto_reindex": True})
    old = resident.generation
    indexes.cut_data(resident.table, resident.arena.rng)
    resident.until(lambda said: said["index"]["generation"] != old, "another index")
    resident.settle()
    jobs = [fact for fact in resident.facts("job_requested") if fact["mode"] == "reindex"]
    assert jobs[0]["origin"] == "auto_reindex"


@pytest.mark.parametrize("how", ["stopped", "killed"])
def test_a_commit_that_was_lost_is_noticed_at_the_start_and_made_up_for(
    resident: Resident, how: str
) -> None:
    note = resident.save()
    resident.until_found(note)
    resident.settle()
    table = resident.table
    recorded = max(fact["table_version"] for fact in resident.facts("batch_stored"))
    resident.stop() if how == "stopped" else resident.kill()
    for manifest in (table / "_versions").glob("*.manifest"):
        if 2**64 - 1 - int(manifest.stem) >= recorded:  # one more may not be recorded yet
            manifest.unlink()
    embedded = resident.embedded()
    resident.start()
    resident.until_found(note)
    resident.settle()
    assert [fact["reason"] for fact in resident.facts("index_lost")] == ["behind"]
    assert resident.embedded() == embedded, "the cache had its vectors"


def test_a_quarantined_part_of_the_log_leads_to_a_look_at_everything(resident: Resident) -> None:
    resident.stop()
    spoil.damage_last(resident.house.book, resident.arena.rng)
    note = resident.save()  # whatever the lost facts said of it
    (resident.vault.folder / "001.md").unlink()
    resident.start()
    resident.until_found(note)
    resident.settle()
    assert "LOG_QUARANTINED" in str(resident.facts("health_changed"))
    assert "full" in [fact["mode"] for fact in resident.facts("job_finished")]


def test_a_log_that_is_gone_leaves_an_index_that_serves(resident: Resident) -> None:
    resident.stop()
    embedded = resident.embedded()
    for folder in (resident.home.events, resident.home.snapshots):
        shutil.rmtree(folder, ignore_errors=True)
    resident.house.book = type(resident.house.book)(resident.home)
    resident.start()
    resident.settle()
    assert resident.embedded() == embedded


@pytest.mark.parametrize("case", vaults.CASES, ids=lambda case: case.__name__)
def test_a_vault_that_vanishes_keeps_its_index_and_is_synced_when_it_is_back(
    resident: Resident, case: object
) -> None:
    vaults.suffer(resident, case)  # type: ignore[arg-type]
    resident.settle()


def test_what_changed_while_the_vault_was_away_is_found_when_it_is_back(
    resident: Resident, tmp_path: Path
) -> None:
    folder = resident.vault.folder
    folder.rename(tmp_path / "away")
    resident.until_reason("VAULT_NOT_FOUND")
    (tmp_path / "away" / "001.md").unlink()
    folder.mkdir()
    folder.rmdir()
    (tmp_path / "away").rename(folder)
    note = resident.save()
    resident.until_found(note)
    resident.settle()
