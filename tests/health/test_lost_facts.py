"""A daemon that dies after a commit and before its fact: the next one learns what is stored."""

import contextlib

from chaos.harness import KILLED
from chaos.resident import Resident


def die_after_a_commit(resident: Resident, ask_for: str) -> None:
    child = resident.house.start(armed="store.after_commit")
    resident.house.wait_until_it_answers(child)
    with contextlib.suppress(OSError):  # it may die before it has answered
        resident.ask_for(ask_for)
    assert child.ended() == KILLED


def test_a_note_of_the_first_batch_that_is_deleted_before_the_next_start_leaves_no_rows(
    newcomer: Resident,
) -> None:
    die_after_a_commit(newcomer, "full")
    newcomer.vault.remove(1)
    newcomer.start()
    newcomer.settle()


def test_a_note_of_a_new_index_that_is_deleted_before_the_next_start_leaves_no_rows(
    resident: Resident,
) -> None:
    resident.stop()
    die_after_a_commit(resident, "reindex")
    resident.vault.remove(1)
    resident.start()
    resident.settle()


def test_a_saved_note_that_is_deleted_before_the_next_start_leaves_no_rows(
    resident: Resident,
) -> None:
    resident.stop()
    number = resident.write_another()
    die_after_a_commit(resident, "sync")
    resident.vault.remove(number)
    resident.start()
    resident.settle()
