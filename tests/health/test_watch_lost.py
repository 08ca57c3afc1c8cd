"""The system's watch really fails: its limit is reached, or its thread dies. It is reported."""

import pytest

from chaos import limited
from chaos.managed_daemon import ManagedDaemon
from tests.health.conftest import DaemonFactory
from tests.health.ragctl import run_ragctl


@pytest.mark.skipif(not limited.is_possible(), reason="no namespaces on this machine")
def test_where_no_more_folders_can_be_watched_polling_takes_over(
    start_daemon: DaemonFactory,
) -> None:
    daemon = start_daemon(indexed=False, program=("-m", "chaos.limited", "3"), folders=6)
    daemon.request_job("full")
    daemon.wait_for_reason("WATCH_LOST")
    said = daemon.wait_for(lambda said: said["vault"]["watch"] == "polling", "polling")
    assert "WATCH_LOST" not in [reason["code"] for reason in said["reasons"]]
    assert "every few seconds" in run_ragctl(daemon, "status").stdout
    daemon.wait_until_found(daemon.save())
    daemon.settle()
    lost = daemon.facts("watch_lost")
    assert {fact["reason"] for fact in lost} == {"OSError"}


def test_a_watch_that_dies_is_recorded_and_restarted_and_loses_nothing(
    daemon: ManagedDaemon,
) -> None:
    before = len(daemon.facts("watch_lost"))
    name = bytes(daemon.vault.folder) + b"/\xff\xfe.txt"  # no name that its thread can pass on
    with open(name, "wb") as file:
        file.write(b"x")
    daemon.wait_for_facts("watch_lost", before + 1)
    note = daemon.save()
    daemon.wait_until_found(note)
    daemon.settle()
    assert daemon.status()["vault"]["watch"] is not None
