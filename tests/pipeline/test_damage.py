"""An index that is damaged, gone or restored under a running pipeline."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

from ragd.access.scope import EVERYTHING
from ragd.clock import SystemClock
from ragd.errors import RagdError
from ragd.events import (
    ActorCrashed,
    DependencyLost,
    DependencyRecovered,
    IndexLost,
    JobFinished,
    JobRequested,
)
from ragd.protocol.tool_schemas import SearchRequest
from ragd.store import compaction, store_writer
from ragd.store.lance import CannotCheck, ChunkIndex, LanceStore, generation_folders
from ragd.store.lance.reader import TableReader
from tests.copies import copy_table
from tests.patience import PATIENCE_S, wait_until
from tests.pipeline.test_pipeline import assert_index_equals_vault, indexed
from tests.pipeline.watching import facts


def table_of(running: Any, tmp_path: Path) -> Path:
    generation = running.catalog.index.generation
    return tmp_path / "home" / "vectors.lance" / str(generation) / "obsidian_chunks.lance"


async def append_fact(running: Any, fact: Any) -> int:
    """Append a fact as the health monitor would."""
    record = await running.ledger.journal.append("health_monitor", fact)
    return int(record.seq)


async def crashes(running: Any) -> list[ActorCrashed]:
    return await facts(running, ActorCrashed, 0)


async def check_sync_after_loss(running: Any) -> None:
    """The index is reported as missing; the next sync builds it again."""
    seq = await append_fact(running, DependencyLost(dependency="index", code="INDEX_NOT_FOUND"))
    await running.until(IndexLost, seq)
    job = await running.request("sync")
    finished = await running.until(JobFinished, seq, job_id=job)
    assert finished.event.outcome == "complete"
    await assert_index_equals_vault(running)
    assert await crashes(running) == []


async def test_compacting_a_damaged_index_crashes_nobody(
    start: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    running = await indexed(start)
    monkeypatch.setattr(compaction, "COMPACT_AFTER_S", 0.0)
    newest = min((table_of(running, tmp_path) / "_versions").glob("*.manifest"))
    newest.write_bytes(b"")
    compactor = running.pipeline.compactor
    compactor.wake()
    await wait_until(lambda: compactor.failures)
    assert await crashes(running) == []


async def test_damage_that_only_compaction_finds_is_damage_until_other_files_are_there(
    start: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    running = await indexed(start)
    monkeypatch.setattr(compaction, "COMPACT_AFTER_S", 0.0)
    monkeypatch.setattr(compaction, "RETRY_S", 0.0)
    table, kept = table_of(running, tmp_path), tmp_path / "kept"
    copy_table(table, kept)

    async def refuse(*_: object) -> None:
        raise RagdError("INDEX_CORRUPTED")

    monkeypatch.setattr(ChunkIndex, "maintain", refuse)
    seq = running.ledger.state.seq
    running.pipeline.compactor.wake()
    lost = await running.until(DependencyLost, seq)
    assert (lost.event.dependency, lost.event.code) == ("index", "INDEX_CORRUPTED")
    probing = running.pipeline.probes
    assert await asyncio.to_thread(probing.index) == "INDEX_CORRUPTED", "a probe sees nothing of it"
    table.rename(tmp_path / "broken")
    kept.rename(table)
    assert await asyncio.to_thread(probing.index) is None
    assert await crashes(running) == []


async def test_files_that_change_while_the_index_is_opened_crash_nobody(
    start: Any, monkeypatch: Any
) -> None:
    """The table can be opened, and a moment later its files are others or gone."""
    running = await indexed(start)
    reads = asyncio.Event()
    version = ChunkIndex.version

    async def fail_once(index: ChunkIndex) -> int:
        if not reads.is_set():
            reads.set()
            raise RagdError("INDEX_CORRUPTED")
        return await version(index)

    monkeypatch.setattr(ChunkIndex, "version", fail_once)
    await append_fact(running, DependencyLost(dependency="index", code="INDEX_CORRUPTED"))
    await asyncio.wait_for(reads.wait(), PATIENCE_S)
    await append_fact(running, DependencyRecovered(dependency="index"))
    open_indexes = running.pipeline.open_indexes
    assert await open_indexes.wait_for_serving(SystemClock(), PATIENCE_S) is not None

    await assert_index_equals_vault(running)
    assert await crashes(running) == []


async def test_an_unknown_index_whose_files_vanish_as_it_is_opened_crashes_nobody(
    start: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    running = await indexed(start)
    open_index = LanceStore.open
    opened: list[str] = []

    async def refuse(store: LanceStore, generation: str) -> ChunkIndex:
        opened.append(generation)
        if len(opened) <= 2:  # the one in the log, then the same one as an unknown index
            raise RagdError("INDEX_NOT_FOUND")
        return await open_index(store, generation)

    monkeypatch.setattr(LanceStore, "open", refuse)
    await check_sync_after_loss(running)


async def test_after_a_crash_nothing_is_opened_that_nobody_could_look_at(
    start: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    await indexed(start)
    mark = tmp_path / "home" / "logs" / "crash.txt"
    mark.parent.mkdir(exist_ok=True)
    asked = asyncio.Event()
    with monkeypatch.context() as nobody:

        async def refuse(*_: object) -> bool:
            asked.set()
            raise CannotCheck("nobody")

        nobody.setattr(LanceStore, "is_damaged", refuse)
        running = await start(lambda: mark.write_text("Fatal Python error: Aborted\n"))
        await asyncio.wait_for(asked.wait(), PATIENCE_S)
        assert running.pipeline.open_indexes.serving is None
        assert mark.read_text(), "it is still to be looked at"
    open_indexes = running.pipeline.open_indexes
    assert await open_indexes.wait_for_serving(SystemClock(), PATIENCE_S) is not None

    assert await crashes(running) == []


async def test_a_deleted_index_is_built_again_by_the_next_sync(start: Any, tmp_path: Path) -> None:
    running = await indexed(start)
    shutil.rmtree(table_of(running, tmp_path).parent)
    await check_sync_after_loss(running)


async def test_nothing_is_stored_in_a_damaged_index_and_all_of_it_once_it_is_restored(
    start: Any, write: Any, tmp_path: Path
) -> None:
    running = await indexed(start)
    table = table_of(running, tmp_path)
    kept = tmp_path / "kept"
    copy_table(table, kept)
    for manifest in (table / "_versions").glob("*.manifest"):
        manifest.write_bytes(b"")
    seq = await append_fact(running, DependencyLost(dependency="index", code="INDEX_CORRUPTED"))
    write(running.vault, "New.md", "A heron on the roof of the boathouse.\n")
    await running.until_state(lambda state: "New.md" in state.catalog.waiting)
    job = await running.request("sync")
    failed = await running.until(JobFinished, seq, job_id=job)
    assert failed.event.outcome == "failed"
    assert "New.md" in running.catalog.waiting, "it is not forgotten"
    shutil.rmtree(table)
    shutil.copytree(kept, table)
    await append_fact(running, DependencyRecovered(dependency="index"))
    await running.until_state(lambda state: "New.md" in state.catalog.files and not state.jobs.open)
    await assert_index_equals_vault(running)
    assert await crashes(running) == []


async def test_an_older_copy_heals_an_index_that_is_damaged_and_can_be_opened(
    start: Any, write: Any, tmp_path: Path
) -> None:
    running = await indexed(start)
    table, kept = table_of(running, tmp_path), tmp_path / "kept"
    copy_table(table, kept)
    write(running.vault, "New.md", "A heron on the roof of the boathouse.\n")
    await running.until_state(lambda state: "New.md" in state.catalog.files and not state.jobs.open)
    shutil.rmtree(table / "_indices")
    seq = await append_fact(running, DependencyLost(dependency="index", code="INDEX_CORRUPTED"))
    await running.pipeline.open_indexes.wait_for_serving(
        SystemClock(), PATIENCE_S
    )  # it is opened again, unchanged
    table.rename(tmp_path / "broken")
    kept.rename(table)
    assert await asyncio.to_thread(running.pipeline.probes.index) is None
    await append_fact(running, DependencyRecovered(dependency="index"))
    lost = await running.until(IndexLost, seq)
    assert lost.event.reason == "behind"
    await running.until(JobFinished, lost.seq)
    await assert_index_equals_vault(running)
    assert await crashes(running) == []


async def test_a_damaged_index_is_replaced_by_itself_where_its_owner_wishes_so(
    start: Any, configure: Any, vault: Path, tmp_path: Path
) -> None:
    configure(vault_path=str(vault), health={"auto_reindex": True})
    running = await indexed(start)
    old = running.catalog.index.generation
    for manifest in (table_of(running, tmp_path) / "_versions").glob("*.manifest"):
        manifest.write_bytes(b"")
    seq = await append_fact(running, DependencyLost(dependency="index", code="INDEX_CORRUPTED"))
    asked = await running.until(JobRequested, seq)
    assert (asked.event.mode, asked.event.origin) == ("reindex", "auto_reindex")
    await running.until(JobFinished, seq, mode="reindex")
    assert running.catalog.index.generation != old
    assert "INDEX_CORRUPTED" not in running.ledger.state.health.reasons
    await assert_index_equals_vault(running)


async def test_an_index_whose_files_vanish_while_it_is_built_is_not_switched_to(
    start: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    running = await indexed(start)
    old = running.catalog.index.generation
    verify = LanceStore.verify
    built: list[str] = []

    async def vanish(store: LanceStore, generation: str) -> None:
        if not built:
            shutil.rmtree(tmp_path / "home" / "vectors.lance" / generation)
        built.append(generation)
        await verify(store, generation)

    monkeypatch.setattr(LanceStore, "verify", vanish)
    await running.request("reindex")
    await running.until_state(lambda state: state.catalog.index.generation != old)
    assert running.catalog.index.generation == built[-1] != built[0]
    await assert_index_equals_vault(running)
    assert await crashes(running) == []


async def test_a_search_goes_on_however_often_its_index_is_opened_again(
    start: Any, monkeypatch: Any
) -> None:
    count, closed = TableReader.count_matching, list[TableReader]()
    is_armed = asyncio.Event()

    async def close_first(reader: TableReader, where: str | None, phrases: Any) -> int:
        if is_armed.is_set() and len(closed) < 3 and reader not in closed:
            closed.append(reader)
            index = running.pipeline.open_indexes.serving
            await append_fact(running, DependencyLost(dependency="index", code="INDEX_CORRUPTED"))
            while running.pipeline.open_indexes.serving is index:
                await asyncio.sleep(0.01)
        return await count(reader, where, phrases)

    monkeypatch.setattr(TableReader, "count_matching", close_first)
    running = await indexed(start)
    is_armed.set()
    async with asyncio.timeout(PATIENCE_S):
        served = await running.pipeline.searcher.search(
            SearchRequest(query="coriander"), [], EVERYTHING
        )
    assert len(closed) == 3
    assert [row.source_file for row, _ in served.found][:1] == ["Shopping.md"]


async def test_files_that_vanish_while_an_index_is_opened_crash_nobody(
    start: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    monkeypatch.setattr(store_writer, "OPEN_AGAIN_S", 0.01)
    sweep, swept = generation_folders.remove_temporary_files, []

    def vanish_first(folder: Path) -> int:
        swept.append(folder)
        if len(swept) == 1:
            raise FileNotFoundError(2, "No such file or directory", "_indices")
        return sweep(folder)

    monkeypatch.setattr(generation_folders, "remove_temporary_files", vanish_first)
    await append_fact(running, DependencyLost(dependency="index", code="INDEX_CORRUPTED"))
    async with asyncio.timeout(PATIENCE_S):
        while len(swept) < 2 or running.pipeline.open_indexes.serving is None:
            await asyncio.sleep(0.01)
    assert await crashes(running) == []
