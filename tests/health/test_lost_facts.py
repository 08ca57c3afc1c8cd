"""A daemon dies after a commit and before its fact: the next one finds the stored rows."""

import contextlib

from chaos.harness import KILLED
from chaos.managed_daemon import ManagedDaemon


def die_after_a_commit(daemon: ManagedDaemon, ask_for: str) -> None:
    child = daemon.harness.start(armed="store.after_commit")
    daemon.harness.wait_until_it_answers(child)
    with contextlib.suppress(OSError):  # it may die before it has answered
        daemon.request_job(ask_for)
    assert child.wait_for_exit() == KILLED


def test_a_note_of_the_first_batch_that_is_deleted_before_the_next_start_leaves_no_rows(
    new_daemon: ManagedDaemon,
) -> None:
    die_after_a_commit(new_daemon, "full")
    new_daemon.vault.remove(1)
    new_daemon.start()
    new_daemon.settle()


def test_a_note_of_a_new_index_that_is_deleted_before_the_next_start_leaves_no_rows(
    daemon: ManagedDaemon,
) -> None:
    daemon.stop()
    die_after_a_commit(daemon, "reindex")
    daemon.vault.remove(1)
    daemon.start()
    daemon.settle()


def test_a_saved_note_that_is_deleted_before_the_next_start_leaves_no_rows(
    daemon: ManagedDaemon,
) -> None:
    daemon.stop()
    number = daemon.write_note()
    die_after_a_commit(daemon, "sync")
    daemon.vault.remove(number)
    daemon.start()
    daemon.settle()
