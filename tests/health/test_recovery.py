"""Recovery from damage: automatic where possible, otherwise after a person confirms."""

import shutil
from pathlib import Path

import pytest

from chaos import spoil
from chaos.faults import indexes, vaults
from chaos.managed_daemon import ManagedDaemon
from tests.health.conftest import DaemonFactory
from tests.health.ragctl import run_ragctl


def test_a_damaged_index_waits_for_its_owner_and_offers_the_command(daemon: ManagedDaemon) -> None:
    old = daemon.generation
    indexes.cut_data(daemon.table, daemon.arena.rng)
    said = daemon.wait_for_reason("INDEX_CORRUPTED")
    [reason] = said["reasons"]
    assert f"`ragctl --home {daemon.home.root} reindex`" in reason["suggestion"]
    assert daemon.generation == old
    assert run_ragctl(daemon, "reindex").returncode == 0
    daemon.settle()
    assert daemon.generation != old


def test_with_auto_reindex_no_request_is_needed(start_daemon: DaemonFactory) -> None:
    daemon = start_daemon(health={"probe_s": 0.1, "auto_reindex": True})
    old = daemon.generation
    indexes.cut_data(daemon.table, daemon.arena.rng)
    daemon.wait_for(lambda said: said["index"]["generation"] != old, "another index")
    daemon.settle()
    jobs = [fact for fact in daemon.facts("job_requested") if fact["mode"] == "reindex"]
    assert jobs[0]["origin"] == "auto_reindex"


@pytest.mark.parametrize("how", ["stopped", "killed"])
def test_a_commit_that_was_lost_is_noticed_at_the_start_and_made_up_for(
    daemon: ManagedDaemon, how: str
) -> None:
    note = daemon.save()
    daemon.wait_until_found(note)
    daemon.settle()
    table = daemon.table
    recorded = max(fact["table_version"] for fact in daemon.facts("batch_stored"))
    daemon.stop() if how == "stopped" else daemon.kill()
    for manifest in (table / "_versions").glob("*.manifest"):
        if 2**64 - 1 - int(manifest.stem) >= recorded:  # one more may not be recorded yet
            manifest.unlink()
    embedded = daemon.embedded_count()
    daemon.start()
    daemon.wait_until_found(note)
    daemon.settle()
    assert [fact["reason"] for fact in daemon.facts("index_lost")] == ["behind"]
    assert daemon.embedded_count() == embedded, "the cache had its vectors"


def test_a_quarantined_part_of_the_log_leads_to_a_look_at_everything(daemon: ManagedDaemon) -> None:
    daemon.stop()
    spoil.damage_last(daemon.harness.promises, daemon.arena.rng)
    note = daemon.save()  # whatever the lost facts said of it
    (daemon.vault.folder / "001.md").unlink()
    daemon.start()
    daemon.wait_until_found(note)
    daemon.settle()
    assert "LOG_QUARANTINED" in str(daemon.facts("health_changed"))
    assert "full" in [fact["mode"] for fact in daemon.facts("job_finished")]


def test_a_log_that_is_gone_leaves_an_index_that_serves(daemon: ManagedDaemon) -> None:
    daemon.stop()
    embedded = daemon.embedded_count()
    for folder in (daemon.home.events, daemon.home.snapshots):
        shutil.rmtree(folder, ignore_errors=True)
    daemon.harness.promises = type(daemon.harness.promises)(daemon.home)
    daemon.start()
    daemon.settle()
    assert daemon.embedded_count() == embedded


@pytest.mark.parametrize("case", vaults.CASES, ids=lambda case: case.__name__)
def test_a_vault_that_vanishes_keeps_its_index_and_is_synced_when_it_is_back(
    daemon: ManagedDaemon, case: object
) -> None:
    vaults.run_case(daemon, case)  # type: ignore[arg-type]
    daemon.settle()


def test_what_changed_while_the_vault_was_away_is_found_when_it_is_back(
    daemon: ManagedDaemon, tmp_path: Path
) -> None:
    folder = daemon.vault.folder
    folder.rename(tmp_path / "away")
    daemon.wait_for_reason("VAULT_NOT_FOUND")
    (tmp_path / "away" / "001.md").unlink()
    folder.mkdir()
    folder.rmdir()
    (tmp_path / "away").rename(folder)
    note = daemon.save()
    daemon.wait_until_found(note)
    daemon.settle()
