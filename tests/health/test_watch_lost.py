"""The system's watch fails for real: its limit is reached, or its thread dies. It is visible."""

import pytest

from chaos import limited
from chaos.resident import Resident
from tests.health.conftest import Reside
from tests.health.ragctl import typed


@pytest.mark.skipif(not limited.is_possible(), reason="no namespaces on this machine")
def test_where_no_more_folders_can_be_watched_polling_takes_over(reside: Reside) -> None:
    resident = reside(indexed=False, program=("-m", "chaos.limited", "3"), folders=6)
    resident.ask_for("full")
    resident.until_reason("WATCH_LOST")
    said = resident.until(lambda said: said["vault"]["watch"] == "polling", "polling")
    assert "WATCH_LOST" not in [reason["code"] for reason in said["reasons"]]
    assert "every few seconds" in typed(resident, "status").stdout
    resident.until_found(resident.save())
    resident.settle()
    lost = resident.facts("watch_lost")
    assert {fact["reason"] for fact in lost} == {"OSError"}


def test_a_watch_that_dies_is_recorded_and_restarted_and_loses_nothing(resident: Resident) -> None:
    before = len(resident.facts("watch_lost"))
    name = bytes(resident.vault.folder) + b"/\xff\xfe.txt"  # no name that its thread can pass on
    with open(name, "wb") as file:
        file.write(b"x")
    resident.until_facts("watch_lost", before + 1)
    note = resident.save()
    resident.until_found(note)
    resident.settle()
    assert resident.status()["vault"]["watch"] is not None
