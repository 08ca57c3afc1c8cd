"""The checks of `ragctl doctor` for notes, provider, index, network and stores."""

import asyncio
import json
import os
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from ragctl.doctor.checks import Finding, index, network, obsidian, ok, provider, stores, vault
from ragctl.doctor.checks import home as home_checks
from ragctl.doctor.checks.network import Connection
from ragd.embed.worker import ENGLISH, MULTILINGUAL
from ragd.eventlog.frame import Record
from ragd.events import BatchStored, Event, IndexActivated
from ragd.paths import Home
from ragd.runtime import subprocesses
from tests.embed.fake_ollama import MODEL, FakeOllama, running
from tests.patience import PATIENCE_S
from tests.ragctl.commands.test_replay import FILE, STARTED, write_segment
from tests.ragctl.conftest import FakeDaemon, Ragctl
from tests.vault.host_database import HostDatabase


def configure(home: Any, **settings: Any) -> None:
    path = Path(home.config)
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))


def with_index_of(home: Any, provider: str) -> None:
    """Write a log that has an index with one note."""
    made = IndexActivated(generation="g1", provider=provider, model=MODEL, dimensions=48)
    stored = BatchStored(job_id="", files=[FILE], removed=[], table_version=1)
    ts = "2026-11-15T14:00:00.000000Z"
    story: tuple[Event, ...] = (STARTED, made, stored)
    facts = [Record(n, n - 1, ts, "01RUN", "daemon", None, fact) for n, fact in enumerate(story, 1)]
    write_segment(Path(home.events), 1, facts)


def without_a_configuration(home: Any) -> None:
    Path(home.config).unlink()


@pytest.mark.parametrize(
    "check",
    [
        *(home_checks.places, vault.reachable, vault.collections, vault.notes),
        obsidian.own_folder,
        *(provider.ollama, index.probe, network.isolation),
    ],
)
def test_without_a_configuration_the_result_is_unknown(
    home: Home, check: Callable[[Home], Finding]
) -> None:
    without_a_configuration(home)
    finding = check(home)
    assert finding.verdict == "warn" and "Fix the configuration" in finding.fix


def test_folders_that_overlap_are_reported(home: Home, short: Path) -> None:
    assert home_checks.places(home).verdict == "ok"
    configure(home, vault_path=str(short))
    finding = home_checks.places(home)
    assert finding.verdict == "fail" and "is inside the vault" in finding.message


# The vault


def test_notes_that_cannot_be_read_are_counted_and_the_first_is_named(
    home: Home, short: Path
) -> None:
    root = short / "vault"
    assert vault.notes(home) == ok("1 note file, all readable")
    Path(os.fsdecode(os.fsencode(root) + b"/bad\xff.md")).write_text("")
    finding = vault.notes(home)
    assert finding.verdict == "warn" and "1 note or folder" in finding.message
    assert finding.private and finding.private[0] in finding.message


def test_a_vault_without_notes_is_reported(home: Home, short: Path) -> None:
    (short / "vault/note.md").unlink()
    assert "it contains no notes (*.md)" in vault.notes(home).message


def test_a_folder_that_obsidian_never_opened_is_reported_with_listed_vaults(
    home: Home, short: Path
) -> None:
    assert obsidian.own_folder(home).verdict == "ok"
    (short / "vault/.obsidian").rmdir()
    known = short / "user/.config/obsidian"
    known.mkdir(parents=True)
    (short / "other").mkdir()
    listed = {"vaults": {"a": {"path": str(short / "other"), "ts": 1}}}
    (known / "obsidian.json").write_text(json.dumps(listed))
    finding = obsidian.own_folder(home)
    assert finding.verdict == "warn" and str(short / "other") in finding.fix


def test_a_vault_inside_a_vault_is_reported(home: Home, short: Path) -> None:
    (short / "vault/inner/.obsidian").mkdir(parents=True)
    configure(home, vault_path=str(short / "vault/inner"))
    assert "inside another vault" in obsidian.own_folder(home).message


def test_unreadable_settings_of_obsidian_are_reported(home: Home, short: Path) -> None:
    (short / "vault/.obsidian/templates.json").write_text("{")
    assert "templates are indexed" in obsidian.own_folder(home).message


# The provider


@pytest.fixture
def ollama() -> Iterator[FakeOllama]:
    """The fake Ollama, in its own thread, because a check blocks."""
    ready, over = threading.Event(), asyncio.Event()
    found: list[Any] = []

    async def run() -> None:
        async with running() as server:
            found.extend((server, asyncio.get_running_loop()))
            ready.set()
            await over.wait()

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    ready.wait(PATIENCE_S)
    yield found[0]
    found[1].call_soon_threadsafe(over.set)
    thread.join()


def nobody() -> str:
    """An address on this machine where nothing listens."""
    with socket.socket() as end:
        end.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{end.getsockname()[1]}"


def test_ollama_with_its_model_is_ok(home: Home, ollama: FakeOllama) -> None:
    configure(home, embedding={"provider": "ollama", "base_url": ollama.base_url})
    assert provider.ollama(home) == ok(f"Ollama 0.33.1 has {MODEL}")
    ollama.models.clear()
    finding = provider.ollama(home)
    assert finding.verdict == "fail" and finding.fix == f"Run `ollama pull {MODEL}`."


@pytest.mark.parametrize(
    ("wished", "indexed", "verdict"),
    [
        ("ollama", None, "fail"),
        ("auto", None, "ok"),
        ("auto", "embedded", "ok"),
        ("auto", "ollama", "fail"),
        ("embedded", None, "ok"),
    ],
)
def test_an_ollama_that_does_not_answer_fails_only_if_needed(
    home: Home, wished: str, indexed: str | None, verdict: str
) -> None:
    configure(home, embedding={"provider": wished, "base_url": nobody()})
    if indexed:
        with_index_of(home, indexed)
    assert provider.ollama(home).verdict == verdict


def test_wrong_weights_are_reported(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    assert provider.weights(home).verdict == "ok"
    english = structs.replace(ENGLISH, files=dict.fromkeys(ENGLISH.files, "0" * 64))
    monkeypatch.setattr(provider, "SHIPPED", {ENGLISH.name: english})
    assert "is not the file" in provider.weights(home).message
    english = structs.replace(ENGLISH, package="no_such_package")
    monkeypatch.setattr(provider, "SHIPPED", {ENGLISH.name: english})
    assert "is missing" in provider.weights(home).message


def test_weights_of_the_multilingual_model_are_checked_too(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MULTILINGUAL.name in provider.weights(home).message
    other = structs.replace(MULTILINGUAL, files={"resources/sp.model": "0" * 64})
    monkeypatch.setattr(provider, "SHIPPED", {ENGLISH.name: ENGLISH, other.name: other})
    assert "sp.model is not the file" in provider.weights(home).message


# The index


def test_a_missing_library_is_a_failure(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    assert index.libraries(home) == ok(f"lance {version('pylance')}")

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(index, "version", missing)
    finding = index.libraries(home)
    assert finding.verdict == "fail" and "pylance" in finding.message


def test_no_index_yet_is_fine(home: Home) -> None:
    assert index.probe(home) == ok("none yet; `ragctl index` creates it")


@pytest.mark.slow
def test_the_index_is_actually_read(ragctl: Ragctl, home: Home) -> None:
    assert ragctl("index").code == 0
    assert index.probe(home).message.startswith("1 note; its rows and indexes")
    assert ragctl("stop").code == 0
    for path in Path(home.vectors).glob("*/*.lance/data/*"):
        path.write_bytes(path.read_bytes().replace(b"PageLayout", b"Page\0ayout"))
    assert index.probe(home).message == "it is damaged (crash)", "the probe process has crashed"
    ragctl("stop")
    for path in Path(home.vectors).rglob("data/*.lance"):
        path.write_bytes(path.read_bytes()[:20])
    finding = index.probe(home)
    assert finding.verdict == "fail" and "ragctl reindex" in finding.fix


def test_a_missing_index_that_is_in_the_log_is_reported(home: Home) -> None:
    with_index_of(home, "embedded")
    finding = index.probe(home)
    assert finding.verdict == "fail" and "it is missing" in finding.message


def test_a_crash_of_the_probe_is_a_finding(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with_index_of(home, "embedded")
    monkeypatch.setattr(subprocesses, "environment", lambda: {"PYTHONHOME": "/nowhere"})
    finding = index.probe(home)
    assert finding.verdict == "fail" and "no result" in finding.message


# The network


@pytest.mark.parametrize(
    ("name", "fix"),
    [("papres", "Did you mean `papers`?"), ("zzz", "Correct the name, or remove it.")],
)
def test_a_rule_that_names_an_unknown_collection_is_a_warning(
    home: Home, tmp_path: Path, name: str, fix: str
) -> None:
    papers = {"papers": {"path": str(tmp_path / "papers")}}
    names = ["*", "vault", "papers", "memory", "sessions/main"]
    configure(home, collections=papers, access={"rules": [{"collections": names}]})
    assert home_checks.config(home).verdict == "ok"
    configure(home, access={"rules": [{"collections": names}, {"collections": [name]}]})
    found = home_checks.config(home)
    assert (found.verdict, found.fix) == ("warn", fix)
    assert found.message == f"`access.rules[1]` names the collection {name}, which does not exist"
    assert name in found.private


def test_the_configuration_keeps_notes_on_this_machine(home: Home) -> None:
    assert network.isolation(home) == ok("local by configuration (local_only)")
    configure(
        home,
        embedding={"base_url": "http://example.org:11434"},
        security={"local_only": False, "external_confirmed": True},
    )
    finding = network.isolation(home)
    assert finding.verdict == "warn" and "another machine" in finding.message


def test_open_connections_of_this_process_are_found(home: Home, fake: FakeDaemon) -> None:
    before = network.isolation(home).verdict  # libraries that other tests use may keep some open
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        assert network.isolation(home).message == "the daemon listens on a network port"
        with socket.create_connection(listener.getsockname()):
            peers = [one for one in network.connections(os.getpid()) if not one.listens]
            assert "127.0.0.1" in {one.peer for one in peers}
    assert network.isolation(home).verdict == before


@pytest.mark.parametrize(
    ("word", "address"),
    [
        ("0100007F:1F90", "127.0.0.1"),
        ("00000000000000000000000001000000:01BB", "::1"),
        ("0000000000000000FFFF00000100007F:01BB", "::ffff:7f00:1"),
    ],
)
def test_an_address_of_the_kernel_is_parsed(word: str, address: str) -> None:
    assert network.parse_address(word) == address
    assert network.is_this_machine(address)


def test_another_machine_is_a_failure_that_stays_private() -> None:
    finding = network.judge_connections("local_only", [Connection("192.0.2.7", False)], False)
    assert finding.verdict == "fail" and finding.private == ("192.0.2.7",)


# The stores


def test_a_damaged_store_is_reported(home: Home) -> None:
    assert stores.memories(home) == ok("none stored yet")
    for path in (home.memories, home.embedding_cache):
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE memories (key TEXT)")
            database.execute("INSERT INTO memories VALUES ('a')")
        database.close()
    assert stores.memories(home) == ok("1 memory, the database is intact")
    assert stores.cache(home).verdict == "ok"
    for path in (home.memories, home.embedding_cache):
        Path(path).write_bytes(b"SQLite format 3\0" + b"nonsense" * 600)
    assert stores.memories(home).verdict == "fail"
    assert stores.cache(home).verdict == "warn"
    assert sorted(os.listdir(home.root)) == ["config.json", "embeddings.sqlite", "memories.sqlite"]


def test_each_folder_of_a_collection_is_checked(home: Home, short: Path) -> None:
    assert "no collections" in vault.collections(home).message
    for name in ("papers", "empty"):
        (short / name).mkdir()
    (short / "papers" / "a.md").write_text("a")
    collections = {name: {"path": str(short / name)} for name in ("papers", "empty", "away")}
    configure(home, collections=collections)
    finding = vault.collections(home)
    assert finding.verdict == "warn"
    assert "@empty" in finding.message and "@away" in finding.message
    assert "@papers" not in finding.message
    assert str(short / "away") in finding.private
    configure(home, collections={"papers": collections["papers"]})
    assert vault.collections(home).verdict == "ok"


def test_each_database_with_sessions_is_checked(home: Home, short: Path) -> None:
    databases = [HostDatabase(short / "agents", agent) for agent in ("main", "work", "other")]
    for one in databases:
        one.close()
    configure(home, sessions={"enabled": True, "path": str(short / "agents")})
    assert vault.collections(home) == ok("3 collections, all readable")
    databases[1].path.write_bytes(b"nonsense" * 600)
    databases[2].open()
    databases[2].execute("DROP TABLE transcript_events")
    finding = vault.collections(home)
    assert finding.verdict == "warn"
    assert "@sessions/main" not in finding.message
    assert "@sessions/work" in finding.message and "its database is damaged" in finding.message
    assert "@sessions/other" in finding.message and "does not know" in finding.message
    assert str(databases[1].path) in finding.private
    assert "sessions.enabled false" in str(finding)
