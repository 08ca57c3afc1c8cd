"""From vault to index, with real parts but without the daemon."""

import asyncio
import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from ragd.batch import batch_builder
from ragd.events import (
    ChangesetFormed,
    DeletionsHeld,
    FileFailed,
    FilesTouched,
    JobFinished,
    SegmentQuarantined,
    VaultUnavailable,
)
from ragd.notes import chunk_maker, parse
from ragd.notes.model import ChunkOptions
from ragd.notes.parse import parse_note
from ragd.notes.wordpiece import WordPiece
from ragd.supervisor import CRASHES_MAX

VOCABULARY = Path(__file__).parents[2] / "ragd" / "data" / "vocab.txt"


async def indexed(start: Any) -> Any:
    """A pipeline that has indexed the whole vault, vectors included."""
    running = await start()
    job = await running.request("full")
    await running.until(JobFinished, 0, job_id=job)
    await running.until_state(lambda state: state.catalog.backlog == 0)
    return running


def expected_rows(vault: Path) -> set[tuple[str, str, str]]:
    """The rows that the vault's notes should have, computed from the files."""
    count = WordPiece(VOCABULARY.read_text("utf-8")).count
    rows = set()
    for file in vault.rglob("*.md"):
        data = file.read_bytes()
        path = file.relative_to(vault).as_posix()
        note = parse_note(path, data, ChunkOptions(), count)
        digest = hashlib.sha256(data).hexdigest()
        rows |= {(chunk.chunk_id, path, digest) for chunk in getattr(note, "chunks", ())}
    return rows


async def assert_index_equals_vault(running: Any) -> None:
    rows = await running.rows()
    found = [(row["chunk_id"], row["source_file"], row["file_sha256"]) for row in rows]
    assert len(found) == len(set(found)), "a chunk is there twice"
    assert set(found) == expected_rows(running.vault)
    assert running.catalog.chunks == len(found)


async def test_a_full_job_stores_every_chunk_and_then_every_vector(start: Any) -> None:
    running = await indexed(start)
    await assert_index_equals_vault(running)
    assert all(row["vector"] is not None for row in await running.rows())
    assert await running.found("Sreenivas") == {"Journal/2024-02-01.md"}
    assert await running.found("Gewürze") == {"Ideen/Küche.md"}
    assert running.ledger.state.health.reasons.keys() <= {"STARTING"}


async def test_a_saved_note_is_found_without_anybody_asking(start: Any, write: Any) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    write(running.vault, "Journal/2024-03-01.md", "Saw a kingfisher at the weir.\n")
    await running.until(JobFinished, seq)
    assert await running.found("kingfisher") == {"Journal/2024-03-01.md"}
    await assert_index_equals_vault(running)


async def test_a_deleted_note_leaves_the_index(start: Any) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    (running.vault / "Shopping.md").unlink()
    await running.until(JobFinished, seq)
    assert await running.found("coriander") == set()
    await assert_index_equals_vault(running)


async def test_a_touch_costs_nothing_and_is_not_looked_at_twice(start: Any) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    version = running.catalog.table_version
    os.utime(running.vault / "Shopping.md", (1, 1))
    await running.until(FilesTouched, seq)
    await running.until_state(lambda state: not state.catalog.waiting)
    assert running.catalog.files["Shopping.md"].mtime_ns == 1_000_000_000
    assert running.catalog.table_version == version


async def test_an_unreadable_note_is_a_failure_with_a_name_and_the_others_are_stored(
    start: Any, write: Any, vault: Path
) -> None:
    write(vault, "broken.md", bytes(range(256)) * 40)
    running = await start()
    job = await running.request("full")
    finished = await running.until(JobFinished, 0, job_id=job)
    failed = await running.until(FileFailed, 0)
    assert failed.event.path == "broken.md"
    assert finished.event.outcome == "partial"
    assert [error.file for error in finished.event.errors] == ["broken.md"]
    assert running.catalog.documents == 4


async def test_an_emptied_vault_deletes_nothing(start: Any) -> None:
    running = await indexed(start)
    before = await running.rows()
    shutil.rmtree(running.vault)
    running.vault.mkdir()
    job = await running.request("sync")
    await running.until(VaultUnavailable, 0)
    finished = await running.until(JobFinished, 0, job_id=job)
    assert finished.event.outcome == "failed"
    assert await running.rows() == before


async def test_a_mass_deletion_is_held_until_a_person_accepts_it(start: Any, write: Any) -> None:
    running = await indexed(start)
    for path in list(running.catalog.files):
        (running.vault / path).unlink()
    write(running.vault, "readme.txt", "not a note, but the vault is not empty either")
    seq = running.ledger.state.seq
    job = await running.request("sync")
    await running.until(JobFinished, seq, job_id=job)
    held = await running.until(DeletionsHeld, 0)
    assert held.event.count == 4
    assert running.catalog.documents == 4
    job = await running.request("sync", accept_deletions=True)
    await running.until(JobFinished, seq, job_id=job)
    assert running.catalog.documents == 0
    assert await running.rows() == []


async def test_a_crash_in_a_job_is_made_up_for_by_the_next_start(start: Any) -> None:
    running = await start()
    await running.request("full")
    await running.until_state(lambda state: state.jobs.open and state.jobs.open[0].started_at)
    running = await start()  # the first one is cut off here
    await running.until_state(lambda state: not state.jobs.open)
    await running.until_state(lambda state: state.catalog.backlog == 0)
    await assert_index_equals_vault(running)


async def test_a_second_full_job_embeds_nothing_again(start: Any) -> None:
    running = await indexed(start)
    job = await running.request("full")
    await running.until(JobFinished, 0, job_id=job)
    done = running.ledger.state.jobs.find(job)
    assert (done.chunks_embedded, done.chunks_cached) == (0, running.catalog.chunks)
    assert running.catalog.backlog == 0
    await assert_index_equals_vault(running)


async def test_an_empty_folder_that_never_held_a_note_is_a_vault_all_the_same(
    start: Any, vault: Path
) -> None:
    shutil.rmtree(vault)
    vault.mkdir()
    running = await start()
    job = await running.request("full")
    finished = await running.until(JobFinished, 0, job_id=job)
    assert (finished.event.outcome, running.catalog.documents) == ("complete", 0)
    assert "VAULT_NOT_FOUND" not in running.ledger.state.health.reasons


async def test_lost_facts_lead_to_a_full_read_by_themselves(start: Any) -> None:
    running = await indexed(start)
    lost = SegmentQuarantined(segment="1.ndjson", first_seq=1, last_seq=2, reason="damaged")
    record = await running.ledger.journal.append("daemon", lost)
    running = await start()
    finished = await running.until(JobFinished, record.seq)
    assert finished.event.mode == "full"
    assert not running.catalog.needs_full_scan
    assert "LOG_QUARANTINED" not in running.ledger.state.health.reasons
    await assert_index_equals_vault(running)


async def test_another_vault_gets_an_index_of_its_own(
    start: Any, write: Any, configure: Any, tmp_path: Path
) -> None:
    await indexed(start)
    other = tmp_path / "other"
    write(other, "Only.md", "The only note of the other vault.\n")
    configure(vault_path=str(other))
    running = await start()
    await running.until_state(
        lambda state: list(state.catalog.files) == ["Only.md"] and not state.jobs.open
    )
    assert {row["source_file"] for row in await running.rows()} == {"Only.md"}
    assert await running.found("Sreenivas") == set()


async def test_a_rescan_says_that_it_holds_deletions(start: Any, write: Any) -> None:
    running = await indexed(start)
    paths = list(running.catalog.files)
    write(running.vault, "readme.txt", "not a note, but the vault is not empty either")
    seq = running.ledger.state.seq
    running = await start()
    for path in paths:
        (running.vault / path).unlink()
    running = await start()
    held = await running.until(DeletionsHeld, seq)
    assert held.event.count == len(paths)
    assert running.catalog.documents == len(paths)


@pytest.mark.parametrize("mode", ["full", "reindex"])
@pytest.mark.parametrize("how", ["unmounted", "wiped"])
async def test_a_vault_that_vanishes_in_the_middle_of_a_job_deletes_nothing(
    start: Any, write: Any, vault: Path, monkeypatch: Any, mode: Any, how: str
) -> None:
    for number in range(60):
        write(vault, f"Many/{number}.md", f"Note number {number}.\n")
    running = await indexed(start)
    before = await running.rows()
    monkeypatch.setattr(batch_builder, "FIRST_FILES", 2)
    notes = running.pipeline.notes
    read = notes.read

    def vanishing(*given: Any, **more: Any) -> Any:
        reading = read(*given, **more)
        for path in vault.rglob("*.md"):
            path.unlink()
        if how == "unmounted":
            shutil.rmtree(vault)
            vault.mkdir()
        return reading

    monkeypatch.setattr(notes, "read", vanishing)
    seq = running.ledger.state.seq
    job = await running.request(mode)
    await running.until(JobFinished, seq, job_id=job)
    assert len(await running.rows()) == len(before)
    assert running.catalog.documents == 64


async def test_an_actor_that_crashes_alone_loses_no_batch_and_no_vector(
    start: Any, write: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    index = running.pipeline.open_indexes.serving
    replace, fill = index.replace, index.fill
    broken = {"replace": 1, "fill": 1}

    async def fail_once(name: str, work: Any, *given: Any) -> Any:
        if broken[name]:
            broken[name] -= 1
            raise ZeroDivisionError
        return await work(*given)

    monkeypatch.setattr(index, "replace", lambda *given: fail_once("replace", replace, *given))
    monkeypatch.setattr(index, "fill", lambda *given: fail_once("fill", fill, *given))
    for number in range(60):  # too many to wait for their vectors: the backlog has them
        write(running.vault, f"Many/{number}.md", f"Note number {number}.\n")
    await running.until_state(lambda state: state.catalog.documents == 64 and not state.jobs.open)
    await running.until_state(lambda state: state.catalog.backlog == 0)
    assert broken == {"replace": 0, "fill": 0}
    await assert_index_equals_vault(running)


async def test_a_crash_of_the_store_writer_counts_once_towards_the_limit(
    start: Any, write: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    index = running.pipeline.open_indexes.serving
    replace, left = index.replace, CRASHES_MAX - 1

    async def fail_at_first(*given: Any) -> Any:
        nonlocal left
        if left:
            left -= 1
            raise ZeroDivisionError
        return await replace(*given)

    monkeypatch.setattr(index, "replace", fail_at_first)
    write(running.vault, "New.md", "A heron on the roof of the boathouse.\n")
    await running.until_state(lambda state: "New.md" in state.catalog.files)
    crashes = running.ledger.journal.follow(0, {"actor_crashed"}, wait=False)
    assert [record.event.name async for record in crashes] == ["store_writer"] * (CRASHES_MAX - 1)
    await assert_index_equals_vault(running)


async def test_a_batch_formed_while_the_store_writer_is_away_is_stored(
    start: Any, write: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    generations, index = running.pipeline.generations, running.pipeline.open_indexes.serving
    replace, open_index = index.replace, generations.open
    crashed, formed = False, asyncio.Event()

    async def fail_once(*given: Any) -> Any:
        nonlocal crashed
        if not crashed:
            crashed = True
            raise ZeroDivisionError
        return await replace(*given)

    async def come_back_late() -> bool:
        await formed.wait()
        return bool(await open_index())

    monkeypatch.setattr(index, "replace", fail_once)
    monkeypatch.setattr(generations, "open", come_back_late)
    seq = running.ledger.state.seq
    write(running.vault, "New.md", "A heron on the roof of the boathouse.\n")
    first = await running.until(ChangesetFormed, seq)
    await running.until(ChangesetFormed, first.seq)
    formed.set()
    await running.until_state(lambda state: "New.md" in state.catalog.files)
    await assert_index_equals_vault(running)


async def test_a_note_that_hides_below_a_huge_frontmatter_is_not_indexed(
    start: Any, vault: Path
) -> None:
    filler = "\n".join(f"key{number}: {'word ' * 20}" for number in range(1_000))
    text = f"---\n{filler}\nrag: false\n---\nThe quetzal is secret.\n"
    (vault / "Huge.md").write_text(text)
    pipeline = await start()
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    assert await pipeline.found("quetzal") == set()
    assert pipeline.catalog.skipped["Huge.md"] == parse.HIDDEN


async def test_a_note_of_too_many_passages_is_named_with_its_reason_until_it_is_shorter(
    start: Any, vault: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(chunk_maker, "MOST_CHUNKS", 5)
    (vault / "Long.md").write_text(
        "\n".join(f"# Day {n}\nThe quetzal sang all day.\n" for n in range(6))
    )
    pipeline = await start()
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    assert await pipeline.found("quetzal") == set()
    assert pipeline.catalog.skipped["Long.md"] == chunk_maker.TOO_MANY
    (vault / "Long.md").write_text("# Day\nThe quetzal sang.\n")
    await pipeline.until_state(lambda state: "Long.md" in state.catalog.files)
    assert await pipeline.found("quetzal") == {"Long.md"}
    assert "Long.md" not in pipeline.catalog.skipped
