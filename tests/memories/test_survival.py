"""Memories of a real daemon: stored memories survive crashes, forgotten ones are in no file."""

import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.embed.providers import local_model
from ragd.paths import Home
from tests.daemon.processes import Process, types, write_config
from tests.memories.conftest import STORE

Start = Callable[..., Process]

needs_model = pytest.mark.skipif(
    local_model.unavailable() is not None, reason="the embedded model cannot run here"
)


def fact(key: str, value: str = "a fact") -> dict[str, str]:
    return {"key": key, "value": value, "source": "note.md"}


async def memories(daemon: Process) -> dict[str, str]:
    listed = (await daemon.ask("GET", "/v1/memories")).data["memories"]
    return {memory["key"]: memory["value"] for memory in listed}


async def indexed(daemon: Process) -> None:
    """Wait for a whole job and its vectors."""
    job = (await daemon.ask("POST", "/v1/jobs", {"mode": "full"})).data["job_id"]
    *_, last = (await daemon.ask("GET", f"/v1/jobs/{job}?follow=1")).body.splitlines()
    assert json.loads(last)["type"] == "complete"


def files_with(home: Home, *words: str) -> list[str]:
    """The files of this home that have one of the words in their text or name."""
    found = []
    for path in sorted(Path(home.root).rglob("*")):
        raw = path.read_bytes() if path.is_file() and not path.is_socket() else b""
        if any(word.encode() in raw + os.fsencode(path.name) for word in words):
            found.append(path.name)
    return found


async def test_a_stored_memory_survives_an_immediate_kill(home: Home, start: Start) -> None:
    kept: dict[str, str] = {}
    for life in range(4):
        daemon = start("plain")
        await daemon.wait_until_ready()
        assert await memories(daemon) == kept
        for n in range(life + 1):
            key = f"life {life} fact {n}"
            reply = await daemon.ask("POST", STORE, fact(key, f"value {life}"))
            assert (reply.data["stored"], reply.data["key"]) == (True, key)
            kept[key] = f"value {life}"
        daemon.signal(signal.SIGKILL)
        assert await daemon.wait_for_exit() == -signal.SIGKILL
        assert types(home).count("memory_stored") == len(kept)


async def test_a_forgotten_memory_stays_forgotten_after_an_immediate_kill(
    home: Home, start: Start
) -> None:
    daemon = start("plain")
    await daemon.wait_until_ready()
    await daemon.ask("POST", STORE, fact("canary-key", "canary-value"))
    assert (await daemon.ask("DELETE", "/v1/memories/canary-key")).data["forgotten"]
    daemon.signal(signal.SIGKILL)
    await daemon.wait_for_exit()
    assert files_with(home, "canary-key", "canary-value") == []
    assert types(home)[-1] == "memory_forgotten"


async def test_memories_survive_a_deleted_log_and_a_deleted_index(home: Home, start: Start) -> None:
    daemon = start("plain")
    await daemon.wait_until_ready()
    await daemon.ask("POST", STORE, fact("a"))
    await daemon.stop()
    for folder in (home.events, home.snapshots, home.vectors):
        shutil.rmtree(folder, ignore_errors=True)
    Path(home.embedding_cache).unlink(missing_ok=True)
    daemon = start("plain")
    await daemon.wait_until_ready()
    assert await memories(daemon) == {"a": "a fact"}
    Path(home.memory_secret).unlink()
    assert (await daemon.ask("DELETE", "/v1/memories/a")).data["forgotten"]


@needs_model
@pytest.mark.slow
async def test_memories_survive_a_reindex_and_forgotten_ones_are_in_no_file(
    home: Home, start: Start
) -> None:
    """With the whole daemon: log, snapshots, index, cache, its own log file."""
    write_config(home, embedding={"provider": "embedded"})
    daemon = start()
    await daemon.wait_until_ready()
    await indexed(daemon)
    secret = ("canaryKey", "zqvaluezq", "zqreplacedzq")
    await daemon.ask("POST", STORE, fact("canaryKey", "zqreplacedzq " * 100))
    await daemon.ask("POST", STORE, fact("canaryKey", "zqvaluezq " * 900))
    await daemon.ask("POST", STORE, fact("stays", "zqstayszq"))
    await daemon.ask("POST", STORE, fact("canaryKey" * 30, "refused: too long"))
    await daemon.ask("POST", STORE, {**fact("canaryKey"), "source": "zqvaluezq.md"})
    await indexed(daemon)
    assert set(await memories(daemon)) == {"canaryKey", "stays"}
    assert "memories.sqlite" in " ".join(files_with(home, *secret))
    assert (await daemon.ask("DELETE", "/v1/memories/canaryKey")).data["forgotten"]
    assert files_with(home, *secret) == []
    assert await memories(daemon) == {"stays": "zqstayszq"}
    assert await daemon.stop() == 0
    assert files_with(home, *secret) == []
    assert files_with(home, "zqstayszq") == ["memories.sqlite"]
    assert {"memories.sqlite", "memories.key", "events"} <= set(os.listdir(home.root))


async def test_on_a_full_disk_the_answer_is_not_stored(
    home: Home, start: Start, folder: Path
) -> None:
    full = folder / "full"
    daemon = start(f"full_while={full}")
    await daemon.wait_until_ready()
    full.touch()
    reply = await daemon.ask("POST", STORE, fact("a"))
    assert (reply.status, reply.code) == (503, "DISK_FULL")
    assert reply.data is None
    full.unlink()
    await daemon.wait_for_reasons("DISK_FULL", absent=True)
    assert (await daemon.ask("POST", STORE, fact("a"))).data["stored"]
    assert await memories(daemon) == {"a": "a fact"}


async def test_a_clean_stop_leaves_one_plain_file(home: Home, start: Start) -> None:
    daemon = start("plain")
    await daemon.wait_until_ready()
    await daemon.ask("POST", STORE, fact("a"))
    assert await daemon.stop() == 0
    left = sorted(name for name in os.listdir(home.root) if name.startswith("memories"))
    assert left == ["memories.key", "memories.sqlite"]
    with sqlite3.connect(home.memories) as connection:
        assert connection.execute("SELECT key FROM memories").fetchall() == [("a",)]
    connection.close()
    assert "memory_stored" in json.dumps(types(home))
