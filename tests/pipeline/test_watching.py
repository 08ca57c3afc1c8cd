"""Changes to files by people and programs, and their effects: real files, the real pipeline."""

import asyncio
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from ragd.events import (
    BatchStored,
    ConfigReloaded,
    DeletionsHeld,
    FileChange,
    FileFailed,
    FilesChanged,
    FileSkipped,
    JobFinished,
    JobRequested,
    StoredFile,
    VaultScanned,
    VaultUnavailable,
    WatchLost,
    WatchStarted,
)
from ragd.vault import file_events, polling
from ragd.vault import files as vault_module
from ragd.vault.note_reader import NoteReader
from ragd.vault.safe_open import root_identity
from ragd.watch import change_announcer, rescans, watch_loop
from tests.pipeline.watching import (
    DEBOUNCE_S,
    RESCAN_S,
    FakeFileEvents,
    WatchedClock,
    changed,
    embedded,
    facts,
    indexed,
    on_disk,
    run_watcher,
    stored,
    until_indexed,
    until_quiet,
    until_watched,
)

# Ways to save


async def test_an_atomic_save_is_one_change_and_one_embedding(start: Any) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    temporary = running.vault / "Shopping.md.tmp"
    temporary.write_text("- oat bread\n")
    os.replace(temporary, running.vault / "Shopping.md")
    await until_quiet(running)
    assert await changed(running, seq) == {"Shopping.md": ["modified"]}
    assert await stored(running, seq) == (["Shopping.md"], [])
    assert await embedded(running, seq) == (1, 0)


async def test_a_save_by_vim_leaves_no_trace_of_its_swap_and_backup_files(start: Any) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    note = running.vault / "Shopping.md"
    swap = running.vault / ".Shopping.md.swp"
    swap.write_bytes(b"b0VIM 9.0")
    probe = running.vault / "4913"
    probe.touch()
    probe.unlink()
    os.rename(note, running.vault / "Shopping.md~")
    note.write_text("- spelt bread\n")
    (running.vault / "Shopping.md~").unlink()
    swap.unlink()
    await until_quiet(running)
    # A busy system may report the rename and the new file so late that both count.
    assert set(await changed(running, seq)) == {"Shopping.md"}
    files, removed = await stored(running, seq)
    assert set(files) == {"Shopping.md"} and set(removed) <= {"Shopping.md"}
    assert await embedded(running, seq) == (1, 0)
    assert await running.found("spelt") == {"Shopping.md"}


async def test_many_saves_in_a_row_cost_one_embedding_of_the_last(start: Any, write: Any) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    for number in range(200):
        write(running.vault, "Shopping.md", f"- bread number {number}\n")
    await until_quiet(running)
    assert await stored(running, seq) == (["Shopping.md"], [])
    assert await embedded(running, seq) == (1, 0)
    assert await running.found("199") == {"Shopping.md"}


async def test_other_content_of_the_same_size_with_an_old_time_is_noticed(
    start: Any, write: Any
) -> None:
    running = await indexed(start)
    note = running.vault / "Shopping.md"
    before = note.stat()
    write(running.vault, "Shopping.md", note.read_text().replace("coriander", "cucumbers"))
    os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))
    await until_indexed(running)
    assert await running.found("cucumbers") == {"Shopping.md"}


# Ways to move


async def test_a_moved_note_is_embedded_again_only_if_its_name_is_another(start: Any) -> None:
    running = await indexed(start)
    seq = running.ledger.state.seq
    (running.vault / "Lists").mkdir()
    os.rename(running.vault / "Shopping.md", running.vault / "Lists" / "Shopping.md")
    await until_quiet(running)
    assert await stored(running, seq) == (["Lists/Shopping.md"], ["Shopping.md"])
    assert await embedded(running, seq) == (0, 1)
    seq = running.ledger.state.seq
    os.rename(running.vault / "Lists" / "Shopping.md", running.vault / "Lists" / "Errands.md")
    await until_quiet(running)
    files, removed = await stored(running, seq)
    # The scan after a new folder and an event may both tell of it: removing it twice is harmless.
    assert (files, set(removed)) == (["Lists/Errands.md"], {"Lists/Shopping.md"})
    assert await embedded(running, seq) == (1, 0)  # the title is part of what is embedded


async def test_a_note_whose_name_changes_only_its_case_is_one_note(start: Any) -> None:
    running = await indexed(start)
    os.rename(running.vault / "Shopping.md", running.vault / "shopping.md")
    await until_quiet(running)
    assert "Shopping.md" not in running.catalog.files
    assert await running.found("coriander") == {"shopping.md"}


async def test_a_folder_is_followed_in_within_and_out(
    start: Any, write: Any, tmp_path: Path
) -> None:
    running = await indexed(start)
    outside = tmp_path / "outside"
    for number in range(3):
        write(outside, f"deep/er/{number}.md", f"Thought number {number} about bicycles.\n")
    seq = running.ledger.state.seq
    os.rename(outside, running.vault / "Bicycles")
    await until_quiet(running)
    moved_in = [f"Bicycles/deep/er/{number}.md" for number in range(3)]
    assert await stored(running, seq) == (moved_in, [])
    seq = running.ledger.state.seq
    os.rename(running.vault / "Bicycles", running.vault / "Journal" / "Wheels")
    await until_quiet(running)
    within = [f"Journal/Wheels/deep/er/{number}.md" for number in range(3)]
    assert await stored(running, seq) == (within, moved_in)
    assert await embedded(running, seq) == (0, 3)
    seq = running.ledger.state.seq
    os.rename(running.vault / "Journal" / "Wheels", outside)
    await until_quiet(running)
    assert await stored(running, seq) == ([], within)


async def test_notes_in_folders_made_a_moment_before_are_found(start: Any, write: Any) -> None:
    running = await indexed(start)
    for number in range(30):
        write(running.vault, f"{number}/a/b/c/note.md", f"Deep down, number {number}.\n")
    await until_indexed(running)


async def test_a_folder_named_like_a_note_is_followed_too(
    start: Any, write: Any, tmp_path: Path
) -> None:
    running = await indexed(start)
    outside = tmp_path / "Book.md"
    write(outside, "One.md", "The first chapter, about otters.\n")
    os.rename(outside, running.vault / "Book.md")
    await running.until_state(lambda state: "Book.md/One.md" in state.catalog.files)
    os.rename(running.vault / "Book.md", outside)
    await running.until_state(lambda state: "Book.md/One.md" not in state.catalog.files)


def git(vault: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "gc.auto=0")
    subprocess.run(["git", *who, *arguments], cwd=vault, check=True, capture_output=True)


@pytest.mark.slow
async def test_a_checkout_of_another_branch_and_back_costs_one_embedding_each(
    start: Any, write: Any, vault: Path
) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    changing = 200
    for number in range(changing):
        write(vault, f"Daily/{number % 10}/{number}.md", f"Day {number} as it was.\n")
    git(vault, "init", "-b", "first")
    git(vault, "add", ".")
    git(vault, "commit", "-m", "first")
    git(vault, "checkout", "-b", "second")
    for number in range(changing - 10):
        write(vault, f"Daily/{number % 10}/{number}.md", f"Day {number} as it should be.\n")
    for number in range(changing - 10, changing):
        (vault / f"Daily/{number % 10}/{number}.md").unlink()
        write(vault, f"Daily/new/{number}.md", f"Day {number} is another day.\n")
    git(vault, "add", ".")
    git(vault, "commit", "-m", "second")
    git(vault, "checkout", "first")
    running = await indexed(start)
    seq = running.ledger.state.seq
    git(vault, "checkout", "second")
    await until_quiet(running)
    files, removed = await stored(running, seq)
    assert len(files) == len(set(files)) == changing
    assert len(removed) == 10
    assert await embedded(running, seq) == (changing, 0)
    seq = running.ledger.state.seq
    git(vault, "checkout", "first")
    await until_quiet(running)
    assert len((await stored(running, seq))[0]) == changing
    assert await embedded(running, seq) == (0, changing)


# More events than the system reports


@pytest.mark.slow
async def test_twenty_thousand_files_made_at_once_are_all_found(start: Any, vault: Path) -> None:
    """More than the system's queue holds; it may or may not overflow."""
    running = await indexed(start)
    seq = running.ledger.state.seq
    for folder in range(20):
        (vault / str(folder)).mkdir()
    for number in range(20_000):
        (vault / str(number % 20) / f"{number}.md").write_text(f"{number}")
    everything = on_disk(vault).keys()
    await running.until_state(lambda state: len(state.catalog.files) == len(everything))
    assert running.catalog.files.keys() == everything
    assert not running.catalog.waiting
    said = await changed(running, seq)
    assert len(said) == 20_000
    assert all(kinds == ["added"] for kinds in said.values())


async def test_what_the_system_dropped_in_a_burst_is_found_by_a_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's queue is full: it reports only a few of these files, and reports no loss."""
    next_events = file_events.FileEvents.next

    async def few(self: file_events.FileEvents) -> Any:
        return set(sorted(await next_events(self))[:40])

    monkeypatch.setattr(file_events.FileEvents, "next", few)
    monkeypatch.setattr(change_announcer, "DEBOUNCED_MAX", 30)
    vault = tmp_path / "vault"
    (vault / "a").mkdir(parents=True)
    async with run_watcher(tmp_path / "home", vault) as watching:
        await until_watched(watching)
        for number in range(500):
            (vault / "a" / f"{number}.md").write_text(f"{number}")
        await watching.until_state(lambda state: len(state.catalog.waiting) == 500)
        assert all(kinds == ["added"] for kinds in (await changed(watching, 0)).values())


async def test_a_scan_that_met_a_job_is_made_up_for_when_the_job_ends(
    tmp_path: Path, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = tmp_path / "vault"
    write(vault, "a.md", "a")
    outside = tmp_path / "outside"
    write(outside, "b.md", "b")
    seen: asyncio.Queue[int] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    scan = NoteReader.scan

    def counted_scan(self: NoteReader, *what: Any, **how: Any) -> Any:
        scanned = scan(self, *what, **how)
        loop.call_soon_threadsafe(seen.put_nowait, len(scanned.notes))
        return scanned

    monkeypatch.setattr(NoteReader, "scan", counted_scan)
    async with run_watcher(tmp_path / "home", vault) as watching:
        await watching.until_state(lambda state: "a.md" in state.catalog.waiting)
        await until_watched(watching)
        seq = await watching.append(JobRequested(job_id="1", mode="full"))
        os.rename(outside, vault / "Folder")  # only a scan finds what is in it
        while await seen.get() < 2:  # the scan that meets the job
            pass
        write(vault, "c.md", "c")
        await watching.until_state(lambda state: "c.md" in state.catalog.waiting)
        finished = JobFinished(
            job_id="1",
            mode="full",
            outcome="failed",
            indexed_files=0,
            removed_files=0,
            total_chunks=0,
            duration_ms=0,
        )
        await watching.append(finished)
        await watching.until_state(lambda state: "Folder/b.md" in state.catalog.waiting)
        assert (await changed(watching, seq)).keys() == {"c.md", "Folder/b.md"}


async def test_a_scan_does_not_announce_what_is_being_announced(
    tmp_path: Path, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = tmp_path / "vault"
    write(vault, "a.md", "a")
    looked_at, go_on = threading.Event(), threading.Event()
    kinds = NoteReader.kinds

    def slowly(self: NoteReader, collection: str, paths: Any) -> Any:
        looked_at.set()
        go_on.wait()
        return kinds(self, collection, paths)

    async with run_watcher(tmp_path / "home", vault) as watching:
        await until_watched(watching)
        monkeypatch.setattr(NoteReader, "kinds", slowly)
        try:
            write(vault, "b.md", "b")
            await asyncio.to_thread(looked_at.wait)
            seq = await watching.append(ConfigReloaded(config_hash=""))  # leads to a scan
            await watching.until(VaultScanned, seq)
        finally:
            go_on.set()
        write(vault, "c.md", "c")  # announced after it
        await watching.until_state(lambda state: "c.md" in state.catalog.waiting)
        assert (await changed(watching, 0))["b.md"] == ["added"]


async def test_before_the_first_index_a_save_is_no_news(tmp_path: Path, write: Any) -> None:
    vault = tmp_path / "vault"
    write(vault, "a.md", "a")
    async with run_watcher(tmp_path / "home", vault, index=False) as watching:
        await until_watched(watching)
        seq = watching.ledger.state.seq
        write(vault, "b.md", "b")
        (vault / "folder").mkdir()  # leads to a scan, after the save has settled
        scanned = await watching.until(VaultScanned, seq)
        assert scanned.event.files == 2
        assert await changed(watching, 0) == {}


async def test_an_idle_watcher_sleeps_until_the_next_scan_is_due(
    tmp_path: Path, write: Any
) -> None:
    vault = tmp_path / "vault"
    write(vault, "a.md", "a")
    clock = WatchedClock()
    async with run_watcher(tmp_path / "home", vault, clock=clock) as watching:
        started = await watching.until(WatchStarted)
        await clock.until_sleep(DEBOUNCE_S)
        clock.advance(DEBOUNCE_S)
        scanned = await watching.until(VaultScanned, started.seq)
        await clock.until_sleep(RESCAN_S)
        clock.advance(RESCAN_S - 1)
        assert clock.nothing_slept()
        clock.advance(1)
        await clock.until_sleep(DEBOUNCE_S)
        clock.advance(DEBOUNCE_S)
        await watching.until(VaultScanned, scanned.seq)


async def test_a_change_is_announced_after_its_own_silence(
    tmp_path: Path, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = tmp_path / "vault"
    write(vault, "a.md", "a")
    write(vault, "b.md", "b")
    clock = WatchedClock()
    events = FakeFileEvents(monkeypatch)
    async with run_watcher(tmp_path / "home", vault, clock=clock) as watching:
        started = await watching.until(WatchStarted)
        await clock.until_sleep(DEBOUNCE_S)
        clock.advance(DEBOUNCE_S)
        scanned = await watching.until(VaultScanned, started.seq)
        await events.send(("modified", "a.md"), ("modified", "b.md"))
        await clock.until_sleep(DEBOUNCE_S)
        clock.advance(DEBOUNCE_S / 2)
        await events.send(("modified", "a.md"))  # while b.md does not change
        clock.advance(DEBOUNCE_S / 2)
        first = await watching.until(FilesChanged, scanned.seq)
        assert first.event.changes == [FileChange("b.md", "added")]
        await clock.until_sleep(DEBOUNCE_S / 2)
        clock.advance(DEBOUNCE_S / 2)
        second = await watching.until(FilesChanged, first.seq)
        assert second.event.changes == [FileChange("a.md", "added")]


async def test_another_list_of_denied_folders_takes_effect_at_once(
    tmp_path: Path, write: Any
) -> None:
    vault = tmp_path / "vault"
    write(vault, "Private/a.md", "a")
    async with run_watcher(tmp_path / "home", vault) as watching:
        await until_watched(watching)
        facts_of_a = (vault / "Private" / "a.md").stat()
        in_index = StoredFile("Private/a.md", "", facts_of_a.st_mtime_ns, facts_of_a.st_size, 1)
        await watching.append(
            BatchStored(job_id="1", files=[in_index], removed=[], table_version=1)
        )
        now = watching.settings.current
        denying = structs.replace(now.indexing, deny_dirs=("Private",))
        watching.settings.current = structs.replace(now, indexing=denying)
        seq = await watching.append(ConfigReloaded(config_hash=""))
        announced = await watching.until(FilesChanged, seq)
        assert announced.event.changes == [FileChange("Private/a.md", "deleted")]


# Notes that are left out


async def test_a_note_that_is_left_out_is_looked_at_again_only_when_it_changes(
    start: Any, write: Any, vault: Path
) -> None:
    write(vault, "Diary.md", "---\nrag: false\n---\nsecret\n")
    write(vault, "broken.md", bytes(range(256)) * 40)
    running = await indexed(start)
    assert "Diary.md" in running.catalog.skipped
    before = 0
    for number in range(3):
        before = running.ledger.state.seq
        (vault / str(number)).mkdir()  # leads to a scan
        scanned = await running.until(VaultScanned, before)
        await running.until_state(lambda state: not state.catalog.waiting and not state.jobs.open)
    assert scanned.event.changed == 0
    assert await changed(running, before) == {}
    write(vault, "Diary.md", "No secret any more.\n")
    await running.until_state(lambda state: "Diary.md" in state.catalog.files)


async def test_a_note_that_the_job_after_a_scan_left_out_is_no_news_to_the_next(
    tmp_path: Path, write: Any
) -> None:
    vault = tmp_path / "vault"
    write(vault, "Diary.md", "---\nrag: false\n---\nsecret\n")
    async with run_watcher(tmp_path / "home", vault) as watching:
        await watching.until_state(lambda state: "Diary.md" in state.catalog.waiting)
        await until_watched(watching)
        seq = await watching.append(FileSkipped(path="Diary.md", reason="hides itself"))
        (vault / "folder").mkdir()  # leads to a scan
        scanned = await watching.until(VaultScanned, seq)
        assert scanned.event.changed == 0 and await changed(watching, seq) == {}


async def test_an_edit_of_a_note_that_is_left_out_waits_until_it_is_read(
    tmp_path: Path, write: Any
) -> None:
    """Scans happen in between; none of them may treat it as the skipped note."""
    vault = tmp_path / "vault"
    write(vault, "Diary.md", "---\nrag: false\n---\nsecret\n")
    async with run_watcher(tmp_path / "home", vault) as watching:
        await watching.until_state(lambda state: "Diary.md" in state.catalog.waiting)
        await until_watched(watching)
        seq = await watching.append(FileSkipped(path="Diary.md", reason="hides itself"))
        write(vault, "Diary.md", "No secret any more.\n")
        await watching.until(FilesChanged, seq)
        for number in range(2):
            seq = watching.ledger.state.seq
            (vault / str(number)).mkdir()  # leads to a scan
            scanned = await watching.until(VaultScanned, seq)
            assert scanned.event.changed == 1
            assert list(watching.ledger.state.catalog.waiting) == ["Diary.md"]


async def test_a_broken_note_that_was_deleted_is_not_listed_any_more(
    start: Any, write: Any, vault: Path
) -> None:
    write(vault, "broken.md", bytes(range(256)) * 40)
    running = await indexed(start)
    await running.until(FileFailed, 0)
    (vault / "broken.md").unlink()
    await running.until_state(lambda state: not state.catalog.failed)


async def test_a_hidden_note_that_a_sync_finds_gone_is_not_listed_any_more(start: Any) -> None:
    """Its folder was renamed while a change of it waited, so no deletion is announced."""
    running = await indexed(start)
    journal = running.ledger.journal
    await journal.append("test", FileSkipped(path="Old/Diary.md", reason="hides itself"))
    changes = [FileChange("Old/Diary.md", "added")]
    await journal.append("test", FilesChanged(changes=changes))
    await running.until_state(
        lambda state: not (state.catalog.skipped or state.catalog.waiting or state.jobs.open)
    )


# When the watch or the vault goes


async def test_a_lost_watch_is_said_and_polling_takes_over_after_three(
    tmp_path: Path, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_loop, "RETRY_FIRST_S", 0.01)
    monkeypatch.setattr(polling, "POLL_S", 0.01)
    vault = tmp_path / "vault"
    write(vault, "a.md", "a")
    async with run_watcher(tmp_path / "home", vault) as watching:
        seq = 0
        for number in range(watch_loop.NATIVE_TRIES):
            started = await watching.until(WatchStarted, seq)
            assert started.event.how == "native"
            # A name that is no UTF-8 is what the watch cannot bear.
            (Path(os.fsdecode(os.fsencode(vault) + b"/\xff%d.md" % number))).write_text("x")
            seq = (await watching.until(WatchLost, seq)).seq
            assert watching.ledger.state.health.watch_lost
        started = await watching.until(WatchStarted, seq)
        assert started.event.how == "polling"
        await watching.until(VaultScanned, started.seq)
        assert not watching.ledger.state.health.watch_lost
        write(vault, "b.md", "seen by polling")
        await watching.until_state(lambda state: "b.md" in state.catalog.waiting)


async def test_polling_gives_way_to_the_system_s_watch_when_that_works_again(
    tmp_path: Path, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_loop, "RETRY_FIRST_S", 0.01)
    monkeypatch.setattr(watch_loop, "NATIVE_AGAIN_S", 0.0)
    monkeypatch.setattr(polling, "POLL_S", 0.01)
    works = False
    begin = file_events.FileEvents.__init__

    def refused(self: Any, *how: Any) -> None:
        if not works:
            raise file_events.WatchDied(OSError())  # as when the system has no watches left
        begin(self, *how)

    monkeypatch.setattr(file_events.FileEvents, "__init__", refused)
    vault = tmp_path / "vault"
    write(vault, "a.md", "a")
    async with run_watcher(tmp_path / "home", vault) as watching:
        polled = await watching.until(WatchStarted, how="polling")
        lost = await facts(watching, WatchLost, 0)
        assert [fact.reason for fact in lost] == ["OSError"] * watch_loop.NATIVE_TRIES
        works = True
        native = await watching.until(WatchStarted, polled.seq, how="native")
        await watching.until(VaultScanned, native.seq)
        write(vault, "b.md", "b")
        await watching.until_state(lambda state: "b.md" in state.catalog.waiting)
        assert len(await facts(watching, WatchLost, 0)) == watch_loop.NATIVE_TRIES


async def test_a_vault_that_went_and_came_back_is_watched_again_and_loses_nothing(
    tmp_path: Path, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rescans, "GONE_AGAIN_S", 0.05)
    monkeypatch.setattr(file_events, "QUIET_MS", 100)
    vault = tmp_path / "vault"
    write(vault, "a.md", "a")
    async with run_watcher(tmp_path / "home", vault) as watching:
        await until_watched(watching)
        os.rename(vault, tmp_path / "elsewhere")
        gone = await watching.until(VaultUnavailable)
        assert gone.event.reason == "missing"
        shutil.copytree(tmp_path / "elsewhere", vault)  # another folder, though it has that name
        started = await watching.until(WatchStarted, gone.seq)
        await watching.until(VaultScanned, started.seq)
        write(vault, "b.md", "b")
        await watching.until_state(lambda state: "b.md" in state.catalog.waiting)
        said = await changed(watching, 0)
        assert [kind for kinds in said.values() for kind in kinds] == ["added", "added"]
        assert len(await facts(watching, VaultUnavailable, 0)) == 1


async def test_another_folder_in_the_vault_s_place_is_watched_instead(
    tmp_path: Path, write: Any
) -> None:
    vault = tmp_path / "vault"
    write(vault, "a.md", "a")
    shutil.copytree(vault, tmp_path / "copy")
    async with run_watcher(tmp_path / "home", vault) as watching:
        await until_watched(watching)
        seq = watching.ledger.state.seq
        os.rename(vault, tmp_path / "elsewhere")
        os.rename(tmp_path / "copy", vault)
        started = await watching.until(WatchStarted, seq)
        write(vault, "b.md", "b")
        await watching.until_state(lambda state: "b.md" in state.catalog.waiting)
        write(tmp_path / "elsewhere", "c.md", "c")
        await watching.until(VaultScanned, started.seq)
        assert (await changed(watching, 0)).keys() == {"a.md", "b.md"}


# A vault that is deleted while it is watched


async def many(start: Any, configure: Any, vault: Path, count: int) -> tuple[Any, list[str]]:
    """A pipeline that has indexed this many more notes, and their paths."""
    paths = [f"Many/{number}.md" for number in range(count)]
    (vault / "Many").mkdir()
    for path in paths:
        (vault / path).write_text(f"{path}\n")
    together = {"debounce_s": 0.05, "collect_s": 1, "rescan_s": 3600}
    configure(vault_path=str(vault), watch=together)
    running = await start()
    job = await running.request("full")
    await running.until(JobFinished, 0, job_id=job)
    await until_watched(running)
    return running, paths


def remove(vault: Path, paths: list[str]) -> None:
    for path in paths:
        (vault / path).unlink()


async def test_a_folder_with_most_of_the_vault_in_it_that_vanishes_is_held(
    start: Any, configure: Any, vault: Path, tmp_path: Path
) -> None:
    running, _ = await many(start, configure, vault, 116)
    os.rename(vault / "Many", tmp_path / "away")
    held = await running.until(DeletionsHeld, 0)
    assert held.event.count == 116
    assert running.catalog.documents == 120
    os.rename(tmp_path / "away", vault / "Many")
    await running.until(DeletionsHeld, held.seq, count=0)
    assert running.catalog.documents == 120


async def test_most_of_a_vault_that_vanishes_bit_by_bit_is_held(
    start: Any, configure: Any, vault: Path
) -> None:
    running, paths = await many(start, configure, vault, 116)
    for first in range(0, 90, 30):
        part = set(paths[first : first + 30])
        remove(vault, sorted(part))
        await running.until_state(
            lambda state, part=part: (
                state.health.deletions_held or part.isdisjoint(state.catalog.files)
            )
        )
    assert running.ledger.state.health.deletions_held > 0
    assert running.catalog.documents >= 120 - 50


async def test_a_deletion_is_judged_as_a_whole_however_it_is_read(
    start: Any, configure: Any, vault: Path
) -> None:
    running, paths = await many(start, configure, vault, 236)
    remove(vault, paths[:100])  # 42 %, of which a first batch reads 64, or 27 %
    await running.until_state(
        lambda state: state.health.deletions_held or state.catalog.documents == 140
    )
    assert running.ledger.state.health.deletions_held > 0
    assert running.catalog.documents >= 240 - 72


async def test_held_notes_that_come_back_changed_are_indexed(
    start: Any, configure: Any, write: Any, vault: Path
) -> None:
    running, paths = await many(start, configure, vault, 116)
    remove(vault, paths[:60])
    held = await running.until(DeletionsHeld, 0)
    assert held.event.count == 60
    await running.until_state(lambda state: not state.jobs.open)
    for path in paths[:60]:
        write(vault, path, "Restored, with a word more.\n")
    write(vault, "zz.md", "saved after them\n")
    await running.until_state(lambda state: "zz.md" in state.catalog.files and not state.jobs.open)
    assert running.catalog.files[paths[0]].sha256 == on_disk(vault)[paths[0]]


async def test_what_is_held_stays_held_whatever_rescans_see(
    start: Any, configure: Any, vault: Path
) -> None:
    running, paths = await many(start, configure, vault, 51)
    remove(vault, paths[:4])
    await running.until_state(lambda state: state.catalog.documents == 51)
    remove(vault, paths[4:])  # with those before, 51 of 55
    held = await running.until(DeletionsHeld, 0)
    assert held.event.count == 47
    running = await start()  # a start scans the whole vault; only the 47 are known
    scanned = await running.until(VaultScanned, running.ledger.state.seq - 1)
    await running.until_state(lambda state: not state.jobs.open)
    assert scanned.event.removed > 0
    assert running.ledger.state.health.deletions_held > 0
    job = await running.request("sync")
    await running.until(JobFinished, scanned.seq, job_id=job)
    assert running.ledger.state.health.deletions_held > 0
    assert running.catalog.documents == 51


async def test_notes_missing_from_a_vault_on_another_device_are_held(
    start: Any, configure: Any, vault: Path, monkeypatch: Any
) -> None:
    """After a restart, with a mount away and a stray note in its place."""
    running, paths = await many(start, configure, vault, 36)
    await running.request("sync")
    await running.until_state(lambda state: state.catalog.device != 0 and not state.jobs.open)
    monkeypatch.setattr(
        vault_module,
        "root_identity",
        lambda root: (root_identity(root)[0] + 1, root_identity(root)[1]),
    )
    running = await start(lambda: remove(vault, paths[:-1]))
    held = await running.until(DeletionsHeld, 0)
    assert held.event.count == 35
    await running.until_state(lambda state: not state.jobs.open)
    assert running.catalog.documents == 40
