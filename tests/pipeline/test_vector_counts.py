"""The catalog's count of embedded passages equals the table: in commits, fills, after faults."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragd.batch import in_flight as payloads
from ragd.events import (
    BatchEmbedded,
    BatchStored,
    FilledFile,
    JobFinished,
    StoredFile,
    VectorsFilled,
    VectorsRecounted,
)
from ragd.store import store_writer
from tests.pipeline.test_pipeline import assert_index_equals_vault, indexed
from tests.pipeline.test_reindex import Held, no_reindex
from tests.pipeline.watching import facts


async def assert_counts_equal_table(running: Any) -> None:
    rows = await running.rows()
    embedded = dict.fromkeys(running.catalog.files, 0)
    for row in rows:
        embedded[row["source_file"]] += row["vector"] is not None
    assert embedded == {path: entry.embedded for path, entry in running.catalog.files.items()}
    assert running.catalog.chunks_embedded == sum(embedded.values())


async def recounts(running: Any) -> list[VectorsRecounted]:
    return await facts(running, VectorsRecounted, 0)


async def test_vectors_that_come_during_the_commit_are_not_counted_as_stored(
    start: Any, write: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    monkeypatch.setattr(store_writer, "VECTORS_WITHIN_S", 0.0)
    index = running.pipeline.open_indexes.serving
    replace, seq = index.replace, running.ledger.state.seq

    async def slowly(*given: Any) -> int:
        version: int = await replace(*given)
        await running.until(BatchEmbedded, seq)
        return version

    monkeypatch.setattr(index, "replace", slowly)
    write(running.vault, "New.md", "A heron on the roof of the boathouse.\n")
    stored = await running.until(BatchStored, seq)
    assert [file.embedded for file in stored.event.files] == [0], "as it was committed"
    await running.until(VectorsFilled, seq)
    await running.until_state(lambda state: state.catalog.backlog == 0)
    assert all(row["vector"] is not None for row in await running.rows())
    await assert_counts_equal_table(running)


def test_what_actors_hand_over_cannot_be_changed() -> None:
    made = payloads.batch_vectors("b", "space", [("c", b"")])
    batch = payloads.Batch("b", "j", (), ())
    fill = payloads.Fill("b", "g", (), made.vectors)
    for given, name in ((batch, "files"), (made, "vectors"), (fill, "notes")):
        with pytest.raises(AttributeError):
            setattr(given, name, ())
    with pytest.raises(TypeError):
        made.vectors["c"] = b"other"  # type: ignore[index]


def test_vectors_of_a_batch_that_is_gone_are_not_kept() -> None:
    in_flight = payloads.InFlight()
    in_flight.put_vectors(payloads.batch_vectors("gone", "space", []))
    assert in_flight.pop_vectors("gone") is None
    assert in_flight.vectors == {}


async def test_a_batch_whose_vectors_come_too_late_leaves_nothing_behind(
    start: Any, write: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    monkeypatch.setattr(store_writer, "VECTORS_WITHIN_S", 0.0)
    maker, writer = running.pipeline.vector_maker, running.pipeline.store_writer
    known, stored = maker.find_cached, asyncio.Event()

    async def late(*given: Any) -> Any:
        await stored.wait()
        return await known(*given)

    monkeypatch.setattr(maker, "find_cached", late)
    seq = running.ledger.state.seq
    write(running.vault, "New.md", "A heron on the roof of the boathouse.\n")
    formed = await running.until(JobFinished, seq)
    stored.set()
    await running.until(BatchEmbedded, formed.seq)
    await running.until_state(lambda state: state.catalog.backlog == 0)
    job = await running.request("sync")
    await running.until(JobFinished, formed.seq, job_id=job)
    assert writer.awaited_vectors == {}
    assert running.pipeline.in_flight.vectors == {}


# The comparison with the table


@pytest.fixture
def counting(monkeypatch: Any) -> None:
    monkeypatch.setattr(store_writer, "COUNT_FIRST_S", 0.0)
    monkeypatch.setattr(store_writer, "COUNT_EVERY_S", 0.01)


async def test_a_vector_that_is_counted_and_not_there_is_noticed_and_made(
    start: Any, write: Any, counting: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    hold = Held(running, monkeypatch)
    monkeypatch.setattr(store_writer, "VECTORS_WITHIN_S", 0.0)
    write(
        running.vault,
        "New.md",
        "# One\n\nA heron in the morning.\n\n# Two\n\nA kingfisher in the evening.\n",
    )
    await running.until_state(lambda state: "New.md" in state.catalog.files)
    entry, generation = running.catalog.files["New.md"], running.catalog.index.generation
    lie = FilledFile("New.md", entry.sha256, entry.chunks)
    version = running.catalog.table_version
    fact = VectorsFilled(job_id="", files=[lie], table_version=version, generation=generation)
    seq = running.ledger.state.seq
    await running.ledger.journal.append("test", fact)
    told = (await running.until(VectorsRecounted, seq)).event
    assert [(file.path, file.embedded) for file in told.files] == [("New.md", 0)]
    assert told.counted - told.found == 2
    hold.let_go()
    await running.until_state(lambda state: state.catalog.backlog == 0)
    assert all(row["vector"] is not None for row in await running.rows())
    await assert_counts_equal_table(running)


async def test_vectors_that_are_there_and_not_counted_are_counted(
    start: Any, counting: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    Held(running, monkeypatch)  # they are not made again
    entry = running.catalog.files["Shopping.md"]
    forgot = StoredFile("Shopping.md", entry.sha256, entry.mtime_ns, entry.size, entry.chunks, 0)
    version, seq = running.catalog.table_version, running.ledger.state.seq
    fact = BatchStored(job_id="", files=[forgot], removed=[], table_version=version)
    await running.ledger.journal.append("test", fact)
    await running.until(VectorsRecounted, seq)
    assert running.catalog.backlog == 0
    await assert_counts_equal_table(running)


async def test_the_index_that_is_built_is_compared_too(
    start: Any, counting: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    hold = Held(running, monkeypatch)
    job = await running.request("reindex")
    await running.until(JobFinished, 0, job_id=job)
    building = running.catalog.building
    entry = building.files["Shopping.md"]
    lie = FilledFile("Shopping.md", entry.sha256, entry.chunks)
    version, generation = building.table_version, building.generation
    fact = VectorsFilled(job_id="", files=[lie], table_version=version, generation=generation)
    seq = running.ledger.state.seq
    await running.ledger.journal.append("test", fact)
    await running.until(VectorsRecounted, seq, generation=generation)
    hold.let_go()
    await running.until_state(no_reindex)
    assert all(row["vector"] is not None for row in await running.rows())


async def test_nothing_differs_while_notes_are_saved_and_an_index_is_built(
    start: Any, write: Any, counting: Any, vault: Path
) -> None:
    running = await indexed(start)
    await running.request("reindex")
    for number in range(12):
        text = f"# A\n\nThis is note number {number}.\n\n# B\n\nThis is more of {number}.\n"
        write(vault, f"Many/{number}.md", text)
        seq = running.ledger.state.seq
        await running.until(JobFinished, seq)
    (vault / "Shopping.md").unlink()
    await running.until_state(lambda state: "Shopping.md" not in state.catalog.files)
    await running.until_state(lambda s: no_reindex(s) and not s.catalog.backlog)
    assert await recounts(running) == []
    await assert_index_equals_vault(running)
    await assert_counts_equal_table(running)
