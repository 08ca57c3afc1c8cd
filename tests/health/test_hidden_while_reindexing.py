"""Notes that are hidden, deleted or denied during a reindex are not served after the switch."""

from collections.abc import Callable
from pathlib import Path

import pytest

from chaos import client
from chaos.faults.ollama import fail
from chaos.managed_daemon import ManagedDaemon, SavedNote
from ragd.embed.providers.embedder_port import CANARY


def hide(daemon: ManagedDaemon, note: SavedNote) -> None:
    path = daemon.vault.folder / note.path
    path.write_text(f"---\nrag: false\n---\n{path.read_text()}")


def delete(daemon: ManagedDaemon, note: SavedNote) -> None:
    (daemon.vault.folder / note.path).unlink()


def deny(daemon: ManagedDaemon, note: SavedNote) -> None:
    daemon.harness.configure(indexing={"deny_dirs": [str(Path(note.path).parent)]})
    daemon.reload()


def pause(daemon: ManagedDaemon) -> None:
    reply = client.ask(daemon.home.socket, "POST", "/v1/pause", {"seconds": 3600})
    assert reply.status == 200, reply


def resume(daemon: ManagedDaemon) -> None:
    assert client.ask(daemon.home.socket, "POST", "/v1/resume").status == 200


def hold_vectors(daemon: ManagedDaemon) -> None:
    """Change the model, which makes no vector of a note until released."""
    provider = daemon.provider
    provider.change_model()
    provider.fault = lambda handler: handler.texts not in ([], [CANARY]) and fail(handler)


def release_vectors(daemon: ManagedDaemon) -> None:
    """Take the provider away for a moment, so that it is asked again at once after that."""
    daemon.provider.fault = fail
    daemon.wait_for(lambda said: said["ollama_status"] == "down", "the provider is away")
    daemon.provider.fault = None


def new_note(daemon: ManagedDaemon) -> SavedNote:
    """A note in a folder of its own, which no index has."""
    folder = daemon.vault.folder / "new"
    folder.mkdir()
    (folder / "secret.md").write_text("The heron9qx is on the roof of the boathouse.\n")
    return SavedNote("heron9qx", "new/secret.md")


def paths_in_table(daemon: ManagedDaemon) -> set[str]:
    rows = daemon.rows()
    return {passage.source_file for passage, _ in rows}


def until_ended(daemon: ManagedDaemon, **asked: str) -> None:
    """Wait until a job that was requested with these fields has ended: its text is stored."""

    def has_ended(_: object) -> bool:
        wanted = [
            fact["job_id"]
            for fact in daemon.facts("job_requested")
            if all(fact[name] == value for name, value in asked.items())
        ]
        ended = {fact["job_id"] for fact in daemon.facts("job_finished")}
        return any(job in ended for job in wanted)

    daemon.wait_for(has_ended, f"the end of {asked}")


@pytest.mark.parametrize("leave", [hide, delete, deny])
def test_a_note_that_only_the_new_index_has_leaves_it_before_the_switch(
    daemon: ManagedDaemon, leave: Callable[[ManagedDaemon, SavedNote], None]
) -> None:
    old = daemon.generation
    hold_vectors(daemon)
    pause(daemon)
    note = new_note(daemon)
    job = daemon.request_job("reindex")
    until_ended(daemon, job_id=job)
    assert daemon.status()["building"], "the old index serves until the vectors are there"
    leave(daemon, note)
    resume(daemon)
    until_ended(daemon, mode="sync", origin="pause_ended")
    release_vectors(daemon)
    daemon.wait_for(lambda said: said["index"]["generation"] != old, "the switch")
    assert note.path not in daemon.search(note.word).files
    assert note.path not in paths_in_table(daemon)


def test_a_note_that_hides_before_a_reindex_reads_it_leaves_the_index_that_serves(
    daemon: ManagedDaemon,
) -> None:
    """The reindex reads the note first; it must leave the serving index as well."""
    old = daemon.generation
    note = daemon.save()
    daemon.wait_until_found(note)
    hold_vectors(daemon)
    pause(daemon)
    hide(daemon, note)
    daemon.wait_for(lambda said: said["unindexed_files"], "the change is noticed")
    job = daemon.request_job("reindex")
    until_ended(daemon, job_id=job)
    resume(daemon)
    until_ended(daemon, mode="sync", origin="pause_ended")
    assert daemon.generation == old
    assert note.path not in daemon.search(note.word).files
    assert note.path not in paths_in_table(daemon)


def test_a_note_that_a_reindex_found_hidden_is_not_served_until_it_is_removed(
    daemon: ManagedDaemon,
) -> None:
    """While a pause holds, only the reindex has read it, and the old index still has its rows."""
    note = daemon.save()
    daemon.wait_until_found(note)
    hold_vectors(daemon)
    pause(daemon)
    hide(daemon, note)
    daemon.wait_for(lambda said: said["unindexed_files"], "the change is noticed")
    until_ended(daemon, job_id=daemon.request_job("reindex"))
    assert note.path in paths_in_table(daemon)
    assert note.path not in daemon.search(note.word).files


def test_a_note_that_was_hidden_for_a_moment_is_found_again(daemon: ManagedDaemon) -> None:
    """Only a reindex saw it hidden; the sync finds it as the index has it."""
    note = daemon.save()
    daemon.wait_until_found(note)
    path = daemon.vault.folder / note.path
    text = path.read_text()
    hold_vectors(daemon)
    pause(daemon)
    hide(daemon, note)
    daemon.wait_for(lambda said: said["unindexed_files"], "the change is noticed")
    until_ended(daemon, job_id=daemon.request_job("reindex"))
    path.write_text(text)
    daemon.provider.go_online()
    resume(daemon)
    daemon.wait_until_found(note)
    daemon.wait_for(lambda said: not said["skipped"]["total"], "no note is listed as left out")
