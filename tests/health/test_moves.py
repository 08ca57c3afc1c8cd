"""A folder is renamed under a real daemon: its notes are moved, at once and without new vectors."""

from functools import partial
from pathlib import Path

from chaos.resident import Resident
from tests.health.conftest import Reside

MANY = 80  # over 50 and over 30 % of the vault: as deletions, these would be held


def word(number: int) -> str:
    return f"heron{number}qx"


def found(resident: Resident, number: int) -> list[str]:
    answer = resident.search(word(number))
    return answer.files if answer.envelope["data"] else []


def is_found(path: str, resident: Resident, number: int, _: object) -> bool:
    return path in found(resident, number)


def test_a_renamed_folder_is_moved(reside: Reside) -> None:
    resident = reside(indexed=False)
    folder = resident.vault.folder / "Daily"
    folder.mkdir()
    for number in range(MANY):
        (folder / f"{number}.md").write_text(f"The {word(number)} is on the roof.\n")
    resident.ask_for("full")
    notes = MANY + len(resident.vault)
    resident.until(
        lambda said: said["total_docs"] == notes and not said["chunks_pending"], "the index"
    )
    made = {one.content_hash for one in resident.provider.asked}
    resident.until_facts("watch_started", 1)
    folder.rename(resident.vault.folder / "Journal")
    for number in (0, MANY - 1):
        new = f"Journal/{number}.md"
        resident.until(partial(is_found, new, resident, number), f"{new} is found")
    said = resident.until(lambda said: not said["unindexed_files"], "all are moved")
    assert (said["total_docs"], said["chunks_pending"], said["reasons"]) == (notes, 0, [])
    assert resident.facts("deletions_held") == []
    assert [fact["removed_files"] for fact in resident.facts("job_finished")] == [0, 0]
    rows = resident._reader.rows(resident.home, resident.generation)
    moved = [passage for passage, _ in rows if Path(passage.source_file).parent.name == "Journal"]
    assert len({passage.source_file for passage in moved}) == MANY
    assert all(passage.content_hash in made for passage in moved), "no text is another one"
    asked_for = [fact["chunks"] for fact in resident.facts("batch_embedded")]
    assert sum(asked_for) == len(rows), "each passage was embedded once"
