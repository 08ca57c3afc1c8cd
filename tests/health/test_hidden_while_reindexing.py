"""Notes that hide, are deleted or are denied while a reindex builds stay out after the switch."""

from collections.abc import Callable
from pathlib import Path

import pytest

from chaos import client
from chaos.faults.ollama import fail
from chaos.resident import Resident, Saved
from ragd.embed.providers.embedder_port import CANARY


def hide(resident: Resident, note: Saved) -> None:
    path = resident.vault.folder / note.path
    path.write_text(f"---\nrag: false\n---\n{path.read_text()}")


def delete(resident: Resident, note: Saved) -> None:
    (resident.vault.folder / note.path).unlink()


def deny(resident: Resident, note: Saved) -> None:
    resident.house.configure(indexing={"deny_dirs": [str(Path(note.path).parent)]})
    resident.reload()


def pause(resident: Resident) -> None:
    reply = client.ask(resident.home.socket, "POST", "/v1/pause", {"seconds": 3600})
    assert reply.status == 200, reply


def resume(resident: Resident) -> None:
    assert client.ask(resident.home.socket, "POST", "/v1/resume").status == 200


def hold_vectors(resident: Resident) -> None:
    """From now on there is another model, and it makes no vector of a note until released."""
    provider = resident.provider
    provider.take_another_model()
    provider.fault = lambda handler: handler.texts not in ([], [CANARY]) and fail(handler)


def release_vectors(resident: Resident) -> None:
    """The provider is away for a moment and then back, so that it is asked again at once."""
    resident.provider.fault = fail
    resident.until(lambda said: said["ollama_status"] == "down", "the provider is away")
    resident.provider.fault = None


def new_note(resident: Resident) -> Saved:
    """A note in a folder of its own, which no index has."""
    folder = resident.vault.folder / "new"
    folder.mkdir()
    (folder / "secret.md").write_text("The heron9qx is on the roof of the boathouse.\n")
    return Saved("heron9qx", "new/secret.md")


def paths_in_table(resident: Resident) -> set[str]:
    rows = resident._reader.rows(resident.home, resident.generation)
    return {passage.source_file for passage, _ in rows}


def until_ended(resident: Resident, **asked: str) -> None:
    """Until a job that was asked for with these fields has ended: its text is stored."""

    def has_ended(_: object) -> bool:
        wanted = [
            fact["job_id"]
            for fact in resident.facts("job_requested")
            if all(fact[name] == value for name, value in asked.items())
        ]
        ended = {fact["job_id"] for fact in resident.facts("job_finished")}
        return any(job in ended for job in wanted)

    resident.until(has_ended, f"the end of {asked}")


@pytest.mark.parametrize("leave", [hide, delete, deny])
def test_a_note_that_only_the_new_index_has_leaves_it_before_the_switch(
    resident: Resident, leave: Callable[[Resident, Saved], None]
) -> None:
    old = resident.generation
    hold_vectors(resident)
    pause(resident)
    note = new_note(resident)
    job = resident.ask_for("reindex")
    until_ended(resident, job_id=job)
    assert resident.status()["building"], "the old index serves until the vectors are there"
    leave(resident, note)
    resume(resident)
    until_ended(resident, mode="sync", origin="pause_ended")
    release_vectors(resident)
    resident.until(lambda said: said["index"]["generation"] != old, "the switch")
    assert note.path not in resident.search(note.word).files
    assert note.path not in paths_in_table(resident)


def test_a_note_that_hides_before_a_reindex_reads_it_leaves_the_index_that_serves(
    resident: Resident,
) -> None:
    """The reindex reads the note first; the index that serves must lose it all the same."""
    old = resident.generation
    note = resident.save()
    resident.until_found(note)
    hold_vectors(resident)
    pause(resident)
    hide(resident, note)
    resident.until(lambda said: said["unindexed_files"], "the change is noticed")
    job = resident.ask_for("reindex")
    until_ended(resident, job_id=job)
    resume(resident)
    until_ended(resident, mode="sync", origin="pause_ended")
    assert resident.generation == old
    assert note.path not in resident.search(note.word).files
    assert note.path not in paths_in_table(resident)


def test_a_note_that_a_reindex_found_hidden_is_not_served_until_it_is_removed(
    resident: Resident,
) -> None:
    """While a pause holds, only the reindex has read it, and the old index still has its rows."""
    note = resident.save()
    resident.until_found(note)
    hold_vectors(resident)
    pause(resident)
    hide(resident, note)
    resident.until(lambda said: said["unindexed_files"], "the change is noticed")
    until_ended(resident, job_id=resident.ask_for("reindex"))
    assert note.path in paths_in_table(resident)
    assert note.path not in resident.search(note.word).files


def test_a_note_that_was_hidden_for_a_moment_is_found_again(resident: Resident) -> None:
    """Only a reindex saw it hidden; the sync finds it as the index has it."""
    note = resident.save()
    resident.until_found(note)
    path = resident.vault.folder / note.path
    text = path.read_text()
    hold_vectors(resident)
    pause(resident)
    hide(resident, note)
    resident.until(lambda said: said["unindexed_files"], "the change is noticed")
    until_ended(resident, job_id=resident.ask_for("reindex"))
    path.write_text(text)
    resident.provider.come_back()
    resume(resident)
    resident.until_found(note)
    resident.until(lambda said: not said["skipped"]["total"], "no note is listed as left out")
