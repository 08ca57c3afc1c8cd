"""Sessions of agents in a real index: read when they are due, erased when they are too old."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ragd.events import BatchStored, DeletionsHeld, JobFinished, VaultScanned, WatchStarted
from ragd.vault import session_files
from ragd.vault.files import NoteMissing
from tests.notes.documents.transcripts import append, conversation
from tests.notes.secret_samples import made
from tests.pipeline.watching import facts

PATH = "@sessions/main/s1.jsonl"
NAME = "sessions/main"


class Agents:
    """A host's folder of agents, and the configuration that names it."""

    def __init__(self, vault: Path, configure: Callable[..., None]) -> None:
        self._vault = vault
        self._configure = configure
        self.root = vault.parent / "agents"
        self.folder("main").mkdir(parents=True)

    def folder(self, agent: str) -> Path:
        return self.root / agent / "sessions"

    def configure(self, enabled: bool = True, **more: Any) -> None:
        settings = {"enabled": enabled, "path": str(self.root), **more}
        self._configure(vault_path=str(self._vault), sessions=settings)

    def write(
        self, *texts: str, name: str = "s1", agent: str = "main", age: timedelta | None = None
    ) -> Path:
        """A session whose last message is this old; None: it was written just now."""
        file = self.folder(agent) / f"{name}.jsonl"
        written = datetime.now(UTC) - (age or timedelta())
        file.write_bytes(conversation(*texts, began=written - timedelta(minutes=len(texts))))
        if age is not None:
            os.utime(file, (written.timestamp(), written.timestamp()))
        return file


HOUR = timedelta(hours=1)


@pytest.fixture
def agents(vault: Path, configure: Callable[..., None]) -> Agents:
    return Agents(vault, configure)


async def index_all(start: Any, agents: Agents) -> Any:
    """A pipeline that has read everything and watches the agent's folder."""
    running = await start(agents.configure)
    job = await running.request("full")
    await running.until(JobFinished, 0, job_id=job)
    await running.until(WatchStarted, 0, collection=NAME)
    await running.until_state(lambda state: not state.catalog.waiting)  # after all notes
    return running


async def scanned(running: Any) -> None:
    """Make the watcher scan, and wait for the scan."""
    seq = running.ledger.state.seq
    await running.rescan()
    await running.until(VaultScanned, seq)


async def until_stored(running: Any, path: str, size: int) -> None:
    def is_stored(state: Any) -> bool:
        entry = state.catalog.files.get(path)
        return entry is not None and entry.size == size

    await running.until_state(is_stored)


async def test_a_session_is_found_with_its_title_date_and_place(start: Any, agents: Agents) -> None:
    agents.write("Where is the heron?", "At the weir.", age=HOUR)
    running = await index_all(start, agents)
    assert running.catalog.count_stored(NAME) == 1
    assert PATH in await running.found("heron")
    rows = await running.rows("collection", "kind", "title", "position", "date")
    [row] = [row for row in rows if row["source_file"] == PATH]
    began = datetime.now(UTC) - HOUR - timedelta(minutes=2)
    shown = (row["collection"], row["kind"], row["title"], row["position"])
    assert shown == (NAME, "session", "Where is the heron?", "message=1")
    assert row["date"] == began.date().isoformat()


async def test_a_growing_session_is_read_after_fifty_messages(start: Any, agents: Agents) -> None:
    agents.write("Nothing yet.", age=HOUR, name="s0")
    file = agents.write("The first question.")
    running = await index_all(start, agents)
    assert PATH not in running.catalog.files
    append(file, *(f"kingfisher number {number}" for number in range(48)))
    await scanned(running)
    assert PATH not in running.catalog.files and PATH not in running.catalog.waiting
    append(file, "The fiftieth message, about a marzipanquilt.")
    await scanned(running)
    await until_stored(running, PATH, file.stat().st_size)
    assert await running.found("marzipanquilt") == {PATH}
    stored = file.stat().st_size
    append(file, *(f"heron {number}" for number in range(49)))
    await scanned(running)
    assert running.catalog.files[PATH].size == stored
    append(file, "heron 50")
    await scanned(running)
    await until_stored(running, PATH, file.stat().st_size)
    batches = await facts(running, BatchStored, 0)
    sizes = [file.size for batch in batches for file in batch.files if file.path == PATH]
    assert (sizes[0], sizes[-1]) == (stored, file.stat().st_size)
    assert len(sizes) <= 3, "not at every line"


async def test_a_session_that_has_ended_is_read_whole(
    start: Any, agents: Agents, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = agents.write("The only message.")
    running = await index_all(start, agents)
    assert PATH not in running.catalog.files
    monkeypatch.setattr(session_files, "QUIET_S", 0.0)
    await scanned(running)
    await until_stored(running, PATH, file.stat().st_size)


async def test_after_a_crash_the_rest_of_a_session_is_still_read(
    start: Any, agents: Agents, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = agents.write("The first question.", age=HOUR)
    running = await index_all(start, agents)
    append(file, "Not due yet, about a marzipanquilt.")
    await scanned(running)
    assert await running.found("marzipanquilt") == set()
    monkeypatch.setattr(session_files, "QUIET_S", 0.0)  # the session ends while nothing runs
    running = await start()
    await until_stored(running, PATH, file.stat().st_size)
    await running.until_serving()
    assert await running.found("marzipanquilt") == {PATH}


async def test_other_files_of_the_host_are_not_read(start: Any, agents: Agents) -> None:
    agents.write("Where is the heron?", age=HOUR)
    folder, text = agents.folder("main"), conversation("HIDDEN")
    for name in ("s2.jsonl.deleted.2026-01-31", "s3.jsonl.reset.2026-01-31", "s4.checkpoint.jsonl"):
        (folder / name).write_bytes(text)
    (folder / "sessions.json").write_text(json.dumps({"a": "HIDDEN"}))
    (folder / "archive").mkdir()
    (folder / "archive" / "s5.jsonl").write_bytes(text)
    running = await index_all(start, agents)
    assert [path for path in running.catalog.files if path.startswith("@")] == [PATH]
    assert await running.found("HIDDEN") == set()


async def test_a_mass_deletion_needs_no_consent(start: Any, agents: Agents) -> None:
    files = [agents.write(f"Heron {n}.", name=f"s{n}", age=HOUR) for n in range(60)]
    running = await index_all(start, agents)
    assert running.catalog.count_stored(NAME) == 60
    for file in files:
        file.unlink()
    await running.until_state(lambda state: state.catalog.count_stored(NAME) == 0)
    assert await facts(running, DeletionsHeld, 0) == []
    assert running.ledger.state.health.lost_collections == {}


async def test_switched_off_everything_leaves_the_index(start: Any, agents: Agents) -> None:
    agents.write("Where is the heron?", age=HOUR)
    agents.folder("work").mkdir(parents=True)
    agents.write("Where is the kingfisher?", age=HOUR, agent="work")
    running = await index_all(start, agents)
    assert len(running.catalog.files) == 6
    agents.configure(enabled=False)
    running.read_settings()
    await running.rescan()
    await running.until_state(lambda state: len(state.catalog.files) == 4)
    assert await running.found("heron") == set()


async def test_a_shorter_time_to_keep_is_in_force_at_once(start: Any, agents: Agents) -> None:
    agents.write("An old heron.", name="old", age=timedelta(days=20))
    agents.write("Where is the heron?", age=timedelta(days=3))
    agents.write("Too old from the start.", name="older", age=timedelta(days=31))
    running = await index_all(start, agents)
    assert {path for path in running.catalog.files if path.startswith("@")} == {
        PATH,
        "@sessions/main/old.jsonl",
    }
    agents.configure(keep_days=10)
    running.read_settings()
    await running.rescan()
    await running.until_state(lambda state: state.catalog.count_stored(NAME) == 1)
    assert PATH in running.catalog.files
    assert running.pipeline.notes.read_bytes(PATH)[0]
    with pytest.raises(NoteMissing):
        running.pipeline.notes.read_bytes("@sessions/main/old.jsonl")


async def test_a_session_that_gets_too_old_leaves_every_file(
    start: Any, agents: Agents, vault: Path
) -> None:
    secret = made(30)
    agents.write(f"The marzipanquilt is {secret}.", age=timedelta(days=3))
    agents.write("Where is the heron?", name="s2", age=timedelta(days=1))
    running = await index_all(start, agents)
    await running.until_state(lambda state: not state.catalog.lacking)
    assert holding(running.home.root, "marzipanquilt", secret), "the scan of bytes can find it"
    agents.configure(keep_days=2)
    running.read_settings()
    await running.rescan()
    await running.until_state(lambda state: state.catalog.count_stored(NAME) == 1)
    index = running.pipeline.open_indexes.serving
    while (await index.maintain(0.0)).again_s == 0.0:
        pass
    await index.maintain(0.0)
    assert holding(running.home.root, "marzipanquilt", secret) == []
    assert (agents.folder("main") / "s1.jsonl").exists(), "the host's file is not touched"


def holding(root: str, *texts: str) -> list[str]:
    """The files of a home that hold one of these texts."""
    return [
        str(path)
        for path in Path(root).rglob("*")
        if path.is_file() and any(text.encode() in path.read_bytes() for text in texts)
    ]
