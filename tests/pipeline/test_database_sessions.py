"""Sessions of agents in the host's database, in a real index: by the rules for session files."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ragd.events import BatchStored, DeletionsHeld, JobFinished, WatchStarted
from ragd.health.explanation import explain
from ragd.vault import polling, session_files
from tests.notes.documents.transcripts import conversation, message, text_part
from tests.notes.secret_samples import made
from tests.pipeline.test_sessions import holding, scanned
from tests.pipeline.watching import facts
from tests.vault.host_database import HostDatabase

NAME = "sessions/main"
PATH = "@sessions/main/s1.jsonl"
HOUR = timedelta(hours=1)


class Host:
    """The host's folder of agents, with a database in it, and the configuration that names it."""

    def __init__(self, vault: Path, configure: Callable[..., None]) -> None:
        self._vault = vault
        self._configure = configure
        self.agents = vault.parent / "agents"
        self.agents.mkdir()
        self.databases: list[HostDatabase] = []

    def database(self, agent: str = "main") -> HostDatabase:
        self.databases.append(HostDatabase(self.agents, agent))
        return self.databases[-1]

    def configure(self, **more: Any) -> None:
        settings = {"enabled": True, "path": str(self.agents), **more}
        self._configure(vault_path=str(self._vault), sessions=settings)


@pytest.fixture
def host(vault: Path, configure: Callable[..., None]) -> Iterator[Host]:
    host = Host(vault, configure)
    yield host
    for one in host.databases:
        one.close()


def ago(age: timedelta) -> datetime:
    return datetime.now(UTC) - age


async def index_all(start: Any, host: Host) -> Any:
    """A pipeline that has read everything and watches the agent's database."""
    running = await start(host.configure)
    job = await running.request("full")
    await running.until(JobFinished, 0, job_id=job)
    await running.until(WatchStarted, 0, collection=NAME)
    await running.until_state(lambda state: not state.catalog.waiting)
    return running


async def test_a_session_is_found_with_its_title_date_and_place(start: Any, host: Host) -> None:
    began = ago(HOUR)
    host.database().say("s1", "Where is the heron?", "At the weir. " * 200, moment=began)
    running = await index_all(start, host)
    assert await running.found("heron") >= {PATH}
    assert await running.found("weir") >= {PATH}, "a compressed message"
    rows = await running.rows("collection", "kind", "title", "position", "date")
    row = next(row for row in rows if row["source_file"] == PATH)
    shown = (row["collection"], row["kind"], row["title"], row["position"], row["date"])
    day = began.date().isoformat()
    assert shown == (NAME, "session", "Where is the heron?", "message=1", day)
    started = await facts(running, WatchStarted, 0)
    assert {one.how for one in started if one.collection == NAME} == {"polling"}


async def test_a_growing_session_is_read_after_fifty_messages(
    start: Any, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "POLL_S", 0.05)
    database = host.database()
    database.say("s1", "The first question.")
    running = await index_all(start, host)
    database.say("s1", *(f"kingfisher number {number}" for number in range(48)))
    await scanned(running)
    assert PATH not in running.catalog.files and PATH not in running.catalog.waiting
    seq = running.ledger.state.seq
    database.say("s1", "The fiftieth message, about a marzipanquilt.")
    await running.until_state(lambda state: PATH in state.catalog.files)  # without a request
    assert await running.found("marzipanquilt") == {PATH}
    stored = running.catalog.files[PATH]
    database.say("s1", *(f"heron {number}" for number in range(49)))
    await scanned(running)
    assert running.catalog.files[PATH] == stored
    database.say("s1", "heron 50")
    await running.until_state(lambda state: state.catalog.files[PATH].size > stored.size)
    batches = await facts(running, BatchStored, seq)
    sizes = [file.size for batch in batches for file in batch.files if file.path == PATH]
    assert len(sizes) <= 3, "not at every message"
    assert running.catalog.files[PATH].size == sizes[-1]


async def test_a_session_that_has_ended_is_read_whole(
    start: Any, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.database().say("s1", "The only message.")
    running = await index_all(start, host)
    assert PATH not in running.catalog.files
    monkeypatch.setattr(session_files, "QUIET_S", 0.0)
    await scanned(running)
    await running.until_state(lambda state: PATH in state.catalog.files)


async def test_deleted_sessions_leave_without_consent(start: Any, host: Host) -> None:
    database = host.database()
    for number in range(60):
        database.say(f"s{number}", "A marzipanquilt.", moment=ago(HOUR))
    running = await index_all(start, host)
    assert running.catalog.count_stored(NAME) == 60
    for number in range(60):
        database.delete(f"s{number}")
    await scanned(running)
    await running.until_state(lambda state: state.catalog.count_stored(NAME) == 0)
    assert await facts(running, DeletionsHeld, 0) == []


async def test_a_session_that_gets_too_old_leaves_every_file(start: Any, host: Host) -> None:
    secret, database = made(30), host.database()
    text = f"The marzipanquilt is {secret}." + " and" * 500
    database.say("s1", text, moment=ago(timedelta(days=3)))
    database.say("s2", "Where is the heron?", moment=ago(timedelta(days=1)))
    database.say("s3", "Too old from the start.", moment=ago(timedelta(days=31)))
    running = await index_all(start, host)
    assert running.catalog.count_stored(NAME) == 2
    await running.until_state(lambda state: not state.catalog.lacking)
    assert holding(running.home.root, "marzipanquilt", secret), "the scan of bytes can find it"
    host.configure(keep_days=2)
    running.read_settings()
    await running.rescan()
    await running.until_state(lambda state: state.catalog.count_stored(NAME) == 1)
    index = running.pipeline.open_indexes.serving
    while (await index.maintain(0.0)).again_s == 0.0:
        pass
    await index.maintain(0.0)
    assert holding(running.home.root, "marzipanquilt", secret) == []
    assert database.execute("SELECT count(*) FROM session_windows") == [(3,)]


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("damaged", "its database is damaged"),
        ("unknown_format", "its database has a format that ragd does not know"),
        ("locked", "another program has locked its database"),
    ],
)
async def test_a_database_that_cannot_be_read_costs_only_its_collection(
    start: Any, host: Host, vault: Path, why: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragd.vault.foreign_database.BUSY_S", 0.05)
    monkeypatch.setattr(polling, "POLL_S", 0.05)
    database = host.database()
    database.say("s1", "A marzipanquilt.", moment=ago(HOUR))
    running = await index_all(start, host)
    database.close()
    whole = database.path.read_bytes()
    if why == "damaged":
        database.path.write_bytes(b"rubbish" * 1000)
    else:
        database.open()
        if why == "unknown_format":
            database.execute("ALTER TABLE transcript_events RENAME TO events")
        else:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("UPDATE session_windows SET updated_at = updated_at")
    await running.until_state(lambda state: NAME in state.health.lost_collections)
    state = running.ledger.state
    assert state.health.lost_collections[NAME].reason == why
    assert "COLLECTION_NOT_FOUND" in state.health.reasons
    message, suggestion = explain("COLLECTION_NOT_FOUND", state, "")
    assert f"@{NAME}: {said}" in message
    assert "repair the database" in suggestion and "sessions.enabled false" in suggestion
    assert PATH in running.catalog.files, "nothing is removed"
    (vault / "New.md").write_text("A wimpelfisch.\n")
    await running.until_state(lambda state: "New.md" in state.catalog.files)
    if why != "damaged":
        if why == "unknown_format":
            database.execute("ALTER TABLE events RENAME TO transcript_events")
        database.close()
    else:
        database.path.write_bytes(whole)
    database.open()
    await running.until_state(lambda state: not state.health.lost_collections)
    database.say("s1", *["Again."] * 50, moment=ago(HOUR))
    size = running.catalog.files[PATH].size
    await running.until_state(lambda state: state.catalog.files[PATH].size > size)


async def test_a_host_that_moves_its_sessions_into_a_database_is_followed(
    start: Any, host: Host
) -> None:
    folder = host.agents / "main" / "sessions"
    folder.mkdir(parents=True)
    file = folder / "s1.jsonl"
    file.write_bytes(conversation("A heron in a file.", began=ago(HOUR)))
    os.utime(file, (ago(HOUR).timestamp(),) * 2)
    running = await index_all(start, host)
    assert await running.found("heron") >= {PATH}
    host.database().say("s1", "A heron in a file.", "And a marzipanquilt.", moment=ago(HOUR))
    running.read_settings()
    await running.rescan()
    entry = running.catalog.files[PATH]
    await running.until_state(lambda state: state.catalog.files[PATH] != entry)
    assert await running.found("marzipanquilt") == {PATH}


async def test_secrets_and_tools_are_in_no_file(start: Any, host: Host) -> None:
    password, output = made(14), made(24)
    database = host.database()
    database.say("s1", f"A marzipanquilt. My password: {password}" + " and" * 500, moment=ago(HOUR))
    shown = [text_part("Found."), {"type": "thinking", "thinking": output}]
    results = [message("toolResult", [text_part(output)]), message("assistant", shown)]
    database.add("s1", *results, moment=ago(HOUR))
    running = await index_all(start, host)
    assert await running.found("marzipanquilt") == {PATH}
    await running.until_state(lambda state: not state.catalog.lacking)
    assert holding(running.home.root, "marzipanquilt")
    assert holding(running.home.root, password, output) == []
