"""A first index of a vault without notes: the first note is found, as `ragctl index` promises."""

from collections.abc import Callable

import pytest

from chaos.resident import Resident
from tests.health.conftest import Reside


def nothing(resident: Resident) -> None:
    """The vault is an empty folder."""


def a_hidden_note(resident: Resident) -> None:
    """There is a note, but it may not be in the index."""
    (resident.vault.folder / "hidden.md").write_text("---\nrag: false\n---\nnot to be found\n")


def restart(resident: Resident) -> None:
    resident.stop()
    resident.start()


def stay(resident: Resident) -> None:
    """The same daemon goes on."""


@pytest.mark.parametrize("then", [stay, restart])
@pytest.mark.parametrize("with_", [nothing, a_hidden_note])
def test_the_first_note_after_an_index_of_nothing_is_found(
    reside: Reside, with_: Callable[[Resident], None], then: Callable[[Resident], None]
) -> None:
    resident = reside(indexed=False, notes=0)
    with_(resident)
    job = resident.ask_for("full")
    resident.until(
        lambda _: job in [fact["job_id"] for fact in resident.facts("job_finished")], "its end"
    )
    then(resident)
    resident.until_found(resident.save())


def test_before_an_index_is_asked_for_nothing_is_read(reside: Reside) -> None:
    resident = reside(indexed=False, notes=0)
    resident.until_facts("watch_started", 1)
    scans = len(resident.facts("vault_scanned"))
    resident.save()
    resident.until_facts("vault_scanned", scans + 3)
    assert resident.facts("files_changed", "job_started", "batch_stored") == []
