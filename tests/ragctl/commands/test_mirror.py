"""`ragctl mirror`: the key of a home, and a new home from the copy in an object store."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragd.config import load as configuration
from ragd.config.store_settings import StoreOptions
from ragd.objects import log_copy
from ragd.objects.address import ObjectAddress
from ragd.objects.sealed_bytes import seal
from ragd.objects.store_errors import ObjectStoreError
from ragd.paths import Home
from tests.memory_buckets import ADDRESS, MemoryBuckets, MemoryClient
from tests.object_store.servers import free_port
from tests.ragctl.conftest import Ragctl, Result

KEY = bytes(range(32))
COPY = "log/01HOME"
SETTINGS = {
    "vault_path": "/where/it/was",
    "search": {"fallback": "none"},
    "vector_store": {"path": ADDRESS, "options": {"lease_s": 60.0}},
    "log": {"mirror": True},
    "security": {"local_only": False, "external_confirmed": True},
}


@pytest.fixture
def other(short: Path) -> Home:
    """The home on the new machine; nothing is in it."""
    return Home(str(short / "other"))


@pytest.fixture
def notes(short: Path) -> Path:
    """The vault on the new machine."""
    folder = short / "Notes"
    folder.mkdir()
    return folder


@pytest.fixture
def key_file(short: Path) -> Path:
    file = short / "key.txt"
    file.write_text(f"{KEY.hex()}\n")
    return file


@pytest.fixture
def copy(buckets: MemoryBuckets, short: Path) -> MemoryClient:
    """The object store with the copy of a machine that is gone."""
    lost = Home(str(short / "lost"))
    note = Path(lost.agent_notes, "main", "pot.md")
    note.parent.mkdir(parents=True)
    note.write_text("The spare key is under the blue pot.")
    client = buckets.client()
    client.put(log_copy.CURRENT, b'{"holder":"01HOME","vault":"0123456789abcdef","fence":2}')
    client.put(f"{COPY}/events/0000000000000001.ndjson", b"a segment")
    client.put(f"{COPY}/snapshots/0000000000000001.json", b"a snapshot")
    client.put(f"{COPY}/config.json", json.dumps(SETTINGS).encode())
    client.put(f"{COPY}/memories.sealed", seal(log_copy.pack_memories(lost), KEY))
    return client


def restore(ragctl: Ragctl, other: Home, *words: object, address: str = ADDRESS) -> Result:
    return ragctl("--home", other.root, "mirror", "restore", address, *map(str, words))


def files_in(home: Home) -> set[str]:
    root = Path(home.root)
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_a_home_is_restored_with_the_vault_of_this_machine(
    ragctl: Ragctl, other: Home, notes: Path, key_file: Path, copy: MemoryClient
) -> None:
    copy.written.clear()
    done = restore(ragctl, other, notes, "--key", key_file)
    assert (done.code, done.err) == (0, "")
    assert done.lines[0] == f"2 files of the log restored to {other.root}."
    assert f"Next: `ragctl --home {other.root} start`" in done.out
    assert "Memories are not restored" not in done.out
    assert files_in(other) == {
        *("config.json", "mirror.key", "memory/main/pot.md"),
        *("events/0000000000000001.ndjson", "snapshots/0000000000000001.json"),
    }
    config = configuration.load(other)
    assert config.vault_path == str(notes)
    assert configuration.vault_id(config) == "0123456789abcdef"
    assert (config.vector_store.path, config.vector_store.options.lease_s) == (ADDRESS, 60.0)
    assert (config.search.fallback, config.log.mirror) == ("none", True)
    assert Path(other.agent_notes, "main", "pot.md").read_text().endswith("blue pot.")
    shown = ragctl("--home", other.root, "mirror", "key")
    assert (shown.code, shown.out) == (0, f"{KEY.hex()}\n")
    assert copy.written == []  # the daemon takes over, not this command
    assert Path(other.root).stat().st_mode & 0o777 == 0o700


def test_without_the_key_the_memories_stay_where_they_are(
    ragctl: Ragctl, other: Home, notes: Path, copy: MemoryClient
) -> None:
    done = restore(ragctl, other, notes)
    assert done.code == 0
    assert "Memories are not restored" in done.out
    assert not {"mirror.key", "memory/main/pot.md"} & files_in(other)
    assert "config.json" in files_in(other)


def test_programs_get_what_was_restored(
    ragctl: Ragctl, other: Home, notes: Path, key_file: Path, copy: MemoryClient
) -> None:
    copy.delete([f"{COPY}/memories.sealed"])  # the other machine had none
    done = restore(ragctl, other, notes, "--key", key_file, "--json")
    expected = {"config": other.config, "vault": str(notes), "files": 2, "memories": False}
    assert done.json == expected
    assert "mirror.key" not in files_in(other)


def test_the_endpoint_and_the_region_of_this_machine_are_kept(
    ragctl: Ragctl,
    other: Home,
    notes: Path,
    copy: MemoryClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[StoreOptions] = []

    def connect(address: ObjectAddress, options: StoreOptions) -> MemoryClient:
        asked.append(options)
        return copy

    monkeypatch.setattr("ragctl.commands.mirror.ObjectClient", connect)
    endpoint = "http://127.0.0.1:9000"
    assert restore(ragctl, other, notes, "--endpoint", endpoint, "--region", "mars-1").code == 0
    kept = configuration.load(other).vector_store.options
    for options in (kept, *asked):
        assert (options.endpoint, options.region, options.allow_http) == (endpoint, "mars-1", True)
    assert kept.lease_s == 60.0


# Refusals


def test_a_wrong_key_restores_nothing(
    ragctl: Ragctl, other: Home, notes: Path, key_file: Path, copy: MemoryClient
) -> None:
    key_file.write_text("0" * 64)
    refused = restore(ragctl, other, notes, "--key", key_file)
    assert refused.code == 1
    assert "nothing was restored" in refused.err
    assert files_in(other) == set()


@pytest.mark.parametrize("content", [None, "", "not hex", "abcd"])
def test_a_file_without_a_key_is_refused(
    ragctl: Ragctl,
    other: Home,
    notes: Path,
    key_file: Path,
    copy: MemoryClient,
    content: str | None,
) -> None:
    if content is None:
        key_file.unlink()
    else:
        key_file.write_text(content)
    refused = restore(ragctl, other, notes, "--key", key_file)
    assert refused.code == 1
    assert f"{key_file} has no key" in refused.err
    assert files_in(other) == set()


def test_a_home_that_is_in_use_is_not_touched(
    ragctl: Ragctl, home: Home, notes: Path, copy: MemoryClient
) -> None:
    before = Path(home.config).read_bytes()
    refused = restore(ragctl, home, notes)
    assert refused.code == 1
    assert "in use already" in refused.err
    assert (files_in(home), Path(home.config).read_bytes()) == ({"config.json"}, before)


def test_after_a_refused_vault_the_same_home_can_be_restored(
    ragctl: Ragctl, other: Home, short: Path, notes: Path, key_file: Path, copy: MemoryClient
) -> None:
    refused = restore(ragctl, other, short, "--key", key_file)
    assert refused.code != 0
    assert "inside the vault" in refused.err
    assert files_in(other) == set()
    assert restore(ragctl, other, notes, "--key", key_file).code == 0


def test_after_a_download_that_broke_off_the_same_home_can_be_restored(
    ragctl: Ragctl,
    other: Home,
    notes: Path,
    key_file: Path,
    copy: MemoryClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = log_copy.restore_log

    def break_off(*given: Any) -> int:
        whole(*given)
        raise ObjectStoreError("STORE_BUCKET_MISSING")

    monkeypatch.setattr(log_copy, "restore_log", break_off)
    assert restore(ragctl, other, notes, "--key", key_file).code == 1
    assert files_in(other) == set()
    monkeypatch.setattr(log_copy, "restore_log", whole)
    assert restore(ragctl, other, notes, "--key", key_file).code == 0
    assert "events/0000000000000001.ndjson" in files_in(other)


def test_a_vault_that_does_not_exist_is_named(
    ragctl: Ragctl, other: Home, short: Path, copy: MemoryClient
) -> None:
    refused = restore(ragctl, other, short / "absent")
    assert refused.code == 1
    assert f"{short / 'absent'} does not exist" in refused.err


def test_an_address_without_a_copy_says_how_one_is_made(
    ragctl: Ragctl, other: Home, notes: Path, buckets: MemoryBuckets
) -> None:
    refused = restore(ragctl, other, notes)
    assert refused.code == 1
    assert "no copy of a log" in refused.err and "`log.mirror`" in refused.err
    assert files_in(other) == set()


def test_a_store_that_does_not_answer_is_named(
    ragctl: Ragctl, other: Home, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("obstore", reason="obstore is not installed; it is part of ragd[cloud]")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    refused = restore(ragctl, other, notes, "--endpoint", f"http://127.0.0.1:{free_port()}")
    assert refused.code == 1
    assert "does not respond" in refused.err


@pytest.mark.parametrize("address", ["bucket/notes", "ftp://bucket/notes", "s3://"])
def test_something_else_than_an_address_is_a_mistake_in_the_command(
    ragctl: Ragctl, other: Home, notes: Path, address: str
) -> None:
    refused = restore(ragctl, other, notes, address=address)
    assert refused.code == 2
    assert "s3://bucket/prefix" in refused.err


def test_restoring_needs_an_address_and_a_vault(ragctl: Ragctl, other: Home) -> None:
    refused = ragctl("--home", other.root, "mirror", "restore", ADDRESS)
    assert refused.code == 2
    assert "needs an address and a vault" in refused.err


# The key


def test_the_key_is_printed_for_people_and_for_programs(ragctl: Ragctl, home: Home) -> None:
    Path(home.mirror_key).write_text(f"{KEY.hex()}\n")
    assert ragctl("mirror", "key").out == f"{KEY.hex()}\n"
    assert ragctl("mirror", "key", "--json").json == {"key": KEY.hex()}


def test_a_home_without_a_key_says_how_one_is_made(ragctl: Ragctl, home: Home) -> None:
    refused = ragctl("mirror", "key")
    assert (refused.code, refused.out) == (1, "")
    assert "no key yet" in refused.err and "log.mirror true" in refused.err
