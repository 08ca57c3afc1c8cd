"""A folder is renamed under a real daemon: its notes are moved, at once and without new vectors."""

from functools import partial
from pathlib import Path

from chaos.managed_daemon import ManagedDaemon
from tests.health.conftest import DaemonFactory

MANY = 80  # over 50 and over 30 % of the vault: as deletions, these would be held


def word(number: int) -> str:
    return f"heron{number}qx"


def found(daemon: ManagedDaemon, number: int) -> list[str]:
    answer = daemon.search(word(number))
    return answer.files if answer.envelope["data"] else []


def is_found(path: str, daemon: ManagedDaemon, number: int, _: object) -> bool:
    return path in found(daemon, number)


def test_a_renamed_folder_is_moved(start_daemon: DaemonFactory) -> None:
    daemon = start_daemon(indexed=False)
    folder = daemon.vault.folder / "Daily"
    folder.mkdir()
    for number in range(MANY):
        (folder / f"{number}.md").write_text(f"The {word(number)} is on the roof.\n")
    daemon.request_job("full")
    notes = MANY + len(daemon.vault)
    daemon.wait_for(
        lambda said: said["total_docs"] == notes and not said["chunks_pending"], "the index"
    )
    made = {one.content_hash for one in daemon.provider.requested}
    daemon.wait_for_facts("watch_started", 1)
    folder.rename(daemon.vault.folder / "Journal")
    for number in (0, MANY - 1):
        new = f"Journal/{number}.md"
        daemon.wait_for(partial(is_found, new, daemon, number), f"{new} is found")
    said = daemon.wait_for(lambda said: not said["unindexed_files"], "all are moved")
    assert (said["total_docs"], said["chunks_pending"], said["reasons"]) == (notes, 0, [])
    assert daemon.facts("deletions_held") == []
    assert [fact["removed_files"] for fact in daemon.facts("job_finished")] == [0, 0]
    rows = daemon.rows()
    moved = [passage for passage, _ in rows if Path(passage.source_file).parent.name == "Journal"]
    assert len({passage.source_file for passage in moved}) == MANY
    assert all(passage.content_hash in made for passage in moved), "no text is another one"
    asked_for = [fact["chunks"] for fact in daemon.facts("batch_embedded")]
    assert sum(asked_for) == len(rows), "each passage was embedded once"
