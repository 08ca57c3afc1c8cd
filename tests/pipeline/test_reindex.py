"""A second index built while the first one serves: complete at the switch and after any crash."""

import asyncio
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ragd.batch import collect_window
from ragd.config.load import vault_id
from ragd.embed.providers import local_model
from ragd.errors import RagdError
from ragd.events import (
    ActorCrashed,
    BatchEmbedded,
    ConfigReloaded,
    DeletionsHeld,
    FilesChanged,
    FileSkipped,
    IndexActivated,
    IndexBuilding,
    IndexLost,
    JobCancelRequested,
    JobFinished,
    JobRequested,
    VaultScanned,
    VectorsFilled,
)
from ragd.store import store_writer
from ragd.store.lance import IndexIdentity, LanceStore
from ragd.watch.change_announcer import ChangeAnnouncer
from tests.copies import copy_table
from tests.patience import PATIENCE_S, wait_until
from tests.pipeline.test_pipeline import assert_index_equals_vault, indexed
from tests.pipeline.watching import facts


def no_reindex(state: Any) -> bool:
    return not state.jobs.open and state.catalog.building is None


async def test_a_reindex_switches_to_a_whole_index_without_embedding_again(start: Any) -> None:
    running = await indexed(start)
    old = running.catalog.index.generation
    seq = running.ledger.state.seq
    job = await running.request("reindex")
    await running.until(IndexBuilding, seq, job_id=job)
    assert await running.found("Sreenivas") == {"Journal/2024-02-01.md"}, "the old one serves"
    await running.until_state(no_reindex)
    assert running.catalog.index.generation != old
    await assert_index_equals_vault(running)
    assert await running.found("Sreenivas") == {"Journal/2024-02-01.md"}
    made = [
        record.event.chunks
        async for record in running.ledger.journal.follow(seq, {"batch_embedded"}, wait=False)
        if isinstance(record.event, BatchEmbedded) and not record.event.job_id
    ]
    assert running.ledger.state.jobs.find(job).outcome == "complete"
    assert running.catalog.backlog == 0
    assert sum(made) == 0  # filled from the cache, never from the provider


async def test_the_old_index_is_gone_when_nobody_reads_it_any_longer(
    start: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(store_writer, "RETIRE_AFTER_S", 0.0)
    running = await indexed(start)
    old = tmp_path / "home" / "vectors.lance" / running.catalog.index.generation
    await running.request("reindex")
    await wait_until(lambda: not old.exists())
    assert running.catalog.index.generation != old.name


@pytest.mark.parametrize("why", [RagdError("STORE_UNREACHABLE"), RuntimeError("a crash")])
async def test_an_old_index_that_cannot_be_removed_at_once_is_removed_later(
    start: Any, tmp_path: Path, monkeypatch: Any, why: Exception
) -> None:
    monkeypatch.setattr(store_writer, "RETIRE_AFTER_S", 0.0)
    drop, failures = LanceStore.drop, [why]

    async def fail_once(store: LanceStore, generation: str) -> None:
        if failures:
            raise failures.pop()
        await drop(store, generation)

    monkeypatch.setattr(LanceStore, "drop", fail_once)
    running = await indexed(start)
    old = tmp_path / "home" / "vectors.lance" / running.catalog.index.generation
    await running.request("reindex")
    await wait_until(lambda: not old.exists())
    crashed = isinstance(why, RuntimeError)
    assert len(await facts(running, ActorCrashed, 0)) == crashed


async def test_an_index_that_the_log_does_not_name_is_removed_at_the_start(
    start: Any, tmp_path: Path
) -> None:
    running = await indexed(start)
    vectors = tmp_path / "home" / "vectors.lance"
    serving = vectors / running.catalog.index.generation
    running = await start(lambda: shutil.copytree(serving, vectors / "01OLD"))
    await running.until_serving()
    await wait_until(lambda: [path.name for path in vectors.iterdir()] == [serving.name])
    await assert_index_equals_vault(running)


async def test_a_first_index_that_a_kill_left_half_made_is_removed_with_the_next_one(
    start: Any, tmp_path: Path
) -> None:
    vectors = tmp_path / "home" / "vectors.lance"
    running = await start()
    fingerprint, vault = running.pipeline.notes.fingerprint, vault_id(running.settings.current)

    async def half_make() -> None:
        store = LanceStore(running.settings.vectors)
        for name in ("01KILLED", "01KILLEDTOO"):
            identity = IndexIdentity(name, local_model.SPACE, fingerprint, vault)
            (await store.create(identity)).close()
        store.close()

    def left_by_a_kill() -> None:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, half_make()).result()

    running = await indexed(partial(start, left_by_a_kill))
    assert [path.name for path in vectors.iterdir()] == [running.catalog.index.generation]
    await assert_index_equals_vault(running)


async def test_a_note_saved_while_vectors_are_missing_is_in_both_indexes(
    start: Any, write: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    hold = Held(running, monkeypatch)
    job = await running.request("reindex")
    await running.until(JobFinished, 0, job_id=job)
    assert running.catalog.building is not None, "its vectors are missing, so it does not serve"
    seq = running.ledger.state.seq
    write(running.vault, "New.md", "A heron on the roof of the boathouse.\n")
    await running.until(JobFinished, seq, mode="sync")
    assert await running.found("heron") == {"New.md"}, "the index that serves has it at once"
    assert "New.md" in running.catalog.building.files
    hold.let_go()
    await running.until_state(no_reindex)
    assert await running.found("heron") == {"New.md"}
    await assert_index_equals_vault(running)
    assert all(row["vector"] is not None for row in await running.rows())


class NewDuringReindex:
    """A note that only the new index has, while the sync of saved notes waits at a gate."""

    PATH = "New.md"

    def __init__(self, running: Any, write: Any, monkeypatch: Any) -> None:
        self.running = running
        self.hold = Held(running, monkeypatch)
        self.gate = asyncio.Event()
        scan, notes = running.pipeline.notes.scan, running.pipeline.notes

        def scan_with_a_new_note(*what: Any, **how: Any) -> Any:
            if running.ledger.state.jobs.active is not None:
                write(running.vault, self.PATH, "A heron on the roof of the boathouse.\n")
            return scan(*what, **how)

        monkeypatch.setattr(notes, "scan", scan_with_a_new_note)

        async def wait_at_the_gate(*how: Any) -> None:
            await self.gate.wait()

        monkeypatch.setattr(collect_window, "wait_until_set", wait_at_the_gate)
        self._restore = partial(monkeypatch.setattr, notes, "scan", scan)

    async def build(self) -> None:
        job = await self.running.request("reindex")
        await self.running.until(JobFinished, 0, job_id=job)
        self._restore()
        catalog = self.running.catalog
        await self.running.until_state(lambda state: self.PATH in state.catalog.waiting)
        assert self.PATH in catalog.building.files and self.PATH not in catalog.files

    async def switch(self) -> None:
        self.gate.set()
        await self.running.until_state(lambda state: not state.catalog.waiting)
        assert self.PATH not in self.running.catalog.building.files
        self.hold.let_go()
        await self.running.until_state(no_reindex)
        assert await self.running.found("heron") == set()
        assert self.PATH not in {row["source_file"] for row in await self.running.rows()}


async def test_a_note_that_hides_while_it_waits_leaves_the_index_that_is_built(
    start: Any, write: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    new = NewDuringReindex(running, write, monkeypatch)
    await new.build()
    seq = running.ledger.state.seq
    write(running.vault, new.PATH, "---\nrag: false\n---\nA heron on the roof.\n")
    await running.until(FilesChanged, seq)
    await new.switch()


async def test_a_note_that_is_deleted_while_it_waits_leaves_the_index_that_is_built(
    start: Any, write: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    new = NewDuringReindex(running, write, monkeypatch)
    await new.build()
    seq = running.ledger.state.seq
    (running.vault / new.PATH).unlink()
    await running.until(FilesChanged, seq)
    await new.switch()


async def test_a_scan_finds_what_only_the_index_that_is_built_has(
    start: Any, write: Any, monkeypatch: Any
) -> None:
    """The note hides, and its change is lost with a crash: a rescan has to announce it."""
    running = await indexed(start)
    new = NewDuringReindex(running, write, monkeypatch)
    await new.build()
    skipped = FileSkipped(path=new.PATH, reason="it hides itself")
    await running.ledger.journal.append("test", skipped)
    monkeypatch.setattr(ChangeAnnouncer, "add", lambda self, burst: None)
    write(running.vault, new.PATH, "---\nrag: false\n---\nA heron on the roof.\n")
    running.catalog.waiting.clear()
    for _ in range(3):  # also when the note is as the last scan saw it
        seq = running.ledger.state.seq
        await running.rescan()
        await running.until(VaultScanned, seq)
    assert new.PATH in running.catalog.waiting
    await new.switch()


async def test_a_reindex_that_waits_for_vectors_can_be_given_up(
    start: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    old = running.catalog.index.generation
    Held(running, monkeypatch)
    job = await running.request("reindex")
    finished = await running.until(JobFinished, 0, job_id=job)
    await running.ledger.journal.append("test", JobCancelRequested(job_id=job))
    await running.until(JobFinished, finished.seq, job_id=job, outcome="cancelled")
    assert running.catalog.building is None
    await wait_until(lambda: running.pipeline.open_indexes.building is None)
    assert running.catalog.index.generation == old
    await assert_index_equals_vault(running)


async def test_a_reindex_that_was_given_up_does_not_come_back_after_a_crash(
    start: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    Held(running, monkeypatch)
    job = await running.request("reindex")
    await running.until(JobFinished, 0, job_id=job)
    switch = running.pipeline.reindex_switch
    abandon, dropped = switch.abandon, asyncio.Event()

    async def die_after_it() -> None:
        await abandon()
        dropped.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(switch, "abandon", die_after_it)
    await running.ledger.journal.append("test", JobCancelRequested(job_id=job))
    await dropped.wait()
    seq = running.ledger.state.seq
    running = await start()
    await running.until_serving()
    await running.request("sync")
    await running.until(JobFinished, seq, mode="sync")
    asked = running.ledger.journal.follow(seq, {"job_requested"}, wait=False)
    assert [r.event.mode async for r in asked] == ["sync"]
    assert running.catalog.building is None


async def test_a_note_that_only_a_reindex_has_read_still_waits_after_a_crash(
    start: Any, write: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    with monkeypatch.context() as crash:
        crash.setattr(store_writer, "end_job", lambda *_: asyncio.Event().wait())
        write(running.vault, "Shopping.md", "- a heron for the roof of the boathouse\n")
        job = await running.request("reindex")
        await running.until_state(lambda state: "Shopping.md" in state.catalog.waiting)
        await running.until_state(
            lambda state: (
                state.catalog.building is not None and len(state.catalog.building.files) == 4
            )
        )
        running = await start(crash.undo)
    Held(running, monkeypatch)  # the new index waits for its vectors, so the old one serves on
    await running.until(JobFinished, 0, job_id=job)
    async with asyncio.timeout(PATIENCE_S):
        await running.until_state(lambda state: not state.catalog.waiting)
    assert await running.found("heron") == {"Shopping.md"}


@pytest.mark.parametrize("moment", [IndexBuilding, JobFinished, IndexActivated])
async def test_a_crash_in_a_reindex_leaves_one_whole_index(start: Any, moment: Any) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    await running.request("reindex")
    await running.until(moment, seq)
    running = await start()
    await running.until_serving()
    await assert_index_equals_vault(running)
    await running.until_state(no_reindex)
    await assert_index_equals_vault(running)


async def test_an_index_that_was_ready_when_the_daemon_died_is_switched_to_at_the_start(
    start: Any, monkeypatch: Any
) -> None:
    running = await indexed(start)
    old = running.catalog.index.generation
    hold = Held(running, monkeypatch)
    job = await running.request("reindex")
    await running.until(JobFinished, 0, job_id=job)
    hang = asyncio.Event().wait
    monkeypatch.setattr(running.pipeline.generations, "activate", lambda index: hang())
    hold.let_go()
    await running.until_state(lambda state: state.catalog.building.backlog == 0)
    running = await start()
    async with asyncio.timeout(PATIENCE_S):
        await running.until_state(no_reindex)
    assert running.catalog.index.generation != old
    await assert_index_equals_vault(running)


async def test_deletions_that_are_held_are_not_lost_by_a_reindex(start: Any, write: Any) -> None:
    running = await indexed(start)
    before = await running.rows()
    for path in list(running.catalog.files):
        (running.vault / path).unlink()
    write(running.vault, "readme.txt", "not a note, but the vault is not empty either")
    seq = running.ledger.state.seq
    job = await running.request("reindex")
    await running.until(DeletionsHeld, seq)
    finished = await running.until(JobFinished, seq, job_id=job)
    assert finished.event.outcome == "failed"
    assert await running.rows() == before
    job = await running.request("reindex", accept_deletions=True)
    await running.until(JobFinished, seq, job_id=job)
    assert await running.rows() == []


async def test_another_chunk_size_cuts_every_note_again_by_itself(
    start: Any, write: Any, configure: Any, vault: Path
) -> None:
    write(vault, "Long.md", "\n".join(f"Line {n} of a long note about rivers." for n in range(60)))
    running = await indexed(start)
    before = running.catalog.chunks
    configure(vault_path=str(vault), indexing={"chunk_size": 100, "chunk_overlap": 10})
    running = await start()
    requested = await running.until(JobRequested, running.ledger.state.seq - 1, mode="reindex")
    assert requested.event.origin == "chunking_changed"
    await running.until_state(
        lambda state: no_reindex(state) and state.catalog.index.fingerprint == fingerprint(running)
    )
    assert running.catalog.chunks > before
    seq = running.ledger.state.seq
    write(running.vault, "Another.md", "One more.\n")
    await running.until(JobFinished, seq, mode="sync")
    assert no_reindex(running.ledger.state), "once is enough"


def fingerprint(running: Any) -> str:
    made: str = running.pipeline.notes.fingerprint
    return made


async def test_a_folder_that_is_denied_now_leaves_the_index_at_once(
    start: Any, configure: Any, vault: Path
) -> None:
    running = await indexed(start)
    configure(vault_path=str(vault), indexing={"deny_dirs": ["Journal"]})
    seq = running.ledger.state.seq
    running.read_settings()
    await running.ledger.journal.append("test", ConfigReloaded(config_hash="c"))
    await running.until(JobFinished, seq, mode="sync")
    assert sorted(running.catalog.files) == ["Ideen/Küche.md", "Shopping.md"]
    assert await running.found("Sreenivas") == set()


async def test_without_a_log_the_newest_whole_index_serves_and_nothing_is_embedded_again(
    start: Any, tmp_path: Path
) -> None:
    running = await indexed(start)
    generation = running.catalog.index.generation
    (running.vault / "Shopping.md").unlink()  # nothing runs that could notice it
    home = tmp_path / "home"
    running = await start(lambda: shutil.rmtree(home / "events"))
    await running.until_state(lambda state: state.catalog.index is not None)
    assert running.catalog.documents == 4
    assert running.catalog.index.generation == generation
    await running.until_state(lambda state: state.catalog.documents == 3 and not state.jobs.open)
    await assert_index_equals_vault(running)
    filled = running.ledger.journal.follow(0, {"vectors_filled"}, wait=False)
    assert [r.event async for r in filled if isinstance(r.event, VectorsFilled)] == []


async def test_an_index_taken_over_after_the_vault_was_looked_at_is_compared_with_it(
    start: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    running = await indexed(start)
    (running.vault / "Shopping.md").unlink()
    running = await start(lambda: shutil.rmtree(tmp_path / "home" / "events"))
    generations = running.pipeline.generations
    open_ = generations.open

    async def open_late() -> bool:
        seq = 0
        for _ in range(2):  # at the start, and once more when the watch is on
            seq = (await running.until(VaultScanned, seq)).seq
        return bool(await open_())

    monkeypatch.setattr(generations, "open", open_late)
    async with asyncio.timeout(PATIENCE_S):
        await running.until_state(lambda state: state.catalog.index is not None)
        await running.until_state(lambda state: state.catalog.documents == 3)
    await running.until_state(lambda state: not state.jobs.open)
    await assert_index_equals_vault(running)


async def test_a_crash_while_an_index_is_taken_over_without_a_log_leaves_no_ghosts(
    start: Any, tmp_path: Path
) -> None:
    running = await indexed(start)
    (running.vault / "Shopping.md").unlink()  # nothing runs that could notice it
    events = tmp_path / "home" / "events"
    running = await start(lambda: shutil.rmtree(events))
    await running.until_state(lambda state: state.catalog.documents == 4)

    def cut() -> None:
        """The log as a crash leaves it between the two facts of taking over."""
        (segment,) = events.glob("*.ndjson")
        lines = segment.read_bytes().splitlines(keepends=True)
        facts = [n for n, line in enumerate(lines) if b'"index_activated"' in line]
        facts += [n for n, line in enumerate(lines) if b'"batch_stored"' in line]
        segment.write_bytes(b"".join(lines[: min(facts) + 1]))

    running = await start(cut)
    await running.until_state(lambda state: state.catalog.documents == 3 and not state.jobs.open)
    await assert_index_equals_vault(running)


async def test_a_lost_last_commit_is_noticed_and_made_up_for(
    start: Any, write: Any, tmp_path: Path
) -> None:
    running = await indexed(start)
    table = tmp_path / "home" / "vectors.lance" / running.catalog.index.generation
    kept = tmp_path / "kept"
    copy_table(table, kept)
    write(running.vault, "New.md", "A heron on the roof of the boathouse.\n")
    await running.until_state(lambda state: "New.md" in state.catalog.files)

    def lose() -> None:
        shutil.rmtree(table)
        shutil.copytree(kept, table)

    running = await start(lose)
    lost = await running.until(IndexLost, 0)
    assert lost.event.reason == "behind"
    await running.until_state(lambda state: "New.md" in state.catalog.files and not state.jobs.open)
    assert await running.found("heron") == {"New.md"}
    await assert_index_equals_vault(running)


class Held:
    """A provider that makes no vectors until `let_go`, with an empty cache."""

    def __init__(self, running: Any, monkeypatch: Any) -> None:
        self._backlog = running.pipeline.backlog
        self._maker = maker = running.pipeline.vector_maker
        self._own = (maker.find_cached, maker.is_paused)
        self._monkeypatch = monkeypatch

        async def nothing(*_: Any) -> dict[str, bytes]:
            return {}

        self._put(nothing, lambda index: True)

    def let_go(self) -> None:
        self._put(*self._own)
        self._maker.retry_now()
        self._backlog.wake()

    def _put(self, find_cached: Any, is_paused: Any) -> None:
        self._monkeypatch.setattr(self._maker, "find_cached", find_cached)
        self._monkeypatch.setattr(self._maker, "is_paused", is_paused)
