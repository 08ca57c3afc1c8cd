"""A home of the version that knew one vault of Markdown only: this version goes on with it.

The old index answers until the new one is ready, and no job runs but the reindex that the changelog
announces for notes that are cut differently.
"""

import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragd.clock import SystemClock, new_id
from ragd.embed.providers import local_model
from ragd.events import SyncPaused
from ragd.folds import State
from ragd.paths import Home
from ragd.state.ledger import Ledger
from ragd.state.replay import replay, verify
from tests.daemon.processes import Process, environment, facts, start_ragd
from tests.golden.old_home import old_answers, place_home
from tests.patience import PATIENCE_S

VERSION = "0.1.0"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(local_model.unavailable() is not None, reason="no embedded model"),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="rd", dir="/tmp"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def home(folder: Path) -> Home:
    # Its changes have waited since it was made: by now the index is stale.
    quick, always = {"probe_s": 0.05}, {"stale": "hybrid"}
    return place_home(VERSION, folder, health=quick, search=always)


@pytest.fixture
async def daemon(home: Home) -> AsyncIterator[Process]:
    """A daemon that begins with syncing paused, so that the old index serves."""
    await pause_before_start(home)
    daemon = start_ragd(home)
    await daemon.wait_until_ready()
    await daemon.wait_for_reasons("STARTING", "INDEX_NOT_FOUND", absent=True)
    yield daemon
    daemon.kill()


async def pause_before_start(home: Home) -> None:
    ledger = Ledger(Path(home.events), Path(home.snapshots), SystemClock(), new_id(), "test")
    async with asyncio.TaskGroup() as group:
        group.create_task(ledger.journal.run())
        await ledger.record_incidents()
        await ledger.journal.append("test", SyncPaused(until="2999-01-01T00:00:00.000000Z"))
        await ledger.journal.close()


def state_of(home: Home) -> State:
    return replay(Path(home.events), Path(home.snapshots), from_scratch=True).state


async def answers(daemon: Process, questions: dict[str, list[str]]) -> dict[str, list[str]]:
    found = {}
    for question in questions:
        reply = await daemon.ask("POST", "/v1/tools/obsidian_rag_search", {"query": question})
        found[question] = [one["source_file"] for one in reply.data["results"]]
    return found


async def resume_and_wait(daemon: Process) -> dict[str, Any]:
    """End the pause and wait until the new index serves and nothing is left to do."""
    before = (await daemon.status())["index"]["generation"]
    await daemon.ask("POST", "/v1/resume", {})
    async with asyncio.timeout(PATIENCE_S):
        while True:
            said = await daemon.status()
            busy = said["active_job"] or said["building"] or said["chunks_pending"]
            if said["index"]["generation"] != before and not busy:
                return said
            await asyncio.sleep(0.05)


async def test_the_old_index_answers_as_before_until_the_new_one_is_ready(
    daemon: Process, folder: Path
) -> None:
    then = old_answers(folder)
    assert len(then) == 5
    assert all(then.values())
    assert await answers(daemon, then) == then
    await resume_and_wait(daemon)
    assert await answers(daemon, then) == then


async def test_only_the_announced_reindex_runs_and_nothing_is_embedded_again(
    daemon: Process, home: Home
) -> None:
    since = len(facts(home))
    said = await resume_and_wait(daemon)
    new = [record["event"] for record in facts(home)[since:]]
    asked = [(one["mode"], one["origin"]) for one in new if one["type"] == "job_requested"]
    assert ("reindex", "chunking_changed") in asked
    assert set(asked) <= {("reindex", "chunking_changed"), ("sync", "pause_ended")}
    made = [one for one in new if one["type"] == "batch_embedded" and one["chunks"]]
    # Only the note with code is cut differently now.
    assert sum(one["chunks"] for one in made) <= 1
    assert (said["plugin_health"], said["failed"]["total"]) == ("healthy", 0)


async def test_the_catalog_has_the_same_notes_with_the_same_content(
    daemon: Process, home: Home
) -> None:
    then = {path: entry.sha256 for path, entry in state_of(home).catalog.files.items()}
    said = await resume_and_wait(daemon)
    catalog = state_of(home).catalog
    assert {path: entry.sha256 for path, entry in catalog.files.items()} == then
    assert "@ideas/raft.md" in then, "a folder of the vault, as no collection has its name"
    assert "private.md" not in then
    assert said["total_docs"] == len(then)
    assert said["not_included"]["kinds"] == {"pdf": 1}, (
        "the PDF is counted, and not read unless asked for"
    )
    assert [one["name"] for one in said["collections"]] == ["vault"]


async def test_status_and_verify_are_content(daemon: Process, home: Home) -> None:
    await resume_and_wait(daemon)
    shown = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "ragctl", "--home", home.root, "status"],
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert (shown.returncode, "healthy" in shown.stdout) == (0, True), shown
    assert await daemon.stop() == 0
    assert verify(Path(home.events), Path(home.snapshots), Path(home.sync_result)) == []
