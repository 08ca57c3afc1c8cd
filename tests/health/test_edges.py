"""Edges of daily life: clocks that jump, a process that stands still, two that start at once, a
vault that cannot be written, searches during compaction, followers that never read."""

import subprocess
import sys
from contextlib import ExitStack

import pytest

from chaos.faults import loads, times
from chaos.harness import Arena, environment
from chaos.resident import Resident
from chaos.tables import Tables
from tests.chaos.test_chaos import SEED
from tests.health.conftest import Reside
from tests.health.ragctl import typed
from tests.small_disks import mount, run

SWIFT = 10.0  # what it waits for ten seconds takes one


def test_a_clock_that_jumps_a_day_amid_a_job_costs_nothing(reside: Reside) -> None:
    times.jump_amid_work(reside(speed=1.0))


def test_a_clock_that_is_set_back_does_not_make_a_pause_longer(reside: Reside) -> None:
    resident = reside(speed=1.0)
    times.jump_while_paused(resident)
    resident.settle()


def test_a_daemon_that_stood_still_for_a_minute_of_its_time_goes_on(reside: Reside) -> None:
    resident = reside(speed=60.0)
    times.stand_still_for_a_minute(resident, seconds=1.0)
    resident.stop()


def test_two_who_type_start_at_once_get_one_daemon_and_no_error(newcomer: Resident) -> None:
    command = [sys.executable, "-m", "ragctl", "--home", newcomer.home.root, "start"]
    pair = [
        subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [one.communicate(timeout=60)[1] for one in pair]
    try:
        assert [one.returncode for one in pair] == [0, 0], said
        assert len(newcomer.facts("daemon_started")) == 1
    finally:
        assert typed(newcomer, "stop").returncode == 0


def test_two_daemons_of_two_homes_share_a_vault(reside: Reside) -> None:
    one = reside()
    with Arena(SEED) as arena:
        other = Resident(arena, one.provider, Tables(arena), notes=0)
        other.house.configure(vault_path=str(one.vault.folder))
        other.vault = one.vault
        other.start()
        other.ask_for("full")
        note = one.save()
        for each in (one, other):
            each.until_found(note)
            each.settle()
            each.stop()


def test_a_vault_that_cannot_be_written_is_indexed_and_watched(
    newcomer: Resident, mounts: ExitStack
) -> None:
    vault = newcomer.vault.folder
    writable = vault.with_name("writable")
    mount(mounts, "--bind", str(vault), str(writable))  # where another program edits
    mount(mounts, "--bind", str(vault), str(vault))
    run(["mount", "-o", "remount,bind,ro", str(vault)])
    with pytest.raises(OSError, match="Read-only"):
        (vault / "x.md").write_text("x")
    newcomer.vault.folder = writable
    newcomer.start()
    newcomer.index()
    seen = newcomer.status()["vault"]
    assert (seen["path"], seen["found"], seen["watch"]) == (str(vault), True, "native")
    newcomer.vault.remove(1)
    newcomer.settle()
    checked = typed(newcomer, "doctor")
    assert checked.returncode == 0, checked.stdout
    newcomer.stop()
    assert {file.suffix for file in writable.rglob("*")} == {".md"}


def test_searches_while_the_index_is_compacted_find_their_note(reside: Reside) -> None:
    resident = reside(speed=SWIFT)
    loads.search_while_tidying(resident)
    resident.stop()


def test_followers_that_never_read_delay_neither_actors_nor_the_stop(reside: Reside) -> None:
    resident = reside()
    loads.never_read(resident)
    with ExitStack() as stuck:
        loads.connect_stuck(resident, stuck)
        resident.stop()
