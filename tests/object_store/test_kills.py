"""kill -9 in the middle of commits to an object store: nothing acknowledged is lost, nothing is
doubled, and the next writer goes on. A suspended writer cannot write after it was replaced."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from ragd.config.store_settings import StoreOptions
from ragd.objects.address import parse_address
from ragd.objects.credentials import lance_options
from ragd.objects.object_client import ObjectClient
from ragd.objects.writer_lease import WriterLease
from ragd.store.lance import generation_folders, libraries, maintenance
from ragd.store.lance.checkup import examine
from ragd.store.lance.object_place import ObjectPlace
from ragd.store.lance.writer import TableWriter
from tests.object_store.fault_proxy import FaultProxy
from tests.object_store.killed_writer import GENERATION
from tests.object_store.kinds import Server
from tests.store.lance.drafts import identity, note
from tests.store.lance.killed_writer import NOTES, draft

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("RAGD_STORE_KILLS", "5"))
SUSPENSIONS = {"s3": max(1, KILLS * 3 // 20)}  # 30 in make test-store
OTHER_SUSPENSIONS = max(1, KILLS // 40)


def prepare(address: str, server: Server) -> ObjectPlace:
    options = StoreOptions(endpoint=server.endpoint, allow_http=True)
    parsed, credentials = parse_address(address), server.environment
    client = ObjectClient(parsed, options, credentials)
    place = ObjectPlace(client, lance_options(parsed, options, credentials), options)
    place.lease = WriterLease(client, "the test", "the test", 6.0)
    place.lease.acquire()
    generation_folders.create(place, identity(GENERATION))
    place.lease.release()
    return place


def start(address: str, server: Server, seed: int, holder: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.object_store.killed_writer"),
            *(address, server.endpoint, str(seed)),
        ],
        env={**os.environ, **server.environment, "HOLDER": holder},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def note_down(line: str, stored: dict[int, int]) -> None:
    verb, *numbers = line.split() or [""]
    if verb == "stored" and line.endswith("\n"):
        revision, *chosen = map(int, numbers)
        stored.update(dict.fromkeys(chosen, revision))


def check(place: ObjectPlace, stored: dict[int, int]) -> None:
    """Every note is complete, of one revision, and not older than the acknowledged one."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    columns = ["source_file", "chunk_id", "chunk_index", "chunk_text"]
    dataset = libraries.open_dataset(place.table(GENERATION))
    for row in dataset.scanner(columns=columns).to_table().to_pylist():
        found[row["source_file"]].append(row)
    ids = [row["chunk_id"] for rows in found.values() for row in rows]
    assert len(set(ids)) == len(ids), "a passage is there twice"
    for number in range(NOTES):
        rows = sorted(found[f"n{number}.md"], key=lambda row: row["chunk_index"])
        assert rows or number not in stored, "a stored note is gone"
        if rows:
            revision = int(rows[0]["chunk_text"].split()[1].removeprefix("revision"))
            assert [row["chunk_text"] for row in rows] == draft(number, revision)
            assert revision >= stored.get(number, 0)


@pytest.mark.every_kind
def test_every_commit_of_lance_has_a_condition(
    address: str, server: Server, proxy: FaultProxy
) -> None:
    """Otherwise two commits could overwrite each other: the name of a version may be new only."""
    place = prepare(address, server._replace(endpoint=proxy.endpoint))
    writer = TableWriter(place.table(GENERATION))
    writer.replace([note("a.md", "One."), note("b.md", "Two.")], [])
    writer.replace([], ["a.md"])
    maintenance.compact(writer)
    puts = [(unquote(path).partition("?")[0], found) for path, found in proxy.puts]
    commits = [found for path, found in puts if "/_versions/" in path]
    assert len(commits) >= 4
    assert set(commits) == {"0" if server.scheme == "gs" else "*"}


@pytest.mark.every_kind
def test_killed_writers_lose_and_double_nothing(address: str, server: Server) -> None:
    place, stored = prepare(address, server), dict[int, int]()
    for seed in range(1, KILLS + 1):
        source = random.Random(seed)
        child = start(address, server, seed, "one home")
        assert child.stdout is not None
        with child, child.stdout as lines:
            for _ in range(source.randint(2, 6)):
                note_down(lines.readline(), stored)
            time.sleep(source.uniform(0, 0.06))  # anywhere in the next step
            child.kill()
            for line in lines:
                note_down(line, stored)
        assert stored, "the writer never wrote"
        check(place, stored)
    assert examine(place, GENERATION) is None


def test_a_suspended_writer_does_not_write_after_it_was_replaced(
    address: str, server: Server
) -> None:
    """Stopped anywhere, for longer than its lease; another one takes over; then it wakes up."""
    place = prepare(address, server)
    for seed in range(1, SUSPENSIONS.get(server.scheme, OTHER_SUSPENSIONS) + 1):
        source, stored = random.Random(seed), dict[int, int]()
        asleep = start(address, server, 2 * seed, f"laptop {seed}")
        assert asleep.stdout is not None
        for _ in range(source.randint(2, 5)):
            note_down(asleep.stdout.readline(), stored)
        time.sleep(source.uniform(0, 0.06))
        asleep.send_signal(signal.SIGSTOP)
        taking = WriterLease(place.client, "the test", "the test", 6.0)
        while not taking.is_held:
            try:
                taking.acquire()
            except Exception:
                time.sleep(0.2)
        taking.release()
        awake = start(address, server, 2 * seed + 1, f"desktop {seed}")
        assert awake.stdout is not None
        for _ in range(3):
            note_down(awake.stdout.readline(), stored)
        asleep.send_signal(signal.SIGCONT)
        for _ in range(4):
            note_down(awake.stdout.readline(), stored)
        asleep.communicate()
        awake.kill()
        for line in awake.stdout:
            note_down(line, stored)
        awake.communicate()
        assert asleep.returncode not in (0, -signal.SIGKILL)  # it was refused
        check(place, stored)
        release = WriterLease(place.client, f"desktop {seed}", "the test", 6.0)
        release.acquire()
        release.release()
