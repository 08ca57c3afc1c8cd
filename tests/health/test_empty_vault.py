"""A first index of a vault without notes: a later note is found, as `ragctl index` promises."""

from collections.abc import Callable

import pytest

from chaos.managed_daemon import ManagedDaemon
from tests.health.conftest import DaemonFactory


def nothing(daemon: ManagedDaemon) -> None:
    """The vault is an empty folder."""


def a_hidden_note(daemon: ManagedDaemon) -> None:
    """The vault has one note, which is hidden."""
    (daemon.vault.folder / "hidden.md").write_text("---\nrag: false\n---\nnot to be found\n")


def restart(daemon: ManagedDaemon) -> None:
    daemon.stop()
    daemon.start()


def stay(daemon: ManagedDaemon) -> None:
    """The same daemon continues."""


@pytest.mark.parametrize("then", [stay, restart])
@pytest.mark.parametrize("with_", [nothing, a_hidden_note])
def test_the_first_note_after_an_index_of_nothing_is_found(
    start_daemon: DaemonFactory,
    with_: Callable[[ManagedDaemon], None],
    then: Callable[[ManagedDaemon], None],
) -> None:
    daemon = start_daemon(indexed=False, notes=0)
    with_(daemon)
    job = daemon.request_job("full")
    daemon.wait_for(
        lambda _: job in [fact["job_id"] for fact in daemon.facts("job_finished")], "its end"
    )
    then(daemon)
    daemon.wait_until_found(daemon.save())


def test_before_an_index_is_asked_for_nothing_is_read(start_daemon: DaemonFactory) -> None:
    daemon = start_daemon(indexed=False, notes=0)
    daemon.wait_for_facts("watch_started", 1)
    scans = len(daemon.facts("vault_scanned"))
    daemon.save()
    daemon.wait_for_facts("vault_scanned", scans + 3)
    assert daemon.facts("files_changed", "job_started", "batch_stored") == []
