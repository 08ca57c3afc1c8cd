"""Edge cases: clocks that jump, a frozen process, two starts at once, a read-only vault, searches
during compaction, followers that never read."""

import subprocess
import sys
from contextlib import ExitStack

import pytest

from chaos.faults import loads, times
from chaos.harness import Arena, environment
from chaos.managed_daemon import ManagedDaemon
from chaos.tables import Tables
from tests.chaos.test_chaos import SEED
from tests.health.conftest import DaemonFactory
from tests.health.ragctl import run_ragctl
from tests.small_disks import mount, run

SWIFT = 10.0  # what it waits for ten seconds takes one


def test_a_clock_that_jumps_a_day_amid_a_job_costs_nothing(start_daemon: DaemonFactory) -> None:
    times.jump_amid_work(start_daemon(speed=1.0))


def test_a_clock_that_is_set_back_does_not_make_a_pause_longer(start_daemon: DaemonFactory) -> None:
    daemon = start_daemon(speed=1.0)
    times.jump_while_paused(daemon)
    daemon.settle()


def test_a_daemon_that_stood_still_for_a_minute_of_its_time_goes_on(
    start_daemon: DaemonFactory,
) -> None:
    daemon = start_daemon(speed=60.0)
    times.stand_still_for_a_minute(daemon, seconds=1.0)
    daemon.stop()


def test_two_start_commands_at_once_give_one_daemon_and_no_error(new_daemon: ManagedDaemon) -> None:
    command = [sys.executable, "-m", "ragctl", "--home", new_daemon.home.root, "start"]
    pair = [
        subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [one.communicate(timeout=60)[1] for one in pair]
    try:
        assert [one.returncode for one in pair] == [0, 0], said
        assert len(new_daemon.facts("daemon_started")) == 1
    finally:
        assert run_ragctl(new_daemon, "stop").returncode == 0


def test_two_daemons_of_two_homes_share_a_vault(start_daemon: DaemonFactory) -> None:
    one = start_daemon()
    with Arena(SEED) as arena:
        other = ManagedDaemon(arena, one.provider, Tables(arena), notes=0)
        other.harness.configure(vault_path=str(one.vault.folder))
        other.vault = one.vault
        other.start()
        other.request_job("full")
        note = one.save()
        for each in (one, other):
            each.wait_until_found(note)
            each.settle()
            each.stop()


def test_a_vault_that_cannot_be_written_is_indexed_and_watched(
    new_daemon: ManagedDaemon, mounts: ExitStack
) -> None:
    vault = new_daemon.vault.folder
    writable = vault.with_name("writable")
    mount(mounts, "--bind", str(vault), str(writable))  # where another program edits
    mount(mounts, "--bind", str(vault), str(vault))
    run(["mount", "-o", "remount,bind,ro", str(vault)])
    with pytest.raises(OSError, match="Read-only"):
        (vault / "x.md").write_text("x")
    new_daemon.vault.folder = writable
    new_daemon.start()
    new_daemon.index()
    seen = new_daemon.status()["vault"]
    assert (seen["path"], seen["found"], seen["watch"]) == (str(vault), True, "native")
    new_daemon.vault.remove(1)
    new_daemon.settle()
    checked = run_ragctl(new_daemon, "doctor")
    assert checked.returncode == 0, checked.stdout
    new_daemon.stop()
    assert {file.suffix for file in writable.rglob("*")} == {".md"}


def test_searches_while_the_index_is_compacted_find_their_note(start_daemon: DaemonFactory) -> None:
    daemon = start_daemon(speed=SWIFT)
    loads.search_while_tidying(daemon)
    daemon.stop()


def test_followers_that_never_read_delay_neither_actors_nor_the_stop(
    start_daemon: DaemonFactory,
) -> None:
    daemon = start_daemon()
    loads.never_read(daemon)
    with ExitStack() as stuck:
        loads.connect_stuck(daemon, stuck)
        daemon.stop()
